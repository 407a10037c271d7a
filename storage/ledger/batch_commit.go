package ledger

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"einvoiced/storage/clock"
	"einvoiced/storage/db"
)

// Commit accepts all jobs in one transaction, or none: the error is a *QuotaError where a quota does not suffice for all, ErrInvalid
// for a batch without jobs, and ErrLost where the batch was given up because its process was taken for dead. Unless it succeeds,
// or the error is db.ErrInDoubt, the batch is as open as before.
func (w *BatchWriter) Commit(ctx context.Context) (Batch, error) {
	if w.batch.Jobs == 0 {
		return Batch{}, fmt.Errorf("commit batch: it has no jobs: %w", ErrInvalid)
	}
	if err := w.flush(ctx); err != nil {
		return Batch{}, err
	}
	if err := w.ledger.db.Write(ctx, w.commit); err != nil {
		return Batch{}, fmt.Errorf("commit batch %s: %w", w.batch.ID, err)
	}
	w.ended = true
	for _, e := range w.rungs {
		w.ledger.bell.RingSoon(e.Queue, e.JobID, 1)
	}
	return w.batch, nil
}

const (
	insertBatchJobs = `INSERT INTO jobs (id, account_id, mode, key_id, request_id, kind, queue, state, time_limit, created, input_size, input_sha256,
		metadata, announce, holds, batch_id, turn)
		SELECT e.job_id, b.account_id, b.mode, e.key_id, e.request_id, e.kind, e.queue, 'queued', e.time_limit, b.created, e.input_size, e.input_sha256,
		e.metadata, e.announce, e.holds, b.id, CASE WHEN e.place = 0 THEN CAST(? AS BIGINT) ELSE CAST(? AS BIGINT) + 2 * (e.place - 1) END
		FROM batch_jobs e JOIN batches b ON b.id = e.batch_id WHERE e.batch_id = ? AND e.queue = ? ORDER BY e.position`
	oweBatchRings = `INSERT INTO outbox (kind, subject, queue, run, due) SELECT 'ring', job_id, queue, 1, CAST(? AS BIGINT) FROM batch_jobs WHERE batch_id = ?`
)

// commit moves the jobs to where they are seen and run.
func (w *BatchWriter) commit(tx *db.Tx) error {
	l := w.ledger
	if err := w.open(tx); err != nil {
		return err
	}
	for _, queue := range slices.Sorted(maps.Keys(w.places)) {
		turn, err := l.nextTurn(tx, w.batch.Account, queue)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(insertBatchJobs, turn, behind(turn), w.batch.ID, queue); err != nil {
			return err
		}
		if n := w.places[queue]; n > 1 {
			l.turns.set(w.batch.Account, queue, behind(turn)+2*(n-2))
		}
	}
	now := l.now()
	if _, err := tx.Exec(oweBatchRings, now, w.batch.ID); err != nil {
		return err
	}
	if _, err := tx.Exec("DELETE FROM batch_jobs WHERE batch_id = ?", w.batch.ID); err != nil {
		return err
	}
	if _, err := tx.Exec("UPDATE batches SET committed = ? WHERE id = ?", now, w.batch.ID); err != nil {
		return err
	}
	return l.reserveBatch(tx, w.batch.ID, w.batch.Account, w.batch.Mode)
}

// selectDeadBatches gives open batches that are given up already, too old, or of a process that does not beat any more.
const selectDeadBatches = `SELECT id FROM batches WHERE committed IS NULL AND (process = '' OR created <= ?
	OR NOT EXISTS (SELECT 1 FROM holders h WHERE h.id = batches.process AND h.beat >= ?)) ORDER BY created LIMIT ?`

// ReapBatches removes the batches that dead processes have left open and gives their number.
func (l *Ledger) ReapBatches(ctx context.Context) (int, error) {
	var dead []string
	now := l.cfg.Clock.Now()
	err := l.db.Select(ctx, &dead, selectDeadBatches, clock.Millis(now.Add(-batchLimit)), clock.Millis(now.Add(-l.cfg.DeadAfter)), pageOfReaped)
	if err != nil {
		return 0, fmt.Errorf("find batches of dead processes: %w", err)
	}
	removed := 0
	for _, batchID := range dead {
		if failed := l.removeBatch(ctx, batchID); failed != nil {
			err = errors.Join(err, fmt.Errorf("remove batch of a dead process: %w", failed))
			continue
		}
		removed++
	}
	return removed, err
}

// removeBatch removes an open batch, step by step, so that no transaction is long; it is given up with the first. One that is
// committed, or is not there, is left alone.
func (l *Ledger) removeBatch(ctx context.Context, batchID string) error {
	var taken int64
	err := l.db.Write(ctx, func(tx *db.Tx) (err error) {
		taken, err = tx.Exec("UPDATE batches SET process = '' WHERE id = ? AND committed IS NULL", batchID)
		return err
	})
	for more := taken > 0; more && err == nil; {
		more, err = l.removeEntries(ctx, batchID)
	}
	if err != nil || taken == 0 {
		return err
	}
	return l.db.Write(ctx, func(tx *db.Tx) error {
		if err := l.releaseBatch(tx, batchID); err != nil {
			return err
		}
		_, err := tx.Exec("DELETE FROM batches WHERE id = ? AND committed IS NULL", batchID)
		return err
	})
}

// removeEntries removes a page of the jobs of a batch that was given up, their input first, and tells whether there were any.
func (l *Ledger) removeEntries(ctx context.Context, batchID string) (more bool, err error) {
	var jobs []struct {
		ID      string `db:"job_id"`
		Account string `db:"account_id"`
		Small   bool   `db:"small"`
	}
	err = l.db.Select(ctx, &jobs, `SELECT e.job_id, b.account_id,
		EXISTS (SELECT 1 FROM job_data d WHERE d.job_id = e.job_id AND d.run = 0 AND d.name = 'input') AS small
		FROM batch_jobs e JOIN batches b ON b.id = e.batch_id WHERE e.batch_id = ? ORDER BY e.position LIMIT ?`, batchID, pageOfReaped)
	if err != nil {
		return false, fmt.Errorf("read jobs of batch %s: %w", batchID, err)
	}
	for _, j := range jobs {
		if j.Small {
			continue
		}
		if err := l.blobs.DeleteAll(ctx, j.Account+"/"+j.ID); err != nil {
			return false, err
		}
	}
	return len(jobs) > 0, l.db.Write(ctx, func(tx *db.Tx) error {
		for _, j := range jobs {
			for _, statement := range []string{"DELETE FROM job_data WHERE job_id = ?", "DELETE FROM batch_jobs WHERE job_id = ?"} {
				if _, err := tx.Exec(statement, j.ID); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
