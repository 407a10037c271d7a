package format_test

import (
	"fmt"
	"log"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format"
)

// A catalogue of one country and one syntax: what a document is derives from the rows, by what it says of itself.
func ExampleCatalogue_Identify() {
	ubl := &format.Syntax{
		Name:     "ubl",
		Elements: []format.Element{{Local: "Invoice", Namespace: "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2", Detection: "UBL"}},
		Places:   format.Places{Number: []string{"ID"}, Specification: []string{"CustomizationID"}, Line: []string{"InvoiceLine"}},
		Cores:    format.Cores(),
	}
	catalogue, err := format.New(format.List{
		Countries: []format.Country{{Code: "DE", Name: "Germany", Tokens: []string{"xrechnung"}}},
		Tokens:    []format.Token{{ID: "xrechnung", Versions: []string{"3.0"}}},
		Syntaxes:  []*format.Syntax{ubl},
		Customisations: []format.Customisation{
			{Token: "xrechnung", Syntax: "ubl", Country: "DE", Detection: "XRECHNUNG_UBL", Contains: "kosit:xrechnung_"},
			{Token: "xrechnung", Syntax: "ubl", Detection: "UBL", Specification: format.CoreSpecification},
		},
		Versions: []format.Version{{Contains: "kosit:xrechnung_", Family: "XRechnung", After: "kosit:xrechnung_"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	doc, err := xmltree.Parse([]byte(`<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2">
	  <CustomizationID>urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0</CustomizationID>
	  <ID>2026-0117</ID><InvoiceLine/><InvoiceLine/></Invoice>`), xmltree.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("invoice", ubl.Number(doc), "has", ubl.Lines(doc), "lines") // BT-1, BG-25
	specification := ubl.Specification(doc)                                 // BT-24
	found, _ := catalogue.Identify(ubl, specification, "", "DE")
	fmt.Println(found.Detection, catalogue.Told(found, specification))
	// Output:
	// invoice 2026-0117 has 2 lines
	// XRECHNUNG_UBL 3.0
}
