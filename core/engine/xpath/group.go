package xpath

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// Test is an expression of which only one truth value is of interest.
type Test struct {
	Expr *Expr
	// Want is the value that is not reported: true for an assertion, false for a report.
	Want bool
}

// Outcome is a test that did not give the wanted value.
type Outcome struct {
	Index int   // of the test in its group
	Err   error // why there is no value; nil for the other value
}

// Group is a list of tests that are made at the same nodes. Those that only ask whether children, attributes or deeper
// descendants of certain names exist, which are most of the tests of some rule sets, are answered in one walk over the subtree.
type Group struct {
	tests  []Test
	single []singleTest // the tests that are evaluated one by one
	trie   *trie        // the others; nil when there are none
	ends   *endFinder   // for the single tests; nil when it is not worth it
}

// singleTest is a test that is evaluated by itself.
type singleTest struct {
	truth boolFunc
	want  bool
	index int
}

// Group makes a group of expressions of this Builder. It may be used after Build.
func (b *Builder) Group(tests []Test) *Group {
	g := &Group{tests: tests}
	t := newTrie()
	for i, test := range tests {
		if !t.add(i, test) {
			g.single = append(g.single, singleTest{index: i, want: test.Want})
		}
	}
	b.groups = append(b.groups, g)
	if len(t.items) >= worthTrie {
		g.trie = t
		b.tries = append(b.tries, t)
		return g
	}
	g.single = g.single[:0]
	for i, test := range tests {
		g.single = append(g.single, singleTest{index: i, want: test.Want})
	}
	return g
}

// worthTrie is the least number of existence tests that are made in one walk.
const worthTrie = 3

// Run makes the tests with n, a node of the document under evaluation, as context item and appends those to dst that do not
// give the wanted value, in the order of the group. An error that is not one of the language, such as that of the context, ends
// the run. The existence tests cannot fail, and are made outside of what recovers from errors.
func (g *Group) Run(m *Machine, n xmltree.Node, dst []Outcome) ([]Outcome, error) {
	f, start := node{m.doc, n}, len(dst)
	if g.trie != nil {
		dst = g.trie.run(m, f, dst)
	}
	g.ends.find(m, f)
	for at := 0; at < len(g.single); {
		switch err := g.evaluate(m, f, &at, &dst); {
		case err == nil:
		case Code(err) == "":
			return dst, err
		default:
			dst = append(dst, Outcome{g.single[at-1].index, err})
		}
	}
	if len(dst) > start+1 {
		slices.SortFunc(dst[start:], func(a, b Outcome) int { return a.Index - b.Index })
	}
	return dst, nil
}

// evaluate makes tests one by one from *at on until one fails with an error. To recover costs more than most tests, so that
// it is set up once for all tests up to the next error; *at is behind the one that had it.
func (g *Group) evaluate(m *Machine, f node, at *int, dst *[]Outcome) (err error) {
	defer m.recover(&err)
	for *at < len(g.single) {
		test := &g.single[*at]
		*at++
		if test.truth(m, f) != test.want {
			*dst = append(*dst, Outcome{Index: test.index})
		}
	}
	return nil
}
