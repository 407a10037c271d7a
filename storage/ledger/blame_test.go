package ledger

import (
	"errors"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/outbox/outboxtest"
	"github.com/einvoiced/einvoiced/storage/queue/names"
)

// die lets the process of the running job die.
func (f *fixture) die(t *testing.T, want int) {
	t.Helper()
	f.clock.Add(11 * time.Second)
	if n, err := f.Reap(t.Context()); err != nil || n != want {
		t.Fatalf("%d jobs were taken from dead workers, error %v, want %d", n, err, want)
	}
}

func TestJobIsBlamedOnlyForDeathsOfProcessesInWhichItWasAlone(t *testing.T) {
	for name, c := range map[string]struct {
		runs   []func(Job) bool // after the first, which is not alone
		state  State
		blamed int
	}{
		"once, beside others":              {nil, Queued, 0},
		"again and again, beside others":   {[]func(Job) bool{accompanied, accompanied, accompanied, accompanied, accompanied, accompanied}, Queued, 0},
		"alone twice":                      {[]func(Job) bool{alone, alone}, Queued, 2},
		"alone three times":                {[]func(Job) bool{alone, alone, alone}, Failed, 3},
		"alone three times, among others":  {[]func(Job) bool{accompanied, alone, accompanied, alone, accompanied, alone}, Failed, 3},
		"alone twice, then beside another": {[]func(Job) bool{alone, alone, accompanied}, Queued, 2},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			job := f.claim(t, f.accept(t, "x"))
			f.die(t, 1)
			for _, company := range c.runs {
				f.clock.Add(longestDelay)
				_, err := f.ClaimSuspect(t.Context(), job.ID, company)
				do(t, err)
				f.die(t, 1)
			}
			got := f.get(t, job)
			if got.State != c.state || got.Blamed != c.blamed || got.Crashes != 1+len(c.runs) || (got.Failure != nil) != (c.state == Failed) {
				t.Errorf("job %+v, want %s and blamed %d times", got, c.state, c.blamed)
			}
			if got.Failure != nil && got.Failure.Code != CodeCrashed {
				t.Errorf("failure %+v, want %s", got.Failure, CodeCrashed)
			}
		})
	}
}

func TestRunBesideWhichOthersBeginIsNotBlamed(t *testing.T) {
	f := newFixture(t)
	first := f.claim(t, f.accept(t, "x"))
	f.die(t, 1)
	run, err := f.ClaimSuspect(t.Context(), first.ID, alone)
	do(t, err)
	if !run.Alone || !f.get(t, run).Alone {
		t.Errorf("the run is not alone: %+v", run)
	}
	if err := f.Accompany(t.Context(), first); !errors.Is(err, ErrLost) {
		t.Errorf("the run that has lost the job: error %v, want ErrLost", err)
	}
	do(t, f.Accompany(t.Context(), run))
	f.die(t, 1)
	if got := f.get(t, run); got.Blamed != 0 || got.Crashes != 2 || got.State != Queued {
		t.Errorf("job %+v", got)
	}
	if err := f.Accompany(t.Context(), run); !errors.Is(err, ErrLost) {
		t.Errorf("after the crash: error %v, want ErrLost", err)
	}
}

func TestRunThatIsGivenBackWasNotAloneInTheNext(t *testing.T) {
	f := newFixture(t)
	job := f.claim(t, f.accept(t, "x"))
	f.die(t, 1)
	run, err := f.ClaimSuspect(t.Context(), job.ID, alone)
	do(t, err, f.Release(t.Context(), run))
	_, err = f.ClaimSuspect(t.Context(), job.ID, accompanied)
	do(t, err)
	f.die(t, 1)
	if got := f.get(t, job); got.Blamed != 0 || got.Crashes != 2 {
		t.Errorf("job %+v", got)
	}
}

func TestClaimsWaitLongerAfterEachCrash(t *testing.T) {
	f := newFixture(t)
	job := f.claim(t, f.accept(t, "x"))
	for crash, wait := range []time.Duration{0, 5 * time.Second, 10 * time.Second, 20 * time.Second, 40 * time.Second, 80 * time.Second,
		160 * time.Second, 5 * time.Minute, 5 * time.Minute} {
		f.queue.take()
		f.die(t, 1)
		if enqueued := f.queue.take(); (len(enqueued) == 1) != (wait == 0) {
			t.Errorf("crash %d: enqueued at once: %+v", crash+1, enqueued)
		}
		if wait > 0 {
			f.clock.Add(wait - skew - time.Millisecond)
			f.checkWaits(t, job)
			f.clock.Add(time.Millisecond)
		}
		_, err := f.ClaimSuspect(t.Context(), job.ID, accompanied)
		do(t, err)
	}
}

// checkWaits checks that the suspect is neither claimed nor enqueued, and that its message brings another job that waits.
func (f *fixture) checkWaits(t *testing.T, suspect Job) {
	t.Helper()
	if _, err := f.ClaimSuspect(t.Context(), suspect.ID, alone); !errors.Is(err, ErrNotQueued) {
		t.Errorf("claim while it waits: error %v, want ErrNotQueued", err)
	}
	if _, err := f.Claim(t.Context(), names.Default, suspect.ID); !errors.Is(err, ErrNotQueued) {
		t.Errorf("message while it waits: error %v, want ErrNotQueued", err)
	}
	if owed := outboxtest.Due(t, f.outbox); len(owed) > 0 {
		t.Errorf("owed while it waits: %+v", owed)
	}
}
