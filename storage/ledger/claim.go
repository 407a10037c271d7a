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

// skew is by how much the clocks of processes may differ: so much too early a job that is to be tried again may be claimed,
// rather than that its message finds it waiting still.
const skew = time.Second

// claimTries is how often a claim looks again for a job where it has found none, but sees one that waits: one that was accepted
// while it looked, or one that others have locked and mostly take.
const claimTries = 5

const (
	claimStatement = `UPDATE jobs SET state = 'running', run = run + 1, alone = FALSE, progress = 0, started = coalesce(started, ?), beat = ? WHERE id = `
	claimReturning = ` RETURNING *, (SELECT bytes FROM job_data WHERE job_id = jobs.id AND job_data.run = 0 AND name = 'input') AS request`

	selectWaiting = `SELECT id FROM jobs WHERE queue = ? AND state = 'queued' AND crashes = 0 AND waits_until <= ?`
	selectSuspect = `SELECT 1 FROM jobs WHERE id = ? AND state = 'queued' AND crashes > 0 AND waits_until <= ?`
	inTurn        = ` ORDER BY turn, id LIMIT 1`
	nextJob       = selectWaiting + ` AND NOT EXISTS (` + selectSuspect + `)` + inTurn
)

// claimedRow is a row with the input that is kept beside it.
type claimedRow struct {
	row
	Request []byte `db:"request"` // nil where the input is a blob
}

// Claim answers a job's message: it gives the queue's job whose turn it is, which need not be the one that was enqueued, to the
// caller under the next run number, which everything the run does must carry. As there is a message for every job, every job is
// claimed. The error is ErrNotQueued where there is nothing to do: the message was a duplicate, or came late; and ErrSuspect where
// the job that was enqueued must be claimed with ClaimSuspect.
//
// Jobs of the accounts of passed are left alone: see claimOther. The error is ErrPassed where nothing else waits; then the message is still
// due.
func (l *Ledger) Claim(ctx context.Context, queue, jobID string, passed ...string) (Job, error) {
	if len(passed) > 0 {
		return l.claimOther(ctx, queue, jobID, passed)
	}
	return l.claim(ctx, jobID, func(tx *db.Tx, r *claimedRow, now int64) error {
		soon := now + skew.Milliseconds()
		for range claimTries {
			err := tx.Get(r, claimStatement+"("+nextJob+tx.SkipLocked()+")"+claimReturning, now, now, queue, soon, jobID, soon)
			if !errors.Is(err, sql.ErrNoRows) {
				return err
			}
			if err := whyUnclaimed(tx, queue, soon, jobID); err != nil {
				return err
			}
		}
		return ErrNotQueued
	})
}

// ClaimSuspect claims this very job, which was running when its worker died. alone tells whether its run is the only one in the process:
// only then is the job blamed where the process dies, so that no job is given up for the company it was in. The error is ErrNotQueued
// also while the job has to wait after its last crash.
func (l *Ledger) ClaimSuspect(ctx context.Context, jobID string, alone func(Job) bool) (Job, error) {
	return l.claim(ctx, jobID, func(tx *db.Tx, r *claimedRow, now int64) error {
		err := tx.Get(r, claimStatement+"? AND state = 'queued' AND waits_until <= ?"+claimReturning, now, now, jobID, now+skew.Milliseconds())
		if errors.Is(err, sql.ErrNoRows) {
			return ErrNotQueued
		}
		if err != nil || !alone(r.job()) {
			return err
		}
		r.Alone = true
		return tx.Must(ErrNotQueued, "UPDATE jobs SET alone = TRUE WHERE id = ? AND run = ?", r.ID, r.Run)
	})
}

// Accompany says that the run of job is no longer alone in its process, before other runs begin there. The error is ErrLost when the run
// must stop.
func (l *Ledger) Accompany(ctx context.Context, job Job) error {
	err := l.db.Write(ctx, func(tx *db.Tx) error {
		return tx.Must(ErrLost, "UPDATE jobs SET alone = FALSE WHERE id = ? AND run = ? AND state = 'running'", job.ID, job.Run)
	})
	if err != nil {
		return fmt.Errorf("let others run beside run %d of job %s: %w", job.Run, job.ID, err)
	}
	return nil
}

// claim takes a job, and in the same transaction the message off the outbox that would bring it to another worker.
func (l *Ledger) claim(ctx context.Context, jobID string, update func(tx *db.Tx, r *claimedRow, now int64) error) (Job, error) {
	var r claimedRow
	err := l.db.Write(ctx, func(tx *db.Tx) error {
		r = claimedRow{}
		if err := update(tx, &r, clock.Millis(l.cfg.Clock.Now())); err != nil {
			return err
		}
		return outbox.Remove(tx, outbox.Enqueue, r.ID)
	})
	if err != nil {
		return Job{}, fmt.Errorf("claim a job for the message of %s: %w", jobID, err)
	}
	job := r.job()
	job.Request = r.Request
	if job.Run == 1 {
		l.cfg.Watch.Started(job)
	}
	return job, nil
}

// whyUnclaimed tells the message of a suspect, and one for nothing, from one for a job that waits all the same; then it gives nil.
func whyUnclaimed(tx *db.Tx, queue string, soon int64, jobID string) error {
	var why struct {
		Suspect bool `db:"suspect"`
		Waiting bool `db:"waiting"`
	}
	err := tx.Get(&why, "SELECT EXISTS ("+selectSuspect+") AS suspect, EXISTS ("+selectWaiting+inTurn+") AS waiting", jobID, soon, queue, soon)
	switch {
	case err != nil:
		return err
	case why.Suspect:
		return ErrSuspect
	case !why.Waiting:
		return ErrNotQueued
	}
	return nil
}
