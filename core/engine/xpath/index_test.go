package xpath

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// linesXML makes lines with an id, any number of parents and a price.
func linesXML(t *rapid.T) string {
	var b strings.Builder
	b.WriteString("<doc><head><id>a</id></head>")
	ids := rapid.SampledFrom([]string{"a", "b", "c", "d", " a", "1", "x"})
	for range rapid.IntRange(0, 40).Draw(t, "lines") {
		fmt.Fprintf(&b, "<line><id>%s</id>", ids.Draw(t, "id"))
		for range rapid.IntRange(0, 3).Draw(t, "parents") {
			fmt.Fprintf(&b, "<parent>%s</parent>", ids.Draw(t, "parent"))
		}
		fmt.Fprintf(&b, "<price>%s</price></line>", rapid.SampledFrom([]string{"1", "2.5", "x", ""}).Draw(t, "price"))
	}
	return b.String() + strings.Repeat("<pad/>", worthAnchor) + "</doc>"
}

// TestIndexedStepsGiveWhatTheyGiveWithoutIndex compares steps with predicates of the form key = value with the same steps whose
// predicates are wrapped so that no index is made.
func TestIndexedStepsGiveWhatTheyGiveWithoutIndex(t *testing.T) {
	pairs := [][2]string{
		{"for $l in //line return count(//line[parent = $l/id])", "for $l in //line return count(//line[boolean(parent = $l/id)])"},
		{"for $l in //line return //line[$l/parent = id]/price", "for $l in //line return //line[boolean($l/parent = id)]/price"},
		{"for $l in //line return $l/../line[parent = $l/id][1]/id", "for $l in //line return $l/../line[boolean(parent = $l/id)][1]/id"},
		{"//line/count(../line[normalize-space(id) = current-id(.)])", "//line/count(../line[boolean(normalize-space(id) = current-id(.))])"},
		{"for $l in //line return //line[number(price) > 1][parent = $l/id]/id", "for $l in //line return //line[number(price) > 1][boolean(parent = $l/id)]/id"},
		{"for $l in //line return //line[xs:decimal(price) > 1][parent = $l/id]/id", "for $l in //line return //line[xs:decimal(price) > 1][boolean(parent = $l/id)]/id"},
		{"for $l in //line return exists(//line[string(parent) = $l/id])", "for $l in //line return exists(//line[boolean(string(parent) = $l/id)])"},
		{"for $v in ('a', 'b', 'q') return //line[id = $v]/price", "for $v in ('a', 'b', 'q') return //line[boolean(id = $v)]/price"},
		{"for $v in (1, 'a') return count(//line[id = $v])", "for $v in (1, 'a') return count(//line[boolean(id = $v)])"},
		{"//line[id = 'a'] | //line[id = 'b']/price | //line[id = 'c']/parent", "//line[boolean(id = 'a')] | //line[boolean(id = 'b')]/price | //line[boolean(id = 'c')]/parent"},
		{"for $l in //line return //*[id = $l/parent][parent]", "for $l in //line return //*[boolean(id = $l/parent)][parent]"},
		{"for $l in //line return (some $o in //line satisfies $o/parent = $l/id)", "for $l in //line return (some $o in //line satisfies boolean($o/parent = $l/id))"},
		{"//line/(some $o in ../line satisfies (not($o is .) and $o/parent = id))", "//line/(some $o in ../line satisfies (boolean($o/parent = id) and not($o is .)))"},
		{"for $l in //line return (some $o in //line[price = '1'] satisfies string($o/id) = $l/id and $o/parent)", "for $l in //line return (some $o in //line[price = '1'] satisfies boolean(string($o/id) = $l/id) and $o/parent)"},
		{"//line/(some $p in //line/id satisfies normalize-space($p) = normalize-space(id))", "//line/(some $p in //line/id satisfies boolean(normalize-space($p) = normalize-space(id)))"},
		{"//line/(some $p in /doc/line satisfies ($p/string(price) = parent and number($p/price) > 1))", "//line/(some $p in /doc/line satisfies (boolean($p/string(price) = parent) and number($p/price) > 1))"},
		{"//line/(some $p in //line satisfies $p/id = (1, 'a'))", "//line/(some $p in //line satisfies boolean($p/id = (1, 'a')))"},
		{"//line/(some $p in //id, $q in //parent satisfies $q = $p)", "//line/(some $p in //id, $q in //parent satisfies boolean($q = $p))"},
		{"for $l in //line return count(//line[price castable as xs:decimal][xs:decimal(price) = 2.50 + 0 * count($l)])", "for $l in //line return count(//line[price castable as xs:decimal][boolean(xs:decimal(price) = 2.50 + 0 * count($l))])"},
		{"for $v in (1.0, 2.50, 7) return //line[id = 'a'][number(price) = $v]/parent", "for $v in (1.0, 2.50, 7) return //line[id = 'a'][boolean(number(price) = $v)]/parent"},
		{"for $v in (1, 2.5e0, number('x'), -0e0) return count(//line[number(price) = $v])", "for $v in (1, 2.5e0, number('x'), -0e0) return count(//line[boolean(number(price) = $v)])"},
		{"for $v in (1, 2.5) return count(//line[xs:decimal(price) = $v])", "for $v in (1, 2.5) return count(//line[boolean(xs:decimal(price) = $v)])"},
		{"for $v in (0, 1, 2.5) return count(//line[not($v > 0) or number(price) = $v])", "for $v in (0, 1, 2.5) return count(//line[boolean(not($v > 0) or number(price) = $v)])"},
		{"for $v in (0, 1, 2.5) return count(//line[id != 'a' and number(price) = $v and parent])", "for $v in (0, 1, 2.5) return count(//line[boolean(id != 'a' and number(price) = $v and parent)])"},
		{"//line/(for $v in string(id) return sum(../line[normalize-space(id) = 'a'][parent = $v]/number(price)))", "//line/(for $v in string(id) return sum(../line[boolean(normalize-space(id) = 'a')][boolean(parent = $v)]/number(price), 0.0))"},
		{"//line/(for $v in string(id) return string(sum(../line[parent = $v]/number(price))))", "//line/(for $v in string(id) return string(sum((../line[boolean(parent = $v)]/number(price)))))"},
		{"//line/(for $v in number(price) return count(../line[id = 'a'][number(price) >= $v]))", "//line/(for $v in number(price) return xs:integer(string(count((../line[boolean(id = 'a' and number(price) >= $v)])))))"},
		{"for $l in //line return count(//line[id = $l/id][price = $l/price])", "for $l in //line return count(//line[boolean(id = $l/id and price = $l/price)])"},
		{"for $l in //line return //line[id = $l/id and parent = $l/parent]/price", "for $l in //line return //line[boolean(id = $l/id and parent = $l/parent)]/price"},
		{"for $l in //line return //line[parent = $l/parent and id != 'x' and id = $l/parent][1]/price", "for $l in //line return //line[boolean(parent = $l/parent and id != 'x' and id = $l/parent)][1]/price"},
		{"for $l in //line return //line[id = $l/id and price castable as xs:decimal and xs:decimal(price) = $l/number(price)]/parent", "for $l in //line return //line[boolean(id = $l/id and price castable as xs:decimal and xs:decimal(price) = $l/number(price))]/parent"},
		{"for $l in //line return count(//line[id = $l/id and xs:decimal(price) = $l/price/xs:decimal(.)])", "for $l in //line return count(//line[boolean(id = $l/id and xs:decimal(price) = $l/price/xs:decimal(.))])"},
		{"for $l in //line return //line[number(price) = $l/number(price) and ($l/id = 'a' or id = $l/id)]/parent", "for $l in //line return //line[boolean(number(price) = $l/number(price) and ($l/id = 'a' or id = $l/id))]/parent"},
		{"for $l in //line return count(../doc/line[parent = $l/parent][id = $l/id][number(price) = 1])", "for $l in //line return count(../doc/line[boolean(parent = $l/parent and id = $l/id)][number(price) = 1])"},
		{"//id[not(. = preceding::id)]", "//id[every $p in preceding::id satisfies string($p) != string(.)]"},
		{"//parent[. = preceding::id]/../price", "//parent[some $p in preceding::id satisfies string($p) = string(.)]/../price"},
		{"for $l in //line return /doc/line[parent = $l/id]/id[. = $l/parent]", "for $l in //line return /doc/line[boolean(parent = $l/id)]/id[boolean(. = $l/parent)]"},
	}
	rapid.Check(t, func(rt *rapid.T) {
		r := newRules(t, linesXML(rt))
		r.static.DefaultElement = ""
		var exprs [][2]*Expr
		for _, p := range pairs {
			a := r.compile(strings.ReplaceAll(p[0], "current-id(.)", "'a'"))
			b := r.compile(strings.ReplaceAll(p[1], "current-id(.)", "'a'"))
			exprs = append(exprs, [2]*Expr{a, b})
		}
		program := r.b.Build()
		if program.indexes < 12 {
			t.Errorf("only %d indexes", program.indexes)
		}
		m := r.machine(t, program)
		for i, e := range exprs {
			got, err := e[0].Items(m, 0, nil)
			text := itemsText(got) + fmt.Sprint(Code(err))
			want, err := e[1].Items(m, 0, nil)
			if wanted := itemsText(want) + fmt.Sprint(Code(err)); text != wanted {
				rt.Fatalf("%s\n got %s\nwant %s", pairs[i][0], text, wanted)
			}
		}
	})
}

// TestLookupsTakeLinearTime counts the steps of rules that look at all lines from every line.
func TestLookupsTakeLinearTime(t *testing.T) {
	document := func(n int) string {
		var b strings.Builder
		b.WriteString("<doc>")
		for i := range n {
			fmt.Fprintf(&b, "<line><id>L%d</id><parent>L%d</parent><status>GROUP</status><total>%d.50</total></line>", i, i/2, i)
		}
		return b.String() + "</doc>"
	}
	for _, source := range []string{
		"every $l in //line[status = 'GROUP'] satisfies sum(for $c in //line[normalize-space(parent) = normalize-space($l/id)] return number($c/total)) >= 0",
		"every $l in //line satisfies $l/(sum(../line[parent = $id]/xs:decimal(total)) >= 0)",
		"every $l in //line satisfies exists(//line[id = $l/id])",
		"every $l in //line satisfies count(//line) > 0 and sum(//total) > 0",
		"count(//line[some $o in ../line satisfies not($o is .) and normalize-space($o/parent) = normalize-space(id)]) > 0",
		"every $l in //line satisfies (some $p in //line/id satisfies normalize-space($p) = $l/parent)",
		"every $l in //line satisfies $l/id = //line/id",
		"every $l in //line satisfies count(//line[xs:decimal(total) = $l/xs:decimal(total)]) = 1",
		"every $l in //line satisfies count(//line[status = 'GROUP' and number(total) = $l/number(total)]) = 1",
		"every $l in //line satisfies $l/sum(../line[status = 'GROUP']/xs:decimal(total)) > 0",
		"every $v in //line/string(status) satisfies sum(//line[status = $v]/xs:decimal(total)) > 0",
		"count(//id[not(. = preceding::id)]) > 1",
		"every $l in //line satisfies count(//line[status = $l/status and xs:decimal(total) = $l/xs:decimal(total)]) = 1",
		"every $l in //line satisfies count(//line[status = $l/status and total castable as xs:decimal and ($l/status = 'O' or xs:decimal(total) = $l/xs:decimal(total))]) = 1",
	} {
		steps := map[int]int{}
		for _, n := range []int{200, 2000} {
			r := newRules(t, document(n))
			r.static.DefaultElement = ""
			r.variable("id", "(//line)[1]/id", "", PerDocument)
			e := r.compile(source)
			m := r.machine(t, r.b.Build())
			if holds, err := e.Bool(m, 0); err != nil || !holds {
				t.Fatalf("%s: %v, %v", source, holds, err)
			}
			steps[n] = m.spent + slice - m.fuel
		}
		if steps[2000] > 12*steps[200] {
			t.Errorf("%s: %d steps for 200 lines, %d for 2,000", source, steps[200], steps[2000])
		}
	}
}

func TestIndexOfOneDocumentIsNotUsedForTheNext(t *testing.T) {
	r := newRules(t, `<doc><line><id>a</id></line><line><id>b</id></line></doc>`)
	r.static.DefaultElement = ""
	e := r.compile("for $v in ('a', 'b', 'c') return count(//line[id = $v])")
	m := r.machine(t, r.b.Build())
	r.check(m, e, "(1, 1, 0)")
	next, err := xmltree.Parse([]byte(`<doc><line><id>c</id></line><line><id>c</id><id>b</id><id>c</id></line></doc>`), xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m.Start(context.Background(), next)
	r.check(m, e, "(0, 1, 2)")
}

func TestCodeLists(t *testing.T) {
	x := newFixture(t, `<a><c>DE</c><c>XX</c><c/><c>AT DE</c><c>D</c><c> FR </c></a>`)
	x.static.DefaultElement = ""
	x.table(t, [][2]string{
		{"for $c in //c return contains(' AT DE FR IT NL ', concat(' ', normalize-space($c), ' '))", "(true, false, false, true, false, true)"},
		{"for $c in //c return not(contains(normalize-space($c), ' ')) and contains(' AT DE FR IT NL ', concat(' ', normalize-space($c), ' '))",
			"(true, false, false, false, false, true)"},
		{"for $c in //c return contains(' AT DE  FR IT NL ', concat(' ', $c, ' '))", "(true, false, true, true, false, false)"},
		{"for $c in //c return contains('AT DE FR IT NL', concat(' ', $c, ' '))", "(true, false, false, false, false, false)"},
		{"//c/(. = ('AT', 'DE', 'FR', 'IT', 'NL'))", "(true, false, false, false, false, false)"},
		{"//c/(. = 'AT' or . = 'DE' or . = ('FR', 'D') or 'IT' = .)", "(true, false, false, false, true, false)"},
		{"//c = ('AT', 'DE', 'FR', 'IT'), //x = ('AT', 'DE', 'FR', 'IT')", "(true, false)"},
		{"//c/(. = 'A' or . = 'B' or . = 'C' or error())", "FOER0000"},
		{"some $v in tokenize('AT DE FR', '\\s') satisfies $v = (//c)[1]", "true"},
		{"//c[normalize-space(.) = ('FR', 'X', 'Y', 'Z')]", "/a/c[6]"},
		{"//c[string-length(.) = (1, 2, 3, 4)]", "(/a/c[1], /a/c[2], /a/c[5], /a/c[6])"},
	})
}
