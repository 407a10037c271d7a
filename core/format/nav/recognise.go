// Package nav is InvoiceData of NAV Online Számla (Nemzeti Adó- és Vámhivatal): what Hungarian taxpayers report of an invoice, in version
// 3.0; 2.0 is read as well. Steps of profile.NAV compute what it demands beyond EN 16931.
package nav

import (
	"context"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
)

// Namespace is that of InvoiceData 3.0, Namespace2 that of 2.0, which is read only.
const (
	Namespace     = "http://schemas.nav.gov.hu/OSA/3.0/data"
	Namespace2    = "http://schemas.nav.gov.hu/OSA/2.0/data"
	baseNamespace = "http://schemas.nav.gov.hu/OSA/3.0/base"
)

// Syntax gives name, places and codec of InvoiceData; the catalogue knows the document elements of all versions. The error is that of a
// table which cannot be compiled.
func Syntax() *format.Syntax {
	return &format.Syntax{
		Name: "nav",
		Places: format.Places{
			Number:        []string{"invoiceNumber"},
			SellerCountry: []string{"invoiceMain", "invoice", "invoiceHead", "supplierInfo", "supplierAddress", "simpleAddress", "countryCode"},
			Lines:         []string{"invoiceMain", "invoice", "invoiceLines"},
			Line:          []string{"line"},
			Invoices:      []string{"invoiceMain", "batchInvoice"},
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
	return c.Format.Write(ctx, w, inv, as.Every)
}

// Locator implements format.Codec.
func (c codec) Locator(doc *xmltree.Document, inv *invoice.Invoice) format.Locator {
	if inv == nil {
		return c.of(doc).NewLocator(doc)
	}
	return c.of(doc).NewLocatorOf(doc, inv)
}

// Uses implements format.Codec.
func (c codec) Uses(term string) []mapping.Use { return c.newest.Uses(term) }
