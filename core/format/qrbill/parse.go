package qrbill

import (
	"context"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
)

// Format reads and writes payloads as XML. It is immutable and safe for concurrent use.
type Format struct{ mapping *m.Mapping[invoice.Invoice] }

// New compiles the table.
func New() (*Format, error) {
	compiled, err := m.Compile(&Table)
	if err != nil {
		return nil, err
	}
	return &Format{compiled}, nil
}

// nationals is what the invoice holds in countrySpecific.national: the ultimate creditor, which is for future use, and lines behind the last.
var nationals = m.Nationals{Order: Table.Order}

// Read reads a payload that was made XML. What no row takes is in countrySpecific.national.
func (f *Format) Read(ctx context.Context, doc *xmltree.Document) (*m.Reading[invoice.Invoice], error) {
	reading, err := f.mapping.Read(ctx, doc)
	if err != nil {
		return nil, err
	}
	if told := nationals.Take(doc, &reading.Account); told != nil {
		if reading.Invoice.CountrySpecific == nil {
			reading.Invoice.CountrySpecific = &invoice.CountrySpecific{}
		}
		reading.Invoice.CountrySpecific.National = told
	}
	return reading, nil
}

// Write writes the canonical invoice; every lists each entry of a list that has no place. The error is a *mapping.FieldError where a member
// holds what XML does not allow; others are those of the writer and of the context.
func (f *Format) Write(ctx context.Context, w *xmltree.Writer, inv *invoice.Invoice, every bool) ([]m.Unwritten, error) {
	return nationals.WriteWith(w, inv, 0, func(w *xmltree.Writer) ([]m.Unwritten, error) {
		return f.mapping.Write(ctx, w, inv, m.Env{Every: every})
	})
}
