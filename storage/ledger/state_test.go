package ledger

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/outbox/outboxtest"
	"github.com/einvoiced/einvoiced/storage/queue/names"
)

// bring gives a job in the state, and the run that a worker believes to have.
func (f *fixture) bring(t *testing.T, state State) Job {
	t.Helper()
	job := f.accept(t, "x")
	if state == Queued {
		job.Run = 1 // a run that nobody has claimed
		return job
	}
	run := f.claim(t, job)
	switch state {
	case Succeeded:
		do(t, f.Finish(t.Context(), run, done))
	case Failed:
		do(t, f.Fail(t.Context(), run, Failure{CodeTimedOut, "too late"}))
	case Canceled:
		_, err := f.Cancel(t.Context(), f.account, account.Test, job.ID)
		do(t, err)
	case Expired:
		do(t, f.Finish(t.Context(), run, done))
		_, err := f.Erase(t.Context(), f.account, account.Test, job.ID)
		do(t, err)
	}
	return run
}

func TestEveryStepFromEveryState(t *testing.T) {
	f := newFixture(t)
	steps := map[string]func(Job) error{
		"claim":   func(j Job) error { _, err := f.Claim(t.Context(), names.Default, j.ID); return err },
		"beat":    func(j Job) error { return f.Beat(t.Context(), j, 1) },
		"finish":  func(j Job) error { return f.Finish(t.Context(), j, done) },
		"refuse":  func(j Job) error { return f.Finish(t.Context(), j, Output{Status: 422, Answer: Bytes("{}")}) },
		"fail":    func(j Job) error { return f.Fail(t.Context(), j, Failure{CodeTimedOut, "too late"}) },
		"retry":   func(j Job) error { return f.Retry(t.Context(), j) },
		"release": func(j Job) error { return f.Release(t.Context(), j) },
		"cancel":  func(j Job) error { _, err := f.Cancel(t.Context(), j.Account, j.Mode, j.ID); return err },
		"erase":   func(j Job) error { _, err := f.Erase(t.Context(), j.Account, j.Mode, j.ID); return err },
	}
	for _, c := range []struct {
		step   string
		states []State
		after  State // empty: as before
		err    error
	}{
		{"claim", []State{Queued}, Running, nil},
		{"claim", []State{Running, Succeeded, Failed, Canceled, Expired}, "", ErrNotQueued},
		{"beat", []State{Running}, "", nil},
		{"beat", []State{Queued, Succeeded, Failed, Canceled, Expired}, "", ErrLost},
		{"finish", []State{Running}, Succeeded, nil},
		{"finish", []State{Queued, Succeeded, Failed, Canceled, Expired}, "", ErrLost},
		{"refuse", []State{Running}, Failed, nil},
		{"refuse", []State{Queued, Succeeded, Failed, Canceled, Expired}, "", ErrLost},
		{"fail", []State{Running}, Failed, nil},
		{"fail", []State{Queued, Succeeded, Failed, Canceled, Expired}, "", ErrLost},
		{"retry", []State{Running}, Queued, nil},
		{"retry", []State{Queued, Succeeded, Failed, Canceled, Expired}, "", ErrLost},
		{"release", []State{Running}, Queued, nil},
		{"release", []State{Queued, Succeeded, Failed, Canceled, Expired}, "", ErrLost},
		{"cancel", []State{Queued, Running}, Canceled, nil},
		{"cancel", []State{Succeeded, Failed, Canceled, Expired}, "", ErrFinished},
		{"erase", []State{Succeeded, Failed, Canceled, Expired}, Expired, nil},
		{"erase", []State{Queued, Running}, "", ErrUnfinished},
	} {
		for _, state := range c.states {
			job := f.bring(t, state)
			if err := steps[c.step](job); !errors.Is(err, c.err) {
				t.Errorf("%s of a %s job: error %v, want %v", c.step, state, err, c.err)
			}
			want := c.after
			if want == "" {
				want = state
			}
			if got := f.get(t, job).State; got != want {
				t.Errorf("%s of a %s job leaves it %s, want %s", c.step, state, got, want)
			}
			_, _ = f.Cancel(t.Context(), job.Account, job.Mode, job.ID) // so that the next one has its turn
		}
	}
}

func TestJobsOfOthersAreUnknown(t *testing.T) {
	f := newFixture(t)
	job, other := f.accept(t, "x"), f.newAccount(t)
	for _, who := range []struct {
		account string
		mode    account.Mode
		job     string
	}{{other, account.Test, job.ID}, {f.account, account.Live, job.ID}, {f.account, account.Test, "job_unknown"}, {f.account, account.Test, ""}} {
		_, getErr := f.Get(t.Context(), who.account, who.mode, who.job)
		_, cancelErr := f.Cancel(t.Context(), who.account, who.mode, who.job)
		_, eraseErr := f.Erase(t.Context(), who.account, who.mode, who.job)
		for what, err := range map[string]error{"get": getErr, "cancel": cancelErr, "erase": eraseErr} {
			if !errors.Is(err, ErrNotFound) {
				t.Errorf("%s as %+v: error %v, want ErrNotFound", what, who, err)
			}
		}
		if jobs, _, err := f.List(t.Context(), who.account, who.mode, Page{}); err != nil || who.job == job.ID && len(jobs) > 0 {
			t.Errorf("list as %+v: %d jobs, error %v", who, len(jobs), err)
		}
	}
	if got := f.get(t, job).State; got != Queued {
		t.Errorf("the job is %s", got)
	}
}

func TestOfManyClaimersOneGetsTheJob(t *testing.T) {
	f := newFixture(t)
	job := f.accept(t, "x")
	var won, lost atomic.Int32
	var claimers sync.WaitGroup
	for range 32 {
		claimers.Go(func() {
			run, err := f.Claim(t.Context(), names.Default, job.ID)
			switch {
			case err == nil && run.Run == 1:
				won.Add(1)
			case errors.Is(err, ErrNotQueued):
				lost.Add(1)
			default:
				t.Errorf("run %d, error %v", run.Run, err)
			}
		})
	}
	claimers.Wait()
	if won.Load() != 1 || lost.Load() != 31 {
		t.Fatalf("%d won and %d lost", won.Load(), lost.Load())
	}
}

func TestRunThatHasLostItsJobCannotWrite(t *testing.T) {
	inBoth(t, func(t *testing.T, f *fixture) {
		first := f.claim(t, f.accept(t, "x"))
		f.clock.Add(11 * time.Second)
		if n, err := f.Reap(t.Context()); err != nil || n != 1 {
			t.Fatalf("%d taken, error %v", n, err)
		}
		second := f.claim(t, first)
		if second.Run != 2 {
			t.Fatalf("second claim has run %d", second.Run)
		}
		late := Output{Status: 200, Answer: Bytes("late"), Document: &Document{"late.xml", "application/xml", Bytes("late")}}
		for name, err := range map[string]error{
			"beat": f.Beat(t.Context(), first, 1), "finish": f.Finish(t.Context(), first, late), "retry": f.Retry(t.Context(), first),
			"release": f.Release(t.Context(), first), "fail": f.Fail(t.Context(), first, Failure{CodeTimedOut, "x"}),
		} {
			if !errors.Is(err, ErrLost) {
				t.Errorf("%s of the first run: error %v, want ErrLost", name, err)
			}
		}
		do(t, f.Finish(t.Context(), second, done))
		if err := f.Finish(t.Context(), first, late); !errors.Is(err, ErrLost) {
			t.Errorf("finish after the end: %v", err)
		}
		f.checkOutput(t, f.get(t, first))
		want := []string{"0/input", "2/answer", "2/artifact"}
		if got := f.stored(t); strings.ReplaceAll(strings.Join(got, " "), first.ID+"/", "") != strings.Join(want, " ") {
			t.Errorf("stored are %q, want %q", got, want)
		}
	})
}

func TestCrashesAreNoAttemptsAndTheThirdAloneIsTheLast(t *testing.T) {
	f := newFixture(t)
	job := f.accept(t, "x")
	for crash := 1; crash <= 4; crash++ { // the first one in unknown company
		f.clock.Add(time.Minute)
		f.claim(t, job)
		f.clock.Add(10 * time.Second)
		if n, err := f.Reap(t.Context()); err != nil || n != 0 {
			t.Fatalf("crash %d: %d taken after 10 s, error %v", crash, n, err)
		}
		f.clock.Add(time.Millisecond)
		if n, err := f.Reap(t.Context()); err != nil || n != 1 {
			t.Fatalf("crash %d: %d taken after more than 10 s, error %v", crash, n, err)
		}
		got := f.get(t, job)
		if got.Crashes != crash || got.Attempts != 0 || (got.State == Queued) != (crash < 4) {
			t.Fatalf("after crash %d: %+v", crash, got)
		}
	}
	got := f.get(t, job)
	if got.State != Failed || got.Failure == nil || got.Failure.Code != "JOB_CRASHED" || got.Finished.IsZero() || got.Expires.IsZero() {
		t.Fatalf("after the last crash: %+v", got)
	}
}

// The message of a suspect goes to where somebody is waited for, since it cannot be answered by any other; jobs of other queues stay in theirs,
// which may have workers of their own.
func TestSuspectIsEnqueuedForAheadOfTheMessagesOfThousands(t *testing.T) {
	for queue, want := range map[string]string{names.Default: names.Interactive, names.Interactive: names.Interactive, names.Embed: names.Embed} {
		f := newFixture(t)
		n := f.newJob("x")
		n.Queue = queue
		job, err := f.Accept(t.Context(), n)
		do(t, err)
		_, err = f.Claim(t.Context(), queue, job.ID)
		do(t, err)
		f.clock.Add(11 * time.Second)
		f.queue.take()
		_, err = f.Reap(t.Context())
		do(t, err)
		messages := f.queue.take()
		if len(messages) != 1 || messages[0].Subject != job.ID || messages[0].Queue != want {
			t.Errorf("%s: enqueued %+v, want queue %s", queue, messages, want)
		}
		if got := f.get(t, job); got.Queue != queue {
			t.Errorf("the job of %s has moved to %s", queue, got.Queue)
		}
	}
}

func TestSuspectIsClaimedAsOneAndOthersMayBe(t *testing.T) {
	f := newFixture(t)
	suspect, other := f.accept(t, "x"), f.accept(t, "x")
	f.claim(t, suspect)
	f.clock.Add(11 * time.Second)
	_, err := f.Reap(t.Context())
	do(t, err)
	if _, err := f.Claim(t.Context(), names.Default, suspect.ID); !errors.Is(err, ErrSuspect) {
		t.Errorf("claim of a suspect: error %v, want ErrSuspect", err)
	}
	if got := f.get(t, suspect); got.State != Queued || got.Run != 1 {
		t.Errorf("the refused claim has changed the job: %+v", got)
	}
	for _, job := range []Job{suspect, other} {
		if _, err := f.ClaimSuspect(t.Context(), job.ID, alone); err != nil {
			t.Error(err)
		}
		if _, err := f.ClaimSuspect(t.Context(), job.ID, alone); !errors.Is(err, ErrNotQueued) {
			t.Errorf("second claim: error %v, want ErrNotQueued", err)
		}
	}
}

func TestBeatsKeepARunAlive(t *testing.T) {
	f := newFixture(t)
	run := f.claim(t, f.accept(t, "x"))
	for i := range 20 {
		f.clock.Add(9 * time.Second)
		do(t, f.Beat(t.Context(), run, i))
		if n, err := f.Reap(t.Context()); err != nil || n != 0 {
			t.Fatalf("beat %d: %d taken, error %v", i, n, err)
		}
	}
}

func TestFailuresAreAttemptsAndTheThirdIsTheLast(t *testing.T) {
	f := newFixture(t)
	job := f.accept(t, "x")
	for attempt, delay := range []time.Duration{2 * time.Second, 4 * time.Second} {
		do(t, f.Retry(t.Context(), f.claim(t, job)))
		if got := f.get(t, job); got.State != Queued || got.Attempts != attempt+1 || got.Crashes != 0 {
			t.Fatalf("after failure %d: %+v", attempt+1, got)
		}
		f.clock.Add(delay - time.Millisecond)
		if owed := outboxtest.Due(t, f.outbox); len(owed) != 0 {
			t.Errorf("owed before the delay: %+v", owed)
		}
		f.clock.Add(time.Millisecond)
		if owed := outboxtest.Due(t, f.outbox); len(owed) != 1 || owed[0].Run != int64(attempt+2) {
			t.Errorf("owed after the delay: %+v", owed)
		}
	}
	do(t, f.Retry(t.Context(), f.claim(t, job)))
	if got := f.get(t, job); got.State != Failed || got.Attempts != 3 || got.Failure == nil || got.Failure.Code != "JOB_FAILED" {
		t.Fatalf("after the last failure: %+v", got)
	}
}

// TestKindSaysHowOftenItIsTried ensures that jobs of a kind which is to be tried once have failed with their first failure, and that those of
// a kind which says nothing are tried as often as the ledger's Config says.
func TestKindSaysHowOftenItIsTried(t *testing.T) {
	f := newFixture(t, func(c *Config) { c.Attempts = func(kind string) int { return map[string]int{"once": 1}[kind] } })
	for kind, want := range map[string]State{"once": Failed, "parse": Queued} {
		n := f.newJob("x")
		n.Kind = kind
		job, err := f.Accept(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		do(t, f.Retry(t.Context(), f.claim(t, job)))
		if got := f.get(t, job); got.State != want || got.Attempts != 1 {
			t.Errorf("%s: %+v, want %s", kind, got, want)
		}
	}
}

func TestReleasedJobIsOwedAtOnceAndNothingIsCounted(t *testing.T) {
	f := newFixture(t)
	job := f.accept(t, "x")
	for i := range 5 {
		do(t, f.Release(t.Context(), f.claim(t, job)))
		owed := outboxtest.Due(t, f.outbox)
		if got := f.get(t, job); len(owed) != 1 || owed[0].Run != int64(i+2) || got.Attempts+got.Crashes != 0 {
			t.Fatalf("release %d: owed %+v, job %+v", i, owed, got)
		}
	}
}

func TestJobsDeliveredTwiceHaveOneEffectEach(t *testing.T) {
	f := newFixture(t)
	jobs := make([]Job, 200)
	for i := range jobs {
		jobs[i] = f.accept(t, fmt.Sprint(i))
	}
	var effects atomic.Int32
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for _, job := range jobs {
				run, err := f.Claim(t.Context(), names.Default, job.ID)
				if errors.Is(err, ErrNotQueued) {
					continue
				}
				if err := errors.Join(err, f.Finish(t.Context(), run, Output{Status: 200, Answer: Bytes("{}")})); err != nil {
					t.Error(err)
				}
				effects.Add(1)
			}
		})
	}
	workers.Wait()
	var succeeded, runs, owed int
	do(t, f.db.Get(t.Context(), &succeeded, "SELECT count(*) FROM jobs WHERE state = 'succeeded'"),
		f.db.Get(t.Context(), &runs, "SELECT sum(run) FROM jobs"), f.db.Get(t.Context(), &owed, "SELECT count(*) FROM outbox"))
	if effects.Load() != 200 || succeeded != 200 || runs != 200 || owed != 0 {
		t.Fatalf("%d effects, %d succeeded, %d runs, %d owed", effects.Load(), succeeded, runs, owed)
	}
}
