package operation_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"log"
	"time"

	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/docs"
	"github.com/einvoiced/einvoiced/rulebooks"
)

// The service as a library: write an XRechnung, judge it by the official rules, and judge it again after somebody has changed its total.
func Example() {
	ctx := context.Background()
	shipped := rulebook.Layer{Name: "shipped", Trusted: true, Open: func() (fs.FS, error) { return rulebooks.Books(), nil }}
	books, err := rulebook.NewRegistry(ctx, rulebook.Config{Layers: []rulebook.Layer{shipped}})
	if err != nil {
		log.Fatal(err)
	}
	now := func() time.Time { return time.Date(2026, 9, 2, 0, 0, 0, 0, time.UTC) } // a service gives time.Now
	service, err := operation.New(operation.Config{Rulebooks: books.In, Now: now})
	if err != nil {
		log.Fatal(err)
	}

	made, err := service.Generate(ctx, operation.GenerateRequest{Country: "de", Format: "xrechnung", Body: docs.Example()})
	if err != nil {
		log.Fatal(err) // a *finding.Refusal, where the invoice is to blame
	}
	fmt.Println(made.Filename, made.MimeType)

	changed := bytes.ReplaceAll(made.Data, []byte(">119.00<"), []byte(">120.00<"))
	for _, document := range [][]byte{made.Data, changed} {
		verdict, err := service.Validate(ctx, operation.ValidateRequest{Country: "de", Document: document})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("valid:", verdict.Valid)
		for _, e := range verdict.Errors {
			fmt.Println(e.Code) // e.Message says what to do, e.Field where
		}
	}

	// Output:
	// 2026-0117-xrechnung.xml application/xml
	// valid: true
	// valid: false
	// BR-CO-15
}
