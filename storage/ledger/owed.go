package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/outbox"
	"github.com/einvoiced/einvoiced/storage/queue/names"
)

const (
	retryDelay   = 2 * time.Second // before the second attempt; doubles
	longestDelay = 5 * time.Minute // after a crash
	purgeDelay   = time.Minute     // between two tries to remove a job's blobs
	pageOfReaped = 500             // rows that one transaction of Reap or Expire changes at most
)

// What the scheduler asks again and again; each has an index that holds little more than the rows it gives.
const (
	selectDead    = "SELECT * FROM jobs WHERE state = 'running' AND beat < ? ORDER BY beat LIMIT ?"
	selectExpired = "SELECT * FROM jobs WHERE state IN ('succeeded', 'failed', 'canceled') AND expires <= ? ORDER BY expires LIMIT ?"
	selectPurges  = `SELECT j.* FROM outbox o JOIN jobs j ON j.id = o.subject WHERE o.kind = 'purge' AND o.due <= ? ORDER BY o.due LIMIT ?`
)

// requeue is how a running job goes back to the queue. It has had its turn, so it goes first.
type requeue struct {
	attempts int
	crashes  int
	blamed   int
	delay    time.Duration // before which it is neither claimed nor enqueued
}

// requeue gives the job back and, without a delay, enqueues it, so that another worker need not wait for the reconciler.
func (l *Ledger) requeue(ctx context.Context, job Job, q requeue) error {
	var messages []outbox.Entry
	err := l.db.Write(ctx, func(tx *db.Tx) (err error) {
		messages, err = l.requeueRow(tx, row{ID: job.ID, Queue: job.Queue, Run: job.Run}, q)
		return err
	})
	if err != nil {
		return fmt.Errorf("give back run %d of job %s: %w", job.Run, job.ID, err)
	}
	l.enqueue(messages)
	return nil
}

// requeueRow gives what is to be enqueued after the commit. The error is ErrLost where the job is not the run's. The run's
// number stays until the next claim; what this run still sends is refused because the job is not running.
func (l *Ledger) requeueRow(tx *db.Tx, r row, q requeue) ([]outbox.Entry, error) {
	due := l.cfg.Clock.Now().Add(q.delay)
	var waitsUntil int64
	if q.delay > 0 {
		waitsUntil = clock.Millis(due)
	}
	err := tx.Must(ErrLost, `UPDATE jobs SET state = 'queued', turn = ?, waits_until = ?, progress = 0, beat = NULL, attempts = attempts + ?,
		crashes = crashes + ?, blamed = blamed + ? WHERE id = ? AND run = ? AND state = 'running'`,
		first, waitsUntil, q.attempts, q.crashes, q.blamed, r.ID, r.Run)
	if err != nil {
		return nil, err
	}
	entry := r.message(due)
	if q.crashes > 0 && entry.Queue == names.Default {
		entry.Queue = names.Interactive // it is claimed by its id, and must not wait behind the messages of thousands
	}
	return []outbox.Entry{entry}, outbox.Add(tx, entry)
}

// EnqueueAgain has a message come again that a worker could not answer, for its job, or where another message was answered with that, for the last
// that waits in the queue.
func (l *Ledger) EnqueueAgain(ctx context.Context, queue, jobID string) error {
	err := l.db.Write(ctx, func(tx *db.Tx) error {
		now := l.now()
		n, err := tx.Exec("UPDATE outbox SET due = ?, tries = 0 WHERE kind = 'ring' AND subject = ?", now, jobID)
		if err != nil || n > 0 {
			return err
		}
		_, err = tx.Exec(`UPDATE outbox SET due = ?, tries = 0 WHERE kind = 'ring' AND subject = (
			SELECT id FROM jobs WHERE queue = ? AND state = 'queued' AND crashes = 0 ORDER BY turn DESC LIMIT 1)`, now, queue)
		return err
	})
	if err != nil {
		return fmt.Errorf("have the message of job %s come again: %w", jobID, err)
	}
	return nil
}

// Reap takes the running jobs away from workers whose beat is older than DeadAfter: they are queued again, to wait longer
// after each crash, or have failed with JOB_CRASHED at the last of MaxCrashes for which they are blamed. It gives how many jobs it has moved, at most some hundred. Each job is
// moved by itself: one that cannot be is logged, and does not hold up the others.
func (l *Ledger) Reap(ctx context.Context) (int, error) {
	var dead []row
	before := clock.Millis(l.cfg.Clock.Now().Add(-l.cfg.DeadAfter))
	if err := l.db.Select(ctx, &dead, selectDead, before, pageOfReaped); err != nil {
		return 0, fmt.Errorf("find jobs of dead workers: %w", err)
	}
	moved := 0
	for _, r := range dead {
		log := l.cfg.Logger.With("job_id", r.ID, "run", r.Run, "crashes", r.Crashes+1)
		switch messages, err := l.reap(ctx, r, before); {
		case errors.Is(err, ErrLost):
		case err != nil:
			log.Error("job could not be taken from a dead worker", "error", err)
		default:
			log.Warn("job lost its worker")
			l.enqueue(messages)
			moved++
		}
	}
	return moved, nil
}

// reap takes the job away from the run, unless that has beaten meanwhile; then the error is ErrLost. So it is where somebody holds the row,
// perhaps a process that was frozen while it ended the job: the next round looks again, and the other jobs do not wait for that.
func (l *Ledger) reap(ctx context.Context, r row, before int64) (messages []outbox.Entry, err error) {
	var after row
	err = l.db.Write(ctx, func(tx *db.Tx) error {
		err := tx.Get(&r.Alone, "SELECT alone FROM jobs WHERE id = ? AND run = ? AND state = 'running' AND beat < ?"+tx.SkipLocked(), r.ID, r.Run, before)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrLost
		}
		if err != nil {
			return err
		}
		after, messages, err = l.reapRow(tx, r)
		return err
	})
	if err == nil && after.State.Finished() {
		l.cfg.Watch.Ended(after.job())
	}
	return messages, err
}

// reapRow gives the row as it is afterwards, as far as it is known, and what is to be enqueued after the commit.
func (l *Ledger) reapRow(tx *db.Tx, r row) (after row, messages []outbox.Entry, err error) {
	blamed := 0
	if r.Alone {
		blamed = 1
	}
	if r.Blamed+blamed < l.cfg.MaxCrashes {
		messages, err = l.requeueRow(tx, r, requeue{crashes: 1, blamed: blamed, delay: l.delayAfter(r.Crashes + 1)})
		return row{State: Queued}, messages, err
	}
	return l.endRow(tx, ending{row: row{
		ID: r.ID, Account: r.Account, Mode: r.Mode, Run: r.Run, State: Failed, Crashes: 1, Blamed: blamed, FailureCode: CodeCrashed,
		FailureMessage: fmt.Sprintf("Job %s ended its worker %d times, when it ran nothing else, and was given up", r.ID, r.Blamed+blamed),
	}})
}

// delayAfter is how long a job waits after so many crashes, beside the time in which nobody knows of the last. After the first it does not.
func (l *Ledger) delayAfter(crashes int) time.Duration {
	delay := time.Duration(0)
	for i := 1; i < crashes && delay < longestDelay; i++ {
		delay = max(l.cfg.CrashDelay, 2*delay)
	}
	return min(delay, longestDelay)
}
