package xpath

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// existence takes an expression apart that does nothing but ask how many nodes a path has: it is true exactly if there are
// more than limit of them, or, with none, if there are not.
func existence(e expr) (path expr, none bool, limit int, ok bool) {
	switch e := e.(type) {
	case *call:
		switch e.fn.name {
		case "not":
			path, none, limit, ok = existence(e.args[0])
			return path, !none, limit, ok
		case "empty":
			return e.args[0], true, 0, isNodes(e.args[0])
		case "exists":
			return e.args[0], false, 0, isNodes(e.args[0])
		case "boolean":
			return existence(e.args[0])
		}
	case *comparison:
		return countLimit(e)
	}
	return e, false, 0, isNodes(e)
}

// countLimit is existence for the comparison of count(path) with a constant number.
func countLimit(e *comparison) (path expr, none bool, limit int, ok bool) {
	c, isCall := e.left.(*call)
	l, constant := e.right.(*literal)
	if !isCall || !constant || c.fn.name != "count" || !isNodes(c.args[0]) || !l.item.Type().IsInteger() {
		return nil, false, 0, false
	}
	n, ok := l.item.Int64()
	if !ok || n < 0 || n > maxLimit {
		return nil, false, 0, false
	}
	limit = int(n)
	switch e.relation {
	case xdm.Greater:
		return c.args[0], false, limit, true
	case xdm.LessOrEqual:
		return c.args[0], true, limit, true
	case xdm.GreaterOrEqual:
		return c.args[0], false, limit - 1, limit > 0
	case xdm.Less:
		return c.args[0], true, limit - 1, limit > 0
	case xdm.Equal:
		return c.args[0], true, 0, limit == 0
	}
	return c.args[0], false, 0, limit == 0
}

// maxLimit is the largest number that nodes are counted up to.
const maxLimit = 1 << 20

func isNodes(e expr) bool { return e.info().typ.nodes() }

// edge is a step of a path of names: to a child or to an attribute.
type edge struct {
	name      int
	attribute bool
}

// namePaths gives the paths of names that an expression consists of, when it is nothing but child and attribute steps from the
// context node.
func namePaths(e expr) ([][]edge, bool) {
	switch e := e.(type) {
	case *contextItem:
		return [][]edge{nil}, true
	case *setOp:
		left, ok1 := namePaths(e.left)
		right, ok2 := namePaths(e.right)
		return slices.Concat(left, right), ok1 && ok2 && e.op == syntax.Union
	case *slash:
		left, ok1 := namePaths(e.left)
		right, ok2 := namePaths(e.right)
		return joinPaths(left, right), ok1 && ok2
	case *step:
		return stepPaths(e)
	}
	return nil, false
}

func stepPaths(e *step) ([][]edge, bool) {
	in, ok := namePaths(e.in)
	attribute := e.axis == syntax.Attribute
	if !ok || e.preds != nil || e.test.names == nil || e.test.never || e.axis != syntax.Child && !attribute {
		return nil, false
	}
	if attribute && e.test.kinds != attributes || !attribute && e.test.kinds != elements {
		return nil, false
	}
	var last [][]edge
	for _, name := range e.test.names {
		last = append(last, []edge{{name, attribute}})
	}
	return joinPaths(in, last), true
}

func joinPaths(left, right [][]edge) [][]edge {
	var all [][]edge
	for _, l := range left {
		for _, r := range right {
			all = append(all, slices.Concat(l, r))
		}
	}
	return all
}

// trie is a set of paths of names. Its states are numbered from 1, which is the context node; the edges of all states to child
// elements lie in one array, each state's from its base on.
//
// One look at owner tells whether a state has an edge for a name, so that a child costs the same however many names are asked
// for.
type trie struct {
	states  []trieState
	items   []trieItem
	awaited []int // items that are outcomes unless found
	base    []int32
	owner   []int32 // the state whose edge lies here
	target  []int32
	found   int // place of the first item's counter in Machine.counters
}

type trieState struct {
	children   map[int]int32 // by name; of use until finish
	attributes []trieLeaf
	found      []int // items whose path ends here
}

type trieLeaf struct{ name, item int }

// trieItem is a test: an outcome when its paths have more than limit nodes, or when they have not.
type trieItem struct {
	test    int
	limit   int
	onFound bool
}

func newTrie() *trie { return &trie{states: make([]trieState, 2)} }

// add adds a test; false when it is more than an existence test.
func (t *trie) add(index int, test Test) bool {
	path, none, limit, ok := existence(test.Expr.root)
	if !ok {
		return false
	}
	paths, ok := namePaths(path)
	if !ok || len(paths) > maxPaths || slices.ContainsFunc(paths, func(p []edge) bool { return len(p) == 0 }) {
		return false
	}
	item := len(t.items)
	t.items = append(t.items, trieItem{index, limit, none == test.Want})
	if none != test.Want {
		t.awaited = append(t.awaited, item)
	}
	for i, p := range paths {
		if !slices.ContainsFunc(paths[:i], func(q []edge) bool { return slices.Equal(p, q) }) {
			t.insert(p, item)
		}
	}
	return true
}

// maxPaths bounds how many paths one test may stand for.
const maxPaths = 64

func (t *trie) insert(path []edge, item int) {
	at := int32(1)
	for i, e := range path {
		if e.attribute {
			if i == len(path)-1 {
				t.states[at].attributes = append(t.states[at].attributes, trieLeaf{e.name, item})
			}
			return // attributes have neither children nor attributes
		}
		next, ok := t.states[at].children[e.name]
		if !ok {
			next = int32(len(t.states))
			t.states = append(t.states, trieState{})
			if t.states[at].children == nil {
				t.states[at].children = map[int]int32{}
			}
			t.states[at].children[e.name] = next
		}
		at = next
	}
	t.states[at].found = append(t.states[at].found, item)
}

// finish lays the edges of all states into one array; names is the number of names of the program. Edges of different states
// lie between each other where they fit. There is a place behind each base for every name, so that no child leads outside of
// the array.
func (t *trie) finish(names int) {
	t.base = make([]int32, len(t.states))
	for s := 1; s < len(t.states); s++ {
		base := 0
		for !t.fits(s, base) {
			base++
		}
		t.base[s] = int32(base)
		for len(t.owner) < base+names+1 {
			t.owner, t.target = append(t.owner, 0), append(t.target, 0)
		}
		for name, next := range t.states[s].children {
			t.owner[base+name], t.target[base+name] = int32(s), next
		}
	}
}

// fits tells whether the places for the edges of a state are free from a base on.
func (t *trie) fits(state, base int) bool {
	for name := range t.states[state].children {
		if base+name < len(t.owner) && t.owner[base+name] != 0 {
			return false
		}
	}
	return true
}

// run answers all tests for a context node and appends the outcomes.
func (t *trie) run(m *Machine, f node, dst []Outcome) []Outcome {
	m.round++
	m.outcomes = dst
	t.visit(m, f, 1)
	dst = m.outcomes
	m.outcomes = nil
	for _, item := range t.awaited {
		if c := &m.counters[t.found+item]; c.round != m.round || c.count <= t.items[item].limit {
			dst = append(dst, Outcome{Index: t.items[item].test})
		}
	}
	return dst
}

// visit looks at the attributes and children of a node in a state.
func (t *trie) visit(m *Machine, f node, state int32) {
	s, doc := &t.states[state], f.t.doc
	for _, leaf := range s.attributes {
		if doc.Attr(f.n, f.t.ids[leaf.name]) != xmltree.None {
			t.mark(m, leaf.item)
		}
	}
	if s.children == nil {
		return
	}
	base, numbers := t.base[state], f.t.numbers
	c, end := doc.Children(f.n)
	for ; c < end; c = doc.End(c) {
		number := numbers[doc.Name(c)]
		if number < 0 || t.owner[base+number] != state || doc.Kind(c) != xmltree.KindElement {
			continue
		}
		next := t.target[base+number]
		for _, item := range t.states[next].found {
			t.mark(m, item)
		}
		t.visit(m, node{f.t, c}, next)
	}
}

// counter counts the nodes of an item in a round.
type counter struct {
	round uint64
	count int
}

// mark counts a node of an item. The first node beyond the limit makes the outcome; those behind it would make it again.
func (t *trie) mark(m *Machine, item int) {
	c := &m.counters[t.found+item]
	if c.round != m.round {
		*c = counter{round: m.round}
	}
	c.count++
	if i := &t.items[item]; i.onFound && c.count == i.limit+1 {
		m.outcomes = append(m.outcomes, Outcome{Index: i.test})
	}
}
