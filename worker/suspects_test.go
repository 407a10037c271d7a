package worker

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/queue/names"
)

// crash makes the jobs suspects: claimed by a worker that dies.
func (f *fixture) crash(t *testing.T, jobs ...ledger.Job) {
	t.Helper()
	for _, job := range jobs {
		_, err := f.ledger.Claim(t.Context(), names.Default, job.ID)
		do(t, err)
	}
	time.Sleep(11 * time.Second) // of the bubble
	if n, err := f.ledger.Reap(t.Context()); err != nil || n != len(jobs) {
		t.Fatalf("%d of %d taken, error %v", n, len(jobs), err)
	}
}

func TestSuspectsRunAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var suspects, others, mostSuspects, mostOthers, together atomic.Int32
		f := newFixture(t, func(ctx context.Context, kind string, request []byte) (ledger.Output, error) {
			now, most := &others, &mostOthers
			if string(request) == "suspect" {
				now, most = &suspects, &mostSuspects
			}
			most.Store(max(most.Load(), now.Add(1)))
			if suspects.Load() > 0 && others.Load() > 0 {
				together.Add(1)
			}
			time.Sleep(time.Second) // of the bubble
			now.Add(-1)
			return echo(ctx, kind, request)
		})
		var jobs []ledger.Job
		for range 5 {
			jobs = append(jobs, f.accept(t, "suspect"))
		}
		f.crash(t, jobs...)
		for range 5 {
			jobs = append(jobs, f.accept(t, "other"))
		}
		begin := time.Now()
		var handlers sync.WaitGroup
		for _, job := range jobs {
			handlers.Go(func() { f.Handle(t.Context(), "default", job.ID) })
		}
		handlers.Wait()
		for _, job := range jobs {
			if got := f.get(t, job); got.State != ledger.Succeeded {
				t.Errorf("job %+v", got)
			}
		}
		if took := time.Since(begin); mostSuspects.Load() != 1 || mostOthers.Load() < 2 || together.Load() > 0 || took > 10*time.Second {
			t.Errorf("at most %d suspects and %d others ran beside their like, %d beside the other, all in %s",
				mostSuspects.Load(), mostOthers.Load(), together.Load(), took)
		}
	})
}

func TestSuspectThatWaitsIsNotBlamedForTheNextCrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		running, end := make(chan struct{}), make(chan struct{})
		f := newFixture(t, func(ctx context.Context, kind string, request []byte) (ledger.Output, error) {
			close(running)
			<-end
			return ledger.Output{}, fmt.Errorf("ended by the test")
		})
		first, second := f.accept(t, "x"), f.accept(t, "x")
		f.crash(t, first, second)
		done := make(chan struct{})
		go func() { f.Handle(t.Context(), "default", first.ID); close(done) }()
		<-running
		f.Handle(t.Context(), "default", second.ID) // returns at once
		if got := f.get(t, second); got.State != ledger.Queued || got.Crashes != 1 {
			t.Errorf("the suspect that waits: %+v", got)
		}
		f.runner = runner(echo)
		close(end)
		<-done
		if got := f.get(t, second); got.State != ledger.Succeeded {
			t.Errorf("afterwards: %+v", got)
		}
	})
}

func TestSuspectQueue_ForgetsNobody(t *testing.T) {
	var l suspectQueue
	var ran sync.Map
	var callers sync.WaitGroup
	var inside atomic.Int32
	for i := range 100 {
		callers.Go(func() {
			if !l.enter(fmt.Sprint(i)) {
				return
			}
			for id, ok := l.next(); ok; id, ok = l.next() {
				if inside.Add(1) != 1 {
					t.Error("two callers run the suspects")
				}
				ran.Store(id, true)
				inside.Add(-1)
			}
		})
	}
	callers.Wait()
	for i := range 100 {
		if _, ok := ran.Load(fmt.Sprint(i)); !ok {
			t.Errorf("%d was not run", i)
		}
	}
}
