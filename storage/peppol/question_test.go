package peppol

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
)

// taken writes a transmission of a mode that the provider has taken, and that is to be asked about after a minute.
func (f *fixture) taken(t *testing.T, job string, mode account.Mode) Transmission {
	t.Helper()
	tr := Transmission{ID: f.NewID(), Account: f.acc, Mode: mode, MessageID: "m-" + job, JobID: job, Sender: "0088:1", Recipient: "0088:2", Created: f.Now()}
	do(t, f.db.Write(t.Context(), func(tx *db.Tx) error { return f.Insert(tx, tr, Document{size: 4, row: []byte("<a/>")}) }))
	a, err := f.Begin(t.Context(), tr.ID, job, 1)
	do(t, err)
	do(t, f.Settle(t.Context(), a, Outcome{State: Sent, AskAfter: time.Minute}))
	return tr
}

func (f *fixture) questions(t *testing.T) []Question {
	t.Helper()
	due, err := f.Questions(t.Context())
	do(t, err)
	return due
}

// TestQuestions ensures that what was sent is asked about when it is due, once whoever asks, in live mode alone, and no more when its answer has come.
func TestQuestions(t *testing.T) {
	f := newFixture(t)
	tr, since := f.taken(t, "j1", account.Live), f.Now()
	f.taken(t, "j2", account.Test)
	if due := f.questions(t); len(due) > 0 {
		t.Errorf("%+v", due)
	}
	f.clock.Add(time.Minute)
	due := f.questions(t)
	if len(due) != 1 || due[0].ID != tr.ID || due[0].Asked != 0 || !due[0].Since.Equal(since) || due[0].Run != 1 {
		t.Fatalf("%+v", due)
	}
	again := f.Now().Add(2 * time.Minute)
	a, err := f.Ask(t.Context(), due[0], again)
	if err != nil || string(a.Document) != "<a/>" || a.Run != 1 {
		t.Errorf("%+v %v", a, err)
	}
	if _, err := f.Ask(t.Context(), due[0], again); !errors.Is(err, ErrLost) {
		t.Errorf("it was asked twice: %v", err)
	}
	if due := f.questions(t); len(due) > 0 {
		t.Errorf("%+v", due)
	}
	f.clock.Add(2 * time.Minute)
	if due = f.questions(t); len(due) != 1 || due[0].Asked != 1 {
		t.Fatalf("%+v", due)
	}
	do(t, f.Settle(t.Context(), a, Outcome{State: Failed, Code: "c"}))
	if left := f.questions(t); len(left) > 0 || f.state(t, tr.ID) != Failed {
		t.Errorf("%+v", left)
	}
	if _, err := f.Ask(t.Context(), due[0], again); !errors.Is(err, ErrLost) {
		t.Errorf("it was asked after its end: %v", err)
	}
	do(t, f.Settle(t.Context(), a, Outcome{State: Delivered, Receipt: "r"}))
	if f.state(t, tr.ID) != Delivered {
		t.Error("a receipt that comes after all does not count")
	}
}

// TestQuestionsAfterARetry ensures that the time without a receipt begins anew when a transmission is sent again.
func TestQuestionsAfterARetry(t *testing.T) {
	f := newFixture(t)
	tr := f.taken(t, "j1", account.Live)
	f.clock.Add(time.Hour)
	a, err := f.Ask(t.Context(), f.questions(t)[0], time.Time{})
	do(t, err)
	if due := f.questions(t); len(due) > 0 {
		t.Errorf("%+v", due)
	}
	do(t, f.Settle(t.Context(), a, Outcome{State: Failed}))
	do(t, f.db.Write(t.Context(), func(tx *db.Tx) error {
		_, err := f.Requeue(tx, f.acc, account.Live, tr.ID, "j2")
		return err
	}))
	a, err = f.Begin(t.Context(), tr.ID, "j2", 1)
	do(t, err)
	do(t, f.Settle(t.Context(), a, Outcome{State: Sent, AskAfter: time.Minute}))
	since := f.Now()
	f.clock.Add(time.Minute)
	if due := f.questions(t); len(due) != 1 || !due[0].Since.Equal(since) || due[0].Asked != 0 {
		t.Errorf("%+v, want it since %s", due, since)
	}
}

// TestQuestionsOfManyAccounts ensures that an account with many transmissions leaves room for the others.
func TestQuestionsOfManyAccounts(t *testing.T) {
	f := newFixture(t)
	for i := range questionsOfAnybody + 5 {
		f.taken(t, fmt.Sprintf("j%d", i), account.Live)
	}
	f.clock.Add(time.Minute)
	if due := f.questions(t); len(due) != questionsOfAnybody {
		t.Errorf("%d are due", len(due))
	}
}
