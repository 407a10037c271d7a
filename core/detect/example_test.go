package detect_test

import (
	"fmt"
	"log"

	"github.com/einvoiced/einvoiced/core/catalogue"
	"github.com/einvoiced/einvoiced/core/detect"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

func ExampleDocument() {
	formats, err := catalogue.New()
	if err != nil {
		log.Fatal(err)
	}
	doc, err := xmltree.Parse([]byte(`<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
	    xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
	  <cbc:CustomizationID>urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0</cbc:CustomizationID>
	</Invoice>`), xmltree.Options{})
	if err != nil {
		log.Fatal(err)
	}
	found := detect.Document(formats, doc)
	fmt.Println(found.Format, found.Version, found.Country, found.Method)
	// Output: XRECHNUNG_UBL 3.0 DE CUSTOMIZATION_ID
}
