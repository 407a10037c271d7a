package format

import (
	"iter"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// Element gives the entry for the element of a document, false where the syntax does not have it.
func (s *Syntax) Element(doc *xmltree.Document) (Element, bool) {
	root := doc.Root()
	for _, e := range s.Elements {
		if doc.Local(root) == e.Local && e.holds(doc.Namespace(root)) {
			return e, true
		}
	}
	return Element{}, false
}

// holds tells whether a namespace is that of the element in some version.
func (e Element) holds(namespace string) bool {
	if e.Family != "" {
		return strings.HasPrefix(namespace, e.Family)
	}
	return namespace == e.Namespace
}

// Version gives the version that an element tells; empty where none does.
func (s *Syntax) Version(doc *xmltree.Document) string { return clipped(textAt(doc, s.Places.Version)) }

// Told gives the version that an attribute of the document element tells; empty where none does.
func (e Element) Told(doc *xmltree.Document) string {
	if e.Attribute == "" {
		return ""
	}
	value, _ := doc.AttrValue(doc.Root(), e.Attribute)
	return clipped(strings.TrimSpace(string(value)))
}

// Number gives the invoice number (BT-1) of a document; empty where it tells none.
func (s *Syntax) Number(doc *xmltree.Document) string { return textAt(doc, s.Places.Number) }

// Specification gives the specification identifier (BT-24) of a document; empty where it tells none.
func (s *Syntax) Specification(doc *xmltree.Document) string {
	return textAt(doc, s.Places.Specification)
}

// Process gives the business process (BT-23) of a document; empty where it tells none.
func (s *Syntax) Process(doc *xmltree.Document) string { return textAt(doc, s.Places.Process) }

// SellerCountry gives the country of the seller (BT-40) as the document has it; empty where it tells none.
func (s *Syntax) SellerCountry(doc *xmltree.Document) string {
	if s.Country != nil {
		return s.Country(doc)
	}
	return textAt(doc, s.Places.SellerCountry)
}

// Lines counts the invoice lines (BG-25) of a document, without lines in lines; 0 where they cannot be counted.
func (s *Syntax) Lines(doc *xmltree.Document) int {
	if len(s.Places.Line) == 0 {
		return 0
	}
	parent := nodeAt(doc, s.Places.Lines)
	if parent == xmltree.None {
		return 0
	}
	count := 0
	for c, end := doc.Children(parent); c < end; c = doc.End(c) {
		if doc.Kind(c) == xmltree.KindElement && slices.Contains(s.Places.Line, doc.Local(c)) {
			count++
		}
	}
	return count
}

// Invoices lists the elements that a document has one of for each of its invoices; empty in syntaxes whose documents have one invoice.
func (s *Syntax) Invoices(doc *xmltree.Document) []xmltree.Node {
	if len(s.Places.Invoices) == 0 {
		return nil
	}
	last := len(s.Places.Invoices) - 1
	parent := nodeAt(doc, s.Places.Invoices[:last])
	if parent == xmltree.None {
		return nil
	}
	var all []xmltree.Node
	for c, end := doc.Children(parent); c < end; c = doc.End(c) {
		if doc.Kind(c) == xmltree.KindElement && doc.Local(c) == s.Places.Invoices[last] {
			all = append(all, c)
		}
	}
	return all
}

// StatedOfAll gives the elements in which a file states something of all its invoices, each with what these come to.
func (s *Syntax) StatedOfAll(file *xmltree.Document) iter.Seq2[xmltree.Node, string] {
	return func(yield func(xmltree.Node, string) bool) {
		for _, of := range s.OfAll {
			if at := nodeAt(file, of.Path); at != xmltree.None && !yield(at, of.Text(file)) {
				return
			}
		}
	}
}

// Signature is the signature that a document carries of itself; None where it has none.
func (s *Syntax) Signature(doc *xmltree.Document) xmltree.Node {
	if len(s.Places.Signature) == 0 {
		return xmltree.None
	}
	return nodeAt(doc, s.Places.Signature)
}

// textAt is the text of the first element at a path of local names below the document element.
func textAt(doc *xmltree.Document, path []string) string {
	if len(path) == 0 {
		return ""
	}
	at := nodeAt(doc, path)
	if at == xmltree.None {
		return ""
	}
	return strings.TrimSpace(doc.String(at))
}

// nodeAt is the first element at a path of local names below the document element.
func nodeAt(doc *xmltree.Document, path []string) xmltree.Node {
	at := doc.Root()
	for _, local := range path {
		at = doc.ChildNamed(at, local)
	}
	return at
}
