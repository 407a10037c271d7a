package oracles

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRuleFired_HasTheFormOfTheCorpus(t *testing.T) {
	for text, want := range map[string]RuleFired{
		`[]`: {},
		`[{"id":"A-1","flag":"fatal","count":2}]`: {Fired: []Fired{{"A-1", "fatal", 2}}},
		`{"error":"XPTY0004"}`:                    {Aborted: "XPTY0004"},
		`{"error":"FORG0001","also":[]}`:          {Aborted: "FORG0001", Either: true},
	} {
		var got RuleFired
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if len(got.Fired) == 0 {
			got.Fired = nil
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
		if back, err := json.Marshal(got); err != nil || string(back) != text {
			t.Errorf("%s becomes %s, %v", text, back, err)
		}
	}
}

// Where one processor ends with an error and another does not, either is right; otherwise the first one counts.
func TestRuleFired_Or(t *testing.T) {
	fired, other := RuleFired{Fired: []Fired{{"A", "fatal", 1}}}, RuleFired{Fired: []Fired{{"B", "fatal", 1}}}
	ended := RuleFired{Aborted: "FORG0001"}
	either := RuleFired{Fired: fired.Fired, Aborted: "FORG0001", Either: true}
	for _, test := range []struct{ first, second, want RuleFired }{
		{fired, ended, either}, {ended, fired, either}, {fired, other, fired}, {ended, ended, ended},
	} {
		if diff := cmp.Diff(test.want, test.first.Or(test.second)); diff != "" {
			t.Errorf("%+v or %+v: %s", test.first, test.second, diff)
		}
	}
}

func TestFileVerdicts_SameWhateverTheOrder(t *testing.T) {
	verdict := func(valid bool, rules RuleFired) FileVerdicts {
		return FileVerdicts{map[string]Validity{"x": {valid}}, map[string]RuleFired{"r": rules}}
	}
	a, b := Fired{"A", "fatal", 1}, Fired{"B", "warning", 2}
	first := verdict(true, RuleFired{Fired: []Fired{a, b}})
	for name, test := range map[string]struct {
		other FileVerdicts
		same  bool
	}{
		"other order":       {verdict(true, RuleFired{Fired: []Fired{b, a}}), true},
		"other count":       {verdict(true, RuleFired{Fired: []Fired{{"A", "fatal", 2}, b}}), false},
		"other flag":        {verdict(true, RuleFired{Fired: []Fired{{"A", "", 1}, b}}), false},
		"not valid":         {verdict(false, RuleFired{Fired: []Fired{a, b}}), false},
		"ended":             {verdict(true, RuleFired{Aborted: "XPTY0004"}), false},
		"judged by nothing": {FileVerdicts{}, true},
	} {
		if got := first.Same(test.other); got != test.same {
			t.Errorf("%s: same %v, want %v", name, got, test.same)
		}
	}
}

func TestSyntaxFile_NamesFirstWhatOthersImport(t *testing.T) {
	if got, want := SyntaxFile("cii-d16b", "f").what, "xsd:f/"+Syntaxes["cii-d16b"]; got != want {
		t.Errorf("CII is %q, want %q", got, want)
	}
	want := "xsd:f/schemas/CCTS_CCT_SchemaModule.xsd;f/schemas/xmldsig-core-schema.xsd;f/schemas/XAdES01903v132-201601.xsd;" +
		"f/schemas/XAdES01903v141-201601.xsd;f/" + Syntaxes["ubl-invoice"]
	if got := SyntaxFile("ubl-invoice", "f").what; got != want {
		t.Errorf("UBL is %q, want %q", got, want)
	}
}
