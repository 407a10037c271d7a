package facturae

import (
	"context"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
)

// Syntax completes the entry of the catalogue, which has the document elements of all versions.
func Syntax() *format.Syntax {
	return &format.Syntax{
		Name: "facturae",
		Places: format.Places{
			Number:    []string{"Invoices", "Invoice", "InvoiceHeader", "InvoiceNumber"},
			Lines:     []string{"Invoices", "Invoice", "Items"},
			Line:      []string{"InvoiceLine"},
			Invoices:  []string{"Invoices", "Invoice"},
			Signature: []string{"Signature"},
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
func (c codec) Locator(doc *xmltree.Document, inv *invoice.Invoice) format.Locator {
	if inv == nil {
		return c.of(doc).NewLocator(doc)
	}
	return c.of(doc).NewLocatorOf(doc, inv)
}

// Uses implements format.Codec.
func (c codec) Uses(term string) []mapping.Use { return c.newest().Uses(term) }
