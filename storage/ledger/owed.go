package ledger

import (
	"context"
	"errors"
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

// requeue is how a running job goes back to the queue.
type requeue struct {
	attempts int
	crashes  int
	due      time.Time // when it is to be rung
}

func (l *Ledger) requeue(ctx context.Context, job Job, q requeue) error {
	return l.fenced(ctx, "give back", job, func(tx *db.Tx) (int64, error) { return requeueRow(tx, job.ID, job.Queue, job.Run, q) })
}

func requeueRow(tx *db.Tx, jobID, queue string, run int64, q requeue) (int64, error) {
	n, err := tx.Exec(`UPDATE jobs SET state = 'queued', progress = 0, beat = NULL, attempts = attempts + ?, crashes = crashes + ?
		WHERE id = ? AND run = ? AND state = 'running'`, q.attempts, q.crashes, jobID, run)
	if err != nil || n == 0 {
		return n, err
	}
	return n, outbox.Owe(tx, row{ID: jobID, Queue: queue, Run: run}.ring(q.due))
}

// Reap takes the running jobs away from workers whose beat is older than DeadAfter: they are queued again, to be rung at
// once, or have failed with JOB_CRASHED at the last of MaxCrashes. It gives how many jobs it has moved.
func (l *Ledger) Reap(ctx context.Context) (int, error) {
	moved := 0
	err := l.db.Write(ctx, func(tx *db.Tx) error {
		var dead []row
		moved = 0
		before := clock.Millis(l.cfg.Clock.Now().Add(-l.cfg.DeadAfter))
		err := tx.Select(&dead, selectDead, before, pageOfReaped)
		for _, r := range dead {
			err = errors.Join(err, l.reapRow(tx, r))
			moved++
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("take jobs from dead workers: %w", err)
	}
	return moved, nil
}

func (l *Ledger) reapRow(tx *db.Tx, r row) error {
	l.cfg.Logger.Warn("job lost its worker", "job_id", r.ID, "run", r.Run, "crashes", r.Crashes+1)
	if r.Crashes+1 < l.cfg.MaxCrashes {
		_, err := requeueRow(tx, r.ID, r.Queue, r.Run, requeue{crashes: 1, due: l.cfg.Clock.Now()})
		return err
	}
	_, err := l.endRow(tx, row{
		ID: r.ID, Run: r.Run, State: Failed, Crashes: 1, FailureCode: CodeCrashed,
		FailureMessage: fmt.Sprintf("Job %s ended its worker %d times and was given up", r.ID, r.Crashes+1),
	})
	return err
}
