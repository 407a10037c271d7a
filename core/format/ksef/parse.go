package ksef

import (
	"context"
	"maps"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/rulebooks/elementorder"
)

// Format reads and writes documents of FA(3). It is immutable and safe for concurrent use.
type Format struct {
	mapping *m.Mapping[invoice.Invoice]
	older   *m.Mapping[invoice.Invoice] // of FA(2)
}

// New compiles the tables.
func New() (*Format, error) {
	compiled, err := m.Compile(&Table)
	if err != nil {
		return nil, err
	}
	older, err := m.Compile(olderTable())
	if err != nil {
		return nil, err
	}
	return &Format{mapping: compiled, older: older}, nil
}

// of gives the mapping of a document.
func (f *Format) of(doc *xmltree.Document) *m.Mapping[invoice.Invoice] {
	if doc.Namespace(doc.Root()) == NamespaceFA2 {
		return f.older
	}
	return f.mapping
}

// nationals is what the invoice holds in countrySpecific.national: all of FA(3) that no row takes.
var nationals = m.Nationals{Order: elementorder.KSeF(), Attributes: []string{"Typ"}}

// Read reads a document whose root is Faktura of FA(3) or FA(2). What no row takes is in countrySpecific.national.
func (f *Format) Read(ctx context.Context, doc *xmltree.Document) (*m.Reading[invoice.Invoice], error) {
	reading, err := f.of(doc).Read(ctx, doc)
	if err != nil {
		return nil, err
	}
	cs := countryOf(reading.Invoice)
	for path, texts := range nationals.Take(doc, &reading.Account) {
		put(cs, listed(path), texts)
	}
	return reading, nil
}

// listed gives the only element of a list its position, as others have it.
func listed(path string) string {
	for _, list := range []string{"Fa/FaWiersz", "Fa/DodatkowyOpis", "Podmiot3"} {
		if rest, only := strings.CutPrefix(path, list+"/"); only {
			return list + "[1]/" + rest
		}
	}
	return path
}

// What a document and each line take in bytes, by and large.
const (
	documentSize = 4 << 10
	lineSize     = 400
)

// Write writes the canonical invoice; every lists each entry of a list that has no place. The error is a *mapping.FieldError where a member
// holds what XML does not allow; others are those of the writer and of the context.
func (f *Format) Write(ctx context.Context, w *xmltree.Writer, inv *invoice.Invoice, every bool) ([]m.Unwritten, error) {
	inv, unwritten := writable(inv)
	more, err := nationals.WriteWith(w, inv, documentSize+len(inv.Items)*lineSize, func(w *xmltree.Writer) ([]m.Unwritten, error) {
		return f.mapping.Write(ctx, w, inv, m.Env{Every: every})
	})
	return append(unwritten, more...), err
}

// The time at which a document was made, and the first day of FA(3): what was made before is a document of FA(2), whose time FA(3) cannot state.
const (
	madeAt   = "Naglowek/DataWytworzeniaFa"
	firstDay = "2025-09-01"
)

// writable is the invoice without what of national FA(3) has no place for, and that.
func writable(inv *invoice.Invoice) (*invoice.Invoice, []m.Unwritten) {
	if inv.CountrySpecific == nil {
		return inv, nil
	}
	if texts := inv.CountrySpecific.National[madeAt]; len(texts) != 1 || texts[0] >= firstDay {
		return inv, nil
	}
	copied, specific := *inv, *inv.CountrySpecific
	copied.CountrySpecific, specific.National = &specific, maps.Clone(specific.National)
	delete(specific.National, madeAt)
	return &copied, []m.Unwritten{{Field: "countrySpecific.national." + madeAt}}
}

// countryOf gives the members of a country, which are made where there are none.
func countryOf(inv *invoice.Invoice) *invoice.CountrySpecific {
	if inv.CountrySpecific == nil {
		inv.CountrySpecific = &invoice.CountrySpecific{}
	}
	return inv.CountrySpecific
}

// put puts texts into national.
func put(cs *invoice.CountrySpecific, path string, texts []string) {
	if cs.National == nil {
		cs.National = invoice.National{}
	}
	maps.Copy(cs.National, invoice.National{path: texts})
}
