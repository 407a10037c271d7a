package scheduler

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/outbox"
	"github.com/einvoiced/einvoiced/storage/queue/names"
)

// Enqueuer is the queue as the reconciler uses it.
type Enqueuer interface {
	// Enqueue enqueues a job or a delivery; held says that the message of this run number is in a worker's hands.
	Enqueue(ctx context.Context, queue, subject string, run int64) (held bool, err error)
	// Room tells how many messages the queue takes more, so that its memory does not grow with what waits in the database.
	Room(ctx context.Context, queue string) (int, error)
	// Epoch names the present life of the queue's memory.
	Epoch(ctx context.Context) (string, error)
}

const (
	duePage   = 500    // messages between two notes in the database
	callers   = 8      // messages that are put down beside each other
	purgePage = 500    // jobs whose blobs are removed in one go
	madeDue   = 10_000 // messages of a queue that are enqueued at once when its memory is lost; more than wait for their turn in it

	// againMost is how many messages of a queue are enqueued again in one round. Deliveries may wait by the million for a receiver that does not answer:
	// to wake each of them often costs others the processor.
	againMost = 2000
)

// Jobs gives the chores that jobs, deliveries and requests need: jobs are taken from dead workers, and what dead processes hold is
// released, every 5 s; what is owed is enqueued every 2 s; what has expired goes every minute, with its blobs; and blobs that belong to
// nobody are searched for every hour.
func Jobs(jobs *ledger.Ledger, owed *outbox.Store, queue Enqueuer) []Chore {
	take := &reaper{jobs: jobs, steps: []step{jobs.Reap}}
	release := &reaper{jobs: jobs, steps: []step{jobs.ReapHolders, jobs.ReapBatches}}
	outbox := &reconciler{owed: owed, queue: queue, names: names.All(), jobs: jobs}
	return []Chore{
		{"take jobs from the dead", 5 * time.Second, take.reap},
		{"release what the dead hold", 5 * time.Second, release.reap},
		{"enqueue what is owed", 2 * time.Second, outbox.enqueueDue},
		{"expire jobs", time.Minute, func(ctx context.Context) error { return untilNone(ctx, jobs.Expire) }},
		{"drop inputs of failed jobs", time.Minute, func(ctx context.Context) error { return untilNone(ctx, jobs.DropInputs) }},
		{"forget expired jobs", time.Minute, func(ctx context.Context) error { return untilNone(ctx, jobs.Forget) }},
		{"forget idempotency keys", time.Minute, func(ctx context.Context) error { return untilNone(ctx, jobs.ExpireIdempotency) }},
		{"purge blobs", time.Minute, func(ctx context.Context) error {
			return untilNone(ctx, func(ctx context.Context) (int, error) { return jobs.Purge(ctx, purgePage) })
		}},
		{"sweep blobs", time.Hour, func(ctx context.Context) error { _, err := jobs.Sweep(ctx); return err }},
	}
}

// step does a part of a chore and tells how much it has done.
type step func(context.Context) (int, error)

// untilNone repeats a step until it has nothing more to do.
func untilNone(ctx context.Context, do step) error {
	for {
		if n, err := do(ctx); n == 0 || err != nil {
			return err
		}
	}
}

// reaper takes from the dead what they have.
type reaper struct {
	jobs  *ledger.Ledger
	steps []step
	blind bool // the database could not be reached the last time
}

// reap spares everybody once after the database was away: the living could not beat either, and do so before the next time.
func (r *reaper) reap(ctx context.Context) error {
	if r.blind {
		_, err := r.jobs.Counts(ctx)
		r.blind = err != nil
		return err
	}
	var errs []error
	for _, do := range r.steps {
		errs = append(errs, untilNone(ctx, do))
	}
	err := errors.Join(errs...)
	r.blind = err != nil
	return err
}

// reconciler makes the queue agree with the outbox.
type reconciler struct {
	owed  *outbox.Store
	queue Enqueuer
	names []string // of the queues
	jobs  *ledger.Ledger
	epoch string // the life of the queue's memory for which what stands in it was made due; empty at the start
}

// enqueueDue enqueues what is due, and what has stood in the queues at the start and whenever these have lost their memory. The epoch is noted
// when that was made due, not when it was enqueued: from then on it stands in the database as due.
func (r *reconciler) enqueueDue(ctx context.Context) error {
	epoch, err := r.queue.Epoch(ctx)
	if err != nil {
		return err
	}
	if epoch != r.epoch {
		for _, queue := range r.names {
			if _, err := r.owed.MakeDue(ctx, queue, madeDue); err != nil {
				return err
			}
		}
		r.epoch = epoch
	}
	var errs []error
	for _, queue := range r.names {
		errs = append(errs, r.fill(ctx, queue))
	}
	return errors.Join(errs...)
}

// fill enqueues what is due for a queue as far as that has room: all that is due for the first time, then some of what comes again.
func (r *reconciler) fill(ctx context.Context, queue string) error {
	err := untilNone(ctx, func(ctx context.Context) (int, error) { return r.enqueuePage(ctx, queue, r.owed.Due, duePage) })
	for left := againMost; err == nil && left > 0; {
		n := 0
		if n, err = r.enqueuePage(ctx, queue, r.owed.DueAgain, min(duePage, left)); n == 0 {
			break
		}
		left -= n
	}
	return err
}

// enqueuePage enqueues a page of what is due, with so many messages at most, and notes what was enqueued, also where some was not.
func (r *reconciler) enqueuePage(ctx context.Context, queue string, due func(context.Context, string, int) ([]outbox.Message, error), most int) (int, error) {
	room, err := r.queue.Room(ctx, queue)
	if err != nil || room == 0 {
		return 0, err
	}
	owed, err := due(ctx, queue, min(room, most))
	if err != nil || len(owed) == 0 {
		return 0, err
	}
	enqueued, err := r.enqueueAll(ctx, owed)
	if len(enqueued) == 0 {
		return 0, err
	}
	if queue != names.Webhook {
		err = errors.Join(err, r.markUrgent(ctx, enqueued))
	}
	return len(enqueued), errors.Join(err, r.owed.Enqueued(ctx, enqueued))
}

// markUrgent marks the messages of jobs that were running when a worker died: a process that has such a message waits with the job for its turn, and may die
// meanwhile like the one before. The few that there are come again soon, until the job is claimed.
func (r *reconciler) markUrgent(ctx context.Context, enqueued []outbox.Message) error {
	ids := make([]string, len(enqueued))
	for i, m := range enqueued {
		ids[i] = m.Subject
	}
	suspects, err := r.jobs.Suspects(ctx, ids...)
	for i := range enqueued {
		enqueued[i].Urgent = slices.Contains(suspects, enqueued[i].Subject)
	}
	return err
}

// enqueueAll enqueues in parts beside each other, each until one fails, and gives what was enqueued.
func (r *reconciler) enqueueAll(ctx context.Context, owed []outbox.Message) (enqueued []outbox.Message, err error) {
	parts := slices.Collect(slices.Chunk(owed, (len(owed)+callers-1)/callers))
	done, errs := make([]int, len(parts)), make([]error, len(parts))
	var work sync.WaitGroup
	for i, part := range parts {
		work.Go(func() {
			for ; done[i] < len(part); done[i]++ {
				if errs[i] = r.enqueue(ctx, &part[done[i]]); errs[i] != nil {
					return
				}
			}
		})
	}
	work.Wait()
	for i, part := range parts {
		enqueued = append(enqueued, part[:done[i]]...)
	}
	return enqueued, errors.Join(errs...)
}

// enqueue enqueues with the next number, too, where a worker holds the message of this one: it may never come back with it.
func (r *reconciler) enqueue(ctx context.Context, p *outbox.Message) (err error) {
	if p.Held, err = r.queue.Enqueue(ctx, p.Queue, p.Subject, p.Run); err != nil || !p.Held {
		return err
	}
	_, err = r.queue.Enqueue(ctx, p.Queue, p.Subject, p.Run+1)
	return err
}
