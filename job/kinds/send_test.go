package kinds

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/peppol"
)

// oneTransmission is a Transmissions with one, which notes what is told of it.
type oneTransmission struct {
	peppol.Transmission
	begin error
	told  string
}

func (o *oneTransmission) Begin(_ context.Context, _, _ string, run int64) (peppol.Attempt, error) {
	return peppol.Attempt{Transmission: o.Transmission, Run: run}, o.begin
}

func (o *oneTransmission) NoteFault(_ context.Context, _ peppol.Attempt, message string) error {
	o.told = "again " + message
	return nil
}

func (o *oneTransmission) Settle(_ context.Context, _ peppol.Attempt, to peppol.Outcome) error {
	o.told = fmt.Sprintf("%s %s", to.State, to.Code)
	return nil
}

// oneOutcome is a Sender that gives these.
type oneOutcome struct {
	outcome peppol.Outcome
	err     error
}

func (a oneOutcome) Send(context.Context, peppol.Attempt) (peppol.Outcome, error) {
	return a.outcome, a.err
}

// TestSend ensures what comes of a run: the job succeeds, and is counted, where the document was sent, also by a run that died before it could say so; it is
// tried again after a fault, until there were too many; and it is refused where nothing is to be sent.
func TestSend(t *testing.T) {
	fault := &SendFault{Message: "no answer"}
	for name, c := range map[string]struct {
		transmission oneTransmission
		sender       oneOutcome
		want         string // success, refused or again
		told         string
	}{
		"sent":               {oneTransmission{}, oneOutcome{outcome: peppol.Outcome{State: peppol.Sent}}, "success", "sent "},
		"refused":            {oneTransmission{}, oneOutcome{outcome: peppol.Outcome{State: peppol.Failed, Code: "X"}}, "refused", "failed X"},
		"a fault":            {oneTransmission{Transmission: peppol.Transmission{Tries: sendTries - 1}}, oneOutcome{err: fault}, "again", "again no answer"},
		"too many faults":    {oneTransmission{Transmission: peppol.Transmission{Tries: sendTries}}, oneOutcome{err: fault}, "refused", "failed " + finding.PeppolSendFailed},
		"our own failure":    {oneTransmission{Transmission: peppol.Transmission{Tries: sendTries}}, oneOutcome{err: errors.New("disk")}, "again", ""},
		"sent by a dead run": {oneTransmission{Transmission: peppol.Transmission{State: peppol.Delivered}, begin: peppol.ErrSettled}, oneOutcome{}, "success", ""},
		"canceled":           {oneTransmission{Transmission: peppol.Transmission{State: peppol.Canceled}, begin: peppol.ErrSettled}, oneOutcome{}, "refused", ""},
		"taken by another":   {oneTransmission{begin: peppol.ErrLost}, oneOutcome{}, "again", ""},
	} {
		o := job.Order{Parameters: &SendParameters{Transmission: "trm_1"}}
		kind := Send(&c.transmission, c.sender)
		out, err := kind.Run(t.Context(), job.Run{ID: "job_1", Number: 1}, &o)
		got := "success"
		if _, refusal := errors.AsType[*finding.Refusal](err); refusal {
			got = "refused"
		} else if err != nil {
			got = "again"
		}
		if got != c.want || c.transmission.told != c.told || (out != nil) != (got == "success") {
			t.Errorf("%s: %s %v, told %q", name, got, err, c.transmission.told)
		}
	}
}

// TestTestOutcomes ensures that each recipient of test keys has the outcome that the guide tells, without a sender.
func TestTestOutcomes(t *testing.T) {
	for recipient, want := range map[string]string{"9915:a": "delivered ", "9915:a-unknown": "failed " + finding.PeppolRecipientUnknown, "9915:a-sent": "sent ", "9915:a-retried": "again no answer came (test mode)"} {
		o := oneTransmission{Transmission: peppol.Transmission{Mode: account.Test, Recipient: recipient, Tries: 1}}
		kind := Send(&o, nil)
		_, _ = kind.Run(t.Context(), job.Run{Number: 1}, &job.Order{Parameters: &SendParameters{}})
		if o.told != want {
			t.Errorf("%s: %q", recipient, o.told)
		}
	}
}
