package mapping

import (
	"fmt"

	"einvoiced/core/xmltree"
)

// Place is where a node of a document comes from.
type Place struct {
	Field string // JSON path in the canonical invoice; for an element without text, of the nearest member that encloses it
	Term  string // business term or group
}

// Locate tells which member of the invoice made an element or attribute. Where no row takes the node, it gives the place of
// the nearest ancestor that one takes.
func (m *Mapping) Locate(doc *xmltree.Document, at xmltree.Node) Place {
	for i, p := range m.plans {
		if doc.Names().Name(doc.Name(rootElement(doc))) == p.names[p.tree.name] {
			r := &reading{plan: p, doc: doc, out: &Reading{Root: i}}
			r.names = p.remap(doc)
			r.out.Invoice = p.currencies(r)
			return r.locate(at)
		}
	}
	return Place{}
}

// locate walks from the document element down to the node.
func (r *reading) locate(at xmltree.Node) Place {
	way := []xmltree.Node{}
	for n := at; n != rootElement(r.doc); n = r.doc.Parent(n) {
		way = append(way, n)
	}
	place, prefix, n := Place{}, "", r.plan.tree
	for i := len(way) - 1; i >= 0; i-- {
		el := way[i]
		if r.doc.Kind(el) == xmltree.KindAttribute {
			return r.attributePlace(n, el, prefix, place)
		}
		if r.doc.Kind(el) != xmltree.KindElement {
			break
		}
		next := r.match(n, el, r.names[r.doc.Name(el)])
		if next == nil {
			break
		}
		if next.scope != nil {
			prefix = join(base(prefix, next.scope), next.scope.name)
			if next.scope.list {
				prefix = fmt.Sprintf("%s[%d]", prefix[:len(prefix)-2], r.ordinal(n, next, el))
			}
			place.Field = prefix
		}
		if next.leaf != nil {
			place.Field = join(base(prefix, next.leaf), next.leaf.name)
		}
		if next.term != "" {
			place.Term = next.term
		}
		n = next
	}
	return place
}

func (r *reading) attributePlace(n *node, attr xmltree.Node, prefix string, place Place) Place {
	a := n.attributeNamed(r.names[r.doc.Name(attr)])
	if a != nil && a.leaf != nil {
		place.Field = join(base(prefix, a.leaf), a.leaf.name)
	}
	return place
}

// ordinal counts the elements before el that the same row takes.
func (r *reading) ordinal(parent, row *node, el xmltree.Node) int {
	count := 0
	for c := range children(r.doc, r.doc.Parent(el)) {
		if c == el {
			break
		}
		if r.doc.Kind(c) == xmltree.KindElement && r.match(parent, c, r.names[r.doc.Name(c)]) == row {
			count++
		}
	}
	return count
}
