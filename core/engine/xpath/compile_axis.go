package xpath

import (
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
)

// axis compiles an axis with its test to a walk over the nodes, in the order of the axis where need asks for an order.
func (k *compiler) axis(e *step, need order, sink nodeSink) walkFunc {
	if name, ok := e.test.single(); ok {
		if e.axis == syntax.Child && e.test.kinds == elements {
			return k.eachOfChain(nameChain{name}, sink)
		}
		if walk := namedAxis(e, name, sink); walk != nil {
			return walk
		}
	}
	if e.test.names != nil && e.test.kinds == elements && !e.test.never {
		switch e.axis {
		case syntax.Child:
			return k.eachOfNames(e.test.names, sink)
		case syntax.Descendant:
			if need&sorted == 0 {
				return descendantsByName(e.test.names, sink)
			}
			return descendantsOfNames(e.test.names, sink)
		}
	}
	test := e.test
	tested := sink
	if !test.anyName() || test.kinds != anyNode {
		tested = func(m *Machine, f node) bool { return test.match(f) && sink(m, f) }
	}
	switch e.axis {
	case syntax.Self:
		return walkFunc(tested)
	case syntax.Parent:
		return func(m *Machine, f node) bool {
			p := f.t.doc.Parent(f.n)
			return p != xmltree.None && tested(m, node{f.t, p})
		}
	}
	walk := axisWalks[e.axis]
	return func(m *Machine, f node) bool { return walk(m, f, tested) }
}

// axisWalks go over all nodes of an axis.
var axisWalks = [...]func(m *Machine, f node, sink nodeSink) bool{
	syntax.Child: children, syntax.Descendant: descendants, syntax.DescendantOrSelf: descendantsOrSelf,
	syntax.Attribute: attributesOf, syntax.Ancestor: ancestors, syntax.AncestorOrSelf: ancestorsOrSelf,
	syntax.Following: following, syntax.FollowingSibling: followingSiblings,
	syntax.Preceding: preceding, syntax.PrecedingSibling: precedingSiblings,
}

func children(m *Machine, f node, sink nodeSink) bool {
	doc := f.t.doc
	c, end := doc.Children(f.n)
	for ; c < end; c = doc.End(c) {
		m.tick(1)
		if sink(m, node{f.t, c}) {
			return true
		}
	}
	return false
}

// run walks over the nodes from first to before end, attributes left out.
func run(m *Machine, t *tree, first, end xmltree.Node, sink nodeSink) bool {
	for n := first; n < end; n++ {
		m.tick(1)
		if t.doc.Kind(n) != xmltree.KindAttribute && sink(m, node{t, n}) {
			return true
		}
	}
	return false
}

func descendants(m *Machine, f node, sink nodeSink) bool {
	return run(m, f.t, f.n+1, f.t.doc.End(f.n), sink)
}

func descendantsOrSelf(m *Machine, f node, sink nodeSink) bool {
	return sink(m, f) || descendants(m, f, sink)
}

func attributesOf(m *Machine, f node, sink nodeSink) bool {
	first, count := f.t.doc.Attributes(f.n)
	for a := first; a < first+xmltree.Node(count); a++ {
		if sink(m, node{f.t, a}) {
			return true
		}
	}
	return false
}

func ancestors(m *Machine, f node, sink nodeSink) bool {
	for p := f.t.doc.Parent(f.n); p != xmltree.None; p = f.t.doc.Parent(p) {
		m.tick(1)
		if sink(m, node{f.t, p}) {
			return true
		}
	}
	return false
}

func ancestorsOrSelf(m *Machine, f node, sink nodeSink) bool {
	return sink(m, f) || ancestors(m, f, sink)
}

// firstFollowing is the first node after n that is neither in its subtree nor an attribute of the same element.
func firstFollowing(doc *xmltree.Document, n xmltree.Node) xmltree.Node {
	if doc.Kind(n) != xmltree.KindAttribute {
		return doc.End(n)
	}
	first, _ := doc.Children(doc.Parent(n))
	return first
}

func following(m *Machine, f node, sink nodeSink) bool {
	doc := f.t.doc
	return run(m, f.t, firstFollowing(doc, f.n), xmltree.Node(doc.Len()), sink)
}

func followingSiblings(m *Machine, f node, sink nodeSink) bool {
	doc := f.t.doc
	for s := doc.NextSibling(f.n); s != xmltree.None; s = doc.NextSibling(s) {
		m.tick(1)
		if sink(m, node{f.t, s}) {
			return true
		}
	}
	return false
}

// preceding goes backwards and leaves out attributes and ancestors.
func preceding(m *Machine, f node, sink nodeSink) bool {
	doc := f.t.doc
	for n := f.n; n > 1; {
		n--
		m.tick(1)
		if doc.Kind(n) != xmltree.KindAttribute && doc.End(n) <= f.n && sink(m, node{f.t, n}) {
			return true
		}
	}
	return false
}

func precedingSiblings(m *Machine, f node, sink nodeSink) bool {
	doc := f.t.doc
	for s := doc.PrevSibling(f.n); s != xmltree.None; s = doc.PrevSibling(s) {
		m.tick(1)
		if sink(m, node{f.t, s}) {
			return true
		}
	}
	return false
}
