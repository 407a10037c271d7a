package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/id"
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

// ticketPrefix is that of the owner of a ticket's rows and blobs.
const ticketPrefix = "hold"

// Ticket is what Begin gives: a stored answer to replay, a job to join, word that the request is under way elsewhere, or,
// where none of these is set, the right to answer, to be given back by Settle, Drop or, with NewJob.Ticket, by Accept.
type Ticket struct {
	Stored    *Stored // replay this
	JobID     string  // join this job: its answer, now or when it ends, is the answer
	Elsewhere bool    // another request with that key is under way: ask again

	request  Request
	charges  []Charge // that count, one for each entitlement
	period   string   // in which they count
	owner    string   // of the ticket's rows; empty where none were written
	reserved bool     // the charges stand as reservations
}

// yours tells whether the ticket is the right to answer.
func (t Ticket) yours() bool {
	return t.Stored == nil && t.JobID == "" && !t.Elsewhere && t.request.Account != ""
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

	Registrations []Registration // of a success: registered in the same transaction
}

// Begin asks for the right to answer a request: it reserves the charges and takes the idempotency key. The error is a
// *QuotaError where a quota does not suffice, a *volume.ExceededError where there is no room to keep the answer or to tell webhooks of it, ErrConflict where the key was used for another request, ErrPlanUnknown
// where the account's plan is not configured, and ErrInvalid for a request that is none. Nothing is written where there
// is neither a key nor a limited quota; a replay is free.
func (l *Ledger) Begin(ctx context.Context, r Request) (Ticket, error) {
	t, err := l.begin(ctx, r)
	if err != nil {
		return Ticket{}, fmt.Errorf("begin request: %w", err)
	}
	return t, nil
}

func (l *Ledger) begin(ctx context.Context, r Request) (Ticket, error) {
	if err := l.check(r); err != nil {
		return Ticket{}, err
	}
	charges, err := billable(r.Mode, r.Charges)
	if err != nil {
		return Ticket{}, err
	}
	t := Ticket{request: r, charges: charges, period: l.month()}
	if r.Idempotency != nil {
		if known, err := l.lookUp(ctx, r); known != nil || err != nil {
			return l.answered(ctx, r, known, err)
		}
	}
	if r.Idempotency != nil || l.heard(ctx, r.Account, r.Mode) { // its answer is to be kept, or what it has come to is to be told
		if err := l.Admit(ctx, r.Account, 0); err != nil {
			return Ticket{}, err
		}
	}
	limits, err := l.limitsOf(ctx, r.Account, charges)
	if err != nil {
		return Ticket{}, err
	}
	t.reserved = slices.ContainsFunc(limits, func(l limit) bool { return l.limited })
	if r.Idempotency == nil && !t.reserved {
		return t, nil
	}
	t.owner = id.New(ticketPrefix, l.cfg.Clock.Now())
	return l.openTicket(ctx, t, limits)
}

// check refuses requests that are none.
func (l *Ledger) check(r Request) error {
	switch i := r.Idempotency; {
	case r.Account == "" || r.Mode != account.Test && r.Mode != account.Live:
		return fmt.Errorf("a request needs account and mode: %w", ErrInvalid)
	case i == nil:
		return nil
	case r.KeyID == "" || i.Key == "" || len(i.Key) > MaxIdempotencyKey || i.Fingerprint == "":
		return fmt.Errorf("an idempotency key needs 1 to %d characters, a fingerprint and the API key: %w", MaxIdempotencyKey, ErrInvalid)
	case l.cfg.Seal == nil:
		return errors.New("answers cannot be kept: no secret key is configured")
	}
	return nil
}

// limitsOf gives the limits of the charges by the account's subscription.
func (l *Ledger) limitsOf(ctx context.Context, accountID string, charges []Charge) ([]limit, error) {
	if len(charges) == 0 {
		return nil, nil
	}
	s, err := l.subscription(ctx, accountID)
	if err != nil {
		return nil, err
	}
	return l.limits(s, accountID, charges)
}

// openTicket writes the rows of the ticket, or finds that another request was faster.
func (l *Ledger) openTicket(ctx context.Context, t Ticket, limits []limit) (Ticket, error) {
	if err := l.ensureHolder(ctx); err != nil {
		return Ticket{}, err
	}
	var known *idempotencyRow
	err := l.db.Write(ctx, func(tx *db.Tx) (err error) {
		if known, err = l.takeKey(tx, t); err != nil || known != nil || !t.reserved {
			return err
		}
		r := reservation{Owner: t.owner, Account: t.request.Account, Period: t.period, Process: l.cfg.Process}
		return insertReservations(tx, r, t.charges, limits)
	})
	l.doubt(t, err)
	if known != nil || err != nil {
		return l.answered(ctx, t.request, known, err)
	}
	return t, nil
}

// doubt has what may have been written for a ticket that nobody gets released with the next beat.
func (l *Ledger) doubt(t Ticket, err error) {
	if errors.Is(err, db.ErrInDoubt) {
		l.leftovers.add(t.owner)
	}
}

// Settle ends a request that was answered, in one transaction: charges committed or released, the answer kept, events
// published, what is to be registered registered. An error of the Registrar is given as it is, wrapped. The error is ErrLost where the process was taken for dead meanwhile and what the ticket held was given to
// others; then nothing is counted, kept or published. Nothing is written where there is nothing to count, to keep or to
// publish. The answer must not go out before Settle has returned; the context should not be that of a client that may leave.
func (l *Ledger) Settle(ctx context.Context, t Ticket, s Settlement) error {
	if !t.yours() {
		return fmt.Errorf("settle a request that is not this one's to answer: %w", ErrInvalid)
	}
	answer, err := l.storeAnswer(ctx, t, s.Stored)
	if err != nil {
		l.leftovers.add(t.owner)
		return fmt.Errorf("settle request: %w", err)
	}
	s.Events = l.wanted(ctx, t.request.Account, t.request.Mode, s.Events)
	adds := s.Success && !t.reserved && len(t.charges) > 0
	if t.owner == "" && !adds && len(s.Events) == 0 && len(s.Registrations) == 0 {
		return nil
	}
	var told Published
	err = l.db.Write(ctx, func(tx *db.Tx) (err error) {
		if err := l.settleKey(tx, t, answer); err != nil {
			return err
		}
		if told, err = l.publish(tx, t.request, s.Events); err != nil {
			return err
		}
		registered, err := l.register(tx, t.request.Account, t.request.Mode, s.Registrations)
		if err != nil {
			return err
		}
		if err := settleCharges(tx, t, s.Success); err != nil {
			return err
		}
		return l.countStored(tx, t.request.Account, answer.bytes()+told.Bytes+registered)
	})
	if err != nil {
		l.leftovers.add(t.owner)
		return fmt.Errorf("settle request: %w", err)
	}
	l.enqueue(told.Messages)
	return nil
}

// SettleAlong is Settle in a transaction of somebody else: the answer is kept if and only if what it tells is written. Events and registrations are
// not for it. The ticket is given back when that transaction is committed; otherwise it is to be dropped.
func (l *Ledger) SettleAlong(tx *db.Tx, t Ticket, s Settlement) error {
	if !t.yours() || len(s.Events) > 0 || len(s.Registrations) > 0 {
		return fmt.Errorf("settle a request along with something else: %w", ErrInvalid)
	}
	answer, err := l.sealAnswer(t, s.Stored)
	if err == nil {
		err = l.settleKey(tx, t, answer)
	}
	if err == nil {
		err = settleCharges(tx, t, s.Success)
	}
	if err == nil {
		err = l.countStored(tx, t.request.Account, answer.bytes())
	}
	if err != nil {
		return fmt.Errorf("settle request: %w", err)
	}
	return nil
}

// settleCharges commits or releases what the ticket has reserved, or counts what needed no reservation.
func settleCharges(tx *db.Tx, t Ticket, success bool) error {
	if t.reserved {
		n, err := settleReservations(tx, t.owner, success)
		if err == nil && n < len(t.charges) {
			return ErrLost
		}
		return err
	}
	for _, c := range t.charges {
		if !success {
			break
		}
		if err := count(tx, t.request.Account, t.period, c); err != nil {
			return err
		}
	}
	return nil
}

// Drop ends a request without an answer that is worth keeping: charges and key are released. A ticket that holds nothing,
// or nothing any more, may be dropped, too. What cannot be released now is released with a later beat of the process.
func (l *Ledger) Drop(ctx context.Context, t Ticket) error {
	if t.owner == "" {
		return nil
	}
	err := l.db.Write(ctx, func(tx *db.Tx) error { return dropHeld(tx, t.owner) })
	if err != nil {
		l.leftovers.add(t.owner)
		return fmt.Errorf("drop request: %w", err)
	}
	return nil
}

// dropHeld releases what tickets hold that are still under way. An answer that is kept is not.
func dropHeld(tx *db.Tx, owners ...string) error {
	var ended []reservation
	for _, owner := range owners {
		if err := tx.Later("DELETE FROM idempotency_keys WHERE owner = ? AND process <> ''", owner); err != nil {
			return err
		}
		var of []reservation
		if err := tx.Select(&of, "DELETE FROM reservations WHERE owner = ? RETURNING *", owner); err != nil {
			return err
		}
		ended = append(ended, of...)
	}
	return endReservations(tx, ended, false)
}
