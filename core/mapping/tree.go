package mapping

import (
	"fmt"
	"maps"
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// treeElement is an element of a document that is changed before it is written.
type treeElement struct {
	name       string // with its prefix
	attributes [][2]string
	text       string
	seen       seenChild // found last
	children   []*treeElement
}

// seenChild is where a child was found: the index-th of a name, among all children.
type seenChild struct {
	name      string
	index, at int
}

func (e *treeElement) local() string { return local(e.name) }

// set sets an attribute.
func (e *treeElement) set(name, value string) bool {
	for i := range e.attributes {
		if local(e.attributes[i][0]) == name {
			e.attributes[i][1] = value
			return true
		}
	}
	e.attributes = append(e.attributes, [2]string{name, value})
	return true
}

// treeOf copies an element of a document that a mapping wrote: it holds a text or elements.
func treeOf(doc *xmltree.Document, el xmltree.Node) *treeElement {
	e := &treeElement{name: string(doc.QName(el))}
	for a := range attributes(doc, el) {
		e.attributes = append(e.attributes, [2]string{string(doc.QName(a)), doc.String(a)})
	}
	for c := range elements(doc, el) {
		e.children = append(e.children, treeOf(doc, c))
	}
	if len(e.children) == 0 {
		e.text = doc.String(el)
	}
	return e
}

// write writes the document of an element, which declares the namespaces.
func (e *treeElement) write(w *xmltree.Writer, spaces map[string]string) error {
	names := map[string]*xmltree.QName{}
	name := func(raw string) *xmltree.QName {
		if names[raw] == nil {
			made, err := xmltree.NewQName(raw)
			if err != nil {
				return nil
			}
			names[raw] = made
		}
		return names[raw]
	}
	var each func(e *treeElement, root bool) error
	each = func(e *treeElement, root bool) error {
		tag := name(e.name)
		if tag == nil {
			return fmt.Errorf("%q is no name of an element", e.name)
		}
		w.Start(tag)
		if root {
			for _, prefix := range slices.Sorted(maps.Keys(spaces)) {
				w.Namespace(prefix, spaces[prefix])
			}
		}
		for _, a := range e.attributes {
			w.Attr(name(a[0]), a[1])
		}
		if e.text != "" {
			w.Text(e.text)
		}
		for _, c := range e.children {
			if err := each(c, false); err != nil {
				return err
			}
		}
		w.End()
		return w.Err()
	}
	return each(e, true)
}
