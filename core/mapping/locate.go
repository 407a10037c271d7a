package mapping

import (
	"strconv"
	"strings"

	"einvoiced/core/xmltree"
)

// Place is where a node of a document comes from.
type Place struct {
	Field string // JSON path in the canonical invoice; for an element without text, of the nearest member that encloses it
	Term  string // business term or group
}

// Locator finds the places of one document's nodes. It counts the entries of a list once, so that the places of all nodes
// together cost linear time. It is not safe for concurrent use.
type Locator struct {
	source
	counted  map[listed]bool
	ordinals map[xmltree.Node]int // of the elements that a list's row takes
}

// listed is a parent with one of the lists among its children.
type listed struct {
	parent xmltree.Node
	row    *node
}

// NewLocator gives the Locator of a document. One whose document element is not of the syntax knows no places.
func (m *Mapping) NewLocator(doc *xmltree.Document) *Locator {
	s, err := m.open(doc)
	if err != nil {
		s.plan = nil
	}
	return &Locator{source: s, counted: map[listed]bool{}, ordinals: map[xmltree.Node]int{}}
}

// Locate is NewLocator(doc).Locate(at), for one place.
func (m *Mapping) Locate(doc *xmltree.Document, at xmltree.Node) Place {
	return m.NewLocator(doc).Locate(at)
}

// Locate tells which member of the invoice made an element, attribute or text. Where no row takes the node, it gives the place
// of the nearest ancestor that one takes.
func (l *Locator) Locate(at xmltree.Node) Place {
	if l.plan == nil {
		return Place{}
	}
	place, prefix, n := Place{}, "", l.plan.tree
	for _, el := range l.way(at) {
		if l.doc.Kind(el) == xmltree.KindAttribute {
			return l.attribute(n, el, prefix, place)
		}
		next := l.match(n, el)
		if next == nil {
			break
		}
		if next.scope != nil {
			prefix = next.scope.entry(prefix, l.ordinal(n, next, el))
			place.Field = prefix
		}
		if member := next.place(prefix); member != "" {
			place.Field = member
		}
		if next.term != "" {
			place.Term = next.term
		}
		n = next
	}
	return place
}

// way lists the elements from below the document element down to at, which may be an attribute.
func (l *Locator) way(at xmltree.Node) []xmltree.Node {
	var way []xmltree.Node
	for n := at; n != xmltree.None && n != l.root; n = l.doc.Parent(n) {
		if kind := l.doc.Kind(n); kind == xmltree.KindElement || kind == xmltree.KindAttribute {
			way = append(way, n)
		}
	}
	for i, j := 0, len(way)-1; i < j; i, j = i+1, j-1 {
		way[i], way[j] = way[j], way[i]
	}
	return way
}

// entry is the path of the group, and where that is a list, of its entry.
func (f *field) entry(prefix string, index int) string {
	path := f.below(prefix)
	if !f.list {
		return path
	}
	return strings.TrimSuffix(path, "[]") + "[" + strconv.Itoa(index) + "]"
}

// place is the member that an element's text comes from, below the prefix of its group; empty for an element without text.
func (n *node) place(prefix string) string {
	switch {
	case n.leaf != nil:
		return n.leaf.below(prefix)
	case n.row != nil && n.row.Codec != nil:
		return join(prefix, n.row.Codec.Fields[0])
	case n.row != nil:
		return n.row.From
	}
	return ""
}

func (l *Locator) attribute(n *node, attr xmltree.Node, prefix string, place Place) Place {
	a := n.attributeNumbered(l.number(attr))
	if a != nil && a.leaf != nil {
		return Place{Field: a.leaf.below(prefix), Term: a.term}
	}
	return place
}

// ordinal is the position of an element among those of its parent that the same row takes.
func (l *Locator) ordinal(parent, row *node, el xmltree.Node) int {
	list := listed{l.doc.Parent(el), row}
	if row.scope.list && !l.counted[list] {
		l.counted[list] = true
		count := 0
		for c := range elements(l.doc, list.parent) {
			if l.match(parent, c) == row {
				l.ordinals[c] = count
				count++
			}
		}
	}
	return l.ordinals[el]
}
