package ebinterface

import (
	"iter"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

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
