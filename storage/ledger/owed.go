package ledger

import (
	"context"
	"fmt"
	"time"

	"einvoiced/storage/clock"
	"einvoiced/storage/db"
	"einvoiced/storage/outbox"
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

func (l *Ledger) requeue(ctx context.Context, job Job, q requeue) error {
	return l.fenced(ctx, "give back", job, func(tx *db.Tx) (int64, error) { return l.requeueRow(tx, job.ID, job.Queue, job.Run, q) })
}

func (l *Ledger) requeueRow(tx *db.Tx, jobID, queue string, run int64, q requeue) (int64, error) {
	due := l.cfg.Clock.Now().Add(q.delay)
	var waitsUntil int64
	if q.delay > 0 {
		waitsUntil = clock.Millis(due)
	}
	n, err := tx.Exec(`UPDATE jobs SET state = 'queued', turn = ?, waits_until = ?, progress = 0, beat = NULL, attempts = attempts + ?,
		crashes = crashes + ? WHERE id = ? AND run = ? AND state = 'running'`, first, waitsUntil, q.attempts, q.crashes, jobID, run)
	if err != nil || n == 0 {
		return n, err
	}
	return n, outbox.Owe(tx, row{ID: jobID, Queue: queue, Run: run}.ring(due))
}

// Reap takes the running jobs away from workers whose beat is older than DeadAfter: they are queued again, to be rung at
// once, or have failed with JOB_CRASHED at the last of MaxCrashes. It gives how many jobs it has moved.
func (l *Ledger) Reap(ctx context.Context) (int, error) {
	var moved int
	var rings []outbox.Debt
	err := l.db.Write(ctx, func(tx *db.Tx) error {
		moved, rings = 0, nil
		var dead []row
		before := clock.Millis(l.cfg.Clock.Now().Add(-l.cfg.DeadAfter))
		if err := tx.Select(&dead, selectDead+tx.SkipLocked(), before, pageOfReaped); err != nil {
			return err
		}
		for _, r := range dead {
			more, err := l.reapRow(tx, r)
			if err != nil {
				return err
			}
			rings = append(rings, more...)
			moved++
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("take jobs from dead workers: %w", err)
	}
	l.ring(rings)
	return moved, nil
}

func (l *Ledger) reapRow(tx *db.Tx, r row) ([]outbox.Debt, error) {
	l.cfg.Logger.Warn("job lost its worker", "job_id", r.ID, "run", r.Run, "crashes", r.Crashes+1)
	if r.Crashes+1 < l.cfg.MaxCrashes {
		_, err := l.requeueRow(tx, r.ID, r.Queue, r.Run, requeue{crashes: 1})
		return nil, err
	}
	return l.endRow(tx, ending{row: row{
		ID: r.ID, Run: r.Run, State: Failed, Crashes: 1, FailureCode: CodeCrashed,
		FailureMessage: fmt.Sprintf("Job %s ended its worker %d times and was given up", r.ID, r.Crashes+1),
	}})
}
