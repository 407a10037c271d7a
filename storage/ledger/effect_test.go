package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/outbox"
	"github.com/einvoiced/einvoiced/storage/outbox/outboxtest"
	"github.com/einvoiced/einvoiced/storage/queue/names"
)

// charged is a job whose end is announced, and which costs a unit.
func (f *fixture) charged(request string) NewJob {
	n := f.newJob(request)
	n.Mode, n.Announce, n.Charges = account.Live, true, []Charge{{create, 1}}
	return n
}

func (f *fixture) acceptCharged(t testing.TB, request string) Job {
	t.Helper()
	job, err := f.Accept(t.Context(), f.charged(request))
	do(t, err)
	return job
}

// checkEffects checks what the end of the job has told, and that as many units are counted and none is reserved.
func (f *fixture) checkEffects(t testing.TB, job Job, told string, units int64) {
	t.Helper()
	if got := f.told(t, job); got != told {
		t.Errorf("job %s has told %q, want %q", job.ID, got, told)
	}
	f.wantUsed(t, create, 0, units)
	if n := f.rows(t, "reservations"); n != 0 {
		t.Errorf("%d reservations are left", n)
	}
}

// TestEveryEndHasItsEffectsOnce ensures what each way to end a job tells and counts, that its enqueue the webhooks is enqueued once,
// and that nothing more comes of ending it again.
func TestEveryEndHasItsEffectsOnce(t *testing.T) {
	refusal := Output{Status: 422, Answer: Bytes("{}")}
	for name, c := range map[string]struct {
		end   func(f *fixture, run Job) error
		told  string
		units int64
	}{
		"success":   {func(f *fixture, run Job) error { return f.Finish(t.Context(), run, done) }, "job.succeeded", 1},
		"refusal":   {func(f *fixture, run Job) error { return f.Finish(t.Context(), run, refusal) }, "job.failed", 0},
		"time-out":  {func(f *fixture, run Job) error { return f.Fail(t.Context(), run, Failure{CodeTimedOut, "x"}) }, "job.failed", 0},
		"failures":  {failThrice, "job.failed", 0},
		"crashes":   {crashThrice, "job.failed", 0},
		"cancelled": {func(f *fixture, run Job) error { return f.cancel(t, run) }, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			run := f.claim(t, f.acceptCharged(t, "x"))
			f.queue.take()
			do(t, c.end(f, run))
			var want []outbox.Message
			if c.told != "" {
				want = []outbox.Message{{Subject: "dlv_of_" + c.told, Queue: "webhook", Run: 1}}
			}
			enqueued := slices.DeleteFunc(f.queue.take(), func(p outbox.Message) bool { return p.Subject == run.ID }) // of its next runs
			if !slices.Equal(enqueued, want) {
				t.Errorf("enqueued %+v, want %+v", enqueued, want)
			}
			again := f.get(t, run)
			for _, err := range []error{f.Finish(t.Context(), again, done), f.Fail(t.Context(), again, Failure{CodeTimedOut, "x"})} {
				if !errors.Is(err, ErrLost) {
					t.Errorf("ended again: error %v, want ErrLost", err)
				}
			}
			if err := f.cancel(t, run); !errors.Is(err, ErrFinished) {
				t.Errorf("canceled afterwards: error %v, want ErrFinished", err)
			}
			f.checkEffects(t, run, c.told, c.units)
		})
	}
}

func (f *fixture) cancel(t *testing.T, job Job) error {
	_, err := f.Cancel(t.Context(), job.Account, job.Mode, job.ID)
	return err
}

// failThrice lets the run and two more fail inside the service.
func failThrice(f *fixture, run Job) (err error) {
	for range 2 {
		err = errors.Join(err, f.Retry(context.Background(), run))
		f.clock.Add(time.Minute)
		var claimed error
		run, claimed = f.claimAny(context.Background(), run.ID)
		err = errors.Join(err, claimed)
	}
	return errors.Join(err, f.Retry(context.Background(), run))
}

// crashThrice lets the worker of the run die, and three more while they run nothing else.
func crashThrice(f *fixture, run Job) (err error) {
	for crash := range 4 {
		f.clock.Add(time.Minute)
		_, reaped := f.Reap(context.Background())
		err = errors.Join(err, reaped)
		if crash < 3 {
			f.clock.Add(time.Minute)
			_, claimed := f.ClaimSuspect(context.Background(), run.ID, alone)
			err = errors.Join(err, claimed)
		}
	}
	return err
}

func TestEventsOfTheOutputComeWithTheEnd(t *testing.T) {
	f := newFixture(t)
	run := f.claim(t, f.acceptCharged(t, "x"))
	out := done
	out.Events = []Event{{"invoice.generated", []byte(run.ID)}, {"invoice.validated", []byte(run.ID)}}
	do(t, f.Finish(t.Context(), run, out))
	f.checkEffects(t, run, "invoice.generated invoice.validated job.succeeded", 1)
	silent := f.claim(t, f.accept(t, "x")) // not announced
	out.Events = []Event{{"invoice.generated", []byte(silent.ID)}}
	do(t, f.Finish(t.Context(), silent, out))
	if got := f.told(t, silent); got != "invoice.generated" {
		t.Errorf("a job that is not announced has told %q", got)
	}
}

// brokenPublisher fails when it is told so.
type brokenPublisher struct {
	told
	broken atomic.Bool
}

func (p *brokenPublisher) Ask(tx *db.Tx, accountID string, mode account.Mode) (Publish, error) {
	publish, err := p.told.Ask(tx, accountID, mode)
	return func(events ...Event) (Published, error) {
		published, err := publish(events...)
		if p.broken.Load() {
			err = errors.New("the table is full")
		}
		return published, err
	}, err
}

func TestEndWhoseEventsCannotBeWrittenIsNoEnd(t *testing.T) {
	p := &brokenPublisher{}
	f := newFixture(t, func(c *Config) { c.Publisher = p })
	run := f.claim(t, f.acceptCharged(t, "x"))
	p.broken.Store(true)
	if err := f.Finish(t.Context(), run, done); err == nil {
		t.Error("finished without its events")
	}
	if got := f.get(t, run); got.State != Running || f.told(t, run) != "" {
		t.Errorf("job is %s and has told %q", got.State, f.told(t, run))
	}
	p.broken.Store(false)
	do(t, f.Finish(t.Context(), run, done))
	f.checkEffects(t, run, "job.succeeded", 1)
}

// TestMessagesOfAJobHaveOneEffect ensures that a job whose message is delivered 1,000 times, to claimers of two processes, is run
// once, and that 1,000 jobs are when each message comes twice.
func TestMessagesOfAJobHaveOneEffect(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ jobs, messages int }{"one job": {1, 1000}, "many jobs": {200, 3}} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			f := newFixture(t)
			var messages []string
			for i := range c.jobs {
				job := f.acceptCharged(t, fmt.Sprint(i))
				messages = append(messages, slices.Repeat([]string{job.ID}, c.messages)...)
			}
			processes := []*fixture{f, openFixture(t, f.place, f.cfg)}
			var next atomic.Int64
			var workers sync.WaitGroup
			for i := range 8 {
				workers.Go(func() {
					for n := next.Add(1); n <= int64(len(messages)); n = next.Add(1) {
						run, err := processes[i%2].Claim(t.Context(), names.Default, messages[n-1])
						if err == nil {
							err = processes[i%2].Finish(t.Context(), run, done)
						}
						if err != nil && !errors.Is(err, ErrNotQueued) {
							t.Error(err)
						}
					}
				})
			}
			workers.Wait()
			var runs, told int
			do(t, f.db.Get(t.Context(), &runs, "SELECT CAST(sum(run) AS BIGINT) FROM jobs"), f.db.Get(t.Context(), &told, "SELECT count(DISTINCT object) FROM told"))
			if runs != c.jobs || told != c.jobs || f.rows(t, "told") != c.jobs || f.rows(t, "outbox") != 0 {
				t.Errorf("%d runs, %d ends told of %d jobs, %d messages left", runs, f.rows(t, "told"), told, f.rows(t, "outbox"))
			}
			f.wantUsed(t, create, 0, int64(c.jobs))
		})
	}
}

// TestUnitsAreTheSuccesses ensures that units are counted for successes and for nothing else, whatever ends the jobs, and with
// workers that die at any moment.
func TestUnitsAreTheSuccesses(t *testing.T) {
	f := newFixture(t)
	const jobs = 60
	for i := range jobs {
		f.acceptCharged(t, fmt.Sprint(i))
	}
	ends := []func(run Job) error{
		func(run Job) error { return f.Finish(t.Context(), run, done) },
		func(run Job) error {
			return f.Finish(t.Context(), run, Output{Status: 400, Answer: Bytes("{}")})
		},
		func(run Job) error { return f.cancel(t, run) },
		func(Job) error { return nil }, // dies
		func(run Job) error { return f.Release(t.Context(), run) },
		func(run Job) error { return f.Retry(t.Context(), run) },
		func(run Job) error { return f.Finish(t.Context(), run, done) },
	}
	for i := 0; f.unfinished(t) > 0; i++ {
		for _, message := range f.dueAll(t) {
			run, err := f.claimAny(t.Context(), message)
			if errors.Is(err, ErrNotQueued) {
				continue
			}
			do(t, err, ends[(i+len(message)+int(run.Created.UnixNano())+int(run.ID[len(run.ID)-1]))%len(ends)](run))
		}
		f.clock.Add(11 * time.Second)
		_, err := f.Reap(t.Context())
		do(t, err)
	}
	var succeeded int
	do(t, f.db.Get(t.Context(), &succeeded, "SELECT count(*) FROM jobs WHERE state = 'succeeded'"))
	f.wantUsed(t, create, 0, int64(succeeded))
	var canceled int
	do(t, f.db.Get(t.Context(), &canceled, "SELECT count(*) FROM jobs WHERE state = 'canceled'"))
	if told := f.rows(t, "told"); told != jobs-canceled || succeeded == 0 || canceled == 0 {
		t.Errorf("%d ends are told of %d jobs, of which %d succeeded and %d were canceled", told, jobs, succeeded, canceled)
	}
}

// unfinished counts the jobs that no end was made of.
func (f *fixture) unfinished(t *testing.T) (n int) {
	t.Helper()
	do(t, f.db.Get(t.Context(), &n, "SELECT count(*) FROM jobs WHERE state IN ('queued', 'running')"))
	return n
}

// dueAll gives the jobs that are owed a message.
func (f *fixture) dueAll(t *testing.T) (jobs []string) {
	t.Helper()
	outboxtest.MakeDue(t, f.outbox)
	for _, o := range outboxtest.Due(t, f.outbox) {
		jobs = append(jobs, o.Subject)
	}
	return jobs
}

func TestJobBeyondTheQuotaLeavesNothing(t *testing.T) {
	f := newInline(t, "free")
	for _, units := range []int64{60, 60} {
		n := f.charged("x")
		n.Charges[0].Units = units
		_, err := f.Accept(t.Context(), n)
		var quota *QuotaError
		if errors.As(err, &quota) != (f.rows(t, "jobs") == 1 && err != nil) {
			t.Errorf("%d units: error %v", units, err)
		}
	}
	if rows := f.batchRows(t); rows["jobs"] != 1 || rows["job_data"] != 1 || rows["outbox"] != 1 || rows["reservations"] != 1 {
		t.Errorf("left are %v", rows)
	}
	f.wantUsed(t, create, 60, 0)
}

func TestBatchReservesAllItsUnitsOrNone(t *testing.T) {
	f := newInline(t, "free")
	w, err := f.AcceptBatch(t.Context(), NewBatch{f.account, account.Live})
	do(t, err)
	add := func(n int) {
		for range n {
			_, err := w.Add(t.Context(), f.charged("x"))
			do(t, err)
		}
	}
	add(101)
	var quota *QuotaError
	if _, err := w.Commit(t.Context()); !errors.As(err, &quota) || quota.Limit != 100 {
		t.Errorf("101 units: error %v", err)
	}
	f.wantUsed(t, create, 0, 0)
	do(t, w.Abort(t.Context()))
	if left := f.batchRows(t); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
	w, err = f.AcceptBatch(t.Context(), NewBatch{f.account, account.Live})
	do(t, err)
	add(100)
	_, err = w.Commit(t.Context())
	do(t, err)
	f.wantUsed(t, create, 100, 0)
	do(t, f.Finish(t.Context(), f.claimNext(t), done), f.Fail(t.Context(), f.claimNext(t), Failure{CodeTimedOut, "x"}))
	f.wantUsed(t, create, 98, 1)
}

func TestJobTakesOverWhatItsRequestHolds(t *testing.T) {
	f := newInline(t, "free")
	ticket := f.begin(t, f.keyed("idem", "a", create))
	f.wantUsed(t, create, 1, 0)
	n := f.charged("x")
	n.Charges, n.Ticket = nil, &ticket
	job, err := f.Accept(t.Context(), n)
	do(t, err)
	if again, err := f.Begin(t.Context(), f.keyed("idem", "a", create)); err != nil || again.JobID != job.ID {
		t.Errorf("the request repeated gives %+v, error %v, want the job", again, err)
	}
	do(t, f.Finish(t.Context(), f.claim(t, job), done))
	f.wantUsed(t, create, 0, 1)
	if again, err := f.Begin(t.Context(), f.keyed("idem", "a", create)); err != nil || again.JobID != job.ID {
		t.Errorf("repeated after the end it gives %+v, error %v, want the job", again, err)
	}
	_, err = f.Erase(t.Context(), f.account, account.Live, job.ID)
	do(t, err)
	f.begin(t, f.keyed("idem", "b", create)) // the key is free
}

func TestEndWithoutAnAnswerFreesTheKey(t *testing.T) {
	for name, end := range map[string]func(f *fixture, run Job) error{
		"time-out": func(f *fixture, run Job) error { return f.Fail(t.Context(), run, Failure{CodeTimedOut, "x"}) },
		"cancel":   func(f *fixture, run Job) error { return f.cancel(t, run) },
		"crashes":  crashThrice,
		"500": func(f *fixture, run Job) error {
			return f.Finish(t.Context(), run, Output{Status: 503, Answer: Bytes("{}")})
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newInline(t, "free")
			ticket := f.begin(t, f.keyed("idem", "a", create))
			n := f.newJob("x")
			n.Mode, n.Ticket = account.Live, &ticket
			job, err := f.Accept(t.Context(), n)
			do(t, err, end(f, f.claim(t, job)))
			f.begin(t, f.keyed("idem", "b", create))
			f.wantUsed(t, create, 1, 0) // of the second request
		})
	}
}
