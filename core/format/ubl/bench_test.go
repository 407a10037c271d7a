package ubl

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// benchmarkLines are the sizes that the benchmarks measure: an ordinary invoice and the largest one.
var benchmarkLines = []int{20, 25_000}

// sampleInvoice is a canonical invoice with so many lines, about 1 KiB each in XML.
func sampleInvoice(lines int) *invoice.Invoice {
	d := decimal.MustParse
	inv := &invoice.Invoice{
		InvoiceNumber: "2026-0815", Type: invoice.TypeInvoice, IssueDate: "2026-03-02", DueDate: "2026-04-01", Currency: "EUR",
		BusinessProcess: "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0", BuyerReference: "04011000-12345-34", OrderNumber: "PO-1",
		NoteEntries:     []invoice.Note{{Text: "Many thanks for your order."}},
		CountrySpecific: &invoice.CountrySpecific{InvoiceTypeCode: "380"},
		Seller: &invoice.Party{Name: "Nordlicht & Söhne GmbH", Street: "Hafenstraße 1", City: "Kiel", PostalCode: "24103", CountryCode: "DE", VATID: "DE123456789",
			ElectronicAddress: &invoice.ElectronicAddress{ID: "rechnung@nordlicht.example", SchemeID: "EM"},
			Contact:           &invoice.Contact{Name: "Grete Hansen", Phone: "+49 431 1234", Email: "hansen@nordlicht.example"}},
		Buyer: &invoice.Party{Name: "Amt für Seezeichen", Street: "Molenweg 7", City: "Stralsund", PostalCode: "18439", CountryCode: "DE",
			ElectronicAddress: &invoice.ElectronicAddress{ID: "eingang@seezeichen.example", SchemeID: "EM"}},
		Delivery:       &invoice.Delivery{Date: "2026-02-28"},
		PaymentTerms:   &invoice.PaymentTerms{Description: "Net within 30 days."},
		PaymentMethods: []invoice.PaymentMethod{{Code: "58", Account: &invoice.PaymentAccount{ID: "DE75512108001245126199", BIC: "NOTADEHHXXX"}}},
		Subtotal:       d("100.00"), Total: d("119.00"),
		TaxSummary: []invoice.TaxSummary{{TaxCategoryCode: "S", TaxRate: d("19"), NetAmount: d("100.00"), TaxAmount: d("19.00")}},
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
	}
	if i%3 == 2 {
		it.Allowances = []invoice.LineCharge{{Amount: d("1.00"), Reason: "Loyalty", ReasonCode: "95"}}
		it.StandardItemID = &invoice.StandardItemID{ID: "4012345000207", SchemeID: "0160"}
	}
	return it
}

func written(tb testing.TB, f *Format, inv *invoice.Invoice) []byte {
	tb.Helper()
	return writtenBy(tb, f, inv, "urn:cen.eu:en16931:2017")
}

func writtenBy(tb rapid.TB, f *Format, inv *invoice.Invoice, specification string) []byte {
	tb.Helper()
	w := xmltree.NewWriter(xmltree.WriterOptions{})
	if _, err := f.Write(context.Background(), w, inv, specification); err != nil {
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

func BenchmarkWrite(b *testing.B) {
	f := newFormat(b)
	for _, lines := range benchmarkLines {
		inv := sampleInvoice(lines)
		size := len(written(b, f, inv))
		b.Run(fmt.Sprintf("%d-lines", lines), func(b *testing.B) {
			w := xmltree.NewWriter(xmltree.WriterOptions{})
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				w.Reset(xmltree.WriterOptions{})
				if _, err := f.Write(context.Background(), w, inv, "urn:cen.eu:en16931:2017"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRead measures reading alone; BenchmarkParseAndRead adds the parser.
func BenchmarkRead(b *testing.B) {
	f := newFormat(b)
	for _, lines := range benchmarkLines {
		src := written(b, f, sampleInvoice(lines))
		doc, err := xmltree.Parse(src, xmltree.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("%d-lines", lines), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f.Read(context.Background(), doc); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkParseAndRead(b *testing.B) {
	f := newFormat(b)
	parser, err := xmltree.NewParser(xmltree.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for _, lines := range benchmarkLines {
		src := written(b, f, sampleInvoice(lines))
		b.Run(fmt.Sprintf("%d-lines", lines), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				doc, err := parser.Parse(src)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := f.Read(context.Background(), doc); err != nil {
					b.Fatal(err)
				}
				doc.Release()
			}
		})
	}
}
