package ledger

import (
	"context"
	"time"

	"einvoiced/storage/account"
	"einvoiced/storage/db"
)

// reserve reserves the charges for a job until commit or release. The error is a *QuotaError or ErrPlanUnknown.
func (l *Ledger) reserve(tx *db.Tx, jobID, accountID string, mode account.Mode, charges []Charge) error {
	return nil
}

// commit counts what the job has reserved, in the month of the reservation.
func (l *Ledger) commit(tx *db.Tx, jobID string) error { return nil }

// release gives back what the job has reserved.
func (l *Ledger) release(tx *db.Tx, jobID string) error { return nil }

// stage notes the charges of a job in an open batch; reserveBatch reserves them all or refuses, releaseBatch forgets them.
func (l *Ledger) stage(tx *db.Tx, batchID, jobID, accountID string, mode account.Mode, charges []Charge) error {
	return nil
}

// reserveBatch reserves the staged charges of a batch, which is committed, in one go. The error is a *QuotaError.
func (l *Ledger) reserveBatch(tx *db.Tx, batchID, accountID string, mode account.Mode) error {
	return nil
}

// releaseBatch forgets the staged charges of a batch that is given up.
func (l *Ledger) releaseBatch(tx *db.Tx, batchID string) error { return nil }

// adopt hands what a ticket holds, charges and idempotency key, over to a job. The error is ErrLost where the ticket's
// process was taken for dead meanwhile.
func (l *Ledger) adopt(tx *db.Tx, t Ticket, jobID string) error { return nil }

// freeKey releases the idempotency key that points to a job: at every end that leaves no answer to replay (any but a status of
// 2xx, 400 or 422), and when the job is erased or expires.
func (l *Ledger) freeKey(tx *db.Tx, jobID string) error { return nil }

// replayable tells whether an answer of the status is kept under its idempotency key.
func replayable(status int) bool {
	return status >= 200 && status < 300 || status == 400 || status == 422
}

// Usage is what an account has used in a period.
type Usage struct {
	Period       Period
	Entitlements []EntitlementUsage // sorted by name
}

// EntitlementUsage is what was used of one entitlement.
type EntitlementUsage struct {
	Entitlement string
	Current     int64  // units committed
	Reserved    int64  // units of work that is under way
	Limit       *int64 // nil where no quota applies
}

// Usage tells what the account has used between from and to; both are rounded to whole months in UTC, and the zero times
// mean the present month.
func (l *Ledger) Usage(ctx context.Context, accountID string, from, to time.Time) (Usage, error) {
	return Usage{}, ctx.Err()
}
