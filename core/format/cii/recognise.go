// Package cii is EN 16931 on UN/CEFACT Cross Industry Invoice D16B (CEN/TS 16931-3-3), and the profiles of Factur-X and ZUGFeRD 2,
// which are parts of D22B.
package cii

import (
	"context"

	"github.com/einvoiced/einvoiced/core/en16931"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/profile"
)

// Syntax gives CII.
func Syntax() *format.Syntax {
	const (
		transaction = "SupplyChainTradeTransaction"
		family      = "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:"
	)
	return &format.Syntax{
		Name: "cii",
		Elements: []format.Element{
			{Local: "CrossIndustryInvoice", Namespace: family + "100", Family: family, Detection: "CII"},
		},
		Places: format.Places{
			Number:        []string{"ExchangedDocument", "ID"},
			Specification: []string{"ExchangedDocumentContext", "GuidelineSpecifiedDocumentContextParameter", "ID"},
			Process:       []string{"ExchangedDocumentContext", "BusinessProcessSpecifiedDocumentContextParameter", "ID"},
			SellerCountry: []string{transaction, "ApplicableHeaderTradeAgreement", "SellerTradeParty", "PostalTradeAddress", "CountryID"},
			Lines:         []string{transaction},
			Line:          []string{"IncludedSupplyChainTradeLineItem"},
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

// Read implements format.Codec. One document element is for invoices and credit notes: the code (BT-3) tells them apart.
func (c codec) Read(ctx context.Context, doc *xmltree.Document) (*format.Reading, error) {
	said, err := c.Format.Read(ctx, doc)
	if err != nil {
		return nil, err
	}
	reading := &format.Reading{Invoice: said.Invoice, Account: said.Account, Extended: said.Specification == profile.XRechnungExtension}
	if en16931.IsCreditNote(said.Invoice) {
		reading.Type = invoice.TypeCreditNote
	}
	return reading, nil
}

// Write implements format.Codec.
func (c codec) Write(ctx context.Context, w *xmltree.Writer, inv *invoice.Invoice, as format.Edition) ([]mapping.Unwritten, error) {
	return c.write(ctx, w, inv, mapping.Env{Edition: as.Name, Specification: as.Specification, Every: as.Every})
}

// Locator implements format.Codec.
func (c codec) Locator(doc *xmltree.Document, inv *invoice.Invoice) format.Locator {
	return c.NewLocator(doc, inv)
}
