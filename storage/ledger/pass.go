package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/einvoiced/einvoiced/storage/db"
)

// The accounts that have something waiting are found one after the other in the index of their turns, each by one look, so that the thousands
// of jobs of one that is passed over are not gone over. An end of an index is asked for as such: see selectStand.
const (
	accountsWaiting = `WITH RECURSIVE waiting (account_id) AS (
		SELECT (SELECT account_id FROM jobs WHERE state = 'queued' ORDER BY account_id LIMIT 1)
		UNION ALL SELECT (SELECT j.account_id FROM jobs j WHERE j.state = 'queued' AND j.account_id > w.account_id ORDER BY j.account_id LIMIT 1)
		FROM waiting w WHERE w.account_id IS NOT NULL)`
	nextOfAccount = `SELECT o.id FROM jobs o WHERE o.account_id = w.account_id AND o.queue = ? AND o.state = 'queued' AND o.crashes = 0 AND o.waits_until <= ?
		ORDER BY o.turn LIMIT 1`
	nextOfOthers = `SELECT j.id FROM waiting w JOIN jobs j ON j.id = (` + nextOfAccount + `) WHERE w.account_id NOT IN (%s) ORDER BY j.turn, j.id LIMIT 1`
	selectOther  = accountsWaiting + ` SELECT EXISTS (` + selectSuspect + `) AS suspect, EXISTS (` + selectWaiting + inTurn + `) AS waiting,
		(` + nextOfOthers + `) AS id`
)

// claimOther is Claim for a place that jobs of some accounts must not have.
func (l *Ledger) claimOther(ctx context.Context, queue, jobID string, passed []string) (Job, error) {
	for range claimTries {
		other, err := l.findOther(ctx, queue, jobID, passed)
		if err != nil {
			return Job{}, fmt.Errorf("claim a job for the message of %s: %w", jobID, err)
		}
		job, err := l.claim(ctx, jobID, func(tx *db.Tx, r *claimedRow, now int64) error {
			err := tx.Get(r, claimStatement+"? AND state = 'queued' AND crashes = 0 AND waits_until <= ?"+claimReturning, now, now, other, now+skew.Milliseconds())
			if errors.Is(err, sql.ErrNoRows) {
				return ErrNotQueued
			}
			return err
		})
		if !errors.Is(err, ErrNotQueued) { // another process has taken it
			return job, err
		}
	}
	return Job{}, ErrPassed
}

// findOther gives the id of the job that is next where some accounts are passed over. It writes nothing, since it is asked again and again.
func (l *Ledger) findOther(ctx context.Context, queue, jobID string, passed []string) (string, error) {
	soon := l.now() + skew.Milliseconds()
	args := []any{jobID, soon, queue, soon, queue, soon}
	for _, accountID := range passed {
		args = append(args, accountID)
	}
	var found struct {
		Suspect bool           `db:"suspect"`
		Waiting bool           `db:"waiting"`
		ID      sql.NullString `db:"id"`
	}
	query := fmt.Sprintf(selectOther, strings.TrimSuffix(strings.Repeat("?, ", len(passed)), ", "))
	switch err := l.db.Get(ctx, &found, query, args...); {
	case err != nil:
		return "", err
	case found.Suspect:
		return "", ErrSuspect
	case found.ID.Valid:
		return found.ID.String, nil
	case found.Waiting:
		return "", ErrPassed
	}
	return "", ErrNotQueued
}
