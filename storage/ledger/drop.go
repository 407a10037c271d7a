package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/einvoiced/einvoiced/storage/blob"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/volume"
)

// inputUntil is when the input of a job goes that ends so: earlier than its outcome where it has not succeeded, since nobody reads it again.
func (l *Ledger) inputUntil(state State, now time.Time) (until sql.NullInt64) {
	if state == Succeeded || l.cfg.FailedRetention >= l.cfg.Retention {
		return until
	}
	return sql.NullInt64{Int64: clock.Millis(now.Add(l.cfg.FailedRetention)), Valid: true}
}

const selectSpent = "SELECT * FROM jobs WHERE input_until IS NOT NULL AND input_until <= ? ORDER BY input_until LIMIT ?"

// DropInputs removes the inputs of jobs that have failed or were canceled longer than FailedRetention ago, and gives of how many, at most some
// hundred. State, reason and answer of such a job stay until it expires. What cannot be removed is left for the next call, and ends this one.
func (l *Ledger) DropInputs(ctx context.Context) (int, error) {
	var spent []row
	if err := l.db.Select(ctx, &spent, selectSpent, l.now(), pageOfReaped); err != nil {
		return 0, fmt.Errorf("find inputs of failed jobs: %w", err)
	}
	for n := range spent {
		if err := l.dropInput(ctx, &spent[n]); err != nil {
			return n, fmt.Errorf("drop input of job %s: %w", spent[n].ID, err)
		}
	}
	return len(spent), nil
}

const selectForgotten = `SELECT id FROM jobs WHERE state = 'expired' AND expires <= ?
	AND NOT EXISTS (SELECT 1 FROM outbox WHERE kind = 'purge' AND subject = jobs.id) ORDER BY expires LIMIT ?`

// Forget removes the rows of jobs that expired, or were erased, longer than ExpiredRetention ago, and gives how many, at most some hundred. What is
// owed for a job keeps its row.
func (l *Ledger) Forget(ctx context.Context) (int, error) {
	var gone []row
	before := clock.Millis(l.cfg.Clock.Now().Add(-l.cfg.ExpiredRetention))
	err := l.db.Write(ctx, func(tx *db.Tx) error {
		gone = nil
		err := tx.Select(&gone, "DELETE FROM jobs WHERE id IN ("+selectForgotten+tx.SkipLocked()+") RETURNING account_id, counted", before, pageOfReaped)
		if err != nil {
			return err
		}
		freed := map[string]int64{}
		for _, r := range gone {
			freed[r.Account] += r.Counted
		}
		return volume.CountOut(tx, freed)
	})
	if err != nil {
		return 0, fmt.Errorf("forget expired jobs: %w", err)
	}
	return len(gone), nil
}

// dropInput removes the bytes before the row tells of it: cut off in between, it is done once more.
func (l *Ledger) dropInput(ctx context.Context, r *row) error {
	if err := l.blobs.Delete(ctx, blob.Key(r.Account, r.ID, 0, inputName)); err != nil {
		return err
	}
	return l.db.Write(ctx, func(tx *db.Tx) error {
		dropped, err := tx.Exec("UPDATE jobs SET input_until = NULL, input_size = 0, input_sha256 = '' WHERE id = ? AND input_until IS NOT NULL", r.ID)
		if err != nil || dropped == 0 { // erased or expired meanwhile
			return err
		}
		if err := tx.Later("DELETE FROM job_data WHERE job_id = ? AND run = 0 AND name = ?", r.ID, inputName); err != nil {
			return err
		}
		return volume.Count(tx, r.Account, -r.InputSize)
	})
}
