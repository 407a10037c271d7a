package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/volume"
)

// Commit accepts all jobs in one transaction, or none: the error is a *QuotaError where a quota does not suffice for all, ErrInvalid
// for a batch without jobs, and ErrLost where the batch was given up because its process was taken for dead. Unless it succeeds,
// or the error is db.ErrInDoubt, the batch is as open as before. When it returns, all jobs are seen; what a process that dies
// meanwhile leaves to be done is done by ReapBatches.
func (w *BatchWriter) Commit(ctx context.Context) (Batch, error) {
	return w.commitWith(ctx, func(*db.Tx) error { return nil })
}

// CommitFor is Commit for the request of a ticket: the same transaction keeps the answer under the request's idempotency key, so
// that a request which is sent again never makes a second batch. The ticket is settled by it. The error is ErrLost, too, where the
// ticket's process was taken for dead meanwhile.
func (w *BatchWriter) CommitFor(ctx context.Context, t Ticket, answer Stored) (Batch, error) {
	if !t.yours() || t.reserved {
		return Batch{}, fmt.Errorf("commit batch %s for a request that is not this one's to answer: %w", w.batch.ID, ErrInvalid)
	}
	sealed, err := w.ledger.sealAnswer(t, &answer)
	if err != nil {
		return Batch{}, fmt.Errorf("commit batch %s: %w", w.batch.ID, err)
	}
	return w.commitWith(ctx, func(tx *db.Tx) error {
		if err := w.ledger.settleKey(tx, t, sealed); err != nil {
			return err
		}
		return w.ledger.countStored(tx, t.request.Account, sealed.bytes())
	})
}

// commitWith commits, and does something besides in the same transaction.
func (w *BatchWriter) commitWith(ctx context.Context, besides func(*db.Tx) error) (Batch, error) {
	if w.batch.Jobs == 0 {
		return Batch{}, fmt.Errorf("commit batch: it has no jobs: %w", ErrInvalid)
	}
	if err := w.flush(ctx); err != nil {
		return Batch{}, err
	}
	err := w.ledger.db.Write(ctx, func(tx *db.Tx) error {
		if err := w.commit(tx); err != nil {
			return err
		}
		return besides(tx)
	})
	if err != nil {
		return Batch{}, fmt.Errorf("commit batch %s: %w", w.batch.ID, err)
	}
	w.ended = true
	if err := w.ledger.moveBatch(context.WithoutCancel(ctx), w.batch.ID, soonEnqueued, w.enqueue); err != nil {
		w.ledger.cfg.Logger.Error("jobs of a batch are left to be moved later", "batch_id", w.batch.ID, "error", err)
	}
	return w.batch, nil
}

// commit decides that the jobs are accepted, and reserves what they cost.
func (w *BatchWriter) commit(tx *db.Tx) error {
	l := w.ledger
	if err := w.open(tx); err != nil {
		return err
	}
	if err := tx.Later("UPDATE batches SET committed = ? WHERE id = ?", l.now(), w.batch.ID); err != nil {
		return err
	}
	return l.reserveBatch(tx, w.batch.ID, w.batch.Account, w.batch.Mode)
}

// enqueue enqueues the first jobs, once.
func (w *BatchWriter) enqueue() {
	for _, e := range w.messages {
		w.ledger.queue.EnqueueSoon(e.Queue, e.JobID, 1)
	}
	w.messages = nil
}

// moveBatch moves the jobs of a committed batch to where they are seen and run, in transactions that let others have theirs in
// between. moved is called after each, and enqueues the first so many; the messages of the others are due at once.
func (l *Ledger) moveBatch(ctx context.Context, batchID string, enqueued int64, moved func()) error {
	for more := true; more; {
		err := l.db.Write(ctx, func(tx *db.Tx) (err error) {
			more, err = l.moveEntries(tx, batchID, enqueued)
			return err
		})
		if err != nil {
			return fmt.Errorf("move jobs of batch %s: %w", batchID, err)
		}
		moved()
	}
	return nil
}

const (
	insertBatchJobs = `INSERT INTO jobs (id, account_id, mode, key_id, request_id, kind, queue, state, time_limit, created, input_size, input_sha256,
		metadata, announce, holds, batch_id, counted, turn)
		SELECT e.job_id, b.account_id, b.mode, e.key_id, e.request_id, e.kind, e.queue, 'queued', e.time_limit, b.created, e.input_size, e.input_sha256,
		e.metadata, e.announce, e.holds, b.id, CAST(? AS BIGINT) + octet_length(e.metadata),
		CASE WHEN e.place = CAST(? AS BIGINT) THEN CAST(? AS BIGINT) ELSE CAST(? AS BIGINT) + 2 * (e.place - CAST(? AS BIGINT) - 1) END
		FROM batch_jobs e JOIN batches b ON b.id = e.batch_id WHERE e.batch_id = ? AND e.position < ? AND e.queue = ? ORDER BY e.position`
	addBatchMessages = `INSERT INTO outbox (kind, subject, queue, run, due)
		SELECT 'ring', job_id, queue, 1, CASE WHEN position < ? THEN CAST(? AS BIGINT) ELSE CAST(? AS BIGINT) END
		FROM batch_jobs WHERE batch_id = ? AND position < ?`
)

// portion is what a queue gets of the jobs that are moved at once.
type portion struct {
	Queue string `db:"queue"`
	First int64  `db:"first"` // the place of the first
	Jobs  int64  `db:"jobs"`
	Words int64  `db:"words"` // bytes of their metadata
}

// moveEntries moves the first jobs that are left and tells whether there were any.
func (l *Ledger) moveEntries(tx *db.Tx, batchID string, enqueued int64) (more bool, err error) {
	var b struct {
		Account string `db:"account_id"`
		First   *int64 `db:"first"`
	}
	// The row is locked first, so that of two processes one moves after the other.
	n, err := tx.Exec("UPDATE batches SET jobs = jobs WHERE id = ? AND committed IS NOT NULL AND moved IS NULL", batchID)
	if err != nil || n == 0 {
		return false, err
	}
	err = tx.Get(&b, "SELECT account_id, (SELECT min(position) FROM batch_jobs WHERE batch_id = id) AS first FROM batches WHERE id = ?", batchID)
	if err != nil {
		return false, err
	}
	if b.First == nil {
		err := tx.Later("DELETE FROM batches WHERE id = ?", batchID) // whose jobs are all seen, so that nobody asks for it
		return false, err
	}
	jobs, _ := l.chunk(b.Account)
	end := *b.First + int64(jobs)
	var portions []portion
	err = tx.Select(&portions, `SELECT queue, min(place) AS first, count(*) AS jobs, CAST(sum(octet_length(metadata)) AS BIGINT) AS words FROM batch_jobs WHERE batch_id = ? AND position < ?
		GROUP BY queue ORDER BY queue`, batchID, end)
	if err != nil {
		return false, err
	}
	var counted int64
	for _, p := range portions {
		if err := l.movePortion(tx, batchID, b.Account, end, p); err != nil {
			return false, err
		}
		counted += p.Jobs*rowBytes + p.Words
	}
	if err := tx.Later(addBatchMessages, enqueued, clock.Millis(l.cfg.Clock.Now().Add(l.cfg.EnqueueAgain)), l.now(), batchID, end); err != nil {
		return false, err
	}
	if err := tx.Later("DELETE FROM batch_jobs WHERE batch_id = ? AND position < ?", batchID, end); err != nil {
		return false, err
	}
	return true, volume.Count(tx, b.Account, counted)
}

// movePortion moves the jobs of one queue, which get their turns one behind the other.
func (l *Ledger) movePortion(tx *db.Tx, batchID, accountID string, end int64, p portion) error {
	turn, err := l.nextTurn(tx, accountID, p.Queue)
	if err != nil {
		return err
	}
	if p.Jobs > 1 {
		l.turns.set(accountID, p.Queue, behind(turn)+2*(p.Jobs-2))
	}
	err = tx.Later(insertBatchJobs, rowBytes, p.First, turn, behind(turn), p.First, batchID, end, p.Queue)
	return err
}

// finishBatches moves what is left of the batches that the account has committed: their process may have died before all jobs could be seen,
// and nobody has to be taken for dead first, since two may move beside each other. Their messages are due at once.
func (l *Ledger) finishBatches(ctx context.Context, accountID string) error {
	var left []string
	err := l.db.Select(ctx, &left, "SELECT id FROM batches WHERE moved IS NULL AND committed IS NOT NULL AND account_id = ? ORDER BY created", accountID)
	if err != nil {
		return fmt.Errorf("find committed batches of account %s: %w", accountID, err)
	}
	for _, batchID := range left {
		if err := l.moveBatch(ctx, batchID, 0, func() {}); err != nil {
			return err
		}
	}
	return nil
}

// selectDeadBatches gives batches that are neither removed nor wholly moved, and that are given up already, too old, or of a
// process that does not beat any more.
const selectDeadBatches = `SELECT id, committed IS NOT NULL AS committed FROM batches WHERE moved IS NULL AND (process = '' OR created <= ?
	OR NOT EXISTS (SELECT 1 FROM holders h WHERE h.id = batches.process AND h.beat >= ?)) ORDER BY created LIMIT ?`

// ReapBatches removes the batches that dead processes have left open, finishes those that they have committed, and gives their
// number.
func (l *Ledger) ReapBatches(ctx context.Context) (int, error) {
	var dead []struct {
		ID        string `db:"id"`
		Committed bool   `db:"committed"`
	}
	now := l.cfg.Clock.Now()
	err := l.db.Select(ctx, &dead, selectDeadBatches, clock.Millis(now.Add(-batchLimit)), clock.Millis(now.Add(-l.cfg.DeadAfter)), pageOfReaped)
	if err != nil {
		return 0, fmt.Errorf("find batches of dead processes: %w", err)
	}
	reaped := 0
	for _, b := range dead {
		end := l.removeBatch
		if b.Committed {
			end = func(ctx context.Context, batchID string) error { return l.moveBatch(ctx, batchID, 0, func() {}) }
		}
		if failed := end(ctx, b.ID); failed != nil {
			err = errors.Join(err, fmt.Errorf("batch of a dead process: %w", failed))
			continue
		}
		reaped++
	}
	return reaped, err
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
	page, err := l.readEntries(ctx, batchID)
	if err != nil || len(page) == 0 {
		return false, err
	}
	return true, l.forgetEntries(ctx, page)
}

// leftEntry is a job of a batch that was given up.
type leftEntry struct {
	Job     string `db:"job_id"`
	Account string `db:"account_id"`
	Small   bool   `db:"small"` // its input is a row
}

// readEntries gives the first jobs of a batch.
func (l *Ledger) readEntries(ctx context.Context, batchID string) (page []leftEntry, err error) {
	err = l.db.Select(ctx, &page, `SELECT e.job_id, b.account_id,
		EXISTS (SELECT 1 FROM job_data d WHERE d.job_id = e.job_id AND d.run = 0 AND d.name = 'input') AS small
		FROM batch_jobs e JOIN batches b ON b.id = e.batch_id WHERE e.batch_id = ? ORDER BY e.position LIMIT ?`, batchID, pageOfReaped)
	if err != nil {
		return nil, fmt.Errorf("read jobs of batch %s: %w", batchID, err)
	}
	return page, nil
}

// forgetEntries removes jobs of one batch, of which there is one at least. Who has given the batch up and the scheduler may both be at it: each
// counts out what it has removed itself.
func (l *Ledger) forgetEntries(ctx context.Context, page []leftEntry) error {
	var jobs []string
	for _, e := range page {
		jobs = append(jobs, e.Job)
		if e.Small {
			continue
		}
		if err := l.blobs.DeleteAll(ctx, e.Account+"/"+e.Job); err != nil {
			return err
		}
	}
	among, args := db.In(jobs)
	return l.db.Write(ctx, func(tx *db.Tx) error {
		var gone []int64
		if err := tx.Later("DELETE FROM job_data WHERE job_id "+among, args...); err != nil {
			return err
		}
		if err := tx.Select(&gone, "DELETE FROM batch_jobs WHERE job_id "+among+" RETURNING input_size", args...); err != nil {
			return err
		}
		var bytes int64
		for _, size := range gone {
			bytes += size
		}
		return volume.Count(tx, page[0].Account, -bytes)
	})
}
