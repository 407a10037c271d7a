package xpath

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
)

// genXML draws a small document of elements a to d with attributes, texts, comments and instructions.
func genXML(t *rapid.T) string {
	var b strings.Builder
	budget := rapid.IntRange(1, 40).Draw(t, "nodes")
	var element func(depth int)
	element = func(depth int) {
		name := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "name")
		b.WriteString("<" + name)
		for _, attribute := range []string{"x", "y"} {
			if rapid.Bool().Draw(t, attribute) {
				fmt.Fprintf(&b, ` %s="%d"`, attribute, rapid.IntRange(0, 3).Draw(t, "value"))
			}
		}
		b.WriteString(">")
		for budget > 0 && rapid.IntRange(0, 3).Draw(t, "more") > 0 {
			budget--
			switch kind := rapid.IntRange(0, 7).Draw(t, "kind"); {
			case kind == 0:
				b.WriteString("t")
			case kind == 1:
				b.WriteString("<!--c-->")
			case kind == 2:
				b.WriteString("<?a p?>")
			case depth < 6:
				element(depth + 1)
			}
		}
		b.WriteString("</" + name + ">")
	}
	element(0)
	return b.String()
}

// related tells whether n is on an axis from c, by the definitions of XPath 2.0, 3.2.1.1.
func related(doc *xmltree.Document, axis syntax.Axis, c, n xmltree.Node) bool {
	attribute := doc.Kind(n) == xmltree.KindAttribute
	above := func(a, b xmltree.Node) bool { return a < b && b < doc.End(a) }
	siblings := doc.Parent(c) == doc.Parent(n) && c != 0 && n != 0 && !attribute && doc.Kind(c) != xmltree.KindAttribute
	switch axis {
	case syntax.Self:
		return c == n
	case syntax.Child:
		return n != 0 && doc.Parent(n) == c && !attribute
	case syntax.Attribute:
		return n != 0 && doc.Parent(n) == c && attribute
	case syntax.Parent:
		return c != 0 && doc.Parent(c) == n
	case syntax.Descendant:
		return above(c, n) && !attribute
	case syntax.DescendantOrSelf:
		return c == n || above(c, n) && !attribute
	case syntax.Ancestor:
		return above(n, c)
	case syntax.AncestorOrSelf:
		return c == n || above(n, c)
	case syntax.Following:
		return n > c && !above(c, n) && !attribute
	case syntax.Preceding:
		return n < c && !above(n, c) && !attribute
	case syntax.FollowingSibling:
		return siblings && n > c
	case syntax.PrecedingSibling:
		return siblings && n < c
	}
	return false
}

// passes tells whether a node passes a test on an axis.
func passes(doc *xmltree.Document, axis syntax.Axis, test string, n xmltree.Node) bool {
	principal := xmltree.KindElement
	if axis == syntax.Attribute {
		principal = xmltree.KindAttribute
	}
	switch kind := doc.Kind(n); test {
	case "node()":
		return true
	case "text()":
		return kind == xmltree.KindText
	case "comment()":
		return kind == xmltree.KindComment
	case "processing-instruction(a)":
		return kind == xmltree.KindInstruction
	case "*", "*:*":
		return kind == principal
	default:
		return kind == principal && slices.Contains(strings.Split(test, "|"), doc.Local(n))
	}
}

var (
	genAxis = rapid.SampledFrom([]syntax.Axis{syntax.Child, syntax.Descendant, syntax.DescendantOrSelf, syntax.Self,
		syntax.Attribute, syntax.Parent, syntax.Ancestor, syntax.AncestorOrSelf, syntax.Following, syntax.FollowingSibling,
		syntax.Preceding, syntax.PrecedingSibling})
	genTest = rapid.SampledFrom([]string{"a", "b", "x", "*", "node()", "text()", "comment()", "processing-instruction(a)", "a|b", "x|y"})
)

// stepText writes a step; a test for several names becomes a union.
func stepText(axis syntax.Axis, test, predicate string) string {
	var parts []string
	for _, one := range strings.Split(test, "|") {
		parts = append(parts, axis.String()+"::"+one)
	}
	if len(parts) == 1 {
		return parts[0] + predicate
	}
	return "(" + strings.Join(parts, " | ") + ")" + predicate
}

// axisStep gives the nodes of a step from a set of nodes, by definition.
func axisStep(doc *xmltree.Document, from []xmltree.Node, axis syntax.Axis, test string) []xmltree.Node {
	var to []xmltree.Node
	for n := range xmltree.Node(doc.Len()) {
		if passes(doc, axis, test, n) && slices.ContainsFunc(from, func(c xmltree.Node) bool { return related(doc, axis, c, n) }) {
			to = append(to, n)
		}
	}
	return to
}

// evaluateAt gives the nodes of an expression at a node, after checks of what else is known about it.
func evaluateAt(t *rapid.T, source string, doc *xmltree.Document, at xmltree.Node) []xmltree.Node {
	b := NewBuilder()
	e, err := b.Compile(source, &Static{NodeContext: true})
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	m, err := b.Build().NewMachine(Config{})
	if err != nil {
		t.Fatal(err)
	}
	m.Start(context.Background(), doc)
	items, err := e.Items(m, at, nil)
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	if err := contradiction(e, items); err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	var nodes []xmltree.Node
	for _, i := range items {
		_, n := NodeOf(i)
		nodes = append(nodes, n)
	}
	truth, err := e.Bool(m, at)
	if err != nil || truth != (len(nodes) > 0) {
		t.Fatalf("%s: %d nodes, but %v, %v as truth value", source, len(nodes), truth, err)
	}
	return nodes
}

func drawDocument(t *rapid.T) (*xmltree.Document, xmltree.Node) {
	doc, err := xmltree.Parse([]byte(genXML(t)), xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return doc, xmltree.Node(rapid.IntRange(0, doc.Len()-1).Draw(t, "at"))
}

func TestPathsOfAnyAxesFollowTheDefinitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, at := drawDocument(t)
		want := []xmltree.Node{at}
		var steps []string
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			axis, test := genAxis.Draw(t, "axis"), genTest.Draw(t, "test")
			steps = append(steps, stepText(axis, test, ""))
			want = axisStep(doc, want, axis, test)
		}
		source := strings.Join(steps, "/")
		if got := evaluateAt(t, source, doc, at); !slices.Equal(got, want) {
			t.Fatalf("%s at %d of %s: %v, want %v", source, at, doc.Source(), got, want)
		}
	})
}

func TestPositionsFollowTheDirectionOfTheAxis(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, at := drawDocument(t)
		axis, test := genAxis.Draw(t, "axis"), rapid.SampledFrom([]string{"a", "x", "*", "node()"}).Draw(t, "test")
		all := axisStep(doc, []xmltree.Node{at}, axis, test)
		if axis.Reverse() {
			slices.Reverse(all)
		}
		n := rapid.IntRange(1, 4).Draw(t, "position")
		for predicate, keep := range map[string]func(p int) bool{
			fmt.Sprintf("[%d]", n):                       func(p int) bool { return p == n },
			"[last()]":                                   func(p int) bool { return p == len(all) },
			fmt.Sprintf("[position() >= %d]", n):         func(p int) bool { return p >= n },
			fmt.Sprintf("[last() - position() < %d]", n): func(p int) bool { return len(all)-p < n },
			fmt.Sprintf("[position() > 1][%d]", n):       func(p int) bool { return p == n+1 },
		} {
			var want []xmltree.Node
			for i, node := range all {
				if keep(i + 1) {
					want = append(want, node)
				}
			}
			slices.Sort(want)
			source := stepText(axis, test, predicate)
			if got := evaluateAt(t, source, doc, at); !slices.Equal(got, want) {
				t.Fatalf("%s at %d of %s: %v, want %v", source, at, doc.Source(), got, want)
			}
		}
	})
}

func TestSetOperationsFollowSetAlgebra(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, at := drawDocument(t)
		var sources [2]string
		var sets [2][]xmltree.Node
		for i := range sets {
			axis, test := genAxis.Draw(t, "axis"), genTest.Draw(t, "test")
			sources[i] = stepText(axis, test, "")
			sets[i] = axisStep(doc, []xmltree.Node{at}, axis, test)
		}
		for op, keep := range map[string]func(a, b bool) bool{
			"union":     func(a, b bool) bool { return a || b },
			"intersect": func(a, b bool) bool { return a && b },
			"except":    func(a, b bool) bool { return a && !b },
		} {
			var want []xmltree.Node
			for n := range xmltree.Node(doc.Len()) {
				if keep(slices.Contains(sets[0], n), slices.Contains(sets[1], n)) {
					want = append(want, n)
				}
			}
			source := sources[0] + " " + op + " " + sources[1]
			if got := evaluateAt(t, source, doc, at); !slices.Equal(got, want) {
				t.Fatalf("%s at %d of %s: %v, want %v", source, at, doc.Source(), got, want)
			}
		}
	})
}

// TestFewChildrenInALargeTree compares the ways to find children by name below nodes with large and small subtrees.
func TestFewChildrenInALargeTree(t *testing.T) {
	var b strings.Builder
	b.WriteString("<a><b/><rare/>")
	for i := range 200 {
		fmt.Fprintf(&b, "<b><c>%d</c><c/>%s</b>", i, map[bool]string{true: "<rare/>"}[i%90 == 7])
	}
	b.WriteString("<rare x='1'/><b/></a>")
	x := newFixture(t, b.String())
	x.static.DefaultElement = ""
	x.table(t, [][2]string{
		{"count(a/rare), count(a/*[self::rare]), count(//rare), count(a/b/rare)", "(2, 2, 5, 3)"},
		{"string(a/rare/@x)", "1"},
		{"string(a/absent)", ""},
		{"name(a/rare)", "XPTY0004"},
		{"a/b[rare]/c[1]/string()", "(7, 97, 187)"},
		{"count(a/(rare | b)), count(a//(rare | absent)), count(a//(rare | c))", "(204, 5, 405)"},
		{"(//rare)[2]/preceding::rare = //rare[1]", "true"},
		{"count((//rare)[last()]/preceding::rare), count((//rare)[1]/following::rare)", "(4, 4)"},
		{"a[rare]/count(b)", "202"},
		{"count(a/rare) = 2, count(a/rare) > 2, count(a/b) >= 202, count(a/b) <= 5, count(a/x) != 0, count(a/rare) < 3", "(true, false, true, false, false, true)"},
	})
}
