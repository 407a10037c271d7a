package validate_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"log"
	"os"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format/ubl"
	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/core/validate"
	"github.com/einvoiced/einvoiced/rulebooks"
)

// The rulebooks that ship judge an XRechnung whose total somebody has changed. Each finding has its rule, and its place in the document.
func ExampleJudge() {
	ctx := context.Background()
	shipped := rulebook.Layer{Name: "shipped", Trusted: true, Open: func() (fs.FS, error) { return rulebooks.Books(), nil }}
	registry, err := rulebook.NewRegistry(ctx, rulebook.Config{Layers: []rulebook.Layer{shipped}})
	if err != nil {
		log.Fatal(err)
	}
	source, err := os.ReadFile("../../testdata/documents/basic-default.xml")
	if err != nil {
		log.Fatal(err)
	}
	changed := bytes.ReplaceAll(source, []byte("<TaxInclusiveAmount currencyID='EUR'>-14.40<"), []byte("<TaxInclusiveAmount currencyID='EUR'>-15.00<")) // BT-112
	doc, err := xmltree.Parse(changed, xmltree.Options{})
	if err != nil {
		log.Fatal(err)
	}
	today := time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC) // rules have days on which they begin to count
	plan, err := registry.Current().Plan(rulebook.Kind{
		Root:          xmltree.Name{Space: doc.Namespace(doc.Root()), Local: doc.Local(doc.Root())},
		Specification: ubl.Syntax().Specification(doc), Process: ubl.Syntax().Process(doc),
	}, today.Format(time.DateOnly))
	if err != nil {
		log.Fatal(err)
	}
	report, err := validate.Judge(ctx, plan, doc, today)
	if err != nil {
		log.Fatal(err)
	}
	places := &validate.DocumentPlacer{Doc: doc, Paths: xmltree.NewLocator(doc), Locator: ubl.Syntax().Codec.Locator(doc, nil)}
	for _, e := range report.Entries(places, false).Errors {
		fmt.Println(e.Code, e.Field) // e.Message says which numbers do not fit
	}
	// Output:
	// BR-CO-16 /ubl:Invoice/cac:LegalMonetaryTotal
	// BR-CO-15 /ubl:Invoice
}
