package xpath

import "github.com/einvoiced/einvoiced/core/engine/xmltree"

// Most nodes have few children, and to find those of a name is to go over all. A node with thousands of them, such as the root of a
// long invoice, would be gone over again and again, from each of its lines even: its children are put in order by name when first
// asked for, once for each document. All nodes together cost as many steps as the document has nodes.

// worthFamily is the least size of a subtree whose uppermost nodes are put in order, in nodes.
const worthFamily = 1024

// family holds the child elements of one node by name, in document order.
type family struct {
	parent xmltree.Node
	named  map[xmltree.NameID][]xmltree.Node
}

// family gives the child elements of a node in order by name.
func (m *Machine) family(f node, first, end xmltree.Node) *family {
	if last := f.t.family; last != nil && last.parent == f.n {
		return last
	}
	known := f.t.families[f.n]
	if known == nil {
		known = m.newFamily(f, first, end)
		if f.t.families == nil {
			f.t.families = map[xmltree.Node]*family{}
		}
		f.t.families[f.n] = known
	}
	f.t.family = known
	return known
}

// worthList is the least size of a subtree for which a list of children may be the shorter way; the elements of a name in the whole
// document are one if they are that many times fewer than the nodes of the subtree.
const (
	worthList = 64
	sparse    = 16
)

// listed gives the children of one name of a node with a subtree worth a list; ok is false when they must be gone over.
//
// Below worthFamily the list of the whole document will do if the children are one piece of it: what lies before and behind
// them is cut off, and an element of that name between them that has another parent spoils it.
func (m *Machine) listed(f node, id xmltree.NameID, first, end xmltree.Node) (list []xmltree.Node, ok bool) {
	if end-first >= worthFamily {
		return m.family(f, first, end).named[id], true
	}
	doc := f.t.doc
	list = doc.Elements(id)
	if len(list) > int(end-first)/sparse {
		return nil, false
	}
	for len(list) > 0 && doc.Parent(list[0]) != f.n {
		list = list[1:]
	}
	for n := len(list) - 1; n > 0; n-- {
		if doc.Parent(list[n]) == f.n {
			continue
		}
		if n < len(list)-1 {
			return nil, false
		}
		list = list[:n]
	}
	return list, true
}

// newFamily puts the children of a node in order. Those of one name mostly follow each other: their list is a piece of the list of all.
func (m *Machine) newFamily(f node, first, end xmltree.Node) *family {
	doc, all := f.t.doc, m.childElements(f.t.doc, first, end)
	known := &family{parent: f.n, named: make(map[xmltree.NameID][]xmltree.Node, usualNames)}
	for from := 0; from < len(all); {
		name, to := doc.Name(all[from]), from+1
		for to < len(all) && doc.Name(all[to]) == name {
			to++
		}
		if before := known.named[name]; before == nil {
			known.named[name] = all[from:to:to]
		} else {
			known.named[name] = append(before, all[from:to]...)
		}
		from = to
	}
	return known
}

// usualNames is how many names the children of the root of an ordinary invoice have.
const usualNames = 24

// childElements lists the elements among siblings.
func (m *Machine) childElements(doc *xmltree.Document, first, end xmltree.Node) []xmltree.Node {
	n := 0
	for c := first; c < end; c = doc.End(c) {
		n++
	}
	all := make([]xmltree.Node, 0, n)
	for c := first; c < end; c = doc.End(c) {
		m.tick(1)
		if doc.Kind(c) == xmltree.KindElement {
			all = append(all, c)
		}
	}
	return all
}

// each goes over a list of nodes.
func each(m *Machine, t *tree, list []xmltree.Node, sink nodeSink) bool {
	for _, n := range list {
		m.tick(1)
		if sink(m, node{t, n}) {
			return true
		}
	}
	return false
}

// eachOfNames compiles going over the children of any of several names.
func (k *compiler) eachOfNames(names []int, sink nodeSink) walkFunc {
	walk := childrenOfNames(names, sink)
	if len(names) > mostNames {
		return walk
	}
	var places []int
	for _, name := range names {
		at, ok := k.chainPlace(nameChain{name})
		if !ok {
			return walk
		}
		places = append(places, at)
	}
	return func(m *Machine, f node) bool {
		if end, ok := m.oneOfNames(places, f); ok {
			return end != xmltree.None && sink(m, node{f.t, end})
		}
		return walk(m, f)
	}
}

// childrenOfNames goes over the children of any of several names.
func childrenOfNames(names []int, sink nodeSink) walkFunc {
	return func(m *Machine, f node) bool {
		doc, ids, looked, stop := f.t.doc, f.t.ids, 1, false
		c, end := doc.Children(f.n)
		if end-c >= worthList {
			var space [8][]xmltree.Node
			if lists, ok := m.listedOf(f, names, c, end, space[:0]); ok {
				return inOrder(m, f.t, lists, sink)
			}
		}
		for ; c < end && !stop; c = doc.End(c) {
			looked++
			stop = isElementOf(doc, c, names, ids) && sink(m, node{f.t, c})
		}
		m.tick(looked)
		return stop
	}
}

// listedOf is listed for several names: it appends the lists that are not empty.
func (m *Machine) listedOf(f node, names []int, first, end xmltree.Node, lists [][]xmltree.Node) (_ [][]xmltree.Node, ok bool) {
	for _, name := range names {
		id := f.t.ids[name]
		if id == 0 {
			continue
		}
		list, ok := m.listed(f, id, first, end)
		if !ok {
			return nil, false
		}
		if len(list) > 0 {
			lists = append(lists, list)
		}
	}
	return lists, true
}

// inOrder goes over the nodes of several lists, each time to the first one in the document that is left.
func inOrder(m *Machine, t *tree, lists [][]xmltree.Node, sink nodeSink) bool {
	for len(lists) > 1 {
		next := 0
		for i, list := range lists {
			if list[0] < lists[next][0] {
				next = i
			}
		}
		m.tick(len(lists))
		if sink(m, node{t, lists[next][0]}) {
			return true
		}
		if lists[next] = lists[next][1:]; len(lists[next]) == 0 {
			lists = append(lists[:next], lists[next+1:]...)
		}
	}
	return len(lists) == 1 && each(m, t, lists[0], sink)
}
