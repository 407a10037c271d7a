package xpath

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
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

// descendantsByName goes over the descendants of one of several names, those of one name after those of another: to find whether there
// is one with a property, nothing else in the subtree is looked at.
func descendantsByName(names []int, sink nodeSink) walkFunc {
	return func(m *Machine, f node) bool {
		for _, name := range names {
			if descendantsNamed(m, f, f.t.ids[name], sink) {
				return true
			}
		}
		return false
	}
}

// descendantsOfNames goes over the list of all elements of one of several names, if no other has elements, or else over all
// descendants.
func descendantsOfNames(names []int, sink nodeSink) walkFunc {
	member := make([]bool, slices.Max(names)+1) // by number of the name in the program
	for _, name := range names {
		member[name] = true
	}
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
		m.tick(int(end - f.n))
		for n := f.n + 1; n < end; n++ {
			number := f.t.numbers[doc.Name(n)]
			if number < 0 || int(number) >= len(member) || !member[number] || doc.Kind(n) != xmltree.KindElement {
				continue
			}
			if sink(m, node{f.t, n}) {
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
	if len(list) > 0 && list[0] < first {
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
