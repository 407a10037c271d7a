// Package ebinterface is ebInterface 6.1, the Austrian national format (AUSTRIAPRO), which is written, and its versions 6.0, 5.0 and 4.3, which
// are read.
package ebinterface

import (
	"context"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
)

// Syntax gives ebInterface without its document elements, which the catalogue lists.
func Syntax() *format.Syntax {
	return &format.Syntax{
		Name: "ebinterface",
		Places: format.Places{
			Number:    []string{"InvoiceNumber"},
			Lines:     []string{"Details", "ItemList"},
			Line:      []string{"ListLineItem"},
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
	return c.write(ctx, w, inv, as.Every)
}

// Locator implements format.Codec.
func (c codec) Locator(doc *xmltree.Document, inv *invoice.Invoice) format.Locator {
	return c.NewLocator(doc, inv)
}
