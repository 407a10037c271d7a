package worker

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/einvoiced/einvoiced/storage/ledger"
)

// everybody is all that a process can run beside each other.
const everybody = math.MaxInt64

// newCompany counts the runs that share the process; who takes everybody runs alone. It is fair: while one waits to be alone, no other run begins.
func newCompany() *semaphore.Weighted { return semaphore.NewWeighted(everybody) }

// join waits until no run is alone in the process, and gives what ends the share of this one; ok is false where ctx ends before.
func (w *Worker) join(ctx context.Context) (leave func(), ok bool) {
	if w.company.Acquire(ctx, 1) != nil {
		return nil, false
	}
	return sync.OnceFunc(func() { w.company.Release(1) }), true
}

// runSuspect runs a job that was running when its worker died, and alone in the process where it can be, since only then the death of the
// process is its doing. It is not claimed before the process has lived for a while: one that is killed again and again blames nobody.
func (w *Worker) runSuspect(ctx context.Context, jobID string) {
	if !sleep(ctx, w.cfg.Young-time.Since(w.born)) {
		return
	}
	if waits, err := w.ledger.Suspects(ctx, jobID); err == nil && len(waits) == 0 {
		return // no other job is held up for one that another process has claimed
	}
	leave, alone, ok := w.isolate(ctx)
	if !ok {
		return
	}
	defer leave()
	job, ok, _ := w.claim(jobID, func() (ledger.Job, error) {
		return w.ledger.ClaimSuspect(ctx, jobID, func(job ledger.Job) bool { return alone && w.runsHere(job) })
	})
	if !ok {
		return
	}
	w.shares.add(job.Account)
	defer w.shares.end(job.Account)
	if !job.Alone {
		leave()
	}
	stop := w.endIsolation(ctx, job, leave)
	w.run(ctx, job, leave)
	stop()
}

// manyCrashes is after how many crashes a job is not believed to be done in a process of its own: the runner may find none, and do it here.
const manyCrashes = 6

// runsHere tells whether the death of this process can be the doing of the job.
func (w *Worker) runsHere(job ledger.Job) bool {
	return job.Crashes >= manyCrashes || !w.cfg.Isolated(job.Kind, job.Input.Size)
}

// isolate waits until nothing else runs in the process. Where the others take longer than Config.Alone, or an abandoned run goes on, what
// follows is not alone; then the others are not held up.
func (w *Worker) isolate(ctx context.Context) (leave func(), alone, ok bool) {
	limited, cancel := context.WithTimeout(ctx, w.cfg.Alone)
	defer cancel()
	if w.abandoned.Load() > 0 || w.company.Acquire(limited, everybody) != nil {
		leave, ok = w.join(ctx)
		return leave, false, ok
	}
	leave = sync.OnceFunc(func() { w.company.Release(everybody) })
	return leave, w.abandoned.Load() == 0, true
}

// endIsolation lets others run beside a job that runs alone when they have waited for long: for Config.Alone, and twice as long after each
// crash, so that a job which ends its process late is alone with it in the end. stop stops that.
func (w *Worker) endIsolation(ctx context.Context, job ledger.Job, leave func()) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var waiting sync.WaitGroup
	if job.Alone {
		waiting.Go(func() {
			if !sleep(ctx, w.cfg.Alone<<min(job.Crashes-1, 20)) {
				return
			}
			switch err := w.ledger.Accompany(ctx, job); {
			case err == nil:
				leave()
			case !errors.Is(err, ledger.ErrLost) && ctx.Err() == nil:
				w.cfg.Logger.Warn("others wait until a job has ended", "job_id", job.ID, "run", job.Run, "error", err)
			}
		})
	}
	return func() { cancel(); waiting.Wait() }
}

// sleep waits; it tells whether ctx has not ended meanwhile.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
