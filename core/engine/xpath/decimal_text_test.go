package xpath

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// numberish are values of many types, most of which read as a decimal or nearly so.
const numberish = "(1.50, 3, -0.0, 2e0, 1e30, xs:float(1.5), true(), '5.0', ' 7 ', '1 2', '', 'x', '1e3', '+.5', xs:untypedAtomic('08.10'), xs:anyURI('7'), " +
	"xs:date('2026-01-01'), 123456789012345678901234567890.5, 9223372036854775808, xs:decimal(1e-3), xs:decimal(0.1e0), //n, //absent)"

// TestTextsReadAsDecimals compares xs:decimal of texts, of which no text is made where there is none, with the same of a value whose
// type shows only when it is evaluated.
func TestTextsReadAsDecimals(t *testing.T) {
	r := newRules(t, "<doc><n> 12.50 </n><n>x</n><n/><n>1 2</n><n><b>4</b>2</n><!--3--></doc>")
	r.static.DefaultElement = ""
	r.function("read", "", "if (normalize-space(string($v)) castable as xs:decimal) then xs:decimal(normalize-space(string($v))) else 'none'", Param{Name: "v"})
	r.function("typed", "xs:decimal?", "if (normalize-space(string($v)) castable as xs:decimal) then xs:decimal(normalize-space(string($v))) else ()", Param{"v", "xs:decimal?"})
	general := "for $t in (normalize-space(string(%s)), 1)[1] return if ($t castable as xs:decimal) then xs:decimal($t) else %s"
	var pairs [][2]*Expr
	add := func(a, b string) { pairs = append(pairs, [2]*Expr{r.compile(a), r.compile(b)}) }
	add("for $v in "+numberish+" return u:read($v)", "for $v in "+numberish+" return "+fmt.Sprintf(general, "$v", "'none'"))
	add("for $v in (1.50, 3, xs:decimal(0.1e0)) return u:typed($v)", "for $v in (1.50, 3, xs:decimal(0.1e0)) return "+fmt.Sprintf(general, "$v", "()"))
	add("u:read(()), u:read(3.0), u:typed(2.50)", "'none', 3, 2.5")
	add("u:read(//n)", "xs:decimal(normalize-space(string((//n, //n))))")
	for _, v := range []string{"//n[1]", "//n[2]", "//n[3]", "//n[5]", "//n", "//absent", "//comment()", "' 2.5 '", "''", "1.5"} {
		hidden := "(" + v + ", //n)[position() <= count(" + v + ")]"
		for _, form := range []string{"%s castable as xs:decimal", "%s castable as xs:decimal?", "xs:decimal(%s)", "%s cast as xs:decimal", "%s cast as xs:decimal?"} {
			add(fmt.Sprintf(form, v), fmt.Sprintf(form, hidden))
		}
		add(fmt.Sprintf("string(%s) castable as xs:decimal", v), fmt.Sprintf("(string(%s), 1)[1] castable as xs:decimal", v))
		add(fmt.Sprintf("xs:decimal(normalize-space(%s))", v), fmt.Sprintf("xs:decimal((normalize-space(%s), 1)[1])", v))
	}
	compareForms(t, r.machine(t, r.b.Build()), pairs)
}

// TestNormalizedPathsAreCastable compares path/normalize-space(.) castable as xs:decimal, which is asked of the nodes, with the same of
// texts made one by one.
func TestNormalizedPathsAreCastable(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := newRules(t, familyXML(rt))
		r.static.DefaultElement = ""
		var pairs [][2]*Expr
		for _, path := range []string{"a", "only", "a/b", "(a | only)", "(a | a)", "absent", "comment()", "@n"} {
			for _, as := range []string{"xs:decimal", "xs:decimal?", "xs:integer", "xs:boolean"} {
				for _, text := range []string{"normalize-space(.)", "normalize-space()", "normalize-space(string(.))", "normalize-space(..)"} {
					pairs = append(pairs, [2]*Expr{
						r.compile(fmt.Sprintf("for $x in (/doc, /doc/group, /doc/a) return $x/(%s/%s castable as %s)", path, text, as)),
						r.compile(fmt.Sprintf("for $x in (/doc, /doc/group, /doc/a) return $x/((for $y in %s return $y/%s) castable as %s)", path, text, as)),
					})
				}
			}
		}
		compareForms(rt, r.machine(t, r.b.Build()), pairs)
	})
}

// TestNumbersReadAreThoseOfTheirNode makes sure that what a machine keeps of the numbers it read is taken for no other node's, nor for one of
// another document, though many share a place.
func TestNumbersReadAreThoseOfTheirNode(t *testing.T) {
	document := func(first int) string {
		var b strings.Builder
		for i := range 4 * placesRead {
			fmt.Fprintf(&b, "<n>%d</n>", first+i)
		}
		return "<doc>" + b.String() + "<n>x</n></doc>"
	}
	r := newRules(t, document(1))
	r.static.DefaultElement = ""
	readTwice := r.compile("sum(for $n in /doc/n return if ($n castable as xs:decimal) then xs:decimal($n) - xs:decimal($n) + xs:decimal(/doc/n[1]) else 0)")
	each := r.compile("sum(for $n in /doc/n[. castable as xs:decimal] return xs:decimal($n))")
	m := r.machine(t, r.b.Build())
	parser, err := xmltree.NewParser(xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, first := range []int{1, 5000, 70000} {
		doc, err := parser.Parse([]byte(document(first)))
		if err != nil {
			t.Fatal(err)
		}
		m.Start(t.Context(), doc)
		count := 4 * placesRead
		for e, want := range map[*Expr]int{readTwice: count * first, each: count*first + count*(count-1)/2} {
			if items, err := e.Items(m, 0, nil); itemsText(items) != fmt.Sprint(want) || err != nil {
				t.Errorf("document from %d: got %s, error %v, want %d", first, itemsText(items), err, want)
			}
		}
	}
}
