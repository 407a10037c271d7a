package pdffile_test

import (
	"context"
	"fmt"
	"log"
	"maps"
	"slices"

	"github.com/einvoiced/einvoiced/core/hybrid/pdffile"
	"github.com/einvoiced/einvoiced/internal/pdfmaker"
)

// A PDF that was cut off on its way has lost its cross-reference data; its objects are found all the same, and the invoice by them. An update
// with new cross-reference data makes it whole.
func Example() {
	ctx := context.Background()
	whole := pdfmaker.PDF{Files: []pdfmaker.File{{Name: "factur-x.xml", Data: []byte("<rsm:CrossIndustryInvoice/>")}}}.Bytes()
	cut := whole[:len(whole)-40]
	file, err := pdffile.Open(ctx, cut)
	if err != nil {
		log.Fatal(err)
	}
	catalog := file.Dict(file.Trailer["Root"])
	embedded := file.Dict(file.Array(catalog["AF"])[0]) // the file specification, ISO 32000-1 §7.11.3
	invoice, err := file.DecodeEmbedded(file.Stream(file.Dict(embedded["EF"])["F"]), 1<<20)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(file.Rebuilt(), embedded["F"], string(invoice))

	update, err := file.UpdateDamaged()
	if err != nil {
		log.Fatal(err)
	}
	catalog = maps.Clone(catalog)
	catalog["Lang"] = pdffile.String("de-DE")
	update.Replace(file.Trailer["Root"].(pdffile.Ref), catalog)
	behind, err := update.Finish()
	if err != nil {
		log.Fatal(err)
	}
	again, err := pdffile.Open(ctx, slices.Concat(cut, behind))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(again.Rebuilt(), again.Dict(again.Trailer["Root"])["Lang"])
	// Output:
	// true factur-x.xml <rsm:CrossIndustryInvoice/>
	// false de-DE
}
