package ebinterface

import (
	"iter"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// childOf is the first element of a name in another; xmltree.None where there is none.
func childOf(doc *xmltree.Document, at xmltree.Node, name string) xmltree.Node {
	for el := range elementsOf(doc, at, name) {
		return el
	}
	return xmltree.None
}

// elementsOf are the elements of a name in another; all where the name is empty.
func elementsOf(doc *xmltree.Document, at xmltree.Node, name string) iter.Seq[xmltree.Node] {
	return func(yield func(xmltree.Node) bool) {
		for c, end := doc.Children(at); c < end; c = doc.End(c) {
			if doc.Kind(c) == xmltree.KindElement && (name == "" || doc.Local(c) == name) && !yield(c) {
				return
			}
		}
	}
}
