// Package worker runs jobs: a notification of the queue in, the job's row claimed, the operation run, its output in the ledger.
//
// A worker promises little and needs to: whatever it does is fenced by its run number, and whatever it leaves undone is
// found by the reconciler.
//
// Worker.Handle is called for each message. It claims the job whose turn it is (shares.go), runs it in this process or has
// the Runner do so in another, beats for it meanwhile, and writes down what came of it. A job that was running when a worker
// died is a suspect (alone.go, suspects.go): it runs again with nothing beside it, so that it is blamed for the death of the
// process only where it is the cause.
package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/einvoiced/einvoiced/core/progress"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// Config sets up a Worker.
type Config struct {
	Beat   time.Duration // between two beats of a running job; well below the ledger's DeadAfter. Default: 3 s.
	Settle time.Duration // how long writing down what came of a run may take. Default: 60 s.
	Logger *slog.Logger  // Default: slog.Default().

	// Ends is how many jobs may be written down, after a run that went well, while Handle has returned and the place of the run is
	// taken by the next, which would else wait for the disk; of one account one at a time while another was served within the last second, for
	// whom disk and database are to have room. Outputs that hold memory of their own (Output.Release) keep the place, and
	// so do suspects, beside which no other suspect is to run. Default: 0, Handle returns when all is written.
	Ends int

	// Share is how many jobs of one account may be run beside each other, of the calls of Handle that there are. Default: 0, any number.
	Share int

	// Recent is told who is run, and tells for whom one of a share is kept free: others that were served lately. Default: only runs of this worker count.
	Recent *job.Recent

	// Queues are those for which Handle is called, those first that are served first. It is needed where Share is given: then the call for a
	// message of one queue may run a job of another. Default: none.
	Queues []string

	// Look is how often the worker looks for jobs of other accounts while all that its messages tell of belongs to accounts with their share: the
	// message of another may stand behind thousands of theirs. Default: 10 ms.
	Look time.Duration

	// Young is how long after New no job is claimed that was running when its worker died. Default: 5 s.
	Young time.Duration

	// Alone is how long other jobs wait for one of these, which is to run alone in the process. Default: 10 s.
	Alone time.Duration

	// Isolated tells whether the runner does runs of a kind with so many bytes of input in processes of their own: they share this process
	// with nobody, and are not blamed for its death. Default: none.
	Isolated func(kind string, size int64) bool

	// Left is told of each job that a run has left, ended or not, so that who waits for it need not look for it. It must
	// not block. Default: nobody is told.
	Left func(jobIDs ...string)
}

func (c Config) withDefaults() (Config, error) {
	if min(c.Beat, c.Settle, c.Young, c.Alone, c.Look) < 0 || c.Ends < 0 || c.Share < 0 {
		return c, errors.New("worker: Beat, Settle, Young, Alone, Look, Ends and Share must not be negative")
	}
	c.Recent = cmp.Or(c.Recent, &job.Recent{})
	c.Beat = cmp.Or(c.Beat, 3*time.Second)
	c.Settle = cmp.Or(c.Settle, time.Minute)
	c.Look = cmp.Or(c.Look, 10*time.Millisecond)
	c.Young = cmp.Or(c.Young, 5*time.Second)
	c.Alone = cmp.Or(c.Alone, 10*time.Second)
	c.Logger = cmp.Or(c.Logger, slog.Default())
	if c.Isolated == nil {
		c.Isolated = func(string, int64) bool { return false }
	}
	if c.Left == nil {
		c.Left = func(...string) {}
	}
	return c, nil
}

// Worker runs jobs. A run whose runner does not return soon after its context has ended is abandoned, and its result dropped. It is safe
// for concurrent use: Handle may be called for many jobs beside each other.
type Worker struct {
	cfg      Config
	ledger   *ledger.Ledger
	runner   job.Runner
	suspects suspectQueue
	memory   memory
	shares   *shares
	lookout  chan struct{} // has room for one who looks for jobs of other accounts
	accepted chan struct{} // has something where a job of another account was accepted since it was looked
	ends     *ends         // jobs that are written down while nobody waits for them

	born      time.Time
	company   *semaphore.Weighted
	abandoned atomic.Int32 // runs that go on though nobody waits for them
}

// New prepares a Worker.
func New(cfg Config, jobs *ledger.Ledger, runner job.Runner) (*Worker, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Worker{
		cfg: cfg, ledger: jobs, runner: runner,
		shares: newShares(cfg.Share, cfg.Recent), lookout: make(chan struct{}, 1), accepted: make(chan struct{}, 1), ends: newEnds(cfg.Ends, cfg.Recent),
		born: time.Now(), company: newCompany(),
	}, nil
}

// Wait returns when all is written that calls of Handle have left to be written.
func (w *Worker) Wait() {
	w.ends.under.Wait()
}

// Handle answers a notification: it claims the job of the queue whose turn it is and runs it to its end (see Config.Ends); it does nothing
// where none waits. It is a queue.Handler. When ctx ends, the job is given back to the queue. A job that was running when a worker died is
// claimed itself, and waits until no other job runs here; where another such job does, that call of Handle runs this job afterwards, and
// this one returns.
func (w *Worker) Handle(ctx context.Context, queue, jobID string) {
	if !w.handle(ctx, queue, jobID) || !w.suspects.enter(jobID) {
		return
	}
	for suspect, ok := w.suspects.next(); ok; suspect, ok = w.suspects.next() {
		w.runSuspect(ctx, suspect)
	}
}

// handle runs the job of the queue whose turn it is and tells whether the one of the notification is a suspect, which is not claimed so.
func (w *Worker) handle(ctx context.Context, queue, jobID string) (suspect bool) {
	job, leave, ok, suspect := w.next(ctx, queue, jobID)
	if !ok {
		return suspect
	}
	defer w.shares.end(job.Account)
	if w.cfg.Isolated(job.Kind, job.Input.Size) {
		leave()
	}
	w.run(ctx, job, leave)
	return false
}

// claim gives the job where it can be claimed, and tells where it is a suspect that cannot be claimed so.
func (w *Worker) claim(jobID string, claim func() (ledger.Job, error)) (job ledger.Job, ok, suspect bool) {
	job, err := claim()
	switch {
	case err == nil:
		return job, true, false
	case errors.Is(err, ledger.ErrSuspect):
		return job, false, true
	case errors.Is(err, ledger.ErrPassed):
	case errors.Is(err, ledger.ErrNotQueued):
		w.cfg.Logger.Debug("notified of a queue in which nothing waits", "job_id", jobID)
	default:
		w.cfg.Logger.Warn("no job could be claimed; workers will be notified again", "job_id", jobID, "error", err)
	}
	return job, false, false
}

var (
	errTimedOut = errors.New("the job's time limit is over")         // ends the context of a run
	errVanished = errors.New("the operation has ended without word") // its goroutine is gone
)

// run runs a claimed job and writes down what came of it, with beats from beginning to end. Then it calls leave.
func (w *Worker) run(ctx context.Context, job ledger.Job, leave func()) {
	start := time.Now()
	ctx = db.ByAccount(ctx, job.Account)
	running, lose := context.WithCancelCause(ctx)
	percent := new(atomic.Int32)
	stopBeats := w.beats(ctx, job, percent, lose)
	limited, cancel := context.WithTimeoutCause(progress.With(running, func(p int) { percent.Store(max(percent.Load(), int32(p))) }), job.TimeLimit, errTimedOut)
	out, failed := w.attempt(limited, job)
	cancel()
	end := func() {
		defer leave()
		defer lose(nil)
		defer stopBeats()
		what, err := w.settle(ctx, job, out, failed)
		release(out)
		w.cfg.Left(job.ID)
		w.report(job, what, time.Since(start), out.Status, err)
	}
	if failed == nil && out.Release == nil && job.Crashes == 0 && w.ends.begin(job.Account, end) {
		return
	}
	end()
	if failed != nil {
		w.memory.giveBack()
	}
}

// beats keeps the job alive until the returned function is called. When the run has lost the job, lose is called. It beats on
// while the worker stops: until the end is written down, the job must not be taken for one of the dead.
func (w *Worker) beats(ctx context.Context, job ledger.Job, percent *atomic.Int32, lose context.CancelCauseFunc) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(w.cfg.Beat)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			switch err := w.ledger.Beat(ctx, job, int(percent.Load())); {
			case errors.Is(err, ledger.ErrLost):
				lose(ledger.ErrLost)
				return
			case err != nil && ctx.Err() == nil:
				w.cfg.Logger.Warn("beat not written", "job_id", job.ID, "run", job.Run, "error", err)
			}
		}
	}()
	return func() { cancel(); <-done }
}

// attempt runs the operation. It returns when that does or when the context ends, with the context's cause; an operation that
// goes on nevertheless is left to itself, and its result is dropped. Nothing ends a goroutine from outside: to wait for it
// would cost the place of its run as well.
func (w *Worker) attempt(ctx context.Context, job ledger.Job) (ledger.Output, error) {
	type result struct {
		out ledger.Output
		err error
	}
	done := make(chan result, 1)
	go func() {
		r := result{err: errVanished}
		defer func() { // also where the operation ends its goroutine
			done <- r
			if ctx.Err() != nil {
				w.memory.giveBack()
			}
		}()
		r.out, r.err = w.call(ctx, job)
	}()
	select {
	case r := <-done:
		if r.err != nil && ctx.Err() != nil {
			r.err = context.Cause(ctx)
		}
		return r.out, r.err
	case <-ctx.Done():
		w.abandoned.Add(1)
		go func() {
			defer w.abandoned.Add(-1)
			release((<-done).out)
		}()
		return ledger.Output{}, context.Cause(ctx)
	}
}

// release lets go what holds the contents of an output.
func release(out ledger.Output) {
	if out.Release != nil {
		out.Release()
	}
}

// call calls the runner; a panic becomes an error.
func (w *Worker) call(ctx context.Context, claimed ledger.Job) (out ledger.Output, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a run: %v\n%s", p, debug.Stack())
		}
	}()
	return w.runner.Run(w.cfg.Recent.Yielding(ctx, claimed.Account), job.RunOf(claimed), w.ledger.Input(claimed))
}

// settle writes down what came of the run and names it for the log. It does so also while the worker stops.
func (w *Worker) settle(ctx context.Context, job ledger.Job, out ledger.Output, cause error) (what string, err error) {
	stopping := ctx.Err() != nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), w.cfg.Settle)
	defer cancel()
	ctx = w.cfg.Recent.Yielding(ctx, job.Account)
	switch {
	case cause == nil:
		if err := w.finish(ctx, job, out); err == nil || errors.Is(err, ledger.ErrLost) {
			return "job finished", err
		} else if retry := w.ledger.Retry(ctx, job); retry != nil {
			return "output not stored", errors.Join(err, retry)
		} else {
			return "output not stored", err
		}
	case errors.Is(cause, ledger.ErrLost):
		return "job lost", cause
	case errors.Is(cause, errTimedOut):
		message := fmt.Sprintf("Job %s did not finish within %s", job.ID, job.TimeLimit)
		return "job timed out", errors.Join(cause, w.ledger.Fail(ctx, job, ledger.Failure{Code: ledger.CodeTimedOut, Message: message}))
	case stopping:
		return "job given back", w.ledger.Release(ctx, job)
	}
	return "run failed", errors.Join(cause, w.ledger.Retry(ctx, job))
}

// finish ends the job with its output. Where that is refused for what it registers, the job ends with the refusal.
func (w *Worker) finish(ctx context.Context, claimed ledger.Job, out ledger.Output) error {
	err := w.ledger.Finish(ctx, claimed, out)
	if err == nil {
		return nil
	}
	refusal, other := job.Refused(err)
	if other != nil {
		return err
	}
	refusal.Rulebooks = out.Rulebooks
	return w.ledger.Finish(ctx, claimed, refusal)
}

// report logs what came of a run, without a word of the document.
func (w *Worker) report(job ledger.Job, what string, took time.Duration, status int, err error) {
	level := slog.LevelInfo
	attrs := []any{"job_id", job.ID, "request_id", job.RequestID, "kind", job.Kind, "run", job.Run, "took", took.Round(time.Millisecond)}
	switch {
	case errors.Is(err, ledger.ErrLost):
		what = "output discarded: the run has lost the job"
	case err != nil:
		level, attrs = slog.LevelError, append(attrs, "error", err)
	case status != 0:
		attrs = append(attrs, "status", status)
	}
	w.cfg.Logger.Log(context.Background(), level, what, attrs...)
}
