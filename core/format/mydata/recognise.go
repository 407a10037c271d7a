package mydata

import (
	"context"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
)

// Syntax gives name, places and codec of myDATA; the catalogue knows its document elements.
func Syntax() *format.Syntax {
	const one = "invoice"
	return &format.Syntax{
		Name: "mydata",
		Places: format.Places{
			Number:        []string{one, "invoiceHeader", "aa"},
			SellerCountry: []string{one, "issuer", "country"},
			Lines:         []string{one},
			Line:          []string{"invoiceDetails"},
			Invoices:      []string{one},
		},
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
	return c.Format.Write(ctx, w, inv, as.Name, as.Every)
}

// Locator implements format.Codec.
func (c codec) Locator(doc *xmltree.Document, _ *invoice.Invoice) format.Locator {
	return c.mapping.NewLocator(doc)
}

// Uses implements format.Codec.
func (c codec) Uses(term string) []mapping.Use { return c.mapping.Uses(term) }
