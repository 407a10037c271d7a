package peppol

import (
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// TestKindOf_KeepsLittle ensures that what is kept of a document with each message is short, however long it is in a document that nobody judges.
func TestKindOf_KeepsLittle(t *testing.T) {
	long := strings.Repeat("ä", 100_000)
	doc, err := xmltree.Parse([]byte(`<Invoice xmlns="`+ublInvoice+`"><CustomizationID>urn:cen.eu:en16931:2017</CustomizationID><ID>`+long+`</ID><AccountingSupplierParty><Party><PostalAddress>`+
		`<Country><IdentificationCode>`+long+`</IdentificationCode></Country></PostalAddress></Party></AccountingSupplierParty></Invoice>`), xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer doc.Release()
	k, err := KindOf(doc)
	if err != nil || k.Number != strings.Repeat("ä", 127) || k.Country != "" {
		t.Errorf("a number of %d bytes, a country of %d; %v", len(k.Number), len(k.Country), err)
	}
}
