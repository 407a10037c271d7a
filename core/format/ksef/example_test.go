package ksef_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format/ksef"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/profile"
)

// FA(3) numbers the fields of the tax return: the group of 23 % (BG-23) becomes P_13_1 and P_14_1, the total (BT-112) P_15, and that the
// buyer wrote the invoice is an answer of yes (1) in P_17.
func ExampleFormat_Write() {
	format, err := ksef.New()
	if err != nil {
		log.Fatal(err)
	}
	inv := &invoice.Invoice{
		InvoiceNumber: "FV/2026/03/014", Type: invoice.TypeSelfBilled, IssueDate: "2026-03-05", Currency: "PLN",
		Seller:     &invoice.Party{Name: "Przykład Biuro Sp. z o.o.", VATID: "PL1234563218", CountryCode: "PL"},
		Buyer:      &invoice.Party{Name: "Wzór Budowa S.A.", VATID: "PL9876543210", CountryCode: "PL"},
		TaxSummary: []invoice.TaxSummary{{TaxCategoryCode: "S", TaxRate: decimal.New(23, 0), NetAmount: decimal.New(375000, 2), TaxAmount: decimal.New(86250, 2)}},
		Subtotal:   decimal.New(375000, 2), Total: decimal.New(461250, 2),
	}
	w := xmltree.NewWriter(xmltree.WriterOptions{})
	canonical := profile.KSeF("ksef").Derive(inv).Invoice
	if _, err := format.Write(context.Background(), w, canonical, false); err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(string(w.Bytes())) {
		for _, name := range []string{"NIP", "P_2", "P_13_1", "P_14_1", "P_15", "P_16", "P_17"} {
			if strings.Contains(line, "<"+name+">") {
				fmt.Println(strings.TrimSpace(line))
			}
		}
	}
	// Output:
	// <NIP>1234563218</NIP>
	// <NIP>9876543210</NIP>
	// <P_2>FV/2026/03/014</P_2>
	// <P_13_1>3750.00</P_13_1>
	// <P_14_1>862.50</P_14_1>
	// <P_15>4612.50</P_15>
	// <P_16>2</P_16>
	// <P_17>1</P_17>
}
