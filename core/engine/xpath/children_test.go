package xpath

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestChildrenByNameAreTheChildrenOfThatName compares steps by name from nodes with subtrees of all sizes with tests of all its children.
func TestChildrenByNameAreTheChildrenOfThatName(t *testing.T) {
	pairs := [][2]string{
		{"/doc/a", "/doc/*[local-name() = 'a']"},
		{"/doc/(a | b)", "/doc/*[local-name() = 'a' or local-name() = 'b']"},
		{"/doc/(b | c | a | absent)/@n", "/doc/*[contains('abc', local-name())]/@n"},
		{"(/doc/(a | b))[3]", "(/doc/*[contains('ab', local-name())])[3]"},
		{"/doc/group/a/b", "/doc/*[local-name() = 'group']/*[local-name() = 'a']/*[local-name() = 'b']"},
		{"//a/../b", "//*[*[local-name() = 'a']]/*[local-name() = 'b']"},
		{"string(/doc/only)", "string(/doc/*[local-name() = 'only'])"},
		{"string(/doc/group/only)", "string(/doc/*[local-name() = 'group']/*[local-name() = 'only'])"},
		{"string(/doc/a)", "string(/doc/*[local-name() = 'a'])"},
		{"normalize-space(/doc/group/a)", "normalize-space(/doc/*[local-name() = 'group']/*[local-name() = 'a'])"},
		{"count(/doc/absent), count(/doc/group/absent/a)", "0, 0"},
	}
	rapid.Check(t, func(rt *rapid.T) {
		r := newRules(t, familyXML(rt))
		r.static.DefaultElement = ""
		var exprs [][2]*Expr
		for _, p := range pairs {
			exprs = append(exprs, [2]*Expr{r.compile(p[0]), r.compile(p[1])})
		}
		m := r.machine(t, r.b.Build())
		compareForms(rt, m, exprs)
	})
}

// familyXML makes two nodes with few or many children, one inside the other, with comments and texts.
func familyXML(t *rapid.T) string {
	var b strings.Builder
	children := func() {
		for i := range rapid.IntRange(0, 12).Draw(t, "children") {
			name := rapid.SampledFrom([]string{"a", "b", "c", "only", "!"}).Draw(t, "name")
			if name == "!" {
				b.WriteString("<!--a-->text")
				continue
			}
			fmt.Fprintf(&b, `<%s n="%d">%d<b/></%s>`, name, i, i, name)
		}
	}
	b.WriteString("<doc>")
	children()
	b.WriteString("<group>")
	children()
	pad := rapid.SampledFrom([]int{0, worthList, 6 * worthList, worthFamily}).Draw(t, "pad")
	b.WriteString(strings.Repeat("<pad/>", pad) + "</group>")
	children()
	return b.String() + "</doc>"
}

// TestChildrenTakeLinearTime counts the steps of rules that look at children of the document element from every line: few
// among many others, by one name and by several, and below them.
func TestChildrenTakeLinearTime(t *testing.T) {
	document := func(n int) string {
		var b strings.Builder
		b.WriteString("<doc><id>1</id>")
		for i := range n {
			fmt.Fprintf(&b, "<line><id>%d</id><charge><id>%d</id></charge></line>", i, i)
		}
		return b.String() + "<charge><id>x</id></charge></doc>"
	}
	for _, source := range []string{
		"every $l in //line satisfies $l/../id = '1'",
		"every $l in //line satisfies exists($l/../charge)",
		"every $l in //line satisfies exists($l/../charge/id)",
		"every $l in //line satisfies $l/../(note | charge)/id = 'x'",
		"every $l in //line satisfies not($l/../(note | absent))",
		"every $l in //line satisfies string($l/../charge/id) = 'x'",
	} {
		steps := map[int]int{}
		for _, n := range []int{500, 5000} {
			r := newRules(t, document(n))
			r.static.DefaultElement = ""
			e := r.compile(source)
			m := r.machine(t, r.b.Build())
			if holds, err := e.Bool(m, 0); err != nil || !holds {
				t.Fatalf("%s: %v, %v", source, holds, err)
			}
			steps[n] = m.spent + slice - m.fuel
		}
		if steps[5000] < 5000 || steps[5000] > 12*steps[500] {
			t.Errorf("%s: %d steps for 500 lines, %d for 5,000", source, steps[500], steps[5000])
		}
	}
}

// TestEveryNodeLookedAtIsAStep makes sure that the bound on steps bounds walks through lists of nodes, too.
func TestEveryNodeLookedAtIsAStep(t *testing.T) {
	const n = 3 * slice
	source := "<doc><head><b/></head>" + strings.Repeat("<a/>", n) + "</doc>"
	for _, expression := range []string{"count(//a)", "count(/doc/a)", "count(/doc/(a | b))", "count(/doc/a/b)", "string(/doc/a/b)", "count(//b/following::a)"} {
		r := newRules(t, source)
		r.static.DefaultElement = ""
		e := r.compile(expression)
		program := r.b.Build()
		for _, limit := range []struct {
			steps int
			code  string
		}{{n / 2, "XPDY0130"}, {8 * n, ""}} {
			r.config.Steps = limit.steps
			if _, err := e.Items(r.machine(t, program), 0, nil); Code(err) != limit.code {
				t.Errorf("%s within %d steps: %v, want %q", expression, limit.steps, err, limit.code)
			}
		}
	}
}
