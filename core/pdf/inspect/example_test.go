package inspect_test

import (
	"context"
	"fmt"
	"log"

	"github.com/einvoiced/einvoiced/core/pdf"
	"github.com/einvoiced/einvoiced/core/pdf/inspect"
	"github.com/einvoiced/einvoiced/core/pdf/text"
	"github.com/einvoiced/einvoiced/core/pdf/typeface"
)

// A page whose logo says nothing to those who cannot see it, and which says nowhere in what language it is, is not PDF/UA-1. The report has
// what is to be mended, and what is read aloud.
func ExampleInspect() {
	doc := pdf.New(pdf.About{Title: "Invoice 2026-0117"}, typeface.NewLibrary(nil))
	page := doc.AddPage(595, 842)
	page.In(doc.Root().New(pdf.RoleFigure), func() { page.Rectangle(70, 40, 60, 20, pdf.Color{15, 76, 102}) })
	line := doc.Text.Set(text.Span{Text: "Amount due: 119.00 EUR", Style: text.Style{Size: 10}}).Lines(400)[0]
	page.In(doc.Root().New(pdf.RoleParagraph), func() { page.Line(&line, 70, 100, 0) })

	report, err := inspect.Inspect(context.Background(), doc.Bytes())
	if err != nil {
		log.Fatal(err)
	}
	for _, fault := range report.Faults {
		fmt.Println(fault)
	}
	fmt.Println(report.Text)
	// Output:
	// the document has no language
	// a figure has no alternative text
	// Amount due: 119.00 EUR
}
