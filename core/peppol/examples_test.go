package peppol

import (
	"os"
	"regexp"
	"testing"

	"github.com/go-json-experiment/json"
)

// example is a block of settings in the guide.
var example = regexp.MustCompile("(?s)```json\n(\\{\"provider\".*?)```")

// said is an answer, and what it means; an empty state is that it cannot be understood.
type said struct {
	body  string
	state string
	what  string // the message of a failure, the receipt of a delivery
}

// TestExamplesOfProviders ensures that the settings of each provider in docs/peppol.md may be put as they stand there, and read answers as these publishers describe them:
//   - phase4: Phase4PeppolSendingReport.getAsJsonObject in phase4-peppol-client (github.com/phax/phase4), of which sendingSuccess, as4ReceivedSignalMsg,
//     sbdhInstanceIdentifier, sendingError, sendingException, as4ResponseErrors, lookupError, lookupException and sbdhParsingException are read;
//   - phoss-ap: OutboundController and OutboundTransactionResponse (github.com/phax/phoss-ap), of which status and errorDetails are read.
func TestExamplesOfProviders(t *testing.T) {
	guide, err := os.ReadFile("../../docs/peppol.md")
	if err != nil {
		t.Fatal(err)
	}
	phase4 := []said{
		{`{"phase4Version":"4.4.1","sbdhInstanceIdentifier":"m","as4ReceivedSignalMsg":"<eb:SignalMessage/>","as4ResponseError":false,"sendingResult":"SUCCESS","sendingSuccess":true,"overallSuccess":true}`, "delivered", "<eb:SignalMessage/>"},
		{`{"as4ReceivedSignalMsg":"<eb:SignalMessage/>","sendingSuccess":true,"overallSuccess":false}`, "delivered", "<eb:SignalMessage/>"},
		{`{"lookupError":"no endpoint","sendingSuccess":false,"overallSuccess":false}`, "failed", "no endpoint"},
		{`{"sendingResult":"TRANSPORT_ERROR","sendingException":{"class":"E","message":"refused","stackTrace":""},"sendingSuccess":false}`, "failed", "refused"},
		{`{"as4ResponseError":true,"as4ResponseErrors":[{"errorCode":"EBMS:0004","shortDescription":"Other"}],"sendingSuccess":false}`, "failed", "Other"},
		{`"no report"`, "", ""},
	}
	answers := [][]said{
		{{`{"data":{"status":"queued"}}`, "sent", ""}, {`{"data":{"status":"acknowledged","receipt":"r"}}`, "delivered", "r"}, {`{"data":{"status":"error","error":"no"}}`, "failed", "no"}, {`{}`, "", ""}},
		phase4, phase4,
		{{`{"sendingSuccess":true,"as4ReceivedSignalMsg":"<eb:SignalMessage/>"}`, "delivered", "<eb:SignalMessage/>"}},
	}
	statuses := map[int][]said{
		0: {{`{"data":{"status":"sent"}}`, "sent", ""}},
		3: {{`{"sbdhInstanceID":"m","status":"failed","attemptCount":1,"nextRetryDT":"2026-03-01T12:00:00Z","errorDetails":"away"}`, "sent", ""}, {`{"status":"sent"}`, "delivered", ""},
			{`{"status":"permanently_failed","errorDetails":"away"}`, "failed", "away"}, {`{"status":"rejected"}`, "failed", ""}, {`{"status":"new"}`, "", ""}},
	}
	found := example.FindAllSubmatch(guide, -1)
	if len(found) != len(answers) {
		t.Fatalf("the guide has %d examples, want %d", len(found), len(answers))
	}
	for i, block := range found {
		var s Settings
		if err := json.Unmarshal(block[1], &s, json.RejectUnknownMembers(true)); err != nil {
			t.Errorf("example %d: %v", i, err)
		}
		if err := s.Check(); err != nil {
			t.Errorf("example %d: %v", i, err)
		}
		reads(t, s.Provider.Answer, answers[i])
		reads(t, s.Provider.ForStatus().Answer, statuses[i])
		if c := s.Provider.Callback; c.Answer != nil {
			told, err := c.Answer.Read([]byte(`{"event":{"status":"acknowledged","reference":"m"}}`))
			if err != nil || told.State != "delivered" || told.MessageID != "m" {
				t.Errorf("example %d: %+v %v", i, told, err)
			}
		}
	}
}

func reads(t *testing.T, m Mapping, answers []said) {
	t.Helper()
	for _, a := range answers {
		told, err := m.Read([]byte(a.body))
		what := told.Message
		if told.State == "delivered" {
			what = told.Receipt
		}
		if told.State != a.state || (err == nil) != (a.state != "") || a.state != "sent" && what != a.what {
			t.Errorf("%s: %+v %v, want %s %s", a.body, told, err, a.state, a.what)
		}
	}
}
