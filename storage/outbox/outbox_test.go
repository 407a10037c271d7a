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
func (f *fixture) owed(t *testing.T) (owed []Message) {
	t.Helper()
	for _, queue := range []string{"default", "embed"} {
		first, err := f.Due(t.Context(), queue, 1000)
		do(t, err)
		again, err := f.DueAgain(t.Context(), queue, 1000)
		do(t, err)
		owed = append(owed, append(first, again...)...)
	}
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
	if got, err := f.Due(t.Context(), "default", 1); err != nil || len(got) != 1 || got[0].Subject != "dlv_a" {
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

// TestMessagesAreDueAfterTheQueueHasLostThem ensures that what has stood in a queue is due, and neither what is to be enqueued later for the first time,
// nor what is owed to another queue.
func TestMessagesAreDueAfterTheQueueHasLostThem(t *testing.T) {
	f := newFixture(t)
	for i := range 20 {
		f.owe(t, time.Duration(i)*10*time.Second, message(fmt.Sprint("job_", i), 1))
	}
	f.owe(t, 10*time.Second, Entry{Kind: Enqueue, Subject: "job_other", Queue: "embed"}, Entry{Kind: Purge, Subject: "job_1"})
	do(t, f.Enqueued(t.Context(), f.owed(t)))
	f.owe(t, 0, message("job_20", 1))
	if n, err := f.MakeDue(t.Context(), "default", 100); err != nil || n != 4 {
		t.Errorf("%d made due, error %v, want that which was enqueued, and those of 10, 20 and 30 s", n, err)
	}
	if got := f.owed(t); len(got) != 5 {
		t.Errorf("%d owed", len(got))
	}
}

// TestOnlySoManyMessagesAreMadeDue ensures that there is a limit, in several transactions too, and that what is owed longest goes first.
func TestOnlySoManyMessagesAreMadeDue(t *testing.T) {
	f := newFixture(t)
	var entries []Entry
	for i := range atOnce + 20 {
		entries = append(entries, message(fmt.Sprint("job_", i), 1))
	}
	f.owe(t, 20*time.Second, entries...)
	f.owe(t, 10*time.Second, message("job_older", 1))
	if n, err := f.MakeDue(t.Context(), "default", atOnce+5); err != nil || n != atOnce+5 {
		t.Errorf("%d made due, error %v", n, err)
	}
	if got, err := f.Due(t.Context(), "default", 2*atOnce); len(got) != atOnce+5 || err != nil || !slices.ContainsFunc(got, func(m Message) bool { return m.Subject == "job_older" }) {
		t.Errorf("%d owed, error %v", len(got), err)
	}
}

// TestWhatIsDueForTheFirstTimeIsAskedForByItself ensures that what was enqueued already, however much, does not stand before it.
func TestWhatIsDueForTheFirstTimeIsAskedForByItself(t *testing.T) {
	f := newFixture(t)
	f.owe(t, 0, message("job_old", 1), message("job_older", 1))
	do(t, f.Enqueued(t.Context(), f.owed(t)))
	f.clock.Add(time.Minute)
	f.owe(t, 0, message("job_new", 1))
	first, err := f.Due(t.Context(), "default", 2)
	do(t, err)
	again, err := f.DueAgain(t.Context(), "default", 10)
	do(t, err)
	if len(first) != 1 || first[0].Subject != "job_new" || len(again) != 2 {
		t.Errorf("first %+v, again %+v", first, again)
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
	for which, index := range map[string]string{first: "INDEX outbox_first", again: "INDEX outbox_again"} {
		plan = nil
		do(t, f.db.Select(t.Context(), &plan, "EXPLAIN QUERY PLAN "+selectMessages+which+dueOfQueue, "default", 1, 1))
		if text := fmt.Sprint(plan); !strings.Contains(text, index) || strings.Contains(text, "TEMP B-TREE") {
			t.Errorf("done as %s", text)
		}
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
