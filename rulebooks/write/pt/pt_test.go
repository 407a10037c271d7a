package pt

import (
	"regexp"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/schematron"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/rulebooks"
)

// TestSyntax_Fires ensures that each rule on the use of UBL fires when what it forbids stands in an invoice, or what it asks for does
// not, and that none fires on an empty one.
func TestSyntax_Fires(t *testing.T) {
	rules, err := schematron.Read(rulebooks.Books(), "cius-pt-2.1.1/rules.sch", schematron.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rules.Patterns = rules.Patterns[:1]
	program, err := schematron.Compile(rules, rulebooks.Books(), schematron.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if fired := firedBy(t, program, ""); len(fired) > 0 {
		t.Errorf("an empty invoice: %v", fired)
	}
	for _, r := range rules.Patterns[0].Rules {
		for _, a := range r.Assertions {
			content := breaks(r.Context.Text, a.Test.Text)
			if a.ID == "UBL-DT-18" {
				content = `<cbc:ID name="x"/>`
			}
			if text := firedBy(t, program, content)[a.ID]; !strings.HasSuffix(text, ".") {
				t.Errorf("%s says %q by %s", a.ID, text, content)
			}
		}
	}
}

// firedBy gives the messages of the rules that fire on an invoice, by id.
func firedBy(t *testing.T, program *schematron.Program, content string) map[string]string {
	t.Helper()
	root, _, _ := strings.Cut(content, "<")
	document := `<ubl:Invoice xmlns:ubl="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2" xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
		xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2" xmlns:ext="urn:oasis:names:specification:ubl:schema:xsd:CommonExtensionComponents-2" ` +
		root + ">" + strings.TrimPrefix(content, root) + "</ubl:Invoice>"
	doc, err := xmltree.Parse([]byte(document), xmltree.Options{})
	if err != nil {
		t.Fatalf("%v in %s", err, document)
	}
	verdict, err := program.Evaluate(t.Context(), doc, schematron.EvaluateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	fired := map[string]string{}
	for _, f := range verdict.Fired {
		fired[f.Assertion.ID] = f.Messages[0]
	}
	return fired
}

var (
	forbids   = regexp.MustCompile(`^not\((.*)\)$`)
	limits    = regexp.MustCompile(`^count\((.*)\) (?:le|<=) 1$`)
	step      = regexp.MustCompile(`[^/\[]+(\[[^\]]*\])?`)
	condition = regexp.MustCompile(`^([^\[]*)\[([^']*?) ?(!?=) ?'([^']*)'.*\]$`)
	function  = regexp.MustCompile(`[a-z-]+\(|\)`)
)

// breaks gives elements, or an attribute of the document element, that break a rule: what it forbids, twice what may be there once,
// or the context alone.
func breaks(node, test string) string {
	path, times := "", 1
	if m := forbids.FindStringSubmatch(test); m != nil {
		path = m[1]
	}
	if m := limits.FindStringSubmatch(test); m != nil {
		path, times = m[1], 2
	}
	return nested(step.FindAllString(strings.TrimPrefix(node, "/ubl:Invoice")+"/"+path, -1), times)
}

// nested gives elements inside of each other, the last of them so often. What a condition asks for stands in its element.
func nested(steps []string, times int) string {
	if len(steps) == 0 {
		return ""
	}
	name, inner := steps[0], nested(steps[1:], times)
	if m := condition.FindStringSubmatch(name); m != nil {
		name = m[1]
		held := nested(step.FindAllString(function.ReplaceAllString(m[2], ""), -1), 1)
		inner = strings.Replace(held, "></", ">"+strings.TrimPrefix(m[3], "=")+m[4]+"</", 1) + inner
	}
	if strings.HasPrefix(name, "*") {
		name = "cbc:EmbeddedBinaryObject"
	}
	if attribute, ok := strings.CutPrefix(name, "@"); ok {
		return attribute + `="x"`
	}
	element := "<" + name + ">" + inner + "</" + name + ">"
	if inner != "" && !strings.HasPrefix(inner, "<") {
		element = "<" + name + " " + inner + "/>"
	}
	if len(steps) == 1 {
		element = strings.Repeat(element, times)
	}
	return element
}

// TestFormatTable_Faults ensures that mistakes in the table of formats are errors.
func TestFormatTable_Faults(t *testing.T) {
	for _, lines := range [][]string{
		{"  R-1 date"}, {"cbc:ID -- BT-1", "  R-1"}, {"cbc:ID -- BT-1", "  R-1 other"}, {"cbc:ID -- BT-1", "  R-1 text ."},
		{"cbc:ID -- BT-1", "  R-1 list . no-such-list"}, {"cbc:ID -- BT-1", "  R-1 country-prefix iso-3166-1:none"},
	} {
		table, err := &formatTable{}, error(nil)
		for _, line := range lines {
			err = table.line(line)
		}
		if err == nil {
			t.Errorf("%q is taken", lines)
		}
	}
}

// TestContextOf ensures which documents a path of the table of formats is for.
func TestContextOf(t *testing.T) {
	for path, want := range map[string]string{
		"cbc:ID":        "ubl:Invoice/cbc:ID | cn:CreditNote/cbc:ID",
		"{line}/cbc:ID": "ubl:Invoice/cac:InvoiceLine/cbc:ID | cn:CreditNote/cac:CreditNoteLine/cbc:ID",
		"invoice cbc:DueDate | credit cbc:PaymentDueDate": "ubl:Invoice/cbc:DueDate | cn:CreditNote/cbc:PaymentDueDate",
		"credit cbc:ID": "cn:CreditNote/cbc:ID",
	} {
		if got := contextOf(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
