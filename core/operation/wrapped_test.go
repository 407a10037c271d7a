package operation

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/envelope/sbdh"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
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

// TestAnswerOfTheGreekAuthority ensures that an answer is parsed, judged and converted as the invoices in it, on its own lines, and that the
// answers tell what it has besides.
func TestAnswerOfTheGreekAuthority(t *testing.T) {
	s := shippedService(t, today)
	invoices, second := readGolden(t, "01-goods"), readGolden(t, "10-foreign-currency")
	invoices = strings.Replace(invoices, "</InvoicesDoc>", second[strings.Index(second, "<invoice>"):strings.Index(second, "</InvoicesDoc>")]+"</InvoicesDoc>", 1)
	invoices = strings.Replace(invoices, "<invoiceType>", "<unknown>1</unknown>\n<invoiceType>", 1)
	answer := strings.NewReplacer("<InvoicesDoc", `<RequestedDoc xmlns="http://www.aade.gr/myDATA/invoice/v1.0"><invoicesDoc`, "</InvoicesDoc>",
		"</invoicesDoc><paymentMethodsDoc><paymentMethods>1</paymentMethods></paymentMethodsDoc></RequestedDoc>").Replace(invoices)
	plain, err := s.Parse(t.Context(), ParseRequest{Document: []byte(invoices)})
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := s.Parse(t.Context(), ParseRequest{Document: []byte(answer)})
	if err != nil || len(parsed.Invoices) != 2 || !reflect.DeepEqual(parsed.Invoices, plain.Invoices) || parsed.Format != "MYDATA" || !reflect.DeepEqual(parsed.Warnings, plain.Warnings) || len(plain.Warnings) != 1 {
		t.Fatalf("%v %+v, want %+v", err, parsed, plain)
	}
	const told = "the invoices were taken out of the authority's answer (RequestedDoc); not looked at: paymentMethodsDoc"
	if parsed.Infos[0] != (Info{finding.Unwrapped, told}) {
		t.Errorf("%v", parsed.Infos)
	}
	verdict, err := s.Validate(t.Context(), ValidateRequest{Country: "gr", Document: []byte(answer)})
	if err != nil || verdict.Valid || verdict.Infos[0].Message != told || !strings.Contains(verdict.Errors[0].Message, "unknown") {
		t.Errorf("%v %+v", err, verdict)
	}
	one, off := 1, false
	converted, err := s.Convert(t.Context(), ConvertRequest{Document: []byte(answer), Options: invoice.ConvertBody{TargetCountry: "DE", TargetFormat: "xrechnung", Validate: &off, Index: &one}})
	if err != nil || !strings.Contains(string(converted.Data), ">USD<") {
		t.Error(err)
	}
	empty := `<RequestedDoc xmlns="http://www.aade.gr/myDATA/invoice/v1.0"><continuationToken><nextRowKey>1</nextRowKey></continuationToken></RequestedDoc>`
	if _, err := s.Parse(t.Context(), ParseRequest{Document: []byte(empty)}); err == nil || !strings.Contains(refusalOf(err), "holds no invoices") {
		t.Errorf("an answer without invoices: %v", err)
	}
}
