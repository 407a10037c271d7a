package repair_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/einvoiced/einvoiced/core/hybrid"
	"github.com/einvoiced/einvoiced/internal/pdfmaker"
	"github.com/einvoiced/einvoiced/worker/repair"
)

// A PDF that points to the wrong place for its objects is written anew, and the invoice inside is still there. What is no PDF stays an error.
func ExamplePDF() {
	whole := pdfmaker.PDF{Files: []pdfmaker.File{{Name: "factur-x.xml", Data: []byte("<rsm:CrossIndustryInvoice/>")}}}.Bytes()
	damaged := bytes.Replace(whole, []byte("startxref\n"), []byte("startxref\n9"), 1)
	mended, err := repair.PDF(damaged)
	if err != nil {
		log.Fatal(err)
	}
	pdf, err := hybrid.Open(context.Background(), mended)
	if err != nil {
		log.Fatal(err)
	}
	invoice, err := pdf.Invoice()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %s\n", invoice.Name, invoice.XML)
	_, err = repair.PDF([]byte("<Invoice/>"))
	fmt.Println(err != nil)
	// Output:
	// factur-x.xml: <rsm:CrossIndustryInvoice/>
	// true
}
