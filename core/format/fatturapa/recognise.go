package fatturapa

import (
	"context"

	"github.com/einvoiced/einvoiced/core/en16931"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
)

// Syntax completes the entry of the catalogue, which has the document elements.
func Syntax() *format.Syntax {
	const body = "FatturaElettronicaBody"
	return &format.Syntax{
		Name: "fatturapa",
		Places: format.Places{
			Number:        []string{body, "DatiGenerali", "DatiGeneraliDocumento", "Numero"},
			SellerCountry: []string{"FatturaElettronicaHeader", "CedentePrestatore", "Sede", "Nazione"},
			Lines:         []string{body, "DatiBeniServizi"},
			Line:          []string{"DettaglioLinee"},
			Invoices:      []string{body},
			Signature:     []string{"Signature"},
		},
		Codec: format.Late(func() (format.Codec, error) {
			table, err := New()
			return codec{table}, err
		}),
		Largest: func([]byte) (int, string) { return 5_000_000, "00003" },
	}
}

// codec is the Format as the catalogue knows it.
type codec struct{ *Format }

// Read implements format.Codec.
func (c codec) Read(ctx context.Context, doc *xmltree.Document) (*format.Reading, error) {
	said, err := c.Format.Read(ctx, doc)
	if err != nil {
		return nil, err
	}
	reading := &format.Reading{Invoice: said.Invoice, Account: said.Account}
	if en16931.IsCreditNote(said.Invoice) {
		reading.Type = invoice.TypeCreditNote
	}
	return reading, nil
}

// Write implements format.Codec.
func (c codec) Write(ctx context.Context, w *xmltree.Writer, inv *invoice.Invoice, as format.Edition) ([]mapping.Unwritten, error) {
	return c.Format.write(ctx, w, inv, mapping.Env{Edition: V12, Every: as.Every})
}

// Locator implements format.Codec.
func (c codec) Locator(doc *xmltree.Document, _ *invoice.Invoice) format.Locator {
	return c.NewLocator(doc)
}
