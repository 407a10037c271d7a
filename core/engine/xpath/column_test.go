package xpath

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// columnExpressions ask the same of each line, in the ways that columns are for.
var columnExpressions = []string{
	"sum(//line[tax/normalize-space(id) = 'S']/xs:decimal(amount))",
	"sum(//line[tax/normalize-space(id) = 'Z']/xs:decimal(amount))",
	"sum(/doc/line[tax/xs:decimal(percent) = 7][tax/normalize-space(id) = 'S']/xs:decimal(amount))",
	"for $rate in (7, 19) return count(//line[tax/xs:decimal(percent) = $rate])",
	"//line[normalize-space(upper-case(tax/id)) = 'S']/@n/string()",
	"//line[normalize-space(upper-case(tax/id)) = 'a long text beyond what is shared']/@n/string()",
	"//tax[normalize-space(id) = 'Z' and (percent = '7' or not(percent) or normalize-space(note) != '')]/../@n/string()",
	"count(//tax[normalize-space(id) = 'Z' and (percent = '7' or not(percent) or normalize-space(note) != '')])",
	"count(//*[normalize-space(string(id)) = 'S']), count(//group/*[normalize-space(string(id)) = 'S'])",
	"every $l in //line satisfies exists($l[tax/id]) or $l/xs:decimal(amount) > 0",
	"count(//line[some $i in (1, 2) satisfies tax/id])",
	"//line[tax/note]/tax/note/string()",
}

// TestColumnsGiveWhatTheDocumentSays compares evaluations without columns, as in a program that has one expression, with those in a
// short and in a long document, each twice.
func TestColumnsGiveWhatTheDocumentSays(t *testing.T) {
	used := map[bool]bool{}
	rapid.Check(t, func(rt *rapid.T) {
		source := manyLinesXML(rt)
		r := newRules(t, source)
		r.static.DefaultElement = ""
		sources := slices.Concat(columnExpressions, columnExpressions)
		var exprs []*Expr
		var want []string
		for _, s := range sources {
			exprs = append(exprs, r.compile(s))
			want = append(want, outcomeAlone(t, source, s))
		}
		m := r.machine(t, r.b.Build())
		for _, long := range []bool{false, true} {
			m.doc.long = long
			for i, e := range exprs {
				if got := outcomeOf(m, e); got != want[i] {
					rt.Errorf("%s, long document %v\n got %s\nwant %s", sources[i], long, got, want[i])
				}
			}
			used[long] = used[long] || slices.ContainsFunc(m.columns, func(c column) bool { return c.values != nil }) == long &&
				slices.ContainsFunc(m.columns, func(c column) bool { return c.ends != nil })
		}
	})
	if !used[false] || !used[true] {
		t.Errorf("columns were used in short and long documents: %v", used)
	}
}

// outcomeAlone is outcomeOf for an expression that is the only one of its program and follows no chain twice, which makes no columns.
func outcomeAlone(t *testing.T, document, source string) string {
	r := newRules(t, document)
	r.static.DefaultElement = ""
	e := r.compile(strings.NewReplacer("tax/", "*[self::tax]/", "(percent", "(*[self::percent]").Replace(source))
	m := r.machine(t, r.b.Build())
	outcome := outcomeOf(m, e)
	if slices.ContainsFunc(m.columns, func(c column) bool { return c.t != nil }) {
		t.Fatalf("%s makes columns by itself", source)
	}
	return outcome
}

// outcomeOf evaluates an expression anew, without what the machine remembers of the document as a whole.
func outcomeOf(m *Machine, e *Expr) string {
	m.stamp++
	items, err := e.Items(m, 0, nil)
	return itemsText(items) + fmt.Sprint(Code(err))
}

// manyLinesXML makes a document of just enough lines for columns, of which some lack what others have twice.
func manyLinesXML(t *rapid.T) string {
	few := rapid.SampledFrom([]string{"", "", "", "<amount>x</amount>", "<amount>1</amount><amount>2</amount>"}).Draw(t, "fault")
	ids := []string{"S", " S ", "Z", "s", "", "a long text beyond what is shared"}
	taxes := []string{"<tax><id>%s</id><percent>7</percent></tax>", "<tax><id>%s</id><note>n</note></tax>", "<tax/>", "", "<tax><id>%[1]s</id></tax><tax><percent>19</percent><id>%[1]s</id></tax>"}
	var line [8]string
	for i := range line {
		tax := rapid.SampledFrom(taxes).Draw(t, "tax")
		if strings.Contains(tax, "%") {
			tax = fmt.Sprintf(tax, rapid.SampledFrom(ids).Draw(t, "id"))
		}
		line[i] = fmt.Sprintf("<amount>%d.%d</amount>%s", i, i, tax)
	}
	at := rapid.IntRange(0, worthColumn).Draw(t, "place of the fault")
	var b strings.Builder
	b.WriteString("<doc><group><other><id>S</id></other></group>")
	for i := range worthColumn + 1 {
		content := line[i%len(line)]
		if i == at && few != "" {
			content = few
		}
		fmt.Fprintf(&b, `<line n="%d">%s</line>`, i, content)
	}
	return b.String() + "</doc>"
}

// TestColumnsEndWithTheirDocument makes sure that a machine keeps nothing of one long document for the next, nor its memory.
func TestColumnsEndWithTheirDocument(t *testing.T) {
	document := func(id string, amount int) string {
		line := fmt.Sprintf("<line><tax><id>%s</id></tax><amount>%d</amount></line>", id, amount)
		return "<doc>" + strings.Repeat(line, keptNodes/4) + "</doc>"
	}
	r := newRules(t, document("S", 1))
	r.static.DefaultElement = ""
	source := "sum(//line[tax/normalize-space(id) = 'S']/xs:decimal(amount)) idiv count(//line[tax/normalize-space(id) = 'S']/xs:decimal(amount))"
	first, second := r.compile(source), r.compile(source)
	m := r.machine(t, r.b.Build())
	parser, err := xmltree.NewParser(xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"1", "2", "FOAR0001"} {
		if i > 0 {
			doc, err := parser.Parse([]byte(document([]string{"", "S", "Z"}[i], i+1)))
			if err != nil {
				t.Fatal(err)
			}
			m.Start(t.Context(), doc)
		}
		for _, e := range []*Expr{first, second} {
			items, err := e.Items(m, 0, nil)
			if got := itemsText(items) + Code(err); !strings.Contains(got, want) {
				t.Errorf("document %d: got %s, want %s", i, got, want)
			}
		}
		if !slices.ContainsFunc(m.columns, func(c column) bool { return c.t != nil }) {
			t.Error("no columns were used")
		}
		m.Finish()
		if slices.ContainsFunc(m.columns, func(c column) bool { return c.t != nil }) || m.shared != nil {
			t.Error("columns are kept after the end")
		}
	}
}

// TestSeek compares looking from any place with counting.
func TestSeek(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		list := rapid.SliceOfDistinct(rapid.Uint32Range(1, 100), func(n uint32) uint32 { return n }).Draw(rt, "list")
		slices.Sort(list)
		nodes, want := make([]xmltree.Node, len(list)), 0
		n := rapid.Uint32Range(0, 101).Draw(rt, "node")
		for i, member := range list {
			nodes[i] = xmltree.Node(member)
			if member < n {
				want++
			}
		}
		from := rapid.IntRange(0, len(list)).Draw(rt, "from")
		if got := seek(nodes, from, xmltree.Node(n)); got != want {
			rt.Errorf("%d from %d in %v is at %d, want %d", n, from, list, got, want)
		}
	})
}
