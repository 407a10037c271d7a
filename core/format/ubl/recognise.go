package ubl

import (
	"context"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
)

// Syntax gives UBL 2.1.
func Syntax() *format.Syntax {
	const oasis = "urn:oasis:names:specification:ubl:schema:xsd:"
	return &format.Syntax{
		Name: "ubl",
		Elements: []format.Element{
			{Local: Invoice, Namespace: oasis + "Invoice-2", Detection: "UBL"},
			{Local: CreditNote, Namespace: oasis + "CreditNote-2", Detection: "UBL"},
		},
		Places: format.Places{
			Number:        []string{"ID"},
			Specification: []string{"CustomizationID"},
			Process:       []string{"ProfileID"},
			SellerCountry: []string{"AccountingSupplierParty", "Party", "PostalAddress", "Country", "IdentificationCode"},
			Line:          []string{"InvoiceLine", "CreditNoteLine"},
		},
		Cores: format.Cores(),
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
	said, err := c.Format.Read(ctx, doc)
	if err != nil {
		return nil, err
	}
	reading := &format.Reading{Invoice: said.Invoice, Account: said.Account, Extended: said.Edition == Extension}
	if said.Element == CreditNote {
		reading.Type = invoice.TypeCreditNote
	}
	return reading, nil
}

// Write implements format.Codec.
func (c codec) Write(ctx context.Context, w *xmltree.Writer, inv *invoice.Invoice, as format.Edition) ([]mapping.Unwritten, error) {
	return c.write(ctx, w, inv, mapping.Env{Specification: as.Specification, Every: as.Every})
}

// Locator implements format.Codec. UBL has the entries of lists in the order of the invoice.
func (c codec) Locator(doc *xmltree.Document, _ *invoice.Invoice) format.Locator {
	return c.NewLocator(doc)
}
