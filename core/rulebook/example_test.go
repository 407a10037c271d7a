package rulebook_test

import (
	"context"
	"fmt"
	"io/fs"
	"log"

	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/rulebooks"
)

// A registry holds the rulebooks in use; an operator's folder would be a second layer, whose books stand before those that ship.
func ExampleRegistry() {
	shipped := rulebook.Layer{Name: "shipped", Trusted: true, Open: func() (fs.FS, error) { return rulebooks.Books(), nil }}
	registry, err := rulebook.NewRegistry(context.Background(), rulebook.Config{Layers: []rulebook.Layer{shipped}})
	if err != nil {
		log.Fatal(err)
	}
	for _, book := range registry.Current().Books() {
		if book.Manifest.ID == "xrechnung-ubl" {
			fmt.Println(book.Manifest.Title)
		}
	}
	// Output: XRechnung 3.0 on UBL 2.1
}
