package pdf_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"time"

	"github.com/einvoiced/einvoiced/core/pdf"
	"github.com/einvoiced/einvoiced/core/pdf/inspect"
	"github.com/einvoiced/einvoiced/core/pdf/text"
	"github.com/einvoiced/einvoiced/core/pdf/typeface"
)

// A page with a heading and a sum, and the invoice as XML beside it: whatever is drawn stands in the structure, so that it is read aloud in
// its order, and the same calls give the same bytes.
func Example() {
	library := typeface.NewLibrary(nil)
	draw := func() []byte {
		doc := pdf.New(pdf.About{Title: "Rechnung RE-10612", Author: "Antriebstechnik Nord GmbH", Language: "de",
			Created: time.Date(2026, 7, 2, 0, 0, 0, 0, time.UTC)}, library) // the day of the invoice (BT-2), not of its making
		page := doc.AddPage(595, 842) // A4, in points
		write := func(role pdf.Role, content string, size, y float64) {
			for _, line := range doc.Text.Set(text.Span{Text: content, Style: text.Style{Size: size}}).Lines(400) {
				page.In(doc.Root().New(role), func() { page.Line(&line, 70, y, 0) })
			}
		}
		write(pdf.RoleHeading1, "Rechnung RE-10612", 18, 100)
		write(pdf.RoleParagraph, "Zu zahlen bis 01.08.2026: 119,00 €", 10, 130)
		doc.Attach(pdf.Attachment{Name: "factur-x.xml", MIMEType: "text/xml", Relationship: "Alternative", Data: []byte("<rsm:CrossIndustryInvoice/>")})
		return doc.Bytes()
	}
	file := draw()
	report, err := inspect.Inspect(context.Background(), file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Text)
	fmt.Println("faults:", len(report.Faults), "the same bytes:", bytes.Equal(file, draw()))
	// Output:
	// Rechnung RE-10612
	// Zu zahlen bis 01.08.2026: 119,00 €
	// faults: 0 the same bytes: true
}
