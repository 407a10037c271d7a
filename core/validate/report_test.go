package validate

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/rulebook"
)

// shelf is a folder of rulebooks: manifest lines and files by folder.
type shelf map[string]struct {
	manifest string
	files    map[string]string
}

// plan loads the rulebooks and gives the plan for documents a.
func (s shelf) plan(t *testing.T) *rulebook.Plan {
	t.Helper()
	fsys := fstest.MapFS{}
	for folder, book := range s {
		listed := ""
		for name, text := range book.files {
			fsys[folder+"/"+name] = &fstest.MapFile{Data: []byte(text)}
			sum := sha256.Sum256([]byte(text))
			listed += fmt.Sprintf("  %s: %s\n", name, hex.EncodeToString(sum[:]))
		}
		manifest := fmt.Sprintf("manifest: 1\nid: %s\nversion: \"1\"\nsyntax: ubl\n%sfiles:\n%s", folder, book.manifest, listed)
		fsys[folder+"/manifest.yaml"] = &fstest.MapFile{Data: []byte(manifest)}
	}
	r, err := rulebook.NewRegistry(t.Context(), rulebook.Config{Layers: []rulebook.Layer{{Name: "test", Trusted: true, Open: func() (fs.FS, error) { return fsys, nil }}}})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := r.Current().Plan(rulebook.Kind{Root: xmltree.Name{Local: "a"}}, "2026-09-01")
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

const (
	twoRules = `<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2"><pattern><rule context="b">
<assert id="R-1" flag="fatal" test="@x">No x.</assert><report id="R-2" flag="warning" test="@y and xs:integer(@y) gt 1">Much.</report></rule></pattern></schema>`
	smallSchema = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="%s"><xs:complexType><xs:sequence>
<xs:element name="b" minOccurs="0" maxOccurs="unbounded"><xs:complexType><xs:attribute name="x"/><xs:attribute name="y"/></xs:complexType></xs:element></xs:sequence></xs:complexType></xs:element></xs:schema>`
	brokenSchema = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a" type="gone"/></xs:schema>`
	bindA        = "bindings: [{name: a, root: a, after: [%s]}]\n"
)

func schemaFor(root string) string { return strings.Replace(smallSchema, "%s", root, 1) }

// books are a rulebook with rules that comes after one with a schema.
func books(schema string) shelf {
	return shelf{
		"form":  {manifest: "xsd: [{file: s.xsd}]\n", files: map[string]string{"s.xsd": schema}},
		"rules": {manifest: "schematron: [{file: r.sch}]\n" + fmt.Sprintf(bindA, "form") + "enforceFrom: [{date: \"2027-01-01\", rules: [R-1], spec: s}]\nhouseCodes: {XSD-ERROR: XX_FORM, R-2: XX_MUCH}\n", files: map[string]string{"r.sch": twoRules}},
	}
}

func reportOn(t *testing.T, plan *rulebook.Plan, document, day string) *Report {
	t.Helper()
	doc, err := xmltree.Parse([]byte(document), xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	now, _ := time.Parse(time.DateOnly, day)
	r, err := Judge(t.Context(), plan, doc, now)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// brief lists findings and what was not run.
func brief(r *Report) string {
	var list []string
	for _, f := range r.Findings {
		list = append(list, fmt.Sprintf("%s %d", f.Rule, f.Severity))
	}
	for _, n := range r.NotRun {
		list = append(list, fmt.Sprintf("%s: %s", n.Reason, n.What))
	}
	return strings.Join(list, ", ")
}

// TestReport ensures the order of schema and rules, and what is said of rulebooks that are broken.
func TestReport(t *testing.T) {
	for name, c := range map[string]struct{ schema, document, want string }{
		"all is well":                  {schemaFor("a"), `<a><b x="1"/></a>`, ""},
		"rules fire at each node":      {schemaFor("a"), `<a><b/><b x="1" y="2"/><b/></a>`, "R-1 0, R-1 0, R-2 1"},
		"the schema alone":             {schemaFor("a"), `<a><b/><c/></a>`, "XSD-ERROR 0"},
		"a schema of another document": {schemaFor("z"), `<a><b/></a>`, "XSD-ERROR 0"},
		"a rule that breaks":           {schemaFor("a"), `<a><b x="1" y="z"/></a>`, "transform-failed: rule R-2 of rulebook rules@1"},
		"a schema that is broken":      {brokenSchema, `<a><b/></a>`, "R-1 0, load-failed: rulebook form@1"},
	} {
		if got := brief(reportOn(t, books(c.schema).plan(t), c.document, "2027-01-01")); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	broken := books(schemaFor("a"))
	broken["rules"] = struct {
		manifest string
		files    map[string]string
	}{broken["rules"].manifest, map[string]string{"r.sch": strings.Replace(twoRules, "<pattern>", "<pattern><rule/>", 1)}}
	if got := brief(reportOn(t, broken.plan(t), `<a><b/></a>`, "2027-01-01")); got != "load-failed: rulebook rules@1" {
		t.Errorf("rules that are broken: %s", got)
	}
}

// TestReport_Pending ensures when a finding is an error.
func TestReport_Pending(t *testing.T) {
	plan := books(schemaFor("a")).plan(t)
	early, late := reportOn(t, plan, `<a><b/></a>`, "2026-12-31"), reportOn(t, plan, `<a><b/></a>`, "2027-01-01")
	soon, now := early.Entries(plainPlacer{}, false), late.Entries(plainPlacer{}, false)
	if len(soon.Errors) != 0 || len(early.Entries(plainPlacer{}, true).Errors) != 1 || len(now.Errors) != 1 || !early.Fires("R-1") || early.Fires("R-2") {
		t.Errorf("%+v\n%+v", early, late)
	}
	if p := early.Findings[0].Pending; p == nil || *p != (Pending{From: "2027-01-01", Key: "rules:R-1", Spec: "s"}) || late.Findings[0].Pending != nil {
		t.Errorf("%+v", p)
	}
}

// TestEntries_HouseCodes ensures that the rulebook which documents are bound to names the codes, for those before it as well.
func TestEntries_HouseCodes(t *testing.T) {
	plan := books(schemaFor("a")).plan(t)
	form := reportOn(t, plan, `<a><c/></a>`, "2027-01-01").Entries(plainPlacer{}, false)
	rules := reportOn(t, plan, `<a><b y="2"/></a>`, "2027-01-01").Entries(plainPlacer{}, false)
	if form.Compliance[0].Code != "XX_FORM" || form.Compliance[0].Rule != SchemaRule || form.Errors[0].Code != SchemaRule {
		t.Errorf("of the schema: %+v", form)
	}
	if rules.Compliance[0].Code != finding.SpecRuleFailed || rules.Warnings[0].Code != "XX_MUCH" || rules.Warnings[0].Rule != "R-2" {
		t.Errorf("of rules: %+v", rules)
	}
}

// plainPlacer names nothing.
type plainPlacer struct{}

func (plainPlacer) Place(f *Finding) (string, string, finding.Place) {
	return "", f.Message, finding.Place{}
}

// TestEntries_Many ensures that lists end somewhere, and that the rest is counted.
func TestEntries_Many(t *testing.T) {
	plan := books(schemaFor("a")).plan(t)
	r := reportOn(t, plan, "<a>"+strings.Repeat("<b/>", 250)+"</a>", "2027-01-01")
	if len(r.Findings) != nodesListed || r.Findings[nodesListed-1].More != 150 {
		t.Fatalf("%d findings", len(r.Findings))
	}
	for range 3 {
		r.Findings = append(r.Findings, r.Findings[:nodesListed]...)
	}
	for len(r.Findings) < 700 {
		r.Findings = append(r.Findings, r.Findings[0])
	}
	e := r.Entries(plainPlacer{}, false)
	last := e.Errors[len(e.Errors)-1]
	if len(e.Errors) != listed+1 || len(e.Compliance) != listed+1 || last.Code != finding.FindingsOmitted || last.Message != "800 further findings are not listed" {
		t.Errorf("%d errors, the last %+v", len(e.Errors), last)
	}
}

// TestReport_EndsWithItsContext ensures that judging stops.
func TestReport_EndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	doc, err := xmltree.Parse([]byte("<a/>"), xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Judge(ctx, books(schemaFor("a")).plan(t), doc, time.Time{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
