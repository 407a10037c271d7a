package mapping

import (
	"iter"

	"einvoiced/core/invoice"
	"einvoiced/core/xmltree"
)

// rootElement is the document element.
func rootElement(doc *xmltree.Document) xmltree.Node {
	for c := range children(doc, 0) {
		if doc.Kind(c) == xmltree.KindElement {
			return c
		}
	}
	return xmltree.None
}

// children walks the children of a node.
func children(doc *xmltree.Document, n xmltree.Node) iter.Seq[xmltree.Node] {
	return func(yield func(xmltree.Node) bool) {
		for c, end := doc.Children(n); c < end; c = doc.End(c) {
			if !yield(c) {
				return
			}
		}
	}
}

// attributes walks the attributes of an element.
func attributes(doc *xmltree.Document, n xmltree.Node) iter.Seq[xmltree.Node] {
	return func(yield func(xmltree.Node) bool) {
		first, count := doc.Attributes(n)
		for a := first; a < first+xmltree.Node(count); a++ {
			if !yield(a) {
				return
			}
		}
	}
}

// remap gives for each name id of the document the plan's index of that name, or -1.
func (p *plan) remap(doc *xmltree.Document) []int {
	to := make([]int, doc.NameLimit())
	for i := range to {
		to[i] = -1
	}
	for i, name := range p.names {
		if id := doc.Names().Lookup(name.Space, name.Local); id != 0 && int(id) < len(to) {
			to[id] = i
		}
	}
	return to
}

// currencies reads the two currencies, which predicates compare with, and nothing else.
func (p *plan) currencies(r *reading) *invoice.Invoice {
	inv := &invoice.Invoice{}
	for c := range children(r.doc, rootElement(r.doc)) {
		if r.doc.Kind(c) != xmltree.KindElement {
			continue
		}
		n := r.match(p.tree, c, r.names[r.doc.Name(c)])
		if n == nil || n.leaf == nil {
			continue
		}
		switch n.leaf.name {
		case "currency":
			inv.Currency = r.doc.String(c)
		case "taxCurrencyCode":
			inv.TaxCurrencyCode = r.doc.String(c)
		}
	}
	return inv
}
