package validate

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/schematron"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/internal/edit"
	"github.com/einvoiced/einvoiced/rulebooks"
)

// modelRules are the business rules of EN 16931 for a syntax, and the documents that they are tried on.
type modelRules struct {
	syntax     string // ubl or cii
	program    *schematron.Program
	tests      map[string]string // condition by id
	base       string
	never      []string
	edits      map[string]string
	categories []modelCategory
	percent    string // how a rate stands in the base document
	code       string // how a VAT category stands there
	cases      []modelCase
}

// modelCategory is a VAT category with what documents of it have.
type modelCategory struct {
	family, code, rate string
	reason             bool
}

// modelCase is an edit that makes rules fire.
type modelCase struct {
	ids  []string
	edit string
}

func readModelRules(t testing.TB, syntax string) *modelRules {
	t.Helper()
	books := rulebooks.Books()
	set, err := schematron.Read(books, "en16931-"+syntax+"-1.3.16/rules.sch", schematron.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := &modelRules{syntax: syntax, tests: map[string]string{}, edits: map[string]string{}}
	if m.program, err = schematron.Compile(set, books, schematron.CompileOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, p := range set.Patterns {
		if p.ID != "model" {
			continue
		}
		for _, rule := range p.Rules {
			for _, a := range rule.Assertions {
				m.tests[a.ID] = a.Test.Text
			}
		}
	}
	base, err := os.ReadFile("testdata/model/" + syntax + ".xml")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/model/" + syntax + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	m.base = string(base)
	for line := range strings.Lines(string(text)) {
		m.line(t, strings.TrimSpace(line))
	}
	return m
}

// line takes in a line of the cases.
func (m *modelRules) line(t testing.TB, line string) {
	t.Helper()
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "", "#":
	case "never":
		m.never = strings.Fields(rest)
	case "edit":
		name, edit, _ := strings.Cut(rest, " ")
		m.edits[name] = edit
	case "percent":
		m.percent = rest
	case "code":
		m.code = rest
	case "category":
		f := append(strings.Fields(rest), "")
		m.categories = append(m.categories, modelCategory{f[0], f[1], f[2], f[3] == "reason"})
	default:
		ids, edit, found := strings.Cut(line, ": ")
		if !found {
			t.Fatalf("%s: expected IDS: EDIT", line)
		}
		m.cases = append(m.cases, modelCase{strings.Fields(ids), edit})
	}
}

// withoutVAT puts the totals of the base document without VAT in.
var withoutVAT = strings.NewReplacer(">18.05<", ">0.00<", ">113.05<", ">95.00<", ">100.05<", ">82.00<")

// document gives the valid document of a VAT category.
func (m *modelRules) document(t testing.TB, c modelCategory) string {
	t.Helper()
	text := strings.ReplaceAll(m.base, m.code, strings.Replace(m.code, "S", c.code, 1))
	switch c.rate {
	case "none":
		text = strings.ReplaceAll(text, m.percent, "")
	default:
		text = strings.ReplaceAll(text, m.percent, strings.Replace(m.percent, "19", c.rate, 1))
	}
	if c.rate != "19" {
		text = withoutVAT.Replace(text)
	}
	if c.reason {
		text = edited(t, text, m.edits["reason"], m.edits)
	}
	if edit, ok := m.edits[c.code]; ok {
		text = edited(t, text, edit, m.edits)
	}
	return text
}

// withLines gives the valid document with so many lines, of which all but the last have the amount 0.
func (m *modelRules) withLines(t testing.TB, n int) *xmltree.Document {
	t.Helper()
	names := map[string][2]string{
		"ubl": {"cac:InvoiceLine", "cbc:LineExtensionAmount"}, "cii": {"ram:IncludedSupplyChainTradeLineItem", "ram:LineTotalAmount"},
	}[m.syntax]
	start, after, err := edit.Bounds(m.base, names[0])
	if err != nil {
		t.Fatal(err)
	}
	line := edited(t, m.base[start:after], "set "+names[1]+" 0.00", nil)
	doc, err := xmltree.Parse([]byte(m.base[:start]+strings.Repeat(line, n-1)+m.base[start:]), xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// edited makes edits.
func edited(t testing.TB, text, edits string, named map[string]string) string {
	t.Helper()
	text, err := edit.Apply(text, edits, named)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// judge gives the messages of the rules that fire, by id, and the ids of those that were not run.
func (m *modelRules) judge(t testing.TB, text string) (fired map[string]string, notRun []string) {
	t.Helper()
	doc, err := xmltree.Parse([]byte(text), xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := m.program.Evaluate(t.Context(), doc, schematron.EvaluateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	fired = map[string]string{}
	for _, f := range v.Fired {
		if id := f.Assertion.ID; m.tests[id] != "" {
			fired[id] = f.Messages[0]
		}
	}
	for _, n := range v.NotRun {
		notRun = append(notRun, n.Assertion.ID)
	}
	return fired, notRun
}

// of gives the VAT category that an id belongs to, S for those of none.
func (m *modelRules) of(id string) modelCategory {
	for _, c := range m.categories {
		if strings.HasPrefix(id, "BR-"+c.family+"-") {
			return c
		}
	}
	return m.categories[0]
}

// expanded gives the cases with those of all VAT categories written out. Where an id has a case of its own that one counts.
func (m *modelRules) expanded() []modelCase {
	own := map[string]bool{}
	for _, c := range m.cases {
		for _, id := range c.ids {
			own[id] = true
		}
	}
	var all []modelCase
	for _, c := range m.cases {
		if !strings.HasPrefix(c.ids[0], "-") {
			all = append(all, c)
			continue
		}
		for _, category := range m.categories {
			for _, number := range c.ids {
				if id := "BR-" + category.family + number; !own[id] && !slices.Contains(m.never, id) {
					all = append(all, modelCase{[]string{id}, c.edit})
				}
			}
		}
	}
	return all
}

// TestModelRules_Fire ensures that each business rule of EN 16931 fires for a document that breaks it and for no valid one, and
// that its message begins with a business term.
func TestModelRules_Fire(t *testing.T) {
	begins := regexp.MustCompile(`^B[TG]-\d+ \([A-Za-z ]+\)(,| |$)`)
	for syntax, count := range map[string]int{"ubl": 201, "cii": 200} {
		t.Run(syntax, func(t *testing.T) {
			m, left := readModelRules(t, syntax), map[string]bool{}
			for id := range m.tests {
				left[id] = true
			}
			if len(left) != count {
				t.Errorf("there are %d rules, want %d", len(left), count)
			}
			for _, c := range m.categories {
				if fired, notRun := m.judge(t, m.document(t, c)); len(fired)+len(notRun) > 0 {
					t.Errorf("a valid document with VAT category %s: %v %v", c.code, fired, notRun)
				}
			}
			for _, c := range m.expanded() {
				for _, id := range c.ids {
					fired, _ := m.judge(t, edited(t, m.document(t, m.of(id)), c.edit, m.edits))
					if message := fired[id]; !begins.MatchString(message) || strings.ContainsAny(message, "$@{}[]") {
						t.Errorf("%s after %s: message %q; fired: %v", id, c.edit, message, slices.Sorted(maps.Keys(fired)))
					}
					delete(left, id)
				}
			}
			for _, id := range m.never {
				if m.tests[id] != "true()" {
					t.Errorf("%s is said never to fire: %s", id, m.tests[id])
				}
				delete(left, id)
			}
			if len(left) > 0 {
				t.Errorf("no document makes these fire: %v", slices.Sorted(maps.Keys(left)))
			}
		})
	}
}

// TestModelRules_Messages ensures that messages say what was found and what was expected, and that taxable amounts which
// are with VAT, and lines which are, are recognised.
func TestModelRules_Messages(t *testing.T) {
	rules := map[string]*modelRules{"ubl": readModelRules(t, "ubl"), "cii": readModelRules(t, "cii")}
	for _, c := range []struct{ syntax, edit, id, want string }{
		{"ubl", "set cac:LegalMonetaryTotal/cbc:LineExtensionAmount 90.00", "BR-CO-10",
			"BT-106 (sum of line net amounts) is 90.00, but the net amounts of the lines (BT-131) add up to 100."},
		{"ubl", "rm cac:LegalMonetaryTotal/cbc:LineExtensionAmount", "BR-CO-10",
			"BT-106 (sum of line net amounts) is missing, but the net amounts of the lines (BT-131) add up to 100."},
		{"ubl", "set cbc:PayableAmount 99", "BR-CO-16",
			"BT-115 (amount due for payment) is 99, but BT-112 113.05 less paid 13 plus rounding 0 gives 100.05."},
		{"cii", "set ram:DuePayableAmount 99", "BR-CO-16",
			"BT-115 (amount due for payment) is 99, but BT-112 113.05 less paid 13 plus rounding 0 gives 100.05."},
		{"ubl", "set cbc:TaxableAmount 113.05", "BR-S-08", "BT-116 (taxable amount) is 113.05 for VAT category S (standard rated) at 19 %, " +
			"but the lines plus charges less allowances with that category and rate give 95. The amount given is theirs with VAT; a taxable amount is without VAT."},
		{"cii", "set ram:ApplicableHeaderTradeSettlement/ram:BasisAmount 113.05", "BR-S-08", "BT-116 (taxable amount) is 113.05 for VAT category S (standard rated) at 19 %, " +
			"but the lines plus charges less allowances with that category and rate give 95. The amount given is theirs with VAT; a taxable amount is without VAT."},
		{"ubl", "set cac:InvoiceLine/cbc:LineExtensionAmount 118.05", "BR-S-08", "BT-116 (taxable amount) is 95.00 for VAT category S (standard rated) at 19 %, " +
			"but the lines plus charges less allowances with that category and rate give 113.05. Their amounts seem to be with VAT; net amounts are without VAT."},
		{"ubl", "set cbc:TaxableAmount x", "BR-S-08", ""},
	} {
		t.Run(fmt.Sprintf("%s %s", c.syntax, c.edit), func(t *testing.T) {
			m := rules[c.syntax]
			fired, _ := m.judge(t, edited(t, m.base, c.edit, m.edits))
			if got := fired[c.id]; got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// BenchmarkModelRules measures the business rules on the valid document, with one line and with many.
func BenchmarkModelRules(b *testing.B) {
	for _, syntax := range []string{"ubl", "cii"} {
		m := readModelRules(b, syntax)
		for _, lines := range []int{1, 25_000} {
			doc := m.withLines(b, lines)
			b.Run(fmt.Sprintf("%s/lines=%d", syntax, lines), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if v, err := m.program.Evaluate(b.Context(), doc, schematron.EvaluateOptions{}); err != nil || len(v.Fired) > 0 {
						b.Fatal(err, len(v.Fired))
					}
				}
			})
		}
	}
}
