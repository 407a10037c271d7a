// Package aade takes the invoices out of what the Greek tax authority (AADE) answers to who asks it for documents: a RequestedDoc (myDATA
// REST API, RequestDocs and RequestTransmittedDocs), which has in one element what an InvoicesDoc is, and other things beside it.
package aade

import (
	"bytes"
	"errors"
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// Namespace is that of the answer and of the invoices in it.
const Namespace = "http://www.aade.gr/myDATA/invoice/v1.0"

const (
	answerName   = "RequestedDoc"
	invoicesName = "invoicesDoc"
)

// ErrEmpty says that an answer has no invoices: the authority had none, or only cancellations, classifications or payments.
var ErrEmpty = errors.New("the authority's answer (" + answerName + ") holds no invoices")

// Is tells whether a document is an answer of the authority.
func Is(doc *xmltree.Document) bool {
	return doc.Namespace(doc.Root()) == Namespace && doc.Local(doc.Root()) == answerName
}

// Unwrap gives the invoices of an answer as the InvoicesDoc that they are, on the lines where they stand, and the names of the elements
// beside them that say something. The error is ErrEmpty.
func Unwrap(doc *xmltree.Document) (invoices []byte, beside []string, err error) {
	at := xmltree.None
	for c := doc.FirstChild(doc.Root()); c != xmltree.None; c = doc.NextSibling(c) {
		switch {
		case doc.Kind(c) != xmltree.KindElement:
		case at == xmltree.None && doc.Namespace(c) == Namespace && doc.Local(c) == invoicesName && doc.ChildNamed(c, "invoice") != xmltree.None:
			at = c
		case len(bytes.TrimSpace(doc.Value(c))) > 0 && !slices.Contains(beside, doc.Local(c)):
			beside = append(beside, doc.Local(c))
		}
	}
	if at == xmltree.None {
		return nil, beside, ErrEmpty
	}
	return renamed(doc, at), beside, nil
}

// renamed is the element of the invoices with the name of a document, whose first letter alone is another one.
func renamed(doc *xmltree.Document, n xmltree.Node) []byte {
	own := doc.Cut(n)
	prefix := len(doc.QName(n)) - len(invoicesName)
	for _, tag := range []int{len("<") + prefix, bytes.LastIndex(own, []byte("</")) + len("</") + prefix} {
		own[tag] = 'I'
	}
	return append(bytes.Repeat([]byte("\n"), doc.Line(n)-1), own...)
}
