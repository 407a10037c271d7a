package cii

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"context"
	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
)

const (
	core     = "urn:cen.eu:en16931:2017"
	extended = core + "#conformant#urn:factur-x.eu:1p0:extended"
)

// sampleInvoice is a canonical invoice with so many lines.
func sampleInvoice(lines int) *invoice.Invoice {
	d, yes, no := decimal.MustParse, true, false
	inv := &invoice.Invoice{
		InvoiceNumber: "2026-0815", IssueDate: "2026-03-02", DueDate: "2026-04-01", Currency: "EUR", TaxCurrencyCode: "SEK", TaxPointDateCode: "35",
		BusinessProcess: "A1", BuyerReference: "04011000-12345-34", OrderNumber: "PO-1", TenderReference: "LOT-3", ObjectID: "Z-4", ObjectIDScheme: "ABC", ProjectNumber: "P-5",
		NoteEntries:     []invoice.Note{{Text: "Many thanks for your order."}, {Text: "HRB 12", SubjectCode: "REG"}},
		CountrySpecific: &invoice.CountrySpecific{InvoiceTypeCode: "380"},
		Seller: &invoice.Party{Name: "Nordlicht & Söhne GmbH", Street: "Hafenstraße 1", City: "Kiel", PostalCode: "24103", CountryCode: "DE", VATID: "DE123456789", TaxID: "20/123",
			Identifiers:       []invoice.Identifier{{ID: "4012345000009", SchemeID: "0088"}, {ID: "K-7"}, {ID: "987", SchemeID: "0060"}, {ID: "K-8"}},
			ElectronicAddress: &invoice.ElectronicAddress{ID: "rechnung@nordlicht.example", SchemeID: "EM"},
			Contact:           &invoice.Contact{Name: "Grete Hansen", Phone: "+49 431 1234", Email: "hansen@nordlicht.example"}},
		Buyer: &invoice.Party{Name: "Amt für Seezeichen", Street: "Molenweg 7", City: "Stralsund", PostalCode: "18439", CountryCode: "DE",
			Identifiers: []invoice.Identifier{{ID: "B-1"}}, ElectronicAddress: &invoice.ElectronicAddress{ID: "eingang@seezeichen.example", SchemeID: "EM"}},
		Delivery:           &invoice.Delivery{Date: "2026-02-28", LocationID: "4012345000016", LocationIDScheme: "0088"},
		PaymentTerms:       &invoice.PaymentTerms{Description: "Net within 30 days."},
		DirectDebitMandate: &invoice.DirectDebit{MandateID: "M-1", CreditorID: "DE98ZZZ", DebitAccountID: "DE1"},
		PaymentMethods: []invoice.PaymentMethod{{Code: "58", Account: &invoice.PaymentAccount{ID: "DE75512108001245126199", BIC: "NOTADEHHXXX"}},
			{Code: "59"}, {Code: "30", Account: &invoice.PaymentAccount{ID: "12-345"}}},
		AllowancesCharges: []invoice.DocumentCharge{{IsCharge: &yes, Amount: d("3.00"), Reason: "Freight", TaxCategoryCode: "S", TaxRate: d("19")},
			{IsCharge: &no, Amount: d("1.00"), Reason: "Bonus", TaxCategoryCode: "S", TaxRate: d("19")}},
		Subtotal: d("102.00"), Total: d("121.38"), PrepaidAmount: d("21.00"),
		TaxSummary:          []invoice.TaxSummary{{TaxCategoryCode: "S", TaxRate: d("19"), NetAmount: d("102.00"), TaxAmount: d("19.38"), TaxCurrencyTaxAmount: d("200.00")}},
		Attachments:         []invoice.Attachment{{Reference: "A", Filename: "a.csv", MimeType: "text/csv", Content: "QQ==", URI: "https://a.example"}},
		SupportingDocuments: []invoice.SupportingDocument{{ID: "S", URI: "https://s.example"}},
	}
	for i := range lines {
		inv.Items = append(inv.Items, sampleItem(i))
	}
	return inv
}

func sampleItem(i int) invoice.Item {
	d := decimal.MustParse
	it := invoice.Item{
		LineID: fmt.Sprint(i + 1), Note: fmt.Sprintf("Line note %d", i), Quantity: d("8"), Unit: "C62", NetAmount: d("10.96"), UnitPrice: d("1.37"),
		Description: fmt.Sprintf("Item %d", i), ItemDescription: fmt.Sprintf("Description of item %d", i), ArticleNumber: fmt.Sprintf("A-%d", i),
		TaxCategoryCode: "S", TaxRate: d("19.00"),
	}
	if i%2 == 1 {
		it.OrderLineReference = fmt.Sprint(i)
		it.ServicePeriod = &invoice.Period{Start: "2026-02-01", End: "2026-02-28"}
		it.Classification = []invoice.Classification{{ID: "09348023", SchemeID: "STI"}}
		it.Attributes = []invoice.Attribute{{Name: "Colour", Value: "Black"}, {Name: "Size", Value: "XL"}}
		it.GrossPrice, it.PriceDiscount, it.PriceBaseQuantity, it.PriceBaseUnit = d("1.50"), d("0.13"), d("10"), "C62"
	}
	if i%3 == 2 {
		it.Allowances = []invoice.LineCharge{{Amount: d("1.00"), Reason: "Loyalty", ReasonCode: "95", Percentage: d("10"), BaseAmount: d("10")}}
		it.Charges = []invoice.LineCharge{{Amount: d("0.50"), Reason: "Handling"}}
		it.StandardItemID = &invoice.StandardItemID{ID: "4012345000207", SchemeID: "0160"}
	}
	return it
}

// sampleExtended has what EXTENDED adds.
func sampleExtended(lines int) *invoice.Invoice {
	d, days := decimal.MustParse, 10
	inv := sampleInvoice(lines)
	for i := range inv.Items {
		it := &inv.Items[i]
		it.LineSubtype, it.PerPackageQuantity = invoice.LineDetail, d("6")
		if i > 0 {
			it.ParentLineID = "1"
		} else {
			it.LineSubtype = invoice.LineGroup
		}
	}
	inv.PaymentTerms.EarlyPaymentDiscount = &invoice.EarlyDiscount{Days: &days, DiscountPercent: d("2.00"), BaseAmount: d("100.00")}
	inv.DeliveryNote = &invoice.DeliveryNote{Number: "L-9", Date: "2026-02-27"}
	inv.ThirdPartyPayments = []invoice.ThirdPartyPayment{{Type: "Deposit", PaidAmount: d("7.50"), Description: "for the pallets"}}
	inv.Payee = &invoice.Party{Name: "Factor AG", Street: "Ring 4", City: "Bonn", PostalCode: "53111", CountryCode: "DE", VATID: "DE1"}
	return inv
}

func parsed(tb rapid.TB, src []byte) *xmltree.Document {
	tb.Helper()
	doc, err := xmltree.Parse(src, xmltree.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return doc
}

func written(tb rapid.TB, f *Format, inv *invoice.Invoice, specification, edition string) []byte {
	tb.Helper()
	w := xmltree.NewWriter(xmltree.WriterOptions{})
	if _, err := f.Write(context.Background(), w, inv, specification, edition); err != nil {
		tb.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		tb.Fatal(err)
	}
	return w.Bytes()
}

func newFormat(tb testing.TB) *Format {
	tb.Helper()
	f, err := New()
	if err != nil {
		tb.Fatal(err)
	}
	return f
}
