package kinds

import (
	"bytes"
	"errors"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/answers"
)

// TestPrepareBy_GivesWhatPrepareSendGives ensures that what a runner prepares, which gets the request and gives the result as bytes, is what is prepared here: documents
// and invoices, in all that a request may say, and refusals in their public words.
func TestPrepareBy_GivesWhatPrepareSendGives(t *testing.T) {
	document, err := os.ReadFile("../../testdata/documents/peppol-bis.xml")
	if err != nil {
		t.Fatal(err)
	}
	invoice, err := os.ReadFile("../../testdata/countries/de.json")
	if err != nil {
		t.Fatal(err)
	}
	ops := service(t)
	books, err := rulebook.NewRegistry(t.Context(), rulebook.Config{})
	if err != nil {
		t.Fatal(err)
	}
	runner := job.NewLocal(All(ops), books, nil)
	created := time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)
	for name, req := range map[string]SendRequest{
		"a document":         {Document: document, Recipient: "9915:b"},
		"all that is said":   {Document: document, Recipient: "9915:b", Sender: "0088:1", Process: "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0", Unjudged: true},
		"who sends else":     {Document: []byte(bare), Recipient: "9915:b", Fallback: "0088:7", Unjudged: true},
		"an invoice":         {Invoice: invoice, Country: "de", Format: "xrechnung", Recipient: "9915:b"},
		"no recipient":       {Document: document, Recipient: "b"},
		"no document at all": {Document: []byte("x"), Recipient: "9915:b"},
		"another type":       {Document: document, Recipient: "9915:b", DocumentType: "busdox-docid-qns::a"},
		"a PDF":              {Invoice: invoice, Country: "de", Format: "zugferd", Recipient: "9915:b"},
	} {
		req.MessageID, req.Created = "3739db04-7e4e-4c89-b170-c543dd252249", created
		want, wrong := PrepareSend(t.Context(), ops, req)
		got, err := PrepareBy(t.Context(), runner, req)
		if _, refused := errors.AsType[*finding.Refusal](wrong); refused && err != nil {
			told, want := answers.RefusalOf(err), answers.RefusalOf(wrong)
			if told.Status != want.Status || !bytes.Equal(told.Body(), want.Body()) {
				t.Errorf("%s: %s, want %s", name, told.Body(), want.Body())
			}
			continue
		}
		if wrong != nil || err != nil {
			t.Errorf("%s: %v, %v", name, wrong, err)
			continue
		}
		want.document = nil // which nobody sees
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%+v\nwant\n%+v", name, got, want)
		}
	}
}

// bare is the least that can be sent, which does not tell who sends.
const bare = `<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"><CustomizationID>urn:cen.eu:en16931:2017</CustomizationID><ID>1</ID>
	<AccountingSupplierParty><Party><PostalAddress><Country><IdentificationCode>DE</IdentificationCode></Country></PostalAddress></Party></AccountingSupplierParty></Invoice>`
