package hybrid_test

import (
	"context"
	"fmt"

	"github.com/einvoiced/einvoiced/core/hybrid"
	"github.com/einvoiced/einvoiced/internal/pdfmaker"
)

// The invoice that a PDF carries, and what the PDF lacks.
func Example() {
	data := pdfmaker.PDF{Files: []pdfmaker.File{{Name: "factur-x.xml", Data: []byte("<Invoice/>")}}}.Bytes()
	pdf, err := hybrid.Open(context.Background(), data)
	if err != nil {
		fmt.Println(err)
		return
	}
	invoice, err := pdf.Invoice()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %s\n", invoice.Name, invoice.XML)
	for _, check := range pdf.Carrier().Checks {
		if !check.Passed {
			fmt.Printf("%s: %s\n", check.Severity, check.Message)
		}
	}
	// Output:
	// factur-x.xml: <Invoice/>
	// warning: the metadata does not declare PDF/A-3 (pdfaid:part is 3)
	// error: not embedded: Helvetica
	// warning: there is no output intent with a colour profile
	// warning: the metadata does not name the embedded invoice (DocumentFileName)
}
