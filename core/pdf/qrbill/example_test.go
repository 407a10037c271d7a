package qrbill_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/einvoiced/einvoiced/core/pdf"
	"github.com/einvoiced/einvoiced/core/pdf/inspect"
	"github.com/einvoiced/einvoiced/core/pdf/qrbill"
	"github.com/einvoiced/einvoiced/core/pdf/typeface"
)

// The payload of a Swiss QR code becomes a payment slip at the foot of a page, here in French: account and reference in groups, the amount
// with its thousands apart, each in the receipt and in the payment part.
func ExampleBill_Draw() {
	payload := strings.Join([]string{"SPC", "0200", "1", "CH4431999123000889012",
		"S", "Muster Uhren AG", "Rue du Lac", "12b", "2501", "Biel", "CH", "", "", "", "", "", "", "",
		"1081.00", "CHF", "S", "Juwelier Beispiel GmbH", "Marktgasse", "20", "3011", "Bern", "CH",
		"QRR", "000000000000000000202604174", "", "EPD"}, "\n")
	bill, err := qrbill.New([]byte(payload), "fr")
	if err != nil {
		log.Fatal(err)
	}
	doc := pdf.New(pdf.About{Title: "Facture 2026-0417", Language: "fr"}, typeface.NewLibrary(nil))
	page := doc.AddPage(bill.Width(), 842)
	bill.Draw(doc, page, doc.Root().New(pdf.RoleDivision), page.Height-bill.Height())
	report, err := inspect.Inspect(context.Background(), doc.Bytes())
	if err != nil {
		log.Fatal(err)
	}
	for _, said := range []string{"Récépissé", "Section paiement", "CH44 3199 9123 0008 8901 2", "00 00000 00000 00000 02026 04174", "1 081.00"} {
		fmt.Printf("%s: %d\n", said, strings.Count(report.Text, said))
	}
	// Output:
	// Récépissé: 1
	// Section paiement: 1
	// CH44 3199 9123 0008 8901 2: 2
	// 00 00000 00000 00000 02026 04174: 2
	// 1 081.00: 2
}
