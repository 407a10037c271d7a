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
)

const (
	retryDelay   = 2 * time.Second // before the second attempt; doubles
	purgeDelay   = time.Minute     // between two tries to remove a job's blobs
	pageOfReaped = 500             // rows that one transaction of Reap or Expire changes at most
)

// What the clockwork asks again and again; each has an index that holds little more than the rows it gives.
const (
	selectDead    = "SELECT * FROM jobs WHERE state = 'running' AND beat < ? ORDER BY beat LIMIT ?"
	selectExpired = "SELECT * FROM jobs WHERE state IN ('succeeded', 'failed', 'canceled') AND expires <= ? ORDER BY expires LIMIT ?"
	selectPurges  = `SELECT j.* FROM outbox o JOIN jobs j ON j.id = o.subject WHERE o.kind = 'purge' AND o.due <= ? ORDER BY o.due LIMIT ?`
)

// requeue is how a running job goes back to the queue. It has had its turn, so it goes first.
type requeue struct {
	attempts int
	crashes  int
	delay    time.Duration // before which it is neither claimed nor rung
}

// requeue gives the job back and, without a delay, rings for it, so that another worker need not wait for the reconciler.
func (l *Ledger) requeue(ctx context.Context, job Job, q requeue) error {
	var rings []outbox.Debt
	err := l.db.Write(ctx, func(tx *db.Tx) (err error) {
		rings, err = l.requeueRow(tx, row{ID: job.ID, Queue: job.Queue, Run: job.Run}, q)
		return err
	})
	if err != nil {
		return fmt.Errorf("give back run %d of job %s: %w", job.Run, job.ID, err)
	}
	l.ring(rings)
	return nil
}

// requeueRow gives what is to be rung after the commit. The error is ErrLost where the job is not the run's.
func (l *Ledger) requeueRow(tx *db.Tx, r row, q requeue) ([]outbox.Debt, error) {
	due := l.cfg.Clock.Now().Add(q.delay)
	var waitsUntil int64
	if q.delay > 0 {
		waitsUntil = clock.Millis(due)
	}
	err := tx.Must(ErrLost, `UPDATE jobs SET state = 'queued', turn = ?, waits_until = ?, progress = 0, beat = NULL, attempts = attempts + ?,
		crashes = crashes + ? WHERE id = ? AND run = ? AND state = 'running'`, first, waitsUntil, q.attempts, q.crashes, r.ID, r.Run)
	if err != nil {
		return nil, err
	}
	debt := r.ring(due)
	if q.crashes > 0 && debt.Queue == Default {
		debt.Queue = Interactive // it is claimed by its id, and must not wait behind the rings of thousands
	}
	return []outbox.Debt{debt}, outbox.Owe(tx, debt)
}

// Reap takes the running jobs away from workers whose beat is older than DeadAfter: they are queued again and rung for, or have
// failed with JOB_CRASHED at the last of MaxCrashes. It gives how many jobs it has moved, at most some hundred. Each job is
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
		switch rings, err := l.reap(ctx, r, before); {
		case errors.Is(err, ErrLost):
		case err != nil:
			log.Error("job could not be taken from a dead worker", "error", err)
		default:
			log.Warn("job lost its worker")
			l.ring(rings)
			moved++
		}
	}
	return moved, nil
}

// reap takes the job away from the run, unless that has beaten meanwhile; then the error is ErrLost. So it is where somebody holds the row,
// perhaps a process that was frozen while it ended the job: the next round looks again, and the other jobs do not wait for that.
func (l *Ledger) reap(ctx context.Context, r row, before int64) (rings []outbox.Debt, err error) {
	err = l.db.Write(ctx, func(tx *db.Tx) error {
		var dead int
		err := tx.Get(&dead, "SELECT 1 FROM jobs WHERE id = ? AND run = ? AND state = 'running' AND beat < ?"+tx.SkipLocked(), r.ID, r.Run, before)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrLost
		}
		if err != nil {
			return err
		}
		rings, err = l.reapRow(tx, r)
		return err
	})
	return rings, err
}

func (l *Ledger) reapRow(tx *db.Tx, r row) ([]outbox.Debt, error) {
	if r.Crashes+1 < l.cfg.MaxCrashes {
		return l.requeueRow(tx, r, requeue{crashes: 1})
	}
	return l.endRow(tx, ending{row: row{
		ID: r.ID, Account: r.Account, Mode: r.Mode, Run: r.Run, State: Failed, Crashes: 1, FailureCode: CodeCrashed,
		FailureMessage: fmt.Sprintf("Job %s ended its worker %d times and was given up", r.ID, r.Crashes+1),
	}})
}
