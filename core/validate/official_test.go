package validate

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDifferences ensures when a verdict agrees with an official one.
func TestDifferences(t *testing.T) {
	one := []FiredRule{{ID: "R-1", Flag: "fatal", Count: 2}}
	for _, c := range []struct {
		name, official string
		ours           Verdict
		want           []string
	}{
		{"nothing fired", `[]`, Verdict{}, nil},
		{"the same fired", `[{"id":"R-1","flag":"fatal","count":2,"report":true}]`, Verdict{Schematron: one}, nil},
		{"the role stands for a flag", `[{"id":"R-1","flag":"warning","count":1}]`, Verdict{Schematron: []FiredRule{{ID: "R-1", Role: "warning", Count: 1}}}, nil},
		{"the flag comes before the role", `[{"id":"R-1","flag":"warning","count":1}]`, Verdict{Schematron: []FiredRule{{ID: "R-1", Flag: "warning", Role: "x", Count: 1}}}, nil},
		{"entries of one rule add up", `[{"id":"R-1","flag":"","count":1},{"id":"R-1","flag":"","count":2}]`,
			Verdict{Schematron: []FiredRule{{ID: "R-1", Count: 2}, {ID: "R-1", Count: 1}}}, nil},
		{"another count", `[{"id":"R-1","flag":"fatal","count":1}]`, Verdict{Schematron: one}, []string{"R-1 fatal: official count 1, ours 2"}},
		{"another level", `[{"id":"R-1","flag":"warning","count":2}]`, Verdict{Schematron: one},
			[]string{"R-1 fatal: official count 0, ours 2", "R-1 warning: official count 2, ours 0"}},
		{"a rule was not run", `[]`, Verdict{NotRun: []SkippedRule{{ID: "R-2", Code: "FORG0001", Reason: "no number"}}}, []string{"R-2: not run: FORG0001 no number"}},
		{"ended, as ours", `{"error":"FORG0001"}`, Verdict{Schematron: one, NotRun: []SkippedRule{{ID: "R-2", Code: "FORG0001"}}}, nil},
		{"ended, ours with another code", `{"error":"FORG0001"}`, Verdict{NotRun: []SkippedRule{{ID: "R-2", Code: "XPTY0004"}}},
			[]string{"the official run ends with FORG0001; no rule was not run with that code, but R-2 with XPTY0004"}},
		{"ended, ours not", `{"error":"FORG0001"}`, Verdict{}, []string{"the official run ends with FORG0001; no rule was not run with that code"}},
		{"ended in one processor, ours not", `{"error":"FORG0001","also":[{"id":"R-1","flag":"fatal","count":2}]}`, Verdict{Schematron: one}, nil},
		{"ended in one processor, nothing fired in the other", `{"error":"FORG0001","also":[]}`, Verdict{}, nil},
		{"ended in one processor, ours differs from the other", `{"error":"FORG0001","also":[]}`, Verdict{Schematron: one}, []string{"R-1 fatal: official count 0, ours 2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := `{"rulesets":{"r":{"version":"1"}},"files":{"a.xml":{"rules":{"r":` + c.official + `}}}}`
			o, err := ReadOfficial([]byte(data))
			if err != nil {
				t.Fatal(err)
			}
			verdict := o.Files["a.xml"].Rules["r"]
			if diff := cmp.Diff(c.want, verdict.Differences(&c.ours)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestReadOfficial ensures that the last of two verdicts on one document counts, and that other files are refused.
func TestReadOfficial(t *testing.T) {
	const head = `{"set":"s","bases":{"x":"y"},"rulesets":{"r":{"version":"1","ids":3}},"files":{`
	o, err := ReadOfficial([]byte(head + `"b.xml":{"rules":{"r":{"error":"X"}}},"a.xml":{"xsd":{"u":{"valid":true,"cvc":"-"}}},"b.xml":{"rules":{"r":[]}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := o.Files["b.xml"].Rules["r"]; got.Error != "" || o.Set != "s" || !o.Files["a.xml"].XSD["u"].Valid || !cmp.Equal(o.Names(), []string{"a.xml", "b.xml"}) {
		t.Errorf("%+v", o)
	}
	for _, text := range []string{"", "[]", "{}", head + "}}", head + `"a.xml":{"rules":{"r":{"message":"x"}}}}}`, head + `"a.xml":{"rules":{"r":3}}}}`} {
		if _, err := ReadOfficial([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), "read verdicts: ") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
