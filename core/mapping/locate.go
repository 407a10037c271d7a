package mapping

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
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
	written  *writing // of the invoice that the document was written from; nil where that is not known
	counted  map[counted]bool
	ordinals map[xmltree.Node]ordinal // of the elements that the rows of lists take
	entries  map[written][]int
}

// counted is a list in the element of its group.
type counted struct {
	owner xmltree.Node
	list  *list
}

// ordinal is the position of an element among those of its list, and among those of them that its row takes.
type ordinal struct{ inList, inRow int }

// written is the row of a list in the element of its group.
type written struct {
	owner xmltree.Node
	row   *node
}

// NewLocator gives the Locator of a document. One whose document element is not of the syntax knows no places. Entries of lists
// have the positions that Read gives them.
func (c *compiled) NewLocator(doc *xmltree.Document) *Locator {
	s, err := c.open(doc)
	if err != nil {
		s.plan = nil
	}
	return &Locator{source: s, counted: map[counted]bool{}, ordinals: map[xmltree.Node]ordinal{}, entries: map[written][]int{}}
}

// NewLocatorOf is NewLocator for a document that was written from an invoice: entries of lists have the positions that they have
// there, whatever order the syntax wants them in.
func (m *Mapping[T]) NewLocatorOf(doc *xmltree.Document, inv *T) *Locator {
	l := m.NewLocator(doc)
	if l.plan != nil {
		l.written = newWriting(l.plan, nil, inv, "")
	}
	return l
}

// Locate is NewLocator(doc).Locate(at), for one place.
func (c *compiled) Locate(doc *xmltree.Document, at xmltree.Node) Place {
	return c.NewLocator(doc).Locate(at)
}

// Locate tells which member of the invoice made an element, attribute or text. Where no row takes the node, it gives the place
// of the nearest ancestor that one takes.
func (l *Locator) Locate(at xmltree.Node) Place {
	if l.plan == nil {
		return Place{}
	}
	trail, rest := l.trace(at)
	place, prefix, _ := l.follow(trail)
	if rest != xmltree.None && l.doc.Kind(rest) == xmltree.KindAttribute {
		return trail[len(trail)-1].row.attributePlace(l.number(rest), prefix, place)
	}
	return place
}

// Member tells whether a node is the element or attribute of one member of the invoice, and not of a group or of none.
func (l *Locator) Member(at xmltree.Node) bool {
	if l.plan == nil {
		return false
	}
	trail, rest := l.trace(at)
	last := trail[len(trail)-1].row
	if rest == xmltree.None {
		return last.leaf != nil || last.split != nil || last.row != nil && last.row.total != nil
	}
	a := last.attributeNumbered(l.number(rest))
	return l.doc.Kind(rest) == xmltree.KindAttribute && a != nil && a.leaf != nil
}

// traced is an element with the row that takes it; None stands for an element that is not there, or for none in particular.
type traced struct {
	row *node
	el  xmltree.Node
}

// trace lists the elements from the document element down to at as long as rows take them, and gives the first node that none
// takes, which may be an attribute.
func (l *Locator) trace(at xmltree.Node) (trail []traced, rest xmltree.Node) {
	trail = []traced{{l.plan.tree, l.root}}
	for _, el := range l.way(at) {
		if l.doc.Kind(el) == xmltree.KindAttribute {
			return trail, el
		}
		row := l.match(trail[len(trail)-1].row, el)
		if row == nil {
			return trail, el
		}
		trail = append(trail, traced{row, el})
	}
	return trail, xmltree.None
}

// follow gives the place at the end of a trail and the path of the innermost group there. A list without an entry in
// particular ends it early.
func (l *Locator) follow(trail []traced) (place Place, prefix string, whole bool) {
	owner, group := trail[0], reflect.Value{}
	if l.written != nil {
		group = l.written.root
	}
	for _, at := range trail[1:] {
		if at.row.term != "" {
			place.Term = at.row.term
		}
		if scope := at.row.scope; scope != nil {
			if scope.list && at.el == xmltree.None {
				place.Field = strings.TrimSuffix(scope.below(prefix), "[]")
				return place, place.Field, false
			}
			index := l.index(owner, at, group)
			prefix, group, owner = scope.entry(prefix, index), scope.enter(group, index), at
			place.Field = prefix
		}
		if member := at.row.place(prefix); member != "" {
			place.Field = member
		}
	}
	return place, prefix, true
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
	case n.split != nil:
		return n.split.leaf.below(prefix)
	case len(n.joins()) > 0:
		return join(prefix, n.joins()[0])
	case n.row != nil:
		return n.row.from
	}
	return ""
}

// joins are the members of the group around an element that its text is made of, where they are several or it is computed.
func (n *node) joins() []string {
	switch {
	case n.row == nil:
		return nil
	case n.row.codec != nil:
		return n.row.codec.Fields
	case n.row.computed != nil:
		return n.row.computed.of
	}
	return nil
}

// attributePlace is the place of an attribute; otherwise is that of its element.
func (n *node) attributePlace(name uint32, prefix string, otherwise Place) Place {
	if a := n.attributeNumbered(name); a != nil && a.leaf != nil {
		return Place{Field: a.leaf.below(prefix), Term: a.term}
	}
	return otherwise
}
