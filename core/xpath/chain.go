package xpath

import (
	"einvoiced/core/xmltree"
	"einvoiced/core/xpath/syntax"
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

// each hands the nodes at the end of the chain to a sink.
func (c nameChain) each(m *Machine, f node, sink nodeSink) bool {
	doc, id, last := f.t.doc, f.t.ids[c[0]], len(c) == 1
	if id == 0 {
		return false
	}
	m.tick(1)
	n, end := doc.Children(f.n)
	if list, ok := sparseList(doc, id, n, end); ok {
		return c.eachListed(m, f, list, end, sink)
	}
	for ; n < end; n = doc.End(n) {
		if !doc.IsElement(n, id) {
			continue
		}
		if at := (node{f.t, n}); last && sink(m, at) || !last && c[1:].each(m, at, sink) {
			return true
		}
	}
	return false
}

// eachListed is each for the members of a list, up to before end, that are children of f.
func (c nameChain) eachListed(m *Machine, f node, list []xmltree.Node, end xmltree.Node, sink nodeSink) bool {
	for _, n := range list {
		if n >= end {
			break
		}
		if f.t.doc.Parent(n) != f.n {
			continue
		}
		if at := (node{f.t, n}); len(c) == 1 && sink(m, at) || len(c) > 1 && c[1:].each(m, at, sink) {
			return true
		}
	}
	return false
}

// only gives the only node at the end of the chain, without a tree for none.
func (c nameChain) only(m *Machine, f node) node {
	if len(c) == 1 {
		return m.onlyChildNamed(f, c[0])
	}
	doc, id, found := f.t.doc, f.t.ids[c[0]], node{}
	if id == 0 {
		return found
	}
	m.tick(1)
	n, end := doc.Children(f.n)
	list, sparse := sparseList(doc, id, n, end)
	if sparse {
		n = nextListed(doc, &list, f.n, end)
	}
	for n < end {
		if sparse || doc.IsElement(n, id) {
			if one := c[1:].only(m, node{f.t, n}); one.t != nil {
				if found.t != nil {
					m.fail("XPTY0004", "more than one node where at most one is allowed")
				}
				found = one
			}
		}
		if sparse {
			n = nextListed(doc, &list, f.n, end)
		} else {
			n = doc.End(n)
		}
	}
	return found
}

// nextListed takes the next child of parent off a list; end when there is none before it.
func nextListed(doc *xmltree.Document, list *[]xmltree.Node, parent, end xmltree.Node) xmltree.Node {
	for len(*list) > 0 && (*list)[0] < end {
		n := (*list)[0]
		*list = (*list)[1:]
		if doc.Parent(n) == parent {
			return n
		}
	}
	return end
}
