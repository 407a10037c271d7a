package mydata_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format/mydata"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/profile"
)

// The authority books invoices: it wants the tax numbers of both, series and number apart, the kind of document (2.1 is that for services),
// codes of tax rates (1 is 24 %), and which income each line is, once more for the whole invoice.
func ExampleFormat_Write() {
	format, err := mydata.New()
	if err != nil {
		log.Fatal(err)
	}
	inv := &invoice.Invoice{
		InvoiceNumber: "ΤΠΥ-17", Type: invoice.TypeInvoice, IssueDate: "2026-03-05", Currency: "EUR",
		Seller: &invoice.Party{Name: "Παράδειγμα ΑΕ", VATID: "EL123456783", CountryCode: "GR"},
		Buyer:  &invoice.Party{Name: "Δείγμα ΕΠΕ", VATID: "EL987654324", CountryCode: "GR"},
		Items: []invoice.Item{{Description: "Συμβουλευτικές υπηρεσίες", Quantity: decimal.New(8, 0), Unit: "HUR", UnitPrice: decimal.New(60, 0),
			TaxCategoryCode: "S", TaxRate: decimal.New(24, 0), NetAmount: decimal.New(48000, 2), TaxAmount: decimal.New(11520, 2),
			IncomeClassification: &invoice.IncomeClassification{Type: "E3_561_001", Category: "category1_3"}}},
		Subtotal: decimal.New(48000, 2), Total: decimal.New(59520, 2),
	}
	w := xmltree.NewWriter(xmltree.WriterOptions{})
	canonical := profile.MyData().Derive(inv).Invoice
	if _, err := format.Write(context.Background(), w, canonical, mydata.Version2, false); err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(string(w.Bytes())) {
		for _, name := range []string{"vatNumber", "series", "aa", "invoiceType", "vatCategory", "icls:classificationCategory"} {
			if strings.Contains(line, "<"+name+">") {
				fmt.Println(strings.TrimSpace(line))
			}
		}
	}
	// Output:
	// <vatNumber>123456783</vatNumber>
	// <vatNumber>987654324</vatNumber>
	// <series>ΤΠΥ</series>
	// <aa>17</aa>
	// <invoiceType>2.1</invoiceType>
	// <vatCategory>1</vatCategory>
	// <icls:classificationCategory>category1_3</icls:classificationCategory>
	// <icls:classificationCategory>category1_3</icls:classificationCategory>
}
