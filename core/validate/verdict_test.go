package validate

import (
	"context"
	"errors"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/einvoiced/einvoiced/core/engine/schematron"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/finding"
)

// rulesOf compiles rules that stand in one pattern.
func rulesOf(t testing.TB, rules string) *schematron.Program {
	t.Helper()
	fsys := fstest.MapFS{"r.sch": {Data: []byte(`<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2"><pattern>` + rules + `</pattern></schema>`)}}
	set, err := schematron.Read(fsys, "r.sch", schematron.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := schematron.Compile(set, fsys, schematron.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func judgeText(t testing.TB, set *Set, document string) *Verdict {
	t.Helper()
	parser, err := xmltree.NewParser(xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := set.Judge(t.Context(), parser, []byte(document), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestJudge_OneEntryForEachRule ensures that assertions of one id and level are counted together, with place and message of the
// one that fired first in the document, and that each rule set keeps its own.
func TestJudge_OneEntryForEachRule(t *testing.T) {
	first := rulesOf(t, `<rule context="b"><assert id="R" flag="fatal" test="false()">b</assert><assert id="R" flag="warning" test="false()">w</assert></rule>
		<rule context="a"><assert id="R" flag="fatal" test="false()">a</assert></rule>`)
	second := rulesOf(t, `<rule context="a"><report id="R" flag="fatal" test="true()">again</report></rule>`)
	v := judgeText(t, &Set{Rules: []*schematron.Program{first, second}}, `<d><a/><b/><a/></d>`)
	want := []FiredRule{
		{ID: "R", Flag: "fatal", Location: "/d/a[1]", Message: "a", Count: 3},
		{ID: "R", Flag: "warning", Location: "/d/b", Message: "w", Count: 1, Severity: finding.Warning},
		{ID: "R", Flag: "fatal", Location: "/d/a[1]", Message: "again", Count: 2},
	}
	if diff := cmp.Diff(want, v.Schematron, cmpopts.IgnoreUnexported(FiredRule{})); diff != "" || v.Valid() || len(v.NotRun) > 0 {
		t.Error(diff)
	}
}

// TestVerdict_Valid ensures that warnings do no harm, and that a rule that could not be evaluated does.
func TestVerdict_Valid(t *testing.T) {
	set := &Set{Rules: []*schematron.Program{rulesOf(t, `<rule context="d"><assert id="W" flag="warning" test="x">x</assert>
		<assert id="N" flag="warning" test="xs:decimal(y) = 1">y</assert></rule>`)}}
	if v := judgeText(t, set, `<d><y>1</y></d>`); !v.Valid() || len(v.Schematron) != 1 {
		t.Errorf("%+v", v)
	}
	v := judgeText(t, set, `<d><y>one</y></d>`)
	want := []SkippedRule{{ID: "N", Code: "FORG0001", Reason: `"one" is not of type xs:decimal`}}
	if diff := cmp.Diff(want, v.NotRun); diff != "" || v.Valid() || len(v.Schematron) != 1 {
		t.Error(diff)
	}
}

// TestJudge_Unread ensures that a document that cannot be read is not valid, and why.
func TestJudge_Unread(t *testing.T) {
	v := judgeText(t, &Set{}, `<!DOCTYPE d><d/>`)
	if v.Valid() || len(v.NotRun) != 1 || v.NotRun[0].ID != Everything || v.NotRun[0].Code != string(xmltree.DoctypeRefused) || v.NotRun[0].Reason == "" {
		t.Errorf("%+v", v)
	}
}

// TestJudge_Context ensures that judging ends with the context.
func TestJudge_Context(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	parser, err := xmltree.NewParser(xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	set := &Set{Rules: []*schematron.Program{rulesOf(t, `<rule context="d"><assert id="N" test="count(for $i in 1 to 10000000 return $i * 2) = 1">x</assert></rule>`)}}
	if _, err := set.Judge(ctx, parser, []byte("<d/>"), time.Time{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
