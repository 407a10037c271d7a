package scheduler

import (
	"context"
	"errors"
	"time"

	"einvoiced/storage/ledger"
	"einvoiced/storage/outbox"
)

// Bell is the queue as the reconciler uses it.
type Bell interface {
	// Ring rings for a job or a delivery; held says that the ring of this run number is in a worker's hands.
	Ring(ctx context.Context, queue, subject string, run int64) (held bool, err error)
	// Epoch names the present life of the queue's memory.
	Epoch(ctx context.Context) (string, error)
}

const (
	ringPage  = 500 // rings between two notes in the database
	purgePage = 500 // jobs whose blobs are removed in one go
)

// Jobs gives the chores that jobs need: the reconciler, which takes jobs from dead workers and rings what is owed, every
// 5 s; expiry and the removal of blobs, every minute; and the search for blobs that belong to nobody, every hour.
func Jobs(jobs *ledger.Ledger, owed *outbox.Store, bell Bell) []Chore {
	r := &reconciler{jobs: jobs, owed: owed, bell: bell}
	return []Chore{
		{"reconcile jobs", 5 * time.Second, r.reconcile},
		{"expire jobs", time.Minute, func(ctx context.Context) error { return untilNone(ctx, jobs.Expire) }},
		{"purge blobs", time.Minute, func(ctx context.Context) error {
			return untilNone(ctx, func(ctx context.Context) (int, error) { return jobs.Purge(ctx, purgePage) })
		}},
		{"expire idempotency keys", time.Minute, func(ctx context.Context) error { return untilNone(ctx, jobs.ExpireIdempotency) }},
		{"sweep blobs", time.Hour, func(ctx context.Context) error { _, err := jobs.Sweep(ctx); return err }},
	}
}

// untilNone repeats a step until it has nothing more to do.
func untilNone(ctx context.Context, step func(context.Context) (int, error)) error {
	for {
		if n, err := step(ctx); n == 0 || err != nil {
			return err
		}
	}
}

// reconciler makes the queue agree with the database.
type reconciler struct {
	jobs  *ledger.Ledger
	owed  *outbox.Store
	bell  Bell
	epoch string // the life of the queue's memory into which everything owed was rung; empty at the start
}

func (r *reconciler) reconcile(ctx context.Context) error {
	return errors.Join(untilNone(ctx, r.jobs.Reap), untilNone(ctx, r.jobs.ReapHolders), r.ringOwed(ctx))
}

// ringOwed rings what is due, and everything at the start and whenever the queue has lost its memory.
func (r *reconciler) ringOwed(ctx context.Context) error {
	epoch, err := r.bell.Epoch(ctx)
	if err != nil {
		return err
	}
	if epoch != r.epoch {
		if _, err := r.owed.OweAll(ctx); err != nil {
			return err
		}
		r.epoch = epoch
	}
	return untilNone(ctx, r.ringPage)
}

// ringPage rings a page of what is due and notes it, also what was rung before an error.
func (r *reconciler) ringPage(ctx context.Context) (int, error) {
	owed, err := r.owed.Owed(ctx, ringPage)
	if err != nil {
		return 0, err
	}
	rung := 0
	for ; rung < len(owed) && err == nil; rung++ {
		owed[rung].Held, err = r.bell.Ring(ctx, owed[rung].Queue, owed[rung].Subject, owed[rung].Run)
	}
	if err != nil {
		rung--
	}
	if rung == 0 {
		return 0, err
	}
	return rung, errors.Join(err, r.owed.Rung(ctx, owed[:rung]))
}
