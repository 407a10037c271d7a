package xpath

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// byTests writes a path of names as one of tests for any name, which is no chain.
func byTests(path string) string {
	var steps []string
	for _, name := range strings.Split(path, "/") {
		steps = append(steps, "*[local-name() = '"+name+"']")
	}
	return strings.Join(steps, "/")
}

// TestChainsOfAGroupLeadWhereTheyDoAlone compares tests of groups, whose chains are followed in one walk, with tests that say the same
// without chains, at all nodes of a document: with none, one and several nodes at the end, in predicates, loops and unions, in tests themselves and in
// variables of the current node.
func TestChainsOfAGroupLeadWhereTheyDoAlone(t *testing.T) {
	paths := []string{"a", "b", "c", "only", "group", "a/b", "only/b", "group/a", "group/a/b", "group/only", "absent", "group/absent/a"}
	forms := []string{"exists($1) and true()", "$1 = '3'", "normalize-space($1) = '1'", "count($1) = 2 or false()", "string($1) != ''",
		"$1/@n = '2'", "some $x in $1 satisfies $x/@n > 1", "*[$1] = '1'", "$1[b] = '2'", "($1)[1]/@n = '0'", "sum($1/@n) > 4",
		"$1", "$1/@n", "($1 | $2) = '0'", "($1 | $2)/@n = '4'", "not($1) or $2", "string($current) = '5'", "normalize-space($1) != normalize-space($2)"}
	rapid.Check(t, func(rt *rapid.T) {
		r := newRules(t, familyXML(rt))
		r.static.DefaultElement = ""
		r.variable("current", "only", "", PerCurrent)
		var chained, plain []Test
		for _, form := range rapid.SliceOfN(rapid.SampledFrom(forms), 1, 20).Draw(rt, "forms") {
			path, other := rapid.SampledFrom(paths).Draw(rt, "path"), rapid.SampledFrom(paths).Draw(rt, "other")
			asChain := strings.NewReplacer("$1", path, "$2", other).Replace(form)
			asTests := strings.NewReplacer("$1", byTests(path), "$2", byTests(other)).Replace(form)
			if rapid.Bool().Draw(rt, "as a variable") {
				asChain, asTests = r.named(asChain), r.named(asTests)
			}
			chained = append(chained, Test{Expr: r.compile(asChain), Want: true})
			plain = append(plain, Test{Expr: r.compile(asTests), Want: true})
		}
		g, alone := r.b.Group(chained), r.b.Group(plain)
		m := r.machine(t, r.b.Build())
		for n := range xmltree.Node(r.doc.Len()) {
			m.SetCurrent(n)
			got, want := outcomes(rt, m, g, n), outcomes(rt, m, alone, n)
			if got != want {
				rt.Errorf("at %s: %s, want %s", r.doc.Path(n), got, want)
			}
		}
	})
}

// named gives a variable of the current node with the value of an expression.
func (r *rules) named(source string) string {
	name := fmt.Sprintf("v%d", len(r.static.Variables))
	r.variable(name, source, "", PerCurrent)
	return "$" + name
}

// outcomes writes what the tests of a group give at a node: the number of each, with the code of its error.
func outcomes(t *rapid.T, m *Machine, g *Group, n xmltree.Node) string {
	list, err := g.Run(m, n, nil)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, o := range list {
		fmt.Fprint(&text, o.Index, Code(o.Err), " ")
	}
	return text.String()
}

// TestEndsAreOfOneNode ensures that what was found for the context node of a group is not taken for another node, another document or a
// function without context.
func TestEndsAreOfOneNode(t *testing.T) {
	r := newRules(t, "<doc><a><b>1</b></a><a/></doc>")
	r.static.DefaultElement = ""
	r.function("f", "xs:boolean", "exists(b)")
	var tests []Test
	for range worthEnds {
		tests = append(tests, Test{Expr: r.compile("b = '1'"), Want: true})
	}
	inside := r.compile("u:f()")
	g := r.b.Group(append(tests, Test{Expr: inside, Want: true}))
	m := r.machine(t, r.b.Build())
	if g.ends == nil {
		t.Fatal("the chains of the group are followed one by one")
	}
	for n, want := range map[xmltree.Node]int{2: 1, 5: worthEnds + 1} {
		got, err := g.Run(m, n, nil)
		if err != nil || len(got) != want || Code(got[len(got)-1].Err) != "XPDY0002" {
			t.Errorf("at %d: %v, %v", n, got, err)
		}
	}
	if value, err := tests[0].Expr.Bool(m, 2); err != nil || !value {
		t.Errorf("after the group: %v, %v", value, err)
	}
	m.Start(context.Background(), r.doc)
	if value, err := tests[0].Expr.Bool(m, 5); err != nil || value {
		t.Errorf("in the next document: %v, %v", value, err)
	}
}
