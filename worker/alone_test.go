package worker

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/queue/names"
)

// sleepFor makes runs that take a while of the bubble, by what they are asked.
func sleepFor(ctx context.Context, kind string, request []byte) (ledger.Output, error) {
	took, err := time.ParseDuration(string(request))
	if err != nil {
		return ledger.Output{}, err
	}
	time.Sleep(took)
	return echo(ctx, kind, request)
}

// begin lets the job be handled, and gives what waits for that.
func (f *fixture) begin(t *testing.T, job ledger.Job) (wait func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { f.Handle(t.Context(), names.Default, job.ID); close(done) }()
	synctest.Wait()
	return func() { <-done }
}

func TestSuspectIsNotClaimedInTheFirstSecondsOfAProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, echo)
		job := f.accept(t, "x")
		f.crash(t, job)
		f.born = time.Now() // another process
		done := f.begin(t, job)
		time.Sleep(5*time.Second - time.Millisecond)
		if got := f.get(t, job); got.State != ledger.Queued || got.Run != 1 {
			t.Errorf("in the first seconds: %+v", got)
		}
		done()
		if got := f.get(t, job); got.State != ledger.Succeeded {
			t.Errorf("afterwards: %+v", got)
		}
	})
}

func TestStopEndsTheWaitOfASuspect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, echo)
		job := f.accept(t, "x")
		f.crash(t, job)
		f.born = time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		f.Handle(ctx, names.Default, job.ID)
		if got := f.get(t, job); got.State != ledger.Queued || got.Run != 1 {
			t.Errorf("job %+v", got)
		}
		f.Handle(t.Context(), names.Default, job.ID) // others may have their turn
		if got := f.get(t, job); got.State != ledger.Succeeded {
			t.Errorf("afterwards: %+v", got)
		}
	})
}

// TestSuspectThatMayBeBlamed tells when the row says that the process runs nothing but the suspect.
func TestSuspectThatMayBeBlamed(t *testing.T) {
	for name, c := range map[string]struct {
		other, suspect string // how long they run; the other begins first
		isolated       bool
		crashes        int           // beside the first
		after          time.Duration // when the row is looked at
		alone          bool
	}{
		"nothing else runs":           {"", "5s", false, 0, time.Second, true},
		"the other has ended":         {"2s", "5s", false, 0, 3 * time.Second, true},
		"the other takes long":        {"1m", "5s", false, 0, 11 * time.Second, false},
		"the suspect takes long":      {"", "1m", false, 0, 11 * time.Second, false},
		"it does not yet take long":   {"", "1m", false, 0, 9 * time.Second, true},
		"it has a process of its own": {"", "5s", true, 0, time.Second, false},
		"it crashes nevertheless":     {"", "5s", true, 5, time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t, sleepFor)
				f.cfg.Isolated = func(string, int64) bool { return c.isolated }
				suspect := f.accept(t, c.suspect)
				f.crash(t, suspect)
				do(t, f.db.Write(t.Context(), func(tx *db.Tx) error {
					_, err := tx.Exec("UPDATE jobs SET crashes = crashes + ?", c.crashes)
					return err
				}))
				var handlers sync.WaitGroup
				if c.other != "" {
					handlers.Go(f.begin(t, f.accept(t, c.other)))
				}
				handlers.Go(f.begin(t, suspect))
				time.Sleep(c.after)
				if got := f.get(t, suspect); got.State != ledger.Running || got.Alone != c.alone {
					t.Errorf("alone: %t, want %t; job %+v", got.Alone, c.alone, got)
				}
				handlers.Wait()
				if got := f.get(t, suspect); got.State != ledger.Succeeded {
					t.Errorf("at the end: %+v", got)
				}
			})
		})
	}
}

func TestOthersWaitForASuspectOnlyForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, sleepFor)
		suspect := f.accept(t, "100s")
		f.crash(t, suspect)
		var handlers sync.WaitGroup
		handlers.Go(f.begin(t, suspect))
		began, other := time.Now(), f.accept(t, "1s")
		f.Handle(t.Context(), names.Default, other.ID)
		if took := time.Since(began); took != 11*time.Second || f.get(t, other).State != ledger.Succeeded {
			t.Errorf("after %s: %+v", took, f.get(t, other))
		}
		handlers.Wait()
	})
}

func TestSuspectIsNotAloneBesideAnAbandonedRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		end := make(chan struct{})
		var abandon atomic.Bool
		f := newFixture(t, func(ctx context.Context, kind string, request []byte) (ledger.Output, error) {
			if abandon.Load() {
				<-end
				return ledger.Output{}, ctx.Err()
			}
			return sleepFor(ctx, kind, request)
		})
		suspect := f.accept(t, "5s")
		f.crash(t, suspect)
		abandon.Store(true)
		f.Handle(t.Context(), names.Default, f.accept(t, "1s").ID) // until its time limit
		abandon.Store(false)
		wait := f.begin(t, suspect)
		if got := f.get(t, suspect); got.State != ledger.Running || got.Alone {
			t.Errorf("job %+v", got)
		}
		wait()
		close(end)
	})
}
