package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"einvoiced/storage/clock"
	"einvoiced/storage/db"
	"einvoiced/storage/outbox"
)

// skew is by how much the clocks of processes may differ: so much too early a job that is to be tried again may be claimed,
// rather than that its ring finds it waiting still.
const skew = time.Second

const (
	claimStatement = `UPDATE jobs SET state = 'running', run = run + 1, progress = 0, started = coalesce(started, ?), beat = ? WHERE id = `
	nextJob        = `SELECT id FROM jobs WHERE queue = ? AND state = 'queued' AND crashes = 0 AND waits_until <= ?
		AND NOT EXISTS (SELECT 1 FROM jobs WHERE id = ? AND state = 'queued' AND crashes > 0) ORDER BY turn, id LIMIT 1`
)

// Claim answers a ring for a job: it gives the queue's job whose turn it is, which need not be the one that was rung for, to the
// caller under the next run number, which everything the run does must carry. As there is a ring for every job, every job is
// claimed. The error is ErrNotQueued where there is nothing to do: the ring was a duplicate, or came late; and ErrSuspect where
// the job that was rung for must be claimed with ClaimSuspect.
func (l *Ledger) Claim(ctx context.Context, queue, jobID string) (Job, error) {
	return l.claim(ctx, jobID, func(tx *db.Tx, r *row, now int64) error {
		soon := now + skew.Milliseconds()
		err := tx.Get(r, claimStatement+"("+nextJob+tx.SkipLocked()+") RETURNING *", now, now, queue, soon, jobID)
		if errors.Is(err, sql.ErrNoRows) {
			return whyUnclaimed(tx, jobID)
		}
		return err
	})
}

// ClaimSuspect claims this very job, which was running when its worker died. A process runs one suspect at a time, beside jobs
// that are none: so a second crash is the suspect's own doing, and no job is given up for the company it was in.
func (l *Ledger) ClaimSuspect(ctx context.Context, jobID string) (Job, error) {
	return l.claim(ctx, jobID, func(tx *db.Tx, r *row, now int64) error {
		err := tx.Get(r, claimStatement+"? AND state = 'queued' RETURNING *", now, now, jobID)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrNotQueued
		}
		return err
	})
}

func (l *Ledger) claim(ctx context.Context, jobID string, update func(tx *db.Tx, r *row, now int64) error) (Job, error) {
	var r row
	err := l.db.Write(ctx, func(tx *db.Tx) error {
		r = row{}
		if err := update(tx, &r, clock.Millis(l.cfg.Clock.Now())); err != nil {
			return err
		}
		return outbox.Settle(tx, outbox.Ring, r.ID)
	})
	if err != nil {
		return Job{}, fmt.Errorf("claim a job, rung for %s: %w", jobID, err)
	}
	return r.job(), nil
}

// whyUnclaimed tells a ring for a suspect from one for nothing.
func whyUnclaimed(tx *db.Tx, jobID string) error {
	var suspects int
	if err := tx.Get(&suspects, "SELECT count(*) FROM jobs WHERE id = ? AND state = 'queued' AND crashes > 0", jobID); err != nil {
		return err
	}
	if suspects == 0 {
		return ErrNotQueued
	}
	return ErrSuspect
}
