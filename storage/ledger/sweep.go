package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/storage/blob"
)

// sweepAge is how old a blob is before Sweep judges it: older than any acceptance or run that is still under way.
const sweepAge = time.Hour

// Sweep removes blobs that belong to nobody: inputs whose acceptance was cut off before its row, outputs of runs that
// were cut off or lost their job, answers whose request was cut off before they were kept, and documents of transmissions that were not accepted or have expired. It looks at every blob and gives how many it has removed.
func (l *Ledger) Sweep(ctx context.Context) (int, error) {
	removed, before := 0, l.cfg.Clock.Now().Add(-sweepAge)
	owner := sweptJob{}
	err := l.blobs.List(ctx, "", func(o blob.Object) error {
		part := strings.Split(o.Key, "/")
		if len(part) != 4 || o.Modified.After(before) {
			return nil
		}
		if err := l.findOwner(ctx, part[1], &owner); err != nil {
			return err
		}
		run, err := strconv.ParseInt(part[2], 10, 64)
		if err != nil || owner.keeps(run) {
			return nil
		}
		removed++
		return l.blobs.Delete(ctx, o.Key)
	})
	if err != nil {
		return removed, fmt.Errorf("sweep blobs: %w", err)
	}
	return removed, nil
}

// sweptJob is what decides about a job's blobs; blobs of one job mostly come one after the other, so it is kept. The output
// of an earlier run is nobody's: each claim has a number of its own, and the row tells of the last.
type sweptJob struct {
	ID    string `db:"id"`
	State State  `db:"state"`
	Run   int64  `db:"run"`
}

// keeps tells whether blobs of the run belong to the job: the input while the row is not expired, and the output of the
// last run.
func (s sweptJob) keeps(run int64) bool {
	return s.State != "" && s.State != Expired && (run == 0 || run == s.Run && s.State != Canceled)
}

// otherOwners find what else than jobs has blobs, by the prefix of its id: answers kept for idempotency keys, and documents of transmissions (storage/peppol).
var otherOwners = map[string]string{
	ticketPrefix: "SELECT owner AS id, 'succeeded' AS state, 0 AS run FROM idempotency_keys WHERE owner = ? AND sealed IS NOT NULL",
	"trm":        "SELECT transmission_id AS id, 'succeeded' AS state, 0 AS run FROM peppol_documents WHERE transmission_id = ?",
}

func (l *Ledger) findOwner(ctx context.Context, jobID string, owner *sweptJob) error {
	if owner.ID == jobID {
		return nil
	}
	prefix, _, _ := strings.Cut(jobID, "_")
	query := cmp.Or(otherOwners[prefix], "SELECT id, state, run FROM jobs WHERE id = ?")
	err := l.db.Get(ctx, owner, query, jobID)
	if errors.Is(err, sql.ErrNoRows) {
		*owner = sweptJob{ID: jobID}
		return nil
	}
	return err
}
