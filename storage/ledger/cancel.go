package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/outbox"
	"github.com/einvoiced/einvoiced/storage/volume"
)

// Cancel ends an unfinished job of the account and mode. It is final at once; a worker that runs it learns so with its next
// beat, and nothing of its output is kept. What it has reserved is released; nothing is published, for the client knows. The error
// is ErrNotFound, or ErrFinished where it is too late.
func (l *Ledger) Cancel(ctx context.Context, accountID string, mode account.Mode, jobID string) (Job, error) {
	job, err := l.change(ctx, "cancel", accountID, mode, jobID, func(tx *db.Tx, r *row) error {
		if r.State.Finished() {
			return ErrFinished
		}
		now := l.cfg.Clock.Now()
		err := tx.Get(r, "UPDATE jobs SET state = 'canceled', finished = ?, expires = ?, input_until = ? WHERE id = ? RETURNING *",
			clock.Millis(now), clock.Millis(now.Add(l.cfg.Retention)), l.inputUntil(Canceled, now), r.ID)
		if err != nil {
			return err
		}
		if err := outbox.Remove(tx, outbox.Enqueue, r.ID); err != nil {
			return err
		}
		return l.letGo(tx, *r)
	})
	if err == nil {
		l.cfg.Watch.Ended(job)
	}
	return job, err
}

// Erase removes input and output of a finished job of the account and mode and marks it expired; the row stays for ExpiredRetention. The error is
// ErrNotFound, or ErrUnfinished where it is too early. Erasing again changes nothing. Where the blobs cannot be removed now,
// that is no error: it stays owed. The row is changed before the blobs go: cut off in between, a row would promise bytes that
// are not there.
func (l *Ledger) Erase(ctx context.Context, accountID string, mode account.Mode, jobID string) (Job, error) {
	var owed bool
	job, err := l.change(ctx, "erase", accountID, mode, jobID, func(tx *db.Tx, r *row) (err error) {
		if !r.State.Finished() {
			return ErrUnfinished
		}
		freed := map[string]int64{}
		if owed, err = l.expireRow(tx, r, freed); err != nil {
			return err
		}
		return volume.CountOut(tx, freed)
	})
	if err != nil || !owed {
		return job, err
	}
	if _, err := l.purge(ctx, job.ID, job.Account); err != nil {
		l.cfg.Logger.Error("blobs of an erased job are left for later", "job_id", job.ID, "error", err)
	}
	return job, nil
}

// change reads the job and changes it in one transaction.
func (l *Ledger) change(ctx context.Context, doing, accountID string, mode account.Mode, jobID string, change func(*db.Tx, *row) error) (Job, error) {
	var r row
	err := l.db.Write(ctx, func(tx *db.Tx) error {
		r = row{}
		err := tx.Get(&r, "SELECT * FROM jobs WHERE id = ? AND account_id = ? AND mode = ?"+tx.Lock(), jobID, accountID, mode)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrNotFound
		}
		if err != nil {
			return err
		}
		return change(tx, &r)
	})
	if err != nil {
		return Job{}, fmt.Errorf("%s job: %w", doing, err)
	}
	return r.job(), nil
}

// expireRow marks a finished job expired, forgets its output and removes what is kept beside the row. Where there may be blobs,
// their removal is owed from now. What is no longer stored it adds to freed, by account.
func (l *Ledger) expireRow(tx *db.Tx, r *row, freed map[string]int64) (owed bool, err error) {
	if r.State == Expired {
		return false, nil
	}
	kept := r.data()
	freed[r.Account] += r.InputSize + r.AnswerSize + r.ArtifactSize
	now := l.cfg.Clock.Now()
	err = tx.Get(r, `UPDATE jobs SET state = 'expired', expires = ?, input_until = NULL, answer_size = 0, answer_sha256 = '', artifact_size = 0,
		artifact_sha256 = '', artifact_filename = '' WHERE id = ? RETURNING *`, clock.Millis(now), r.ID)
	if err != nil {
		return false, err
	}
	small, err := tx.Exec("DELETE FROM job_data WHERE job_id = ?", r.ID)
	if err != nil {
		return false, err
	}
	if r.Holds {
		if err := l.freeKey(tx, r.ID); err != nil {
			return false, err
		}
	}
	if small == kept && r.Run <= 1 { // of several runs, one that was cut off may have left something
		return false, nil
	}
	return true, outbox.Add(tx, outbox.Entry{Kind: outbox.Purge, Subject: r.ID, Due: now})
}

// data is how many things are kept of the job: input, answer, artifact.
func (r row) data() int64 {
	n := int64(0)
	for _, sum := range []string{r.InputSHA256, r.AnswerSHA256, r.ArtifactSHA256} {
		if sum != "" {
			n++
		}
	}
	return n
}

// Expire marks the jobs expired whose retention is over and gives how many.
func (l *Ledger) Expire(ctx context.Context) (int, error) {
	n := 0
	err := l.db.Write(ctx, func(tx *db.Tx) error {
		var over []row
		n = 0
		if err := tx.Select(&over, selectExpired+tx.SkipLocked(), l.now(), pageOfReaped); err != nil {
			return err
		}
		freed := map[string]int64{}
		for i := range over {
			if _, err := l.expireRow(tx, &over[i], freed); err != nil {
				return err
			}
			n++
		}
		return volume.CountOut(tx, freed)
	})
	if err != nil {
		return 0, fmt.Errorf("expire jobs: %w", err)
	}
	return n, nil
}

// Purge removes the blobs of expired jobs, at most limit jobs, and gives how many. What fails is tried again a minute later.
func (l *Ledger) Purge(ctx context.Context, limit int) (int, error) {
	var owed []row
	err := l.db.Select(ctx, &owed, selectPurges, l.now(), limit)
	if err != nil {
		return 0, fmt.Errorf("read owed purges: %w", err)
	}
	n := 0
	for _, r := range owed {
		done, failed := l.purge(ctx, r.ID, r.Account)
		err = errors.Join(err, failed)
		n += done
	}
	return n, err
}

// purge removes the blobs of one job and settles that; it puts off what fails.
func (l *Ledger) purge(ctx context.Context, jobID, accountID string) (int, error) {
	removed := l.blobs.DeleteAll(ctx, accountID+"/"+jobID)
	err := l.db.Write(ctx, func(tx *db.Tx) error {
		if removed == nil {
			return outbox.Remove(tx, outbox.Purge, jobID)
		}
		return outbox.PutOff(tx, outbox.Purge, jobID, l.cfg.Clock.Now().Add(purgeDelay))
	})
	if err := errors.Join(removed, err); err != nil {
		return 0, fmt.Errorf("remove blobs of job %s: %w", jobID, err)
	}
	return 1, nil
}
