package worker

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// onSlowDisk gives a fixture with places for ends, and two jobs accepted; from then on nothing is stored until the disk goes on.
func onSlowDisk(t *testing.T, ends int, run runner) (f *fixture, jobs [2]ledger.Job, goOn func()) {
	t.Helper()
	f = newFixture(t, run)
	var err error
	f.Worker, err = New(Config{Ends: ends}, f.ledger, run)
	do(t, err)
	jobs = [2]ledger.Job{f.accept(t, "a"), f.accept(t, "b")}
	f.blobs.hold = make(chan struct{})
	return f, jobs, func() { close(f.blobs.hold) }
}

// handled hands over the message of the job beside the test; what it gives is closed when Handle has returned.
func (f *fixture) handled(ctx context.Context, job ledger.Job) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f.Handle(ctx, "default", job.ID)
	}()
	return done
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// TestEndsAreWrittenDownBesideTheNextRun ensures that a run's place does not wait for the disk as long as there is a place for its end,
// that no more ends than that are under way, and that Wait waits for them.
func TestEndsAreWrittenDownBesideTheNextRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, jobs, goOn := onSlowDisk(t, 1, echo)
		f.Handle(t.Context(), "default", jobs[0].ID)
		if got := f.get(t, jobs[0]); got.State != ledger.Running {
			t.Errorf("the first job is %s before its output is stored", got.State)
		}
		second := f.handled(t.Context(), jobs[1])
		synctest.Wait()
		if isClosed(second) {
			t.Error("a second end is under way without a place")
		}
		goOn()
		<-second
		f.Wait()
		for i, want := range []string{"generate a", "generate b"} {
			if got := f.get(t, jobs[i]); got.State != ledger.Succeeded || f.answer(t, jobs[i]) != want {
				t.Errorf("job %d: %+v", i, got)
			}
		}
	})
}

// TestAccountHasOneEndBesideOthers ensures that an account which is not alone has one job at a time written down beside its next run, and that each
// account has its own.
func TestAccountHasOneEndBesideOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		recent := &job.Recent{}
		e := newEnds(4, recent)
		goOn := make(chan struct{})
		begun := func(account string) bool {
			recent.Serve(account, time.Now())
			return e.begin(account, func() { <-goOn })
		}
		for range 2 {
			if !begun("busy") {
				t.Error("an account that is alone has its ends one after the other")
			}
		}
		if !begun("other") {
			t.Error("the end of another account waits for those of a busy one")
		}
		if begun("other") || begun("busy") {
			t.Error("an account has a second end beside another account")
		}
		time.Sleep(2 * time.Second)
		if !begun("busy") {
			t.Error("an account that is alone again has no further end")
		}
		if time.Sleep(2 * time.Second); begun("busy") {
			t.Error("there are more ends than places")
		}
		close(goOn)
		e.under.Wait()
		if e.all != 0 || len(e.accounts) != 0 {
			t.Errorf("%d ends are left, of %v", e.all, e.accounts)
		}
	})
}

// TestSomeEndsKeepTheirPlace ensures that the next run begins neither beside the memory that a large output holds until it is stored,
// nor beside a suspect that has not ended.
func TestSomeEndsKeepTheirPlace(t *testing.T) {
	for name, suspect := range map[string]bool{"a large output": false, "a suspect": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, jobs, goOn := onSlowDisk(t, 1, func(ctx context.Context, kind string, request []byte) (ledger.Output, error) {
					out, err := echo(ctx, kind, request)
					if !suspect {
						out.Release = func() {}
					}
					return out, err
				})
				if suspect {
					f.crash(t, jobs[0])
				}
				first := f.handled(t.Context(), jobs[0])
				synctest.Wait()
				if isClosed(first) {
					t.Error("the place is free before the output is stored")
				}
				goOn()
				<-first
				if got := f.get(t, jobs[0]); got.State != ledger.Succeeded {
					t.Errorf("the job is %s", got.State)
				}
			})
		})
	}
}

// TestEndsAreWrittenDownWhileTheWorkerStops ensures that what was done is not done again because the worker stops.
func TestEndsAreWrittenDownWhileTheWorkerStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, jobs, goOn := onSlowDisk(t, 1, echo)
		ctx, stop := context.WithCancel(t.Context())
		f.Handle(ctx, "default", jobs[0].ID)
		stop()
		goOn()
		f.Wait()
		if got := f.get(t, jobs[0]); got.State != ledger.Succeeded {
			t.Errorf("the job is %s", got.State)
		}
	})
}
