package command

import (
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"testing"
)

// sent is what tests read of a transmission.
type sent struct {
	TransmissionID, Status, MessageID string
	DocumentTypeID, ProcessID         string
	Attempts                          int
	Recipient, Sender                 struct{ PeppolID string }
	Invoice                           struct{ InvoiceNumber string }
	Failure                           struct{ Code, Message string }
}

// sendBody is a request to send the sample invoice.
func sendBody(t *testing.T, recipient string, more string) string {
	t.Helper()
	data, err := os.ReadFile("../testdata/documents/peppol-bis.xml")
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`{"data":%q,"recipient":{"peppolId":%q,"name":"Buyer"},"sender":{"peppolId":"0088:7315458756324"}%s}`, base64.StdEncoding.EncodeToString(data), recipient, more)
}

const sendPath = "/api/v1/peppol/send"

// transmission asks until a transmission is in one of the states.
func (c *contract) transmission(t *testing.T, transmissionID string, states ...string) (s sent) {
	t.Helper()
	eventually(t, "the transmission is "+strings.Join(states, " or "), func() bool {
		s = sent{}
		unmarshal(t, c.ask(t, "GET", "/api/v1/peppol/transmissions/"+transmissionID, "").Body, &s)
		return strings.Contains(strings.Join(states, " "), s.Status)
	})
	return s
}

// TestPeppolTestMode ensures the outcomes of test keys by recipient, the log and the document of a transmission, and that the same
// Idempotency-Key sends once.
func TestPeppolTestMode(t *testing.T) {
	c := newContract(t)
	for recipient, want := range map[string][2]string{
		"0088:4562458856624": {"delivered", ""}, "9915:x-sent": {"sent", ""}, "9915:x-unknown": {"failed", "PEPPOL_RECIPIENT_UNKNOWN"},
		"9915:x-unsupported": {"failed", "PEPPOL_DOCUMENT_TYPE_UNSUPPORTED"}, "9915:x-failed": {"failed", "PEPPOL_SEND_FAILED"}, "9915:x-retried": {"delivered", ""},
	} {
		r := c.ask(t, "POST", sendPath, sendBody(t, recipient, ""), "Idempotency-Key", recipient)
		var accepted sent
		unmarshal(t, r.Body, &accepted)
		if r.Status != 202 || accepted.Status != "queued" || accepted.MessageID == "" || accepted.Recipient.PeppolID != recipient || accepted.Invoice.InvoiceNumber == "" {
			t.Fatalf("%s: %d %s", recipient, r.Status, r.Body)
		}
		again := c.ask(t, "POST", sendPath, sendBody(t, recipient, ""), "Idempotency-Key", recipient)
		if again.Status != 202 || string(again.Body) != string(r.Body) {
			t.Errorf("%s: %d %s", recipient, again.Status, again.Body)
		}
		got := c.transmission(t, accepted.TransmissionID, "sent", "delivered", "failed")
		if got.Status != want[0] || got.Failure.Code != want[1] || got.MessageID != accepted.MessageID {
			t.Errorf("%s: %+v", recipient, got)
		}
		document := c.ask(t, "GET", "/api/v1/peppol/transmissions/"+got.TransmissionID+"/document", "")
		if document.Status != 200 || !strings.Contains(string(document.Body), got.MessageID) || !strings.Contains(string(document.Body), "<sh:Type>COUNTRY_C1") {
			t.Errorf("%d %.300s", document.Status, document.Body)
		}
		_, _, events := get(t, "GET", c.url+"/api/v1/peppol/transmissions/"+got.TransmissionID+"/events", c.key, "")
		if !strings.Contains(string(events), `"type":"`+want[0]+`"`) || strings.HasSuffix(recipient, "-retried") != strings.Contains(string(events), "attempt_failed") {
			t.Errorf("%s", events)
		}
	}
	_, _, list := get(t, "GET", c.url+"/api/v1/peppol/transmissions?limit=4", c.key, "")
	if strings.Count(string(list), "transmissionId") != 4 || !strings.Contains(string(list), `"has_more":true`) {
		t.Errorf("%s", list)
	}
}

// TestPeppolRefusals ensures what is refused before anything is sent: documents that break rules, requests that are none, and who may not.
func TestPeppolRefusals(t *testing.T) {
	c := newContract(t)
	data, err := os.ReadFile("../testdata/documents/peppol-bis.xml")
	if err != nil {
		t.Fatal(err)
	}
	broken := strings.Replace(string(data), "<cbc:IssueDate>", "<cbc:IssueDate>x", 1)
	good := sendBody(t, "0088:4562458856624", "")
	for name, r := range map[string]struct {
		body   string
		status int
		field  string
	}{
		"no recipient":             {`{"data":"PGEvPg=="}`, 400, "recipient.peppolId"},
		"no document":              {`{"recipient":{"peppolId":"0088:1"}}`, 400, "data"},
		"wrong recipient":          {sendBody(t, "1", ""), 400, "recipient.peppolId"},
		"another type":             {sendBody(t, "0088:1", `,"documentTypeId":"a::b##c::1"`), 400, "documentTypeId"},
		"rules are broken":         {fmt.Sprintf(`{"xml":%q,"recipient":{"peppolId":"0088:1"}}`, broken), 422, "data"},
		"no invoice":               {`{"xml":"<a/>","recipient":{"peppolId":"0088:1"}}`, 400, "data"},
		"PDF":                      {fmt.Sprintf(`{"data":%q,"recipient":{"peppolId":"0088:1"}}`, base64.StdEncoding.EncodeToString([]byte("%PDF-1.7"))), 422, "data"},
		"an invoice and no format": {`{"invoice":{},"recipient":{"peppolId":"0088:1"}}`, 400, "format"},
		"no JSON":                  {`[]`, 400, ""},
	} {
		if got := c.ask(t, "POST", sendPath, r.body); got.Status != r.status || got.Field != r.field {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
	}
	if got := c.ask(t, "GET", "/api/v1/peppol/participants/zzz", ""); got.Status != 400 || got.Field != "id" ||
		got.Message != `id: "zzz" is no Peppol identifier: it is four digits, a colon and the id of letters, digits and -._~, such as 0088:7315458756324` {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	other := &contract{service: c.service, key: c.createKey(t, "e-invoice:fr:*:create")}
	if got := other.ask(t, "POST", sendPath, good); got.Status != 403 || got.Message != "Missing entitlement: peppol:send" {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	if got := (&contract{service: c.service, key: "sk_test_x"}).ask(t, "POST", sendPath, good); got.Status != 401 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	if got := (&contract{service: c.service}).ask(t, "POST", sendPath, good); got.Status != 401 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	sender := &contract{service: c.service, key: c.createKey(t, "peppol:send")}
	invoice := `{"invoice":{},"countryCode":"DE","format":"ubl","recipient":{"peppolId":"0088:1"}}`
	if got := sender.ask(t, "POST", sendPath, invoice); got.Status != 403 || got.Message != "Missing entitlement: e-invoice:de:ubl:create" {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}
