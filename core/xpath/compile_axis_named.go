package xpath

import (
	"slices"

	"einvoiced/core/xmltree"
	"einvoiced/core/xpath/syntax"
)

// namedAxis compiles the axes for which a test for one name has a shorter way; nil for the others.
func namedAxis(e *step, name int, sink nodeSink) walkFunc {
	switch {
	case e.axis == syntax.Attribute && e.test.kinds == attributes:
		return func(m *Machine, f node) bool {
			a := f.t.doc.Attr(f.n, f.t.ids[name])
			return a != xmltree.None && sink(m, node{f.t, a})
		}
	case e.test.kinds != elements:
		return nil
	}
	switch e.axis {
	case syntax.Child:
		return func(m *Machine, f node) bool { return childrenNamed(m, f, f.t.ids[name], sink) }
	case syntax.Descendant:
		return func(m *Machine, f node) bool { return descendantsNamed(m, f, f.t.ids[name], sink) }
	case syntax.Self:
		return func(m *Machine, f node) bool {
			return f.t.doc.IsElement(f.n, f.t.ids[name]) && sink(m, f)
		}
	case syntax.Following:
		return func(m *Machine, f node) bool {
			doc := f.t.doc
			return listed(m, f.t, doc.Elements(f.t.ids[name]), firstFollowing(doc, f.n), xmltree.Node(doc.Len()), sink)
		}
	case syntax.Preceding:
		return func(m *Machine, f node) bool { return precedingNamed(m, f, f.t.ids[name], sink) }
	}
	return nil
}

// sparse says how much smaller than a subtree the list of all elements of a name must be to be gone through instead of the
// children.
const sparse = 16

// childrenNamed goes over the children of one name. Below a node with a large subtree, such as the root of an invoice with
// thousands of lines, the list of all elements of that name may be the shorter way.
func childrenNamed(m *Machine, f node, id xmltree.NameID, sink nodeSink) bool {
	if id == 0 {
		return false
	}
	doc := f.t.doc
	c, end := doc.Children(f.n)
	if list, ok := sparseList(doc, id, c, end); ok {
		return siblingsIn(m, f, list, end, sink)
	}
	m.tick(1)
	for ; c < end; c = doc.End(c) {
		if doc.IsElement(c, id) && sink(m, node{f.t, c}) {
			return true
		}
	}
	return false
}

// sparseList gives the elements of a name from first on when there are few of them for the size of the subtree that reaches up
// to before end.
func sparseList(doc *xmltree.Document, id xmltree.NameID, first, end xmltree.Node) ([]xmltree.Node, bool) {
	if end-first <= 4*sparse {
		return nil, false
	}
	list := doc.Elements(id)
	if len(list) >= int(end-first)/sparse {
		return nil, false
	}
	if len(list) > 0 && list[0] < first {
		from, _ := slices.BinarySearch(list, first)
		list = list[from:]
	}
	return list, true
}

// siblingsIn goes over the members of a list, up to before end, that are children of f.
func siblingsIn(m *Machine, f node, list []xmltree.Node, end xmltree.Node, sink nodeSink) bool {
	m.tick(1)
	for _, c := range list {
		if c >= end {
			break
		}
		if f.t.doc.Parent(c) == f.n && sink(m, node{f.t, c}) {
			return true
		}
	}
	return false
}

// childrenOfNames goes over the children of any of several names.
func childrenOfNames(names []int, sink nodeSink) walkFunc {
	return func(m *Machine, f node) bool {
		doc, ids := f.t.doc, f.t.ids
		m.tick(1)
		c, end := doc.Children(f.n)
		for ; c < end; c = doc.End(c) {
			if isElementOf(doc, c, names, ids) && sink(m, node{f.t, c}) {
				return true
			}
		}
		return false
	}
}

// descendantsOfNames goes over the list of all elements of one of several names, if no other has elements, or else over all
// descendants.
func descendantsOfNames(names []int, sink nodeSink) walkFunc {
	return func(m *Machine, f node) bool {
		doc, ids := f.t.doc, f.t.ids
		lists, only := 0, 0
		for _, name := range names {
			if len(doc.Elements(ids[name])) > 0 {
				lists++
				only = name
			}
		}
		switch lists {
		case 0:
			return false
		case 1:
			return descendantsNamed(m, f, ids[only], sink)
		}
		end := doc.End(f.n)
		for n := f.n + 1; n < end; n++ {
			m.tick(1)
			if isElementOf(doc, n, names, ids) && sink(m, node{f.t, n}) {
				return true
			}
		}
		return false
	}
}

func isElementOf(doc *xmltree.Document, n xmltree.Node, names []int, ids []xmltree.NameID) bool {
	for _, name := range names {
		if ids[name] != 0 && doc.IsElement(n, ids[name]) {
			return true
		}
	}
	return false
}

// attributesBelow goes over the attributes of one name of a node and all its descendants.
func attributesBelow(name int, sink nodeSink) nodeSink {
	return func(m *Machine, f node) bool {
		doc := f.t.doc
		return listed(m, f.t, doc.AttributesNamed(f.t.ids[name]), f.n, doc.End(f.n), sink)
	}
}

func descendantsNamed(m *Machine, f node, id xmltree.NameID, sink nodeSink) bool {
	doc := f.t.doc
	return listed(m, f.t, doc.Elements(id), f.n+1, doc.End(f.n), sink)
}

// listed goes over the members of a list from first to before end.
func listed(m *Machine, t *tree, list []xmltree.Node, first, end xmltree.Node, sink nodeSink) bool {
	if first > 1 {
		from, _ := slices.BinarySearch(list, first)
		list = list[from:]
	}
	for _, n := range list {
		if n >= end {
			break
		}
		m.tick(1)
		if sink(m, node{t, n}) {
			return true
		}
	}
	return false
}

// precedingNamed goes backwards over the list of elements of a name.
func precedingNamed(m *Machine, f node, id xmltree.NameID, sink nodeSink) bool {
	doc := f.t.doc
	list := doc.Elements(id)
	to, _ := slices.BinarySearch(list, f.n)
	for _, n := range slices.Backward(list[:to]) {
		m.tick(1)
		if doc.End(n) <= f.n && sink(m, node{f.t, n}) {
			return true
		}
	}
	return false
}
