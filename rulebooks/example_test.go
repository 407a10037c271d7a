package rulebooks_test

import (
	"fmt"
	"io/fs"
	"log"

	"gopkg.in/yaml.v3"

	"github.com/einvoiced/einvoiced/rulebooks"
)

// The manifest of a rulebook says which documents it judges, and which rulebooks do so before it.
func ExampleBooks() {
	text, err := fs.ReadFile(rulebooks.Books(), "xrechnung-ubl-3.0.2/"+rulebooks.ManifestFile)
	if err != nil {
		log.Fatal(err)
	}
	var manifest rulebooks.Manifest
	if err := yaml.Unmarshal(text, &manifest); err != nil {
		log.Fatal(err)
	}
	fmt.Println(manifest.Title, "from", manifest.Valid.From)
	first := manifest.Bindings[0]
	fmt.Println(first.Specification, "after", first.After)
	// Output:
	// XRechnung 3.0 on UBL 2.1 from 2024-02-01
	// urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0 after [ubl-invoice en16931-ubl]
}

// The text of a rule names the terms that it is about, where nobody says so otherwise.
func ExampleTermsIn() {
	fmt.Println(rulebooks.TermsIn("[BR-CO-15]-Invoice total with VAT (BT-112) is the sum of BT-109 and BT-110; see BG-22."))
	// Output: [BT-112 BT-109 BT-110 BG-22]
}
