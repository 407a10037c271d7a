// Package qrbill is the payload of the Swiss QR code (SIX, Swiss Implementation Guidelines QR-bill, version 2.3): lines of text in a fixed
// order, which the table knows as XML with an element for each. What a QR-bill derives from an invoice are the steps of profile.QRBill.
package qrbill

import (
	"context"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
)

// Syntax gives the QR-bill.
func Syntax() *format.Syntax {
	return &format.Syntax{
		Name:     "qr-bill",
		Elements: []format.Element{{Local: "QRBill", Namespace: Namespace, Detection: "QR_BILL"}},
		Places:   format.Places{Version: []string{"Header", "Version"}},
		Codec: format.Late(func() (format.Codec, error) {
			table, err := New()
			return codec{table}, err
		}),
		Text:    &format.Text{Like: like, Lift: lift, Lower: lower},
		Country: country,
		Partial: true,
	}
}

// country is that of the account (ISO 13616), else of the creditor; empty where neither is in the countries of the QR-bill.
func country(doc *xmltree.Document) string {
	account, creditor := "", ""
	collect(doc, doc.Root(), "", func(path, text string) {
		switch path {
		case "CdtrInf/IBAN":
			account = text
		case "CdtrInf/Cdtr/Ctry":
			creditor = text
		}
	})
	for _, code := range []string{account[:min(2, len(account))], creditor} {
		if code == "CH" || code == "LI" {
			return code
		}
	}
	return ""
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
