package xpath

import (
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
)

// nameChain is a path of child steps by one name each, without predicates, from the context node: the most common path of all. It is
// walked without a closure for each step.
type nameChain []int

// chainOf gives the chain that an expression is; nil for other expressions.
func chainOf(e expr) nameChain {
	s, ok := e.(*step)
	if !ok || s.axis != syntax.Child || s.preds != nil || s.test.kinds != elements {
		return nil
	}
	name, ok := s.test.single()
	if !ok {
		return nil
	}
	if _, first := s.in.(*contextItem); first {
		return nameChain{name}
	}
	if before := chainOf(s.in); before != nil {
		return append(before, name)
	}
	return nil
}

// eachOfChain compiles handing the nodes at the end of a chain to a sink.
func (k *compiler) eachOfChain(c nameChain, sink nodeSink) walkFunc {
	if at, ok := k.chainPlace(c); ok {
		return func(m *Machine, f node) bool {
			if end, ok := m.endAt(at, f); ok {
				return end != xmltree.None && sink(m, node{f.t, end})
			}
			return c.each(m, f, sink)
		}
	}
	if !k.repeated() {
		return func(m *Machine, f node) bool { return c.each(m, f, sink) }
	}
	ends := k.endColumn(c)
	return func(m *Machine, f node) bool {
		if end, ok := ends.of(m, f); ok {
			return end != xmltree.None && sink(m, node{f.t, end})
		}
		return c.each(m, f, sink)
	}
}

// onlyOfChain compiles finding the only node at the end of a chain, without a tree for none.
func (k *compiler) onlyOfChain(c nameChain) func(m *Machine, f node) node {
	if at, ok := k.chainPlace(c); ok {
		return func(m *Machine, f node) node {
			end, ok := m.endAt(at, f)
			return c.onlyAt(m, f, end, ok)
		}
	}
	if !k.repeated() {
		return c.only
	}
	ends := k.endColumn(c)
	return func(m *Machine, f node) node {
		end, ok := ends.of(m, f)
		return c.onlyAt(m, f, end, ok)
	}
}

// onlyAt gives the node at the end of the chain where that is known, and finds it otherwise.
func (c nameChain) onlyAt(m *Machine, f node, end xmltree.Node, known bool) node {
	switch {
	case !known:
		return c.only(m, f)
	case end == xmltree.None:
		return node{}
	}
	return node{f.t, end}
}

// each hands the nodes at the end of the chain to a sink.
func (c nameChain) each(m *Machine, f node, sink nodeSink) bool {
	doc, id, last := f.t.doc, f.t.ids[c[0]], len(c) == 1
	if id == 0 {
		return false
	}
	n, end := doc.Children(f.n)
	if end-n >= worthList {
		if list, ok := m.listed(f, id, n, end); ok {
			return c.eachListed(m, f.t, list, sink)
		}
	}
	steps, looked, stop := 1, 0, false
	for ; n < end && !stop; n = doc.End(n) {
		n, looked = doc.Sibling(n, end, id)
		if steps += looked; n == end {
			break
		}
		at := node{f.t, n}
		stop = last && sink(m, at) || !last && c[1:].each(m, at, sink)
	}
	m.tick(steps)
	return stop
}

// eachListed is each for the nodes that the first step gives.
func (c nameChain) eachListed(m *Machine, t *tree, list []xmltree.Node, sink nodeSink) bool {
	if len(c) == 1 {
		return each(m, t, list, sink)
	}
	for _, n := range list {
		m.tick(1)
		if c[1:].each(m, node{t, n}, sink) {
			return true
		}
	}
	return false
}

// only gives the only node at the end of the chain, without a tree for none.
func (c nameChain) only(m *Machine, f node) node {
	doc, id, found := f.t.doc, f.t.ids[c[0]], node{}
	if id == 0 {
		return found
	}
	n, end := doc.Children(f.n)
	if end-n >= worthList {
		if list, ok := m.listed(f, id, n, end); ok {
			m.tick(len(list))
			for _, n := range list {
				found = m.unique(found, c.rest(m, node{f.t, n}))
			}
			return found
		}
	}
	steps, looked := 1, 0
	for ; n < end; n = doc.End(n) {
		n, looked = doc.Sibling(n, end, id)
		if steps += looked; n == end {
			break
		}
		found = m.unique(found, c.rest(m, node{f.t, n}))
	}
	m.tick(steps)
	return found
}

// rest is only for a node that the first step gives.
func (c nameChain) rest(m *Machine, f node) node {
	if len(c) == 1 {
		return f
	}
	return c[1:].only(m, f)
}

// unique gives the one of two nodes that there is; both are an error.
func (m *Machine) unique(a, b node) node {
	switch {
	case b.t == nil:
		return a
	case a.t != nil:
		m.fail("XPTY0004", "more than one node where at most one is allowed")
	}
	return b
}
