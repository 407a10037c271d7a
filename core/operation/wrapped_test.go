package operation

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/envelope/sbdh"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/peppol"
)

// enveloped is an invoice in an envelope of the Peppol network.
func inEnvelope(t *testing.T) (envelope, inside []byte) {
	t.Helper()
	inside, err := os.ReadFile("../../testdata/documents/peppol-bis.xml")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := xmltree.Parse(inside, xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	kind, err := peppol.KindOf(doc)
	if err != nil {
		t.Fatal(err)
	}
	envelope, err = sbdh.Wrap(sbdh.Header{Sender: kind.Receiver, Receiver: kind.Receiver, DocumentType: kind.DocumentType, Process: kind.Process, Instance: "1",
		Country: kind.Country, Created: time.Unix(0, 0)}, inside)
	if err != nil {
		t.Fatal(err)
	}
	return envelope, inside
}

// TestPeppolEnvelope ensures that a document in an envelope of the Peppol network is parsed, judged and converted as the one inside,
// whatever is wrong with the envelope, and that the answers tell.
func TestPeppolEnvelope(t *testing.T) {
	s := fullService(t)
	envelope, inside := inEnvelope(t)
	plain, err := s.Parse(t.Context(), ParseRequest{Document: inside})
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range []string{string(envelope), strings.Replace(string(envelope), "<sh:Scope>", "<sh:Wrong>", 1)} {
		data = strings.Replace(data, "<sh:Wrong><sh:Type>DOCUMENTID</sh:Type>", "<sh:Scope>", 1)
		answer, err := s.Parse(t.Context(), ParseRequest{Document: []byte(data)})
		if err != nil || answer.Invoice.InvoiceNumber != plain.Invoice.InvoiceNumber || answer.Format != plain.Format || answer.Infos[0].Code != finding.Unwrapped {
			t.Fatalf("%v %+v", err, answer)
		}
		verdict, err := s.Validate(t.Context(), ValidateRequest{Country: *answer.Detection.CountryCode, Document: []byte(data)})
		if err != nil || len(verdict.Infos) == 0 || verdict.Infos[0].Code != finding.Unwrapped || !verdict.Valid {
			t.Errorf("%v %+v", err, verdict)
		}
	}
	for _, bad := range []string{"<sh:StandardBusinessDocument xmlns:sh='" + sbdh.Namespace + "'/>",
		"<s:StandardBusinessDocument xmlns:s='" + sbdh.Namespace + "'><BinaryContent xmlns='" + sbdh.ContentNamespace + "'>YQ==</BinaryContent></s:StandardBusinessDocument>"} {
		if _, err := s.Parse(t.Context(), ParseRequest{Document: []byte(bad)}); err == nil {
			t.Errorf("%s is parsed", bad)
		}
	}
}
