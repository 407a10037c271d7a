package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"einvoiced/storage/clock"
	"einvoiced/storage/db"
)

const (
	retryDelay   = 2 * time.Second  // before the second attempt; doubles
	ringSlowest  = 10 * time.Minute // the longest time between two rings of a queued job
	purgeDelay   = time.Minute      // between two tries to remove a job's blobs
	pageOfReaped = 500              // rows that one transaction of Reap or Expire changes at most
)

// What the clockwork asks again and again; each has an index that holds little more than the rows it gives.
const (
	selectDead    = "SELECT * FROM jobs WHERE state = 'running' AND beat < ? ORDER BY beat LIMIT ?"
	selectRings   = "SELECT job_id, queue, run, tries FROM outbox WHERE kind = 'ring' AND due <= ? ORDER BY due LIMIT ?"
	selectExpired = "SELECT * FROM jobs WHERE state IN ('succeeded', 'failed', 'canceled') AND expires <= ? ORDER BY expires LIMIT ?"
	selectPurges  = `SELECT j.* FROM outbox o JOIN jobs j ON j.id = o.job_id WHERE o.kind = 'purge' AND o.due <= ? ORDER BY o.due LIMIT ?`
)

// requeue is how a running job goes back to the queue.
type requeue struct {
	attempts int
	crashes  int
	due      int64 // when it is to be rung
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
	return n, owe(tx, oweRing, row{ID: jobID, Queue: queue, Run: run}, q.due)
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
		_, err := requeueRow(tx, r.ID, r.Queue, r.Run, requeue{crashes: 1, due: l.now()})
		return err
	}
	_, err := l.endRow(tx, row{
		ID: r.ID, Run: r.Run, State: Failed, Crashes: 1, FailureCode: CodeCrashed,
		FailureMessage: fmt.Sprintf("Job %s ended its worker %d times and was given up", r.ID, r.Crashes+1),
	})
	return err
}

// Ring is a ring that is owed.
type Ring struct {
	JobID string `db:"job_id"`
	Queue string `db:"queue"`
	Run   int64  `db:"run"` // the number to ring with
	Tries int    `db:"tries"`
	// Held is set by who rang: a worker has taken the ring of this number and not come back with it, so the next one
	// needs another number.
	Held bool `db:"-"`
}

// OwedRings gives at most limit rings that are due, those that wait longest first.
func (l *Ledger) OwedRings(ctx context.Context, limit int) ([]Ring, error) {
	var rings []Ring
	err := l.db.Select(ctx, &rings, selectRings, l.now(), limit)
	if err != nil {
		return nil, fmt.Errorf("read owed rings: %w", err)
	}
	return rings, nil
}

// OweAllRings makes every ring due at once, because the queue has lost them. It gives their number.
func (l *Ledger) OweAllRings(ctx context.Context) (int, error) {
	var n int64
	err := l.db.Write(ctx, func(tx *db.Tx) (err error) {
		now := l.now()
		n, err = tx.Exec("UPDATE outbox SET due = ?, tries = 0 WHERE kind = 'ring' AND due > ?", now, now)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("make all rings due: %w", err)
	}
	return int(n), nil
}

// Rung notes that the rings were rung: each is owed again after a delay that doubles with each, unless the job is claimed
// meanwhile.
func (l *Ledger) Rung(ctx context.Context, rings []Ring) error {
	err := l.db.Write(ctx, func(tx *db.Tx) error {
		now := l.cfg.Clock.Now()
		for _, r := range rings {
			next := r.Run
			if r.Held {
				next++
			}
			again := min(l.cfg.RingAgain<<min(r.Tries, 8), ringSlowest)
			_, err := tx.Exec("UPDATE outbox SET due = ?, run = ?, tries = tries + 1 WHERE kind = 'ring' AND job_id = ? AND run = ?",
				clock.Millis(now.Add(again)), next, r.JobID, r.Run)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("note rings: %w", err)
	}
	return nil
}
