package standard_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/pdf/inspect"
	"github.com/einvoiced/einvoiced/core/pdf/standard"
	"github.com/einvoiced/einvoiced/core/pdf/typeface"
)

// A Swiss invoice as the country has it on paper, in German and in French: words, numbers and days are those of the place.
func ExampleLayout() {
	inv := &invoice.Invoice{
		InvoiceNumber: "2026-0417", Type: invoice.TypeInvoice, IssueDate: "2026-03-05", Currency: "CHF",
		Seller: &invoice.Party{Name: "Muster Uhren AG", Street: "Rue du Lac 12b", PostalCode: "2501", City: "Biel", CountryCode: "CH", VATID: "CHE123456788MWST"},
		Buyer:  &invoice.Party{Name: "Juwelier Beispiel GmbH", Street: "Marktgasse 20", PostalCode: "3011", City: "Bern", CountryCode: "CH"},
		Items: []invoice.Item{{Description: "Uhrwerk", Quantity: decimal.New(10, 0), Unit: "C62", UnitPrice: decimal.New(10000, 2),
			TaxCategoryCode: "S", TaxRate: decimal.MustParse("8.1"), NetAmount: decimal.New(100000, 2), TaxAmount: decimal.New(8100, 2)}},
		TaxSummary: []invoice.TaxSummary{{TaxCategoryCode: "S", TaxRate: decimal.MustParse("8.1"), NetAmount: decimal.New(100000, 2), TaxAmount: decimal.New(8100, 2)}},
		Subtotal:   decimal.New(100000, 2), Total: decimal.New(108100, 2),
	}
	layout, library := new(standard.Layout), typeface.NewLibrary(nil)
	for _, language := range []string{"de", "fr"} {
		template, err := layout.Template("CH")
		if err != nil {
			log.Fatal(err)
		}
		in, err := layout.Fill(inv, "CH", language)
		if err != nil {
			log.Fatal(err)
		}
		in.Library = library
		made, err := template.Render(context.Background(), in)
		if err != nil {
			log.Fatal(err)
		}
		report, err := inspect.Inspect(context.Background(), made.PDF)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(in.Title)
		words := strings.Split(report.Text, "\n") // labels and what they are of, in the order of reading
		for i, word := range words {
			if strings.Contains(word, "081.00") {
				fmt.Println(words[i-1]+":", word)
			}
		}
	}
	// Output:
	// Rechnung 2026-0417
	// Gesamtbetrag: CHF 1’081.00
	// Zahlbetrag: CHF 1’081.00
	// Facture 2026-0417
	// Total TTC: 1’081.00 CHF
	// Net à payer: 1’081.00 CHF
}
