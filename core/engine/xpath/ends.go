package xpath

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
)

// The tests of one context ask for the same few children, and for what is below them, again and again. Before they are made, one walk
// finds where all their chains of names lead to from the context node.

// chainEnd is where a chain leads to from the context node of a group, as long as its serial is that of Machine.here.
type chainEnd struct {
	serial      uint64
	first, last xmltree.Node // None for nowhere
}

// endFinder finds the ends of the chains of a group.
type endFinder struct {
	chains []nameChain
	places []int // of their ends in Machine.ends
	trie   *trie // of the chains, whose items are these places
}

const (
	worthEnds = 8    // least number of times that the tests of a group follow chains for them to be followed in one walk
	mostBelow = 4096 // largest subtree that is walked through, in nodes: in larger ones most tests find what they need near the start
)

// endsOf gives the finder for the chains that tests follow from the context node; nil when it is not worth it.
func endsOf(tests []singleTest, all []Test) *endFinder {
	c := chainCollector{seen: map[*variable]bool{}}
	for _, t := range tests {
		c.collect(all[t.index].Expr.root)
	}
	if c.followed < worthEnds {
		return nil
	}
	return &endFinder{chains: c.chains, trie: newTrie()}
}

// chainCollector lists the chains that expressions follow from the context node.
type chainCollector struct {
	chains   []nameChain
	followed int
	seen     map[*variable]bool
}

func (c *chainCollector) add(chain nameChain) {
	c.followed++
	if !slices.ContainsFunc(c.chains, func(known nameChain) bool { return slices.Equal(known, chain) }) {
		c.chains = append(c.chains, chain)
	}
}

// collect goes through what is evaluated at the context node itself.
func (c *chainCollector) collect(e expr) {
	switch e := e.(type) {
	case *step:
		c.step(e)
	case *slash:
		c.collect(e.left)
	case *filter:
		c.collect(e.base)
	case *loop:
		c.collect(e.in)
	case *quantified:
		c.collect(e.in)
	case *varRef:
		if e.v.scope == scopeCurrent && !c.seen[e.v] {
			c.seen[e.v] = true
			c.collect(e.v.value)
		}
	default:
		for _, part := range parts(e) {
			c.collect(part)
		}
	}
}

func (c *chainCollector) step(e *step) {
	if chain := chainOf(e); chain != nil {
		c.add(chain)
		return
	}
	if !isHere(e.in) {
		c.collect(e.in)
		return
	}
	if e.axis == syntax.Child && e.test.kinds == elements && !e.test.never && len(e.test.names) <= mostNames {
		for _, name := range e.test.names {
			c.add(nameChain{name})
		}
	}
}

// findEnds makes the finders of all groups. It comes before expressions are compiled, which look up what is found.
func (k *compiler) findEnds() {
	for _, g := range k.builder.groups {
		if g.ends = endsOf(g.single, g.tests); g.ends != nil {
			g.ends.finish(k)
		}
	}
}

// finish gives the chains their places and lays out the trie.
func (x *endFinder) finish(k *compiler) {
	for _, chain := range x.chains {
		var path []edge
		for _, name := range chain {
			path = append(path, edge{name: name})
		}
		key := k.builder.keyText(anys(chain)...)
		at, known := k.ends[key]
		if !known {
			at = place(&k.program.ends)
			k.ends[key] = at
		}
		x.places = append(x.places, at)
		x.trie.insert(path, at)
	}
	x.trie.finish(len(k.builder.nameList))
}

// chainPlace gives the place of a chain's end; ok is false where no finder looks for it, or what is compiled is not evaluated at the
// context node of tests.
func (k *compiler) chainPlace(c nameChain) (at int, ok bool) {
	if k.repeated() || k.inside || k.singly {
		return 0, false
	}
	at, ok = k.ends[k.builder.keyText(anys(c)...)]
	return at, ok
}

func anys(c nameChain) []any {
	list := make([]any, len(c))
	for i, name := range c {
		list[i] = name
	}
	return list
}

// find follows all chains from a node, the context node of the tests to come.
func (x *endFinder) find(m *Machine, f node) {
	m.leaveHere()
	if x == nil || f.t.doc.End(f.n)-f.n > mostBelow {
		return
	}
	for _, at := range x.places {
		m.ends[at] = chainEnd{m.hereSerial, xmltree.None, xmltree.None}
	}
	x.visit(m, f, 1)
	m.here = f
}

// visit notes which chains end at the children of a node in a state of the trie. Steps are taken from the fuel without a look
// at the bound: nobody recovers from its error here. The next test finds it.
func (x *endFinder) visit(m *Machine, f node, state int32) {
	t, doc, numbers := x.trie, f.t.doc, f.t.numbers
	base, looked := t.base[state], 1
	c, end := doc.Children(f.n)
	for ; c < end; c = doc.End(c) {
		looked++
		number := numbers[doc.Name(c)]
		if number < 0 || t.owner[base+number] != state || doc.Kind(c) != xmltree.KindElement {
			continue
		}
		next := t.target[base+number]
		s := &t.states[next]
		for _, at := range s.found {
			m.ends[at].add(c)
		}
		if s.children != nil {
			x.visit(m, node{f.t, c}, next)
		}
	}
	m.fuel -= looked
}

// leaveHere forgets the ends of chains.
func (m *Machine) leaveHere() {
	m.here = node{}
	m.hereSerial++
}

func (e *chainEnd) add(n xmltree.Node) {
	if e.first == xmltree.None {
		e.first = n
	}
	e.last = n
}

// endAt gives the only node that a chain leads to from f, None for none; ok is false where that is not known, or there are several.
func (m *Machine) endAt(at int, f node) (end xmltree.Node, ok bool) {
	e := &m.ends[at]
	return e.first, e.serial == m.hereSerial && m.here == f && e.first == e.last
}

// mostNames is the largest number of names of which one step is answered from the ends of chains.
const mostNames = 4

// oneOfNames gives the only child of f that has one of some names, as endAt does; the chains are those of one name each.
func (m *Machine) oneOfNames(places []int, f node) (end xmltree.Node, ok bool) {
	end = xmltree.None
	for _, at := range places {
		one, known := m.endAt(at, f)
		if !known || one != xmltree.None && end != xmltree.None {
			return xmltree.None, false
		}
		if one != xmltree.None {
			end = one
		}
	}
	return end, true
}
