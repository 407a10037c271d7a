package oracles

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// The committed goldens are those that the official rules accepted. A golden that changes must be judged anew.
func TestFaults_CommittedGoldensAreVerified(t *testing.T) {
	faults, err := Faults(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range faults {
		t.Error(fault)
	}
}

func TestFaults_NamesEachFault(t *testing.T) {
	const hash = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881" // of the letter x
	valid := `{"sha256":"` + hash + `","ruleSets":["s 1"],"valid":true}`
	refused := `{"sha256":"` + hash + `","ruleSets":["s 1"],"valid":false,"fatal":{"BR-02":1}}`
	for name, test := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"valid":              {map[string]string{"a/x.xml": "x", "verified.json": `{"testdata/a/x.xml":` + valid + `}`}, nil},
		"no goldens":         {map[string]string{"a/x.json": "{}"}, nil},
		"code list of rules": {map[string]string{"rules/x.xml": "x"}, nil},
		"not judged":         {map[string]string{"a/x.xml": "x"}, []string{"testdata/a/x.xml has no verdict"}},
		"changed":            {map[string]string{"a/x.xml": "y", "verified.json": `{"testdata/a/x.xml":` + valid + `}`}, []string{"testdata/a/x.xml has changed"}},
		"gone":               {map[string]string{"verified.json": `{"testdata/a/x.xml":` + valid + `}`}, []string{"testdata/a/x.xml has a verdict"}},
		"refused":            {map[string]string{"a/x.xml": "x", "verified.json": `{"testdata/a/x.xml":` + refused + `}`}, []string{"testdata/a/x.xml is refused by BR-02 (1 times)"}},
		"not judged by what is fetched": {map[string]string{"a/x.xml": "x", "verified.json": `{"testdata/a/x.xml":{"sha256":"` + hash + `","ruleSets":["nl-ubl 2.0.3.12"],"valid":true}}`},
			[]string{"testdata/a/x.xml has not been judged by nl-ubl 2.0.3.13"}},
		"judged by what is fetched": {map[string]string{"a/x.xml": "x",
			"verified.json": `{"testdata/a/x.xml":{"sha256":"` + hash + `","ruleSets":["nl-ubl 2.0.3.12"],"valid":true,"fetched":["nl-ubl 2.0.3.13"]}}`}, nil},
		"refused by intent": {map[string]string{"documents/x.xml": "x", "verified.json": `{"testdata/documents/x.xml":` + refused + `}`,
			"invalid.json": `{"testdata/documents/x.xml":{"fatal":["BR-02"],"reason":"r"}}`}, nil},
		"declared in vain": {map[string]string{"documents/x.xml": "x", "verified.json": `{"testdata/documents/x.xml":` + refused + `}`,
			"invalid.json": `{"testdata/documents/x.xml":{"fatal":["BR-02","BR-03"],"reason":"r"}}`}, []string{"declared to break BR-03"}},
		"generated golden declared": {map[string]string{"a/x.xml": "x", "verified.json": `{"testdata/a/x.xml":` + refused + `}`,
			"invalid.json": `{"testdata/a/x.xml":{"fatal":["BR-02"],"reason":"r"}}`}, []string{"only documents below testdata/documents/ may be invalid"}},
		"declared without reason": {map[string]string{"documents/x.xml": "x", "verified.json": `{"testdata/documents/x.xml":` + refused + `}`,
			"invalid.json": `{"testdata/documents/x.xml":{"fatal":["BR-02"]}}`}, []string{"must give the rule ids and the reason"}},
		"declared but gone": {map[string]string{"invalid.json": `{"testdata/documents/x.xml":{"fatal":["BR-02"],"reason":"r"}}`},
			[]string{"declares testdata/documents/x.xml, which does not exist"}},
	} {
		t.Run(name, func(t *testing.T) {
			files := fstest.MapFS{}
			for name, text := range test.files {
				files["testdata/"+name] = &fstest.MapFile{Data: []byte(text)}
			}
			got, err := Faults(files)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != len(test.want) {
				t.Fatalf("faults = %q, want %d", got, len(test.want))
			}
			for i, want := range test.want {
				if !strings.Contains(got[i], want) {
					t.Errorf("fault = %q, want %q in it", got[i], want)
				}
			}
		})
	}
}

func TestFaults_RefusesAListItCannotRead(t *testing.T) {
	for name, text := range map[string]string{"not JSON": "{", "unknown member": `{"a":{"hash":"x"}}`} {
		files := fstest.MapFS{"testdata/verified.json": &fstest.MapFile{Data: []byte(text)}}
		if _, err := Faults(files); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestVerified_WritesWhatItReads(t *testing.T) {
	root := t.TempDir()
	want := Verified{"testdata/a.xml": {SHA256: "00", RuleSets: []string{"s 1"}, Fatal: map[string]int{"BR-02": 3}}}
	if err := want.Write(root); err != nil {
		t.Fatal(err)
	}
	got, err := ReadVerified(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
