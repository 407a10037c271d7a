package sbdh_test

import (
	"bytes"
	"fmt"
	"log"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/envelope/sbdh"
	"github.com/einvoiced/einvoiced/core/peppol"
)

// An invoice goes into an envelope of the Peppol network and comes out of it as it was. An envelope that names another document type than
// the one inside is refused by a strict check, and opened all the same.
func Example() {
	invoice := []byte(`<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"><ID>TOSL108</ID></Invoice>`)
	buyer, err := peppol.ParseParticipant("iso6523-actorid-upis::0088:7315458756324")
	if err != nil {
		log.Fatal(err)
	}
	kind, err := peppol.ParseDocumentType("busdox-docid-qns::urn:oasis:names:specification:ubl:schema:xsd:Invoice-2::Invoice##" +
		"urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0::2.1")
	if err != nil {
		log.Fatal(err)
	}
	process, err := peppol.ParseProcess("cenbii-procid-ubl::urn:fdc:peppol.eu:2017:poacc:billing:01:1.0")
	if err != nil {
		log.Fatal(err)
	}
	envelope, err := sbdh.Wrap(sbdh.Header{
		Sender: peppol.Participant{Scheme: "0007", ID: "5567321707"}, Receiver: buyer, DocumentType: kind, Process: process, Country: "SE",
		Instance: "3739db04-7e4e-4c89-b170-c543dd252249", Created: time.Date(2026, 9, 1, 8, 30, 0, 0, time.UTC),
	}, invoice)
	if err != nil {
		log.Fatal(err)
	}
	for _, data := range [][]byte{envelope, bytes.Replace(envelope, []byte("Type>Invoice<"), []byte("Type>CreditNote<"), 1)} {
		doc, err := xmltree.Parse(data, xmltree.Options{})
		if err != nil {
			log.Fatal(err)
		}
		for _, fault := range sbdh.Check(doc) {
			fmt.Println(fault.Rule, fault.Path)
		}
		inside, err := sbdh.Unwrap(doc)
		fmt.Println(bytes.Equal(inside, invoice), err)
	}
	// Output:
	// true <nil>
	// invalid-type /sh:StandardBusinessDocument/sh:StandardBusinessDocumentHeader/sh:DocumentIdentification/sh:Type
	// true <nil>
}
