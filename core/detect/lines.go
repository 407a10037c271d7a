package detect

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// lineElements are the places of invoice lines by syntax: the way from the document element, and the names of a line.
var lineElements = map[string]struct{ way, lines []string }{
	"ubl": {lines: []string{"InvoiceLine", "CreditNoteLine"}},
	"cii": {way: []string{"SupplyChainTradeTransaction"}, lines: []string{"IncludedSupplyChainTradeLineItem"}},
}

// Lines counts the invoice lines of a document, without lines in lines; 0 for syntaxes whose lines it does not know.
func Lines(doc *xmltree.Document, syntax string) int {
	places := lineElements[syntax]
	at := rootOf(doc)
	for _, local := range places.way {
		if at = childNamed(doc, at, local); at == xmltree.None {
			return 0
		}
	}
	count := 0
	for c, end := doc.Children(at); c < end; c = doc.End(c) {
		if doc.Kind(c) == xmltree.KindElement && slices.Contains(places.lines, doc.Local(c)) {
			count++
		}
	}
	return count
}
