package nav_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format/nav"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/profile"
)

// A Hungarian invoice in euro: the authority wants amounts in forint beside it, by the rate of the invoice, and tax rates as shares of one.
func ExampleFormat_Write() {
	format, err := nav.New()
	if err != nil {
		log.Fatal(err)
	}
	inv := &invoice.Invoice{
		InvoiceNumber: "SZ-2026/0001", Type: invoice.TypeInvoice, IssueDate: "2026-03-05", Currency: "EUR",
		TaxSummary: []invoice.TaxSummary{{TaxCategoryCode: "S", TaxRate: decimal.New(27, 0), NetAmount: decimal.New(54600, 2), TaxAmount: decimal.New(14742, 2)}},
		Subtotal:   decimal.New(54600, 2), Total: decimal.New(69342, 2),
		CountrySpecific: &invoice.CountrySpecific{ExchangeRate: decimal.MustParse("385.671234")},
	}
	w := xmltree.NewWriter(xmltree.WriterOptions{})
	canonical := profile.NAV().Derive(inv).Invoice
	if _, err := format.Write(context.Background(), w, canonical, false); err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(string(w.Bytes())) {
		for _, name := range []string{"exchangeRate", "vatPercentage", "invoiceNetAmount", "invoiceNetAmountHUF", "invoiceGrossAmount", "invoiceGrossAmountHUF"} {
			if strings.Contains(line, "<"+name+">") {
				fmt.Println(strings.TrimSpace(line))
			}
		}
	}
	// Output:
	// <exchangeRate>385.671234</exchangeRate>
	// <vatPercentage>0.27</vatPercentage>
	// <invoiceNetAmount>546.00</invoiceNetAmount>
	// <invoiceNetAmountHUF>210576.49</invoiceNetAmountHUF>
	// <invoiceGrossAmount>693.42</invoiceGrossAmount>
	// <invoiceGrossAmountHUF>267432.14</invoiceGrossAmountHUF>
}
