package isdoc_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format/isdoc"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/profile"
)

// A Czech invoice in forint: ISDOC wants each amount in crowns as well, by a rate for a hundred forint.
func ExampleFormat_Write() {
	format, err := isdoc.New()
	if err != nil {
		log.Fatal(err)
	}
	inv := &invoice.Invoice{
		InvoiceNumber: "FV-2026-0019", Type: invoice.TypeInvoice, IssueDate: "2026-03-05", Currency: "HUF",
		Items: []invoice.Item{{Description: "Díly", Quantity: decimal.New(2, 0), Unit: "C62", UnitPrice: decimal.New(15000, 0), TaxCategoryCode: "K",
			NetAmount: decimal.New(3000000, 2)}},
		Subtotal: decimal.New(3000000, 2), Total: decimal.New(3000000, 2),
		CountrySpecific: &invoice.CountrySpecific{ExchangeRate: decimal.MustParse("6.123"), ExchangeRateUnits: decimal.New(100, 0)},
	}
	w := xmltree.NewWriter(xmltree.WriterOptions{})
	canonical := profile.ISDOC().Derive(inv).Invoice
	if _, err := format.Write(context.Background(), w, canonical, false); err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(string(w.Bytes())) {
		if strings.Contains(line, "Rate>") || strings.Contains(line, "<LineExtensionAmount") || strings.Contains(line, "<UnitPrice>") {
			fmt.Println(strings.TrimSpace(line))
		}
	}
	// Output:
	// <CurrRate>6.123</CurrRate>
	// <RefCurrRate>100</RefCurrRate>
	// <LineExtensionAmountCurr>30000.00</LineExtensionAmountCurr>
	// <LineExtensionAmount>1836.90</LineExtensionAmount>
	// <LineExtensionAmountTaxInclusiveCurr>30000.00</LineExtensionAmountTaxInclusiveCurr>
	// <LineExtensionAmountTaxInclusive>1836.90</LineExtensionAmountTaxInclusive>
	// <UnitPrice>918.45</UnitPrice>
}
