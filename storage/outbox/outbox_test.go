package outbox

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(dbtest.OnEach(m)) }

// fixture is an outbox in a database of its own, with a clock that the test moves.
type fixture struct {
	*Store
	clock *clock.Hand
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	database := dbtest.Open(t)
	hand := clock.NewHand(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	store, err := New(Config{Clock: hand}, database)
	do(t, err)
	return &fixture{store, hand}
}

// do fails the test with the first error.
func do(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// owe writes entries, each due after a delay.
func (f *fixture) owe(t *testing.T, after time.Duration, entries ...Entry) {
	t.Helper()
	do(t, f.db.Write(t.Context(), func(tx *db.Tx) error {
		for _, d := range entries {
			d.Due = f.clock.Now().Add(after)
			if err := Add(tx, d); err != nil {
				return err
			}
		}
		return nil
	}))
}

func message(subject string, run int64) Entry {
	return Entry{Kind: Enqueue, Subject: subject, Queue: "default", Run: run}
}

// owed gives the messages that are due.
func (f *fixture) owed(t *testing.T) []Message {
	t.Helper()
	owed, err := f.Due(t.Context(), 1000)
	do(t, err)
	return owed
}

func TestConfigIsChecked(t *testing.T) {
	for _, again := range []time.Duration{-1, time.Millisecond} {
		if _, err := New(Config{EnqueueAgain: again}, nil); err == nil {
			t.Errorf("%s is accepted", again)
		}
	}
	if s, err := New(Config{}, nil); err != nil || s.cfg.EnqueueAgain != 30*time.Second {
		t.Errorf("default %+v, error %v", s, err)
	}
}

func TestMessagesAreOwedFromTheirTimeTheOldestFirst(t *testing.T) {
	f := newFixture(t)
	f.owe(t, 2*time.Second, message("job_b", 1))
	f.owe(t, time.Second, message("dlv_a", 4))
	f.owe(t, 0, Entry{Kind: Purge, Subject: "job_c"})
	f.clock.Add(2*time.Second - time.Millisecond)
	if got := f.owed(t); len(got) != 1 {
		t.Errorf("owed early: %+v", got)
	}
	f.clock.Add(time.Millisecond)
	want := []Message{{Subject: "dlv_a", Queue: "default", Run: 4}, {Subject: "job_b", Queue: "default", Run: 1}}
	if diff := cmp.Diff(want, f.owed(t)); diff != "" {
		t.Error(diff)
	}
	if got, err := f.Due(t.Context(), 1); err != nil || len(got) != 1 || got[0].Subject != "dlv_a" {
		t.Errorf("with limit 1: %+v, error %v", got, err)
	}
}

func TestEntryIsReplacedAndSettled(t *testing.T) {
	f := newFixture(t)
	f.owe(t, 0, message("job_a", 1))
	do(t, f.Enqueued(t.Context(), f.owed(t)))
	f.owe(t, 0, Entry{Kind: Enqueue, Subject: "job_a", Queue: "embed", Run: 7})
	if diff := cmp.Diff([]Message{{Subject: "job_a", Queue: "embed", Run: 7}}, f.owed(t)); diff != "" {
		t.Error(diff)
	}
	for range 2 { // settling again changes nothing
		do(t, f.db.Write(t.Context(), func(tx *db.Tx) error { return Remove(tx, Enqueue, "job_a") }))
	}
	f.clock.Add(time.Hour)
	if got := f.owed(t); len(got) != 0 {
		t.Errorf("owed after it was settled: %+v", got)
	}
}

func TestEntryThatIsPutOffIsDueLater(t *testing.T) {
	f := newFixture(t)
	f.owe(t, 0, message("job_a", 1))
	do(t, f.db.Write(t.Context(), func(tx *db.Tx) error { return PutOff(tx, Enqueue, "job_a", f.clock.Now().Add(time.Minute)) }))
	f.clock.Add(59 * time.Second)
	if got := f.owed(t); len(got) != 0 {
		t.Errorf("owed before a minute: %+v", got)
	}
	f.clock.Add(time.Second)
	if got := f.owed(t); len(got) != 1 || got[0].Tries != 1 {
		t.Errorf("owed after a minute: %+v", got)
	}
}

func TestAllMessagesAreDueAfterTheQueueHasLostThem(t *testing.T) {
	f := newFixture(t)
	for i := range 20 {
		f.owe(t, time.Duration(i)*time.Minute, message(fmt.Sprint("job_", i), 1))
	}
	f.owe(t, time.Hour, Entry{Kind: Purge, Subject: "job_1"})
	if n, err := f.MakeAllDue(t.Context()); err != nil || n != 19 {
		t.Errorf("%d made due, error %v, want the 19 that were not", n, err)
	}
	if got := f.owed(t); len(got) != 20 {
		t.Errorf("%d owed", len(got))
	}
}

func TestMessagesOfWhatWaitsGrowRare(t *testing.T) {
	f := newFixture(t)
	f.owe(t, EnqueueAgain, message("job_a", 1))
	var waits []time.Duration
	for range 7 {
		waited := time.Duration(0)
		for len(f.owed(t)) == 0 {
			waited += 15 * time.Second
			f.clock.Add(15 * time.Second)
		}
		do(t, f.Enqueued(t.Context(), f.owed(t)))
		waits = append(waits, waited/time.Second)
	}
	if want := []time.Duration{30, 30, 60, 120, 240, 480, 600}; !slices.Equal(waits, want) {
		t.Fatalf("waits %d, want %d seconds", waits, want)
	}
}

func TestMessageThatAWorkerHoldsGetsAnotherNumber(t *testing.T) {
	f := newFixture(t)
	f.owe(t, 0, message("job_a", 1))
	owed := f.owed(t)
	owed[0].Held = true
	do(t, f.Enqueued(t.Context(), owed))
	f.clock.Add(time.Minute)
	if got := f.owed(t); len(got) != 1 || got[0].Run != 2 {
		t.Fatalf("owed %+v", got)
	}
}

func TestNoteOfAnOldMessageLeavesTheNewEntryAlone(t *testing.T) {
	f := newFixture(t)
	f.owe(t, 0, message("job_a", 1))
	old := f.owed(t)
	f.owe(t, 0, message("job_a", 2))
	do(t, f.Enqueued(t.Context(), old))
	if got := f.owed(t); len(got) != 1 || got[0].Run != 2 || got[0].Tries != 0 {
		t.Fatalf("owed %+v", got)
	}
}

func TestOwedMessagesAreFoundByTheirIndex(t *testing.T) {
	f := &fixture{Store: &Store{db: dbtest.Reopen(t, dbtest.SQLite(t))}}
	var plan []struct {
		ID, Parent, Notused int
		Detail              string
	}
	do(t, f.db.Select(t.Context(), &plan, "EXPLAIN QUERY PLAN "+selectMessages, 1, 1))
	if text := fmt.Sprint(plan); !strings.Contains(text, "INDEX outbox_by_due") || strings.Contains(text, "TEMP B-TREE") {
		t.Errorf("done as %s", text)
	}
}

func TestUrgentMessagesDoNotGrowRare(t *testing.T) {
	f := newFixture(t)
	f.owe(t, 0, message("job_a", 1))
	for i := range 8 {
		owed := f.owed(t)
		if len(owed) != 1 {
			t.Fatalf("owed for the time no. %d: %+v", i+1, owed)
		}
		owed[0].Urgent = true
		do(t, f.Enqueued(t.Context(), owed))
		f.clock.Add(5*time.Second - time.Millisecond)
		if got := f.owed(t); len(got) != 0 {
			t.Errorf("owed early: %+v", got)
		}
		f.clock.Add(time.Millisecond)
	}
}
