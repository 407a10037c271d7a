package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWrite_WritesMutantsWithTheirIndex(t *testing.T) {
	folder := t.TempDir()
	parent := filepath.Join(folder, "parent.xml")
	text := `<Invoice xmlns:b="urn:b"><b:ID>1</b:ID><b:IssueDate>2024-01-01</b:IssueDate><b:Amount currencyID="EUR">5.00</b:Amount></Invoice>`
	if err := os.WriteFile(parent, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var indexes [2][]byte
	for i := range indexes {
		into := filepath.Join(folder, string(rune('a'+i)))
		if err := write(3, 12, into, []string{parent}); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(into, "*.xml"))
		if err != nil || len(files) != 12 {
			t.Fatalf("%d files, %v", len(files), err)
		}
		if indexes[i], err = os.ReadFile(filepath.Join(into, "index.json")); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(string(indexes[0]), string(indexes[1])); diff != "" {
		t.Error(diff)
	}
	var index []struct {
		File, Parent, Family string
		Edits                []string
	}
	if err := json.Unmarshal(indexes[0], &index); err != nil || len(index) != 12 {
		t.Fatalf("%d mutants in the index, %v", len(index), err)
	}
	for _, m := range index {
		if m.Parent != parent || m.Family == "" || len(m.Edits) == 0 {
			t.Errorf("the index does not say what was done: %+v", m)
		}
	}
}

func TestWrite_SaysWhatIsWrong(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "broken.xml")
	if err := os.WriteFile(broken, []byte("<a>"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		count int
		into  string
		files []string
	}{
		"no folder": {1, "", nil}, "no mutants": {0, t.TempDir(), nil}, "no parents": {1, t.TempDir(), nil},
		"parent is gone": {1, t.TempDir(), []string{broken + ".gone"}}, "parent is broken": {1, t.TempDir(), []string{broken}},
	} {
		if err := write(1, test.count, test.into, test.files); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
