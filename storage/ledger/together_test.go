package ledger

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
)

// beside runs the steps of two processes at the same time and gives their errors.
func beside(steps ...func() error) []error {
	errs := make([]error, len(steps))
	var work sync.WaitGroup
	for i, step := range steps {
		work.Go(func() { errs[i] = step() })
	}
	work.Wait()
	return errs
}

// otherProcess opens a second ledger on the same stores, as another process does.
func (f *fixture) otherProcess(t *testing.T) *Ledger {
	t.Helper()
	other, err := New(f.cfg, dbtest.Reopen(t, f.place.db), f.blobs, f.queue)
	do(t, err)
	return other
}

// TestEndAndCancellationAtTheSameTimeHaveOneOutcome ensures that a cancellation never overwrites the end of a run, nor the other way round.
func TestEndAndCancellationAtTheSameTimeHaveOneOutcome(t *testing.T) {
	f := newFixture(t)
	other := f.otherProcess(t)
	for range 40 {
		run := f.claim(t, f.accept(t, "x"))
		errs := beside(
			func() error { return f.Fail(context.Background(), run, Failure{CodeTimedOut, "too late"}) },
			func() error {
				_, err := other.Cancel(context.Background(), f.account, account.Test, run.ID)
				return err
			})
		got := f.get(t, run)
		failed := errs[0] == nil && errors.Is(errs[1], ErrFinished) && got.State == Failed
		canceled := errs[1] == nil && errors.Is(errs[0], ErrLost) && got.State == Canceled
		if !failed && !canceled {
			t.Fatalf("run: %v, cancellation: %v, the job is %s", errs[0], errs[1], got.State)
		}
	}
}

// TestManyProcessesExpireAJobOnce ensures that erasure and expiry beside each other owe one removal.
func TestManyProcessesExpireAJobOnce(t *testing.T) {
	f := newFixture(t)
	other := f.otherProcess(t)
	var jobs []Job
	for range 20 {
		jobs = append(jobs, f.finished(t))
	}
	f.clock.Add(8 * 24 * time.Hour)
	expired := [2]int{}
	errs := beside(
		func() (err error) { expired[0], err = f.Expire(context.Background()); return err },
		func() (err error) { expired[1], err = other.Expire(context.Background()); return err },
		func() error {
			_, err := other.Erase(context.Background(), f.account, account.Test, jobs[7].ID)
			return err
		})
	do(t, errs...)
	if n := expired[0] + expired[1]; n != 19 && n != 20 {
		t.Errorf("%v jobs expired, want 20 or 19 and the one that was erased", expired)
	}
	for _, job := range jobs {
		if got := f.get(t, job); got.State != Expired {
			t.Errorf("a job is %s", got.State)
		}
	}
}
