package peppol

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/blob"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/seal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(dbtest.OnEach(m)) }

// told notes the events that were published, and the queue nothing.
type told struct{ events []string }

func (p *told) Ask(*db.Tx, string, account.Mode) (ledger.Publish, error) {
	return func(events ...ledger.Event) (ledger.Published, error) {
		for _, e := range events {
			p.events = append(p.events, e.Type+" "+string(e.Object))
		}
		return ledger.Published{}, nil
	}, nil
}

func (p *told) EnqueueSoon(string, string, int64) {}

type fixture struct {
	*Store
	told   *told
	clock  *clock.Hand
	folder *blob.Folder
	acc    string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{told: &told{}, clock: clock.NewHand(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))}
	database := dbtest.Open(t)
	sealer, err := seal.Open(seal.Config{Key: base64.StdEncoding.EncodeToString(make([]byte, 32))})
	do(t, err)
	accounts, err := account.New(account.Config{Clock: f.clock}, database)
	do(t, err)
	a, err := accounts.CreateAccount(t.Context(), "A")
	do(t, err)
	f.acc = a.ID
	f.folder, err = blob.OpenFolder(t.TempDir())
	do(t, err)
	t.Cleanup(func() { do(t, f.folder.Close()) })
	f.Store, err = New(Config{Clock: f.clock, Publisher: f.told, Queue: f.told, Object: func(t Transmission) []byte { return []byte(t.State) }}, database, f.folder, sealer)
	do(t, err)
	return f
}

func do(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// insert writes a transmission that the job sends.
func (f *fixture) insert(t *testing.T, job string) Transmission {
	t.Helper()
	tr := Transmission{ID: f.NewID(), Account: f.acc, Mode: account.Live, MessageID: "m-" + job, JobID: job, Sender: "0088:1", Recipient: "0088:2", Created: f.Now()}
	do(t, f.db.Write(t.Context(), func(tx *db.Tx) error { return f.Insert(tx, tr, Document{size: 4, row: []byte("<a/>")}) }))
	return tr
}

func (f *fixture) state(t *testing.T, transmissionID string) State {
	t.Helper()
	got, err := f.Get(t.Context(), f.acc, account.Live, transmissionID)
	do(t, err)
	return got.State
}

// TestAttempts ensures that an attempt belongs to the last run of the job, that a failure of an earlier one is left out, and that a receipt
// counts whoever brings it and ends all attempts.
func TestAttempts(t *testing.T) {
	f := newFixture(t)
	tr := f.insert(t, "j1")
	first, err := f.Begin(t.Context(), tr.ID, "j1", 1)
	if err != nil || string(first.Document) != "<a/>" || first.Attempts != 1 {
		t.Fatalf("%+v %v", first, err)
	}
	if _, err := f.Begin(t.Context(), tr.ID, "j1", 1); !errors.Is(err, ErrLost) {
		t.Error(err)
	}
	second, err := f.Begin(t.Context(), tr.ID, "j1", 2)
	do(t, err)
	if err := f.Settle(t.Context(), first, Outcome{State: Failed}); !errors.Is(err, ErrLost) {
		t.Error(err)
	}
	do(t, f.NoteFault(t.Context(), second, "the connection broke"))
	do(t, f.Settle(t.Context(), first, Outcome{State: Delivered, Receipt: "r"}))
	do(t, f.Settle(t.Context(), second, Outcome{State: Failed}))
	if f.state(t, tr.ID) != Delivered {
		t.Error(f.state(t, tr.ID))
	}
	if _, err := f.Begin(t.Context(), tr.ID, "j1", 3); !errors.Is(err, ErrSettled) {
		t.Error(err)
	}
	if want := "peppol.sent delivered, peppol.delivered delivered"; strings.Join(f.told.events, ", ") != want {
		t.Error(f.told.events)
	}
	events, err := f.Events(t.Context(), f.acc, account.Live, tr.ID)
	do(t, err)
	kinds := ""
	for i, e := range events {
		if kinds += e.Type + " "; e.Number != i+1 {
			t.Error(e)
		}
	}
	if kinds != "queued sending sending attempt_failed delivered " {
		t.Error(kinds)
	}
}

// TestRetryAndCancel ensures what may be queued again and canceled, that the message id stays, and that a late receipt ends a failed one.
func TestRetryAndCancel(t *testing.T) {
	f := newFixture(t)
	tr := f.insert(t, "j1")
	requeue := func(job string) (got Transmission, err error) {
		err = f.db.Write(t.Context(), func(tx *db.Tx) (err error) {
			got, err = f.Requeue(tx, f.acc, account.Live, tr.ID, job)
			return err
		})
		return got, err
	}
	if _, err := requeue("j2"); !errors.Is(err, ErrState) {
		t.Error(err)
	}
	a, err := f.Begin(t.Context(), tr.ID, "j1", 1)
	do(t, err)
	if _, err := f.Cancel(t.Context(), f.acc, account.Live, tr.ID); !errors.Is(err, ErrState) {
		t.Error(err)
	}
	do(t, f.Settle(t.Context(), a, Outcome{State: Failed, Code: "X", Reason: "no"}))
	again, err := requeue("j2")
	if err != nil || again.MessageID != tr.MessageID || again.State != Queued || again.Code != "" {
		t.Fatalf("%+v %v", again, err)
	}
	a, err = f.Begin(t.Context(), tr.ID, "j2", 1)
	do(t, err)
	do(t, f.Settle(t.Context(), a, Outcome{State: Failed, Code: "X", Reason: "no"}))
	do(t, f.Settle(t.Context(), a, Outcome{State: Delivered, Receipt: "late"}))
	if _, err := requeue("j3"); f.state(t, tr.ID) != Delivered || !errors.Is(err, ErrState) {
		t.Error(f.state(t, tr.ID), err)
	}
	other := f.insert(t, "j4")
	if _, err := f.Cancel(t.Context(), "another", account.Live, other.ID); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	canceled, err := f.Cancel(t.Context(), f.acc, account.Live, other.ID)
	if err != nil || canceled.State != Canceled {
		t.Error(canceled, err)
	}
	if _, err := f.Begin(t.Context(), other.ID, "j4", 1); !errors.Is(err, ErrSettled) {
		t.Error(err)
	}
}

// TestTenants ensures that nothing of another account or mode is shown, and that documents go when their retention is over.
func TestTenants(t *testing.T) {
	f := newFixture(t)
	tr := f.insert(t, "j1")
	for _, who := range []struct {
		acc  string
		mode account.Mode
	}{{"another", account.Live}, {f.acc, account.Test}} {
		_, one := f.Get(t.Context(), who.acc, who.mode, tr.ID)
		_, two := f.Events(t.Context(), who.acc, who.mode, tr.ID)
		_, three := f.Document(t.Context(), who.acc, who.mode, tr.ID)
		list, _, err := f.List(t.Context(), who.acc, who.mode, db.Page{})
		if !errors.Is(one, ErrNotFound) || !errors.Is(two, ErrNotFound) || !errors.Is(three, ErrNotFound) || err != nil || len(list) > 0 {
			t.Error(who, one, two, three, err, list)
		}
	}
	list, more, err := f.List(t.Context(), f.acc, account.Live, db.Page{})
	if err != nil || more || len(list) != 1 {
		t.Error(list, more, err)
	}
	orphans, err := f.SettleOrphans(t.Context(), 10)
	if err != nil || orphans != 1 || f.state(t, tr.ID) != Failed {
		t.Error(orphans, err)
	}
	f.clock.Add(8 * 24 * time.Hour)
	if n, err := f.Expire(t.Context()); err != nil || n != 1 {
		t.Error(n, err)
	}
	counted := f.counted(t)
	if want := -int64(len("<a/>")); counted != want { // who accepts the job counts it in
		t.Errorf("%d bytes are counted, want %d", counted, want)
	}
	if _, err := f.Document(t.Context(), f.acc, account.Live, tr.ID); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
}

// counted is how many bytes are counted for the account.
func (f *fixture) counted(t *testing.T) (bytes int64) {
	t.Helper()
	do(t, f.db.Get(t.Context(), &bytes, "SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM stored_inputs WHERE account_id = ?", f.acc))
	return bytes
}

// TestReceiptsCountAsStored ensures that a receipt counts for the account that keeps it, and one that takes the place of another no more than the difference.
func TestReceiptsCountAsStored(t *testing.T) {
	f := newFixture(t)
	tr := f.insert(t, "j1")
	a, err := f.Begin(t.Context(), tr.ID, "j1", 1)
	do(t, err)
	for _, c := range []struct {
		outcome Outcome
		want    int64
	}{
		{Outcome{State: Sent, Receipt: "1234"}, 4},
		{Outcome{State: Delivered, Receipt: "123456"}, 6},
		{Outcome{State: Delivered, Receipt: "12345678"}, 6}, // changes nothing
	} {
		do(t, f.Settle(t.Context(), a, c.outcome))
		if got := f.counted(t); got != c.want {
			t.Errorf("%d bytes are counted after %s, want %d", got, c.outcome.State, c.want)
		}
	}
}

// TestExpire_LittleAtATime ensures that no transaction removes more of large documents than others can wait for, and that no list reads what may be long.
func TestExpire_LittleAtATime(t *testing.T) {
	f := newFixture(t)
	const documents, size = 5, 15 << 20
	for i := range documents {
		tr := Transmission{ID: f.NewID(), Account: f.acc, Mode: account.Live, MessageID: fmt.Sprint(i), JobID: fmt.Sprint(i), Sender: "0088:1", Recipient: "0088:2", Created: f.Now()}
		do(t, f.db.Write(t.Context(), func(tx *db.Tx) error { return f.Insert(tx, tr, Document{size: size, row: make([]byte, size)}) }))
		a, err := f.Begin(t.Context(), tr.ID, tr.JobID, 1)
		do(t, err)
		do(t, f.Settle(t.Context(), a, Outcome{State: Delivered, Receipt: "r"}))
	}
	f.clock.Add(8 * 24 * time.Hour)
	if list, _, err := f.List(t.Context(), f.acc, account.Live, db.Page{}); err != nil || len(list) != documents || list[0].Receipt != "" || list[0].State != Delivered {
		t.Errorf("a list has receipts: %+v, %v", list, err)
	}
	for _, want := range []int{2, 2, 1, 0} {
		if n, err := f.Expire(t.Context()); err != nil || n != want {
			t.Errorf("%d documents were removed, want %d; %v", n, want, err)
		}
	}
}

// TestCallbacks ensures that settings come back and lie sealed, and that a call-back is taken once and only for messages of its account.
func TestCallbacks(t *testing.T) {
	f := newFixture(t)
	if _, err := f.Settings(t.Context(), f.acc, account.Live); !errors.Is(err, ErrNotConfigured) {
		t.Error(err)
	}
	first, err := f.Configure(t.Context(), f.acc, account.Live, []byte(`{"secret":"s3cret"}`))
	do(t, err)
	again, err := f.Configure(t.Context(), f.acc, account.Live, []byte(`{"secret":"s3cret"}`))
	if err != nil || again.CallbackID != first.CallbackID {
		t.Error(again, err)
	}
	var sealed []byte
	do(t, f.db.Get(t.Context(), &sealed, "SELECT sealed FROM peppol_settings"))
	if strings.Contains(string(sealed), "s3cret") {
		t.Error("the secret stands in the database")
	}
	caller, err := f.Caller(t.Context(), first.CallbackID)
	if err != nil || string(caller.Data) != `{"secret":"s3cret"}` || caller.Account != f.acc {
		t.Error(caller, err)
	}
	if _, err := f.Caller(t.Context(), "pcb_other"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	tr := f.insert(t, "j1")
	a, err := f.Begin(t.Context(), tr.ID, "j1", 1)
	do(t, err)
	do(t, f.Settle(t.Context(), a, Outcome{State: Sent}))
	for i, want := range []error{nil, ErrReplayed} {
		if err := f.TakeCallback(t.Context(), caller, "d", tr.MessageID, Outcome{State: Delivered, Receipt: "r"}); !errors.Is(err, want) {
			t.Error(i, err)
		}
	}
	if err := f.TakeCallback(context.WithoutCancel(t.Context()), caller, "e", "unknown", Outcome{State: Delivered}); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if got := fmt.Sprint(f.told.events); f.state(t, tr.ID) != Delivered || got != "[peppol.sent sent peppol.delivered delivered]" {
		t.Error(got)
	}
}
