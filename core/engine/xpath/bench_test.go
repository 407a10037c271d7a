package xpath

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// invoiceXML makes an invoice of n lines as rule sets see them.
func invoiceXML(n int) string {
	var b strings.Builder
	b.WriteString(`<Invoice xmlns="urn:n"><ID>F-1</ID><Currency>EUR</Currency><Supplier><Party><Tax><ID>DE1</ID><Scheme>VAT</Scheme></Tax></Party></Supplier>`)
	for i := range n {
		fmt.Fprintf(&b, `<Line><ID>%d</ID><Quantity unit="C62">2</Quantity><Amount currency="EUR">%d.50</Amount><Item><Name>x</Name>`+
			`<Category><ID>%s</ID><Percent>19.00</Percent><Scheme>VAT</Scheme></Category></Item></Line>`, i, i, []string{"S", "Z", "E"}[i%3])
	}
	fmt.Fprintf(&b, "<Totals><Net>%d.00</Net></Totals></Invoice>", n*n/2)
	return b.String()
}

// benchmarkExpression evaluates an expression at the document element of an invoice of n lines.
func benchmarkExpression(b *testing.B, n int, source string) {
	r := newRules(b, invoiceXML(n))
	e := r.compile(source)
	m := r.machine(b, r.b.Build())
	root := r.doc.Root()
	b.ReportAllocs()
	for b.Loop() {
		m.Start(context.Background(), r.doc)
		if _, err := e.Bool(m, root); err != nil {
			b.Fatal(err)
		}
	}
}

var ruleExpressions = [][2]string{
	{"Existence", "not(Supplier/Party/Tax/Absent)"},
	{"Text", "normalize-space(ID) != ''"},
	{"CodeList", "not(contains(normalize-space(Currency), ' ')) and contains(' AED AFN CHF EUR GBP PLN RON USD ', concat(' ', normalize-space(Currency), ' '))"},
	{"Sum", "xs:decimal(Totals/Net) = round(sum(Line/xs:decimal(Amount)) * 10 * 10) div 100"},
	{"Category", "exists(//Category[normalize-space(ID) = 'S'][Scheme/normalize-space(upper-case(.)) = 'VAT'])"},
	{"Quantified", "every $l in Line satisfies xs:decimal($l/Item/Category/Percent) >= 0"},
	{"Decimals", "every $a in //Amount satisfies string-length(substring-after($a, '.')) <= 2"},
	{"Pattern", "every $i in Line/ID satisfies matches($i, '^[0-9]{1,6}$')"},
	{"Distinct", "count(distinct-values(Line/ID)) = count(Line)"},
}

func BenchmarkRules(b *testing.B) {
	for _, c := range ruleExpressions {
		b.Run(c[0], func(b *testing.B) { benchmarkExpression(b, 10, c[1]) })
	}
}

// BenchmarkLookup looks at all lines from every line.
func BenchmarkLookup(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchmarkExpression(b, n, "every $l in Line satisfies exists(//Line[ID = $l/ID])") })
	}
}

func BenchmarkGroup(b *testing.B) {
	r := newRules(b, invoiceXML(10))
	var tests []Test
	for i := range 500 {
		tests = append(tests, Test{r.compile(fmt.Sprintf("not(Line/Item/Absent%d)", i)), true})
	}
	g := r.b.Group(tests)
	m := r.machine(b, r.b.Build())
	root := r.doc.Root()
	var outcomes []Outcome
	b.ReportAllocs()
	for b.Loop() {
		outcomes, _ = g.Run(m, root, outcomes[:0])
	}
	if len(outcomes) > 0 {
		b.Error(outcomes)
	}
}

func BenchmarkSelect(b *testing.B) {
	r := newRules(b, invoiceXML(10))
	var list []*Pattern
	for _, source := range []string{"/Invoice", "Line", "//Category[Scheme = 'VAT']", "*[ends-with(name(), 'Amount')]", "//*[not(*) and not(normalize-space())]"} {
		p, err := r.b.CompilePattern(source, r.static)
		if err != nil {
			b.Fatal(err)
		}
		list = append(list, p)
	}
	s := r.b.Select([][]*Pattern{list})
	m := r.machine(b, r.b.Build())
	var matches []Match
	b.ReportAllocs()
	for b.Loop() {
		for n := range xmltree.Node(r.doc.Len()) {
			matches, _ = s.Matches(m, n, matches[:0])
		}
	}
}

func BenchmarkBuild(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		x := NewBuilder()
		for _, c := range ruleExpressions {
			if _, err := x.Compile(c[1], &Static{}); err != nil {
				b.Fatal(err)
			}
		}
		x.Build()
	}
}

func TestEvaluationOfRulesDoesNotAllocate(t *testing.T) {
	r := newRules(t, invoiceXML(10))
	var exprs []*Expr
	for _, c := range ruleExpressions {
		if c[0] != "Distinct" && c[0] != "Pattern" { // package regexp pools its memory, and the race detector empties pools
			exprs = append(exprs, r.compile(c[1]))
		}
	}
	m := r.machine(t, r.b.Build())
	root := r.doc.Root()
	run := func() {
		for _, e := range exprs {
			if _, err := e.Bool(m, root); err != nil {
				t.Fatal(err)
			}
		}
	}
	run()
	if n := testing.AllocsPerRun(100, func() { m.SetCurrent(root); run() }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestFinishGivesMemoryBack(t *testing.T) {
	r := newRules(t, invoiceXML(20_000))
	e := r.compile("count(reverse(//Line)) + count(//Line[ID = ('1', '2')]) + (for $v in ('1', '2') return count(//Line[ID = $v]))[1]")
	m := r.machine(t, r.b.Build())
	for range 2 {
		r.check(m, e, "20003")
		m.Finish()
		for _, s := range m.frame.sequences {
			if cap(s) > 0 {
				t.Errorf("a sequence of %d items is kept", cap(s))
			}
		}
		m.Start(context.Background(), r.doc)
	}
	m.Finish()
	m.Finish()
}
