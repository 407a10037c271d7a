package qrbill_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format/qrbill"
)

// The lines of a scanned Swiss QR code become XML, which the table reads as an invoice to pay: to whom, how much, and under which reference.
func ExampleFormat_Read() {
	payload := strings.Join([]string{"SPC", "0200", "1", "CH4431999123000889012",
		"S", "Muster Uhren AG", "Rue du Lac", "12b", "2501", "Biel", "CH", // creditor
		"", "", "", "", "", "", "", // ultimate creditor, which is for later versions
		"1081.00", "CHF",
		"S", "Juwelier Beispiel GmbH", "Marktgasse", "20", "3011", "Bern", "CH", // debtor
		"QRR", "000000000000000000202604174", "", "EPD"}, "\n")
	lines := qrbill.Syntax().Text
	lifted, err := lines.Lift([]byte(payload))
	if err != nil {
		log.Fatal(err)
	}
	doc, err := xmltree.Parse(lifted, xmltree.Options{})
	if err != nil {
		log.Fatal(err)
	}
	format, err := qrbill.New()
	if err != nil {
		log.Fatal(err)
	}
	reading, err := format.Read(context.Background(), doc)
	if err != nil {
		log.Fatal(err)
	}
	inv := reading.Invoice
	fmt.Println(inv.Total, inv.Currency, "from", inv.Buyer.Name, "to", inv.Payee.Name)
	fmt.Println(inv.Payee.BankAccount.IBAN, inv.PaymentReference) // BT-84, BT-83
	fmt.Println(string(lines.Lower(doc)) == payload)
	// Output:
	// 1081.00 CHF from Juwelier Beispiel GmbH to Muster Uhren AG
	// CH4431999123000889012 000000000000000000202604174
	// true
}
