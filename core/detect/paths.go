package detect

import (
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// The places of the specification identifier (BT-24), the business process (BT-23), the seller's country (BT-40) and the invoice
// number (BT-1) by syntax, as local names.
var (
	numberPath = map[string][]string{
		"ubl": {"ID"},
		"cii": {"ExchangedDocument", "ID"},
	}
	specificationPath = map[string][]string{
		"ubl": {"CustomizationID"},
		"cii": {"ExchangedDocumentContext", "GuidelineSpecifiedDocumentContextParameter", "ID"},
	}
	processPath = map[string][]string{
		"ubl": {"ProfileID"},
		"cii": {"ExchangedDocumentContext", "BusinessProcessSpecifiedDocumentContextParameter", "ID"},
	}
	sellerCountryPath = map[string][]string{
		"ubl": {"AccountingSupplierParty", "Party", "PostalAddress", "Country", "IdentificationCode"},
		"cii": {"SupplyChainTradeTransaction", "ApplicableHeaderTradeAgreement", "SellerTradeParty", "PostalTradeAddress", "CountryID"},
	}
)

func specification(doc *xmltree.Document, root xmltree.Node, syntax string) string {
	return textAt(doc, root, specificationPath[syntax])
}

// Number gives the invoice number (BT-1) of a document; "" where it has none, and for syntaxes whose place of it is not known.
func Number(doc *xmltree.Document, syntax string) string {
	return textAt(doc, rootOf(doc), numberPath[syntax])
}

// Process gives the business process (BT-23) of a document; "" where it has none, and for syntaxes whose place of it is not known.
func Process(doc *xmltree.Document) string {
	root := rootOf(doc)
	k, _ := kindOf(doc, root)
	return process(doc, root, k.syntax)
}

func process(doc *xmltree.Document, root xmltree.Node, syntax string) string {
	return textAt(doc, root, processPath[syntax])
}

func sellerCountry(doc *xmltree.Document, root xmltree.Node, syntax string) string {
	return textAt(doc, root, sellerCountryPath[syntax])
}

func rootOf(doc *xmltree.Document) xmltree.Node {
	for c, end := doc.Children(0); c < end; c = doc.End(c) {
		if doc.Kind(c) == xmltree.KindElement {
			return c
		}
	}
	return xmltree.None
}

// textAt is the text of the first element at a path of local names.
func textAt(doc *xmltree.Document, at xmltree.Node, path []string) string {
	for _, local := range path {
		if at = childNamed(doc, at, local); at == xmltree.None {
			return ""
		}
	}
	if len(path) == 0 {
		return ""
	}
	return strings.TrimSpace(doc.String(at))
}

func childNamed(doc *xmltree.Document, at xmltree.Node, local string) xmltree.Node {
	for c, end := doc.Children(at); c < end; c = doc.End(c) {
		if doc.Kind(c) == xmltree.KindElement && doc.Local(c) == local {
			return c
		}
	}
	return xmltree.None
}
