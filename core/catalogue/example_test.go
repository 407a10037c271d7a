package catalogue_test

import (
	"fmt"
	"log"

	"github.com/einvoiced/einvoiced/core/catalogue"
	"github.com/einvoiced/einvoiced/core/format"
)

// The catalogue knows which token a country has, and what is written for it.
func Example() {
	formats, err := catalogue.New()
	if err != nil {
		log.Fatal(err)
	}
	germany, _ := formats.Country("de")
	xrechnung, _ := formats.Token("xrechnung")
	fmt.Println(germany.Code, xrechnung.ID, formats.Reads(germany, xrechnung))
	written := formats.Written(germany, xrechnung.ID, format.Options{})
	fmt.Println(written.Detection, written.Specification)
	// Output:
	// DE xrechnung true
	// XRECHNUNG_UBL urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0
}
