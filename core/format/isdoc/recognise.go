// Package isdoc is the Czech national invoice ISDOC 6.0.2: a table of elements, and the codec that reads and writes by it. Documents of 6.0.1
// and 6.0 have a part of its elements and are read as well. What amounts and lines become beforehand are the steps of profile.ISDOC.
package isdoc

import (
	"context"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
)

// Namespace is that of all versions from 6.0 on, Version the one that is written.
const (
	Namespace = "http://isdoc.cz/namespace/2013"
	Version   = "6.0.2"
)

// Syntax gives ISDOC without its document elements, which the catalogue lists.
func Syntax() *format.Syntax {
	return &format.Syntax{
		Name: "isdoc",
		Places: format.Places{
			Number:        []string{"ID"},
			SellerCountry: []string{"AccountingSupplierParty", "Party", "PostalAddress", "Country", "IdentificationCode"},
			Lines:         []string{"InvoiceLines"},
			Line:          []string{"InvoiceLine"},
			Signature:     []string{"Signature"},
		},
		Files: filesOf,
		Codec: format.Late(func() (format.Codec, error) {
			table, err := New()
			return codec{table}, err
		}),
	}
}

// codec is the Format as the catalogue knows it.
type codec struct{ *Format }

// Read implements format.Codec.
func (c codec) Read(ctx context.Context, doc *xmltree.Document) (*format.Reading, error) {
	return format.ReadingOf(c.Format.Read(ctx, doc))
}

// Write implements format.Codec.
func (c codec) Write(ctx context.Context, w *xmltree.Writer, inv *invoice.Invoice, as format.Edition) ([]mapping.Unwritten, error) {
	return c.Format.Write(ctx, w, inv, as.Every)
}

// Locator implements format.Codec.
func (c codec) Locator(doc *xmltree.Document, _ *invoice.Invoice) format.Locator {
	return c.mapping.NewLocator(doc)
}

// Uses implements format.Codec.
func (c codec) Uses(term string) []mapping.Use { return c.mapping.Uses(term) }
