package facturae

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/profile"
	"github.com/einvoiced/einvoiced/rulebooks/elementorder"
)

// nationals are what countrySpecific.national can hold: every element.
var nationals = m.Nationals{Order: elementorder.Facturae()}

// takeNational keeps what the table does not take: elements that the invoice has no member for, amounts and texts that the document states
// otherwise than they are computed, and what is computed of which profile.Facturae decides.
func takeNational(doc *xmltree.Document, said *m.Reading[invoice.Invoice]) {
	account := &said.Account
	kept := nationals.Take(doc, account)
	if kept == nil {
		kept = invoice.National{}
	}
	names := &paths{doc: doc, known: map[xmltree.Node]string{}}
	left := account.Leaves[:0]
	for _, leaf := range account.Leaves {
		if doc.Kind(leaf.Node) != xmltree.KindElement || !placed(doc, leaf.Node) || slices.Contains(ofFile, names.of(leaf.Node)) {
			left = append(left, leaf)
			continue
		}
		kept[names.of(leaf.Node)] = []string{strings.TrimSpace(doc.String(leaf.Node))}
		account.Mapped, account.Reported = account.Mapped+1, account.Reported-1
	}
	account.Leaves = left
	for _, of := range profile.FacturaeTexts() {
		for el := range nodesAt(doc, of.Path) {
			kept[names.of(el)] = []string{strings.TrimSpace(doc.String(el))}
		}
	}
	keepFurtherTaxes(doc, names, kept)
	if len(kept) == 0 {
		return
	}
	if said.Invoice.CountrySpecific == nil {
		said.Invoice.CountrySpecific = &invoice.CountrySpecific{}
	}
	said.Invoice.CountrySpecific.National = kept
}

// keepFurtherTaxes keeps all that a line says of its second tax and those that follow: the invoice has one.
func keepFurtherTaxes(doc *xmltree.Document, names *paths, kept invoice.National) {
	for line := range nodesAt(doc, body+"Items/InvoiceLine") {
		n := 0
		for tax := range below(doc, line, "TaxesOutputs/Tax") {
			if n++; n == 1 {
				continue
			}
			for el := tax + 1; el < doc.End(tax); el++ {
				if text, plain := doc.TextOf(el); doc.Kind(el) == xmltree.KindElement && plain && strings.TrimSpace(string(text)) != "" {
					kept[names.of(el)] = []string{strings.TrimSpace(string(text))}
				}
			}
		}
	}
}

// ofFile is what the header says of the file alone: written back it would belie the file that is written.
var ofFile = []string{"FileHeader/Modality", "FileHeader/Batch/InvoicesCount"}

// placed tells whether national has a place for an element with a text: the order names it and those around it.
func placed(doc *xmltree.Document, el xmltree.Node) bool {
	if _, plain := doc.TextOf(el); !plain {
		return false
	}
	for ; el != doc.Root(); el = doc.Parent(el) {
		if doc.Kind(el) != xmltree.KindElement || !strings.Contains(" "+nationals.Order[doc.Local(doc.Parent(el))]+" ", " "+doc.Local(el)+" ") {
			return false
		}
	}
	return true
}

// paths names elements: the path below the document element, with positions among several of a name. Elements beside one another are named at
// once.
type paths struct {
	doc   *xmltree.Document
	known map[xmltree.Node]string
}

func (p *paths) of(el xmltree.Node) string {
	if el == p.doc.Root() {
		return ""
	}
	if path, known := p.known[el]; known {
		return path
	}
	parent := p.doc.Parent(el)
	prefix := p.of(parent)
	if prefix != "" {
		prefix += "/"
	}
	count, at := map[string]int{}, map[string]int{}
	for c := range elementsIn(p.doc, parent) {
		count[p.doc.Local(c)]++
	}
	for c := range elementsIn(p.doc, parent) {
		step := p.doc.Local(c)
		if at[step]++; count[step] > 1 {
			p.known[c] = prefix + step + "[" + strconv.Itoa(at[step]) + "]"
		} else {
			p.known[c] = prefix + step
		}
	}
	return p.known[el]
}

func elementsIn(doc *xmltree.Document, at xmltree.Node) iter.Seq[xmltree.Node] {
	return func(yield func(xmltree.Node) bool) {
		for c, end := doc.Children(at); c < end; c = doc.End(c) {
			if doc.Kind(c) == xmltree.KindElement && !yield(c) {
				return
			}
		}
	}
}

// nodesAt are the elements with a path below the document element.
func nodesAt(doc *xmltree.Document, path string) iter.Seq[xmltree.Node] {
	return below(doc, doc.Root(), path)
}

// below are the elements with a path below another.
func below(doc *xmltree.Document, at xmltree.Node, path string) iter.Seq[xmltree.Node] {
	name, rest, more := strings.Cut(path, "/")
	return func(yield func(xmltree.Node) bool) {
		for c := range elementsIn(doc, at) {
			if doc.Local(c) != name {
				continue
			}
			if !more {
				if !yield(c) {
					return
				}
				continue
			}
			for el := range below(doc, c, rest) {
				if !yield(el) {
					return
				}
			}
		}
	}
}
