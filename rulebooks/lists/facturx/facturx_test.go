package facturx

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
)

// TestCodes ensures that each list can be read, says what it is, and has codes without blanks, none of them twice.
func TestCodes(t *testing.T) {
	names, err := fs.Glob(files, "*.txt")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil || !strings.HasPrefix(string(text), "# ") {
			t.Errorf("%s has no title: %v", name, err)
		}
		codes, err := Codes(strings.TrimSuffix(name, ".txt"))
		if err != nil || len(codes) < 4 {
			t.Errorf("%s: %d codes, %v", name, len(codes), err)
		}
		slices.Sort(codes)
		if len(slices.Compact(slices.Clone(codes))) != len(codes) || strings.ContainsAny(strings.Join(codes, ""), " '\"") {
			t.Errorf("%s has a code twice, or one that is no code", name)
		}
	}
	if _, err := Codes("nothing"); err == nil {
		t.Error("a list that is not there is read")
	}
}
