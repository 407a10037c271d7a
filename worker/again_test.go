package worker

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/queue/names"
)

// TestNobodyWaitsForASuspectThatAnotherProcessHasRun ensures that a process does not become empty for a job that is no longer there: the message of a suspect may
// have come to several.
func TestNobodyWaitsForASuspectThatAnotherProcessHasRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, sleepFor)
		suspect := f.accept(t, "1s")
		f.crash(t, suspect)
		young, err := New(f.cfg, f.ledger, f.runner)
		do(t, err)
		var handlers sync.WaitGroup
		defer handlers.Wait()
		handlers.Go(func() { young.Handle(t.Context(), names.Default, suspect.ID) })
		synctest.Wait()
		f.Handle(t.Context(), names.Default, suspect.ID)
		long, short := f.accept(t, "1m"), f.accept(t, "1s")
		handlers.Go(func() { young.Handle(t.Context(), names.Default, long.ID) })
		time.Sleep(6 * time.Second) // in which the process has become old enough
		began := time.Now()
		young.Handle(t.Context(), names.Default, short.ID)
		if took := time.Since(began); took != time.Second || f.get(t, short).State != ledger.Succeeded {
			t.Errorf("another job took %s: %+v", took, f.get(t, short))
		}
	})
}

// TestSuspectQueue_TakesAJobOnce ensures that messages which come again while a job waits do not make it wait twice.
func TestSuspectQueue_TakesAJobOnce(t *testing.T) {
	var q suspectQueue
	if !q.enter("a") || q.enter("b") || q.enter("b") || q.enter("a") {
		t.Error("not the first caller alone is to run what waits")
	}
	var got []string
	for id, ok := q.next(); ok; id, ok = q.next() {
		got = append(got, id)
	}
	if len(got) != 2 || got[0] != "a" || got[1] != "b" {
		t.Errorf("ran %q", got)
	}
}
