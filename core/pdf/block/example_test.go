package block_test

import (
	"context"
	"fmt"
	"log"

	"github.com/einvoiced/einvoiced/core/pdf/block"
	"github.com/einvoiced/einvoiced/core/pdf/inspect"
	"github.com/einvoiced/einvoiced/core/pdf/typeface"
)

// A template of three blocks is filled with an invoice: amounts are written as the language does, and a member without a value is told with
// the place in the template that asks for it.
func Example() {
	template, err := block.Parse([]byte(`{"version": "1.0.0", "name": "Plain", "page": {"size": "A4", "margins": 45}, "styles": {"title": {"bold": true}}, "body": {"blocks": [
	  {"type": "text", "data": {"content": "Rechnung {{invoiceNumber}}", "style": "title"}},
	  {"type": "table", "data": {"dataSource": "items", "columns": [
	    {"field": "description", "header": "Artikel", "width": "*"},
	    {"field": "netAmount", "header": "Netto", "width": "auto", "format": "currency"}]}},
	  {"type": "summary", "data": {"rows": [{"label": "Zu zahlen", "value": "{{total}}"}]}}]}}`))
	if err != nil {
		log.Fatal(err)
	}
	library := typeface.NewLibrary(nil) // the faces that ship
	for _, invoice := range []string{
		`{"invoiceNumber": "RE-10612", "items": [{"description": "Keilriemen", "netAmount": 1000.00}], "total": 1190.00}`,
		`{"items": [{"description": "Keilriemen", "netAmount": 1000.00}], "total": 1190.00}`,
	} {
		data, err := block.ParseValue([]byte(invoice))
		if err != nil {
			log.Fatal(err)
		}
		made, err := template.Render(context.Background(), block.Input{Data: data, Library: library, Language: "de", Currency: "EUR", Title: "Rechnung"})
		if err != nil {
			fmt.Println(err)
			continue
		}
		report, err := inspect.Inspect(context.Background(), made.PDF)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(report.Text)
	}
	// Output:
	// Rechnung RE-10612
	// Artikel
	// Netto
	// Keilriemen
	// 1.000,00 €
	// Zu zahlen
	// 1.190,00 €
	// body.blocks[0].data.content needs a value for {{invoiceNumber}}, and the data has none; {{invoiceNumber?}} may be empty
}
