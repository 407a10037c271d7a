package xpath

import "testing"

func TestAxes(t *testing.T) {
	x := newFixture(t, orderXML)
	x.table(t, [][2]string{
		{"/", "/"},
		{"/*", "/o:order"},
		{"name(*)", "o:order"},
		{"*/line/@no/string()", "(1, 2)"},
		{"//line/@no/string()", "(1, 2, 3, 3a)"},
		{"count(//node())", "33"},
		{"//line[@no='2']/child::node()/name()", "(id, price, qty, )"},
		{"//id/..", "(/o:order/line[1], /o:order/line[2], /o:order/group/line, /o:order/group/line/line)"},
		{"//line[@no='3a']/ancestor::*/name()", "(o:order, group, line)"},
		{"//line[@no='3a']/ancestor-or-self::line/@no/string()", "(3, 3a)"},
		{"//line[@no='3a']/ancestor::*[1]/@no/string()", "3"},
		{"//line[@no='3a']/preceding::line/@no/string()", "(1, 2)"},
		{"//line[@no='3a']/preceding::line[1]/@no/string()", "2"},
		{"//line[@no='1']/following::line/@no/string()", "(2, 3, 3a)"},
		{"//line[@no='1']/@no/following::line[1]/id/string()", "B2"},
		{"//line[@no='2']/@no/following::*[1]/name()", "id"},
		{"//line[@no='2']/@no/preceding::*[1]/name()", "qty"},
		{"//line[@no='1']/following-sibling::*/name()", "(line, group, o:total, empty)"},
		{"o:order/o:total/preceding-sibling::*[1]/name()", "group"},
		{"o:order/o:total/preceding-sibling::*/name()", "(line, line, group)"},
		{"(//@no)[1]/following-sibling::node()", "()"},
		{"//line[@no='3']/descendant::id/string()", "(B2, C)"},
		{"//line[@no='3']/descendant-or-self::line/@no/string()", "(3, 3a)"},
		{"//price/self::price/@cur/string()", "(EUR, EUR)"},
		{"//price/self::qty", "()"},
		{"//@cur", "(/o:order/line[1]/price/@cur, /o:order/line[2]/price/@cur)"},
		{"/processing-instruction()/name()", "pi"},
		{"processing-instruction('pi')/string()", "before"},
		{"processing-instruction('po')", "()"},
		{"//comment()/string()", "note"},
		{"//line[1]/id/text()", "(/o:order/line[1]/id/text(), /o:order/group/line/id/text(), /o:order/group/line/line/id/text())"},
		{"//element(line, xs:untyped)[1]/@no/string()", "(1, 3, 3a)"},
		{"//element(*, xs:string)", "()"},
		{"//attribute(no, xs:untypedAtomic)[. = '2']/string()", "2"},
		{"self::document-node(element(o:order))", "/"},
		{"self::document-node(element(line))", "()"},
		{"namespace::*", "XPST0010"},
		{"//*:total/string()", "42"},
		{"//n:*[. = 'B2']/name()", "(id, id)"},
		{"//o:*/name()", "(o:order, o:total)"},
		{"//absent", "()"},
		{"//absent/line", "()"},
		{"/o:order/line/id[2]", "()"},
	})
}

func TestPathsAreInDocumentOrderWithoutDoubles(t *testing.T) {
	x := newFixture(t, orderXML)
	x.table(t, [][2]string{
		{"//line/id/string()", "( A  1 , B2, B2, C)"},
		{"//line//id/string()", "( A  1 , B2, B2, C)"},
		{"//id/ancestor::*/@no/string()", "(1, 2, 3, 3a)"},
		{"count(//line/..)", "3"},
		{"count(//id/ancestor::o:order)", "1"},
		{"(//line[2], //line[1])/@no/string()", "(1, 2, 3, 3a)"},
		{"(o:order/line[2] | o:order/line[1])/@no/string()", "(1, 2)"},
		{"//line/(id | price)/name()", "(id, price, id, price, id, price, id)"},
		{"//line/(qty, id)/name()", "(id, qty, id, qty, id, id)"},
		{"//line[@no='3']/(.//id | .//line)/name()", "(id, line, id)"},
		{"count(//line | //line)", "4"},
		{"count((//line, //line))", "8"},
		{"count(//line intersect //group//line)", "2"},
		{"(//line except //group//line)/@no/string()", "(1, 2)"},
		{"(o:order/line, o:order/line)/count((qty, qty))", "(2, 2, 2, 2)"},
		{"//line/(1 to 2)", "(1, 2, 1, 2, 1, 2, 1, 2)"},
		{"o:order/line/(if (@no = '1') then . else 5)", "XPTY0018"},
		{"(1, 2)/a", "XPTY0019"},
		{"1/a", "XPTY0019"},
		{"(1)[. = 1]/(a)", "XPTY0019"},
		{"(1, 2)[a]", "XPTY0020"},
		{"//line[1] | 5", "XPTY0004"},
	})
}

func TestPredicates(t *testing.T) {
	x := newFixture(t, orderXML)
	x.table(t, [][2]string{
		{"(//line)[2]/@no/string()", "2"},
		{"(//line)[last()]/@no/string()", "3a"},
		{"(//line)[last() - 1]/@no/string()", "3"},
		{"(//line)[position() > 2]/@no/string()", "(3, 3a)"},
		{"(//line)[position() = (1, 4)]/@no/string()", "(1, 3a)"},
		{"(//line)[2.0]/@no/string()", "2"},
		{"(//line)[2.5]", "()"},
		{"(//line)[0]", "()"},
		{"//line[last()]/@no/string()", "(2, 3, 3a)"},
		{"//line[2]/@no/string()", "2"},
		{"//line[qty][last()]/@no/string()", "2"},
		{"//line[last()][qty]/@no/string()", "2"},
		{"//line[position() mod 2 = 1][id]/@no/string()", "(1, 3, 3a)"},
		{"//line[position() = last()][1]/@no/string()", "(2, 3, 3a)"},
		{"o:order/*[3]/name()", "group"},
		{"o:order/*[number(o:total)]", "()"},
		{"for $n in 2 return (//line)[$n]/@no/string()", "2"},
		{"for $c in true() return count((//line)[$c])", "4"},
		{"//line[id = 'B2'][price > 5]/@no/string()", "2"},
		{"('a', 'b', 'c')[position() >= 2]", "(b, c)"},
		{"('a', 'b')[. = 'b']", "b"},
		{"(1 to 10)[. mod 3 = 0][2]", "6"},
		{"(1 to 10)[last() div 2]", "5"},
		{"(1, 'a')[. instance of xs:string]", "a"},
		{"(//line)[('a', 'b')]", "FORG0006"},
		{"(//line)[xs:date('2026-01-01')]", "FORG0006"},
		{"//line[price[@cur][1] > 5][1]/@no/string()", "1"},
		{"//line/id/position()", "(1, 2, 3, 4)"},
		{"o:order/line/last()", "(2, 2)"},
		{"position(), last()", "(1, 1)"},
		{"(5, 6)[position() = 2][last() = 1]", "6"},
		{"//line[@no = '3']/ancestor::*[position() = 2]/name()", "o:order"},
		{"//line[@no = '3']/ancestor::*[last()]/name()", "o:order"},
		{"(//line[@no = '3']/ancestor::*)[last()]/name()", "group"},
		{"o:order/line[(@no, 'x')[2] = 'x']/@no/string()", "(1, 2)"},
	})
}

func TestContextItem(t *testing.T) {
	x := newFixture(t, orderXML)
	x.table(t, [][2]string{
		{".", "/"},
		{"(1, 2)[. = 2]", "2"},
		{"//line[. is (//line)[3]]/@no/string()", "3"},
		{"('http://h/x', 'y')[string-length() = 1]", "y"},
		{"(//id)[1]/normalize-space()", "A 1"},
		{"(1 to 3)[(4 to 6)[. > 5] > .]", "(1, 2, 3)"},
		{"(1 to 3)[((2, 3)[. = 2], .)[2] = 3]", "3"},
		{"(1)[/]", "XPTY0020"},
		{"(1)[root()]", "XPTY0004"},
		{"(1)[@a]", "XPTY0020"},
	})
}

// TestDescendantsOfSeveralNamesAreThoseOfEach pins that attributes, instructions and names the rules do not know are no
// descendants of the names asked for.
func TestDescendantsOfSeveralNamesAreThoseOfEach(t *testing.T) {
	r := newRules(t, `<doc><a b="1"/><?b x?><c><b/><z/><a><a/></a></c><d/></doc>`)
	r.static.DefaultElement = ""
	var pairs [][2]*Expr
	for _, at := range []string{"/doc", "//c", "//a", "(/doc, //c)", "//z"} {
		pairs = append(pairs, [2]*Expr{
			r.compile(at + "/(descendant::a | descendant::b | descendant::absent)"),
			r.compile(at + "/descendant::*[name() = ('a', 'b')]"),
		}, [2]*Expr{
			r.compile("exists(" + at + "/(descendant::d | descendant::z | descendant::b))"),
			r.compile("exists(" + at + "/descendant::*[name() = ('d', 'z', 'b')])"),
		})
	}
	compareForms(t, r.machine(t, r.b.Build()), pairs)
}
