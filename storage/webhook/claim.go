package webhook

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/outbox"
)

// Recipient is who a delivery is for.
type Recipient struct {
	Account  string `db:"account_id"`  // acc_…
	Endpoint string `db:"endpoint_id"` // whk_…
}

// Sending is a delivery that is claimed for one attempt.
type Sending struct {
	Recipient

	ID      string // dlv_…, the same over all attempts
	URL     string
	Event   string // type of the event
	Payload []byte // the body, byte for byte
	Secrets Secrets
	Attempt int // from 1

	// Unsealed says why the secrets could not be opened; then there are none, and the attempt fails.
	Unsealed error

	run      int64
	failures int
	round    int
	once     bool
	mode     account.Mode
}

// RecipientOf gives who a delivery is for. The error is ErrIdle for an unknown one.
func (s *Store) RecipientOf(ctx context.Context, deliveryID string) (r Recipient, err error) {
	err = s.db.Get(ctx, &r, `SELECT e.account_id, d.endpoint_id FROM webhook_deliveries d
		JOIN webhook_endpoints e ON e.id = d.endpoint_id WHERE d.id = ?`, deliveryID)
	if errors.Is(err, sql.ErrNoRows) {
		return Recipient{}, ErrIdle
	}
	if err != nil {
		return Recipient{}, fmt.Errorf("find recipient of delivery: %w", err)
	}
	return r, nil
}

// Claim gives a delivery that is due to the caller for one attempt. The caller must end it by Settle or Release within Config.Lease;
// otherwise it is taken for dead, and the delivery is due again. The error is ErrIdle where there is nothing to send now.
func (s *Store) Claim(ctx context.Context, deliveryID string) (Sending, error) {
	var (
		d    deliveryRow
		of   []belonging
		idle bool
	)
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		d, of, idle = deliveryRow{}, nil, false
		now, until := s.now(), clock.Millis(s.cfg.Clock.Now().Add(s.cfg.Lease))
		if err := tx.Also(&of, selectBelonging, deliveryID); err != nil {
			return err
		}
		err := tx.Get(&d, `UPDATE webhook_deliveries SET state = 'sending', run = run + 1, due = ?
			WHERE id = ? AND state IN ('pending', 'sending') AND due <= ? RETURNING *`, until, deliveryID, now)
		if errors.Is(err, sql.ErrNoRows) {
			idle = true
			return s.putRight(tx, deliveryID)
		}
		if err != nil {
			return err
		}
		if len(of) == 0 {
			return errors.New("its endpoint and event are not there")
		}
		if idle = of[0].Deleted.Valid || !of[0].Enabled && !d.Once; idle {
			return s.end(tx, d, Canceled)
		}
		return outbox.Add(tx, message(d.ID, d.Run, until))
	})
	if err == nil && idle {
		err = ErrIdle
	}
	if err != nil {
		return Sending{}, fmt.Errorf("claim delivery %s: %w", deliveryID, err)
	}
	return s.sending(d, of[0].endpointRow, of[0].eventRow), nil
}

// belonging is what a delivery belongs to.
type belonging struct {
	endpointRow
	eventRow
}

const selectBelonging = `SELECT e.*, v.type, v.payload FROM webhook_deliveries d
	JOIN webhook_endpoints e ON e.id = d.endpoint_id JOIN webhook_events v ON v.id = d.event_id WHERE d.id = ?`

// sending puts together what an attempt needs.
func (s *Store) sending(d deliveryRow, e endpointRow, v eventRow) Sending {
	secrets, err := s.open(e)
	return Sending{
		Recipient: e.recipient(), ID: d.ID, URL: e.URL, Event: v.Type, Payload: v.Payload, Secrets: secrets, Attempt: d.Attempts + 1, Unsealed: err,
		run: d.Run, failures: d.Failures, round: d.Round, once: d.Once, mode: e.Mode,
	}
}

// putRight makes the outbox agree with a delivery that cannot be claimed: a message that came too early, because all messages were made
// due at once, is owed again at its time; one for a delivery that has ended is owed no more.
func (s *Store) putRight(tx *db.Tx, deliveryID string) error {
	var d deliveryRow
	err := tx.Get(&d, "SELECT * FROM webhook_deliveries WHERE id = ?"+tx.Lock(), deliveryID)
	switch {
	case errors.Is(err, sql.ErrNoRows):
	case err != nil:
		return err
	case d.State == Pending:
		// With a run of its own the entry is not put off by who has enqueued too early and notes that only now.
		d.Run++
		if err := tx.Later("UPDATE webhook_deliveries SET run = ? WHERE id = ?", d.Run, d.ID); err != nil {
			return err
		}
		return outbox.Add(tx, message(d.ID, d.Run, d.Due))
	case d.State == Sent:
		return outbox.Add(tx, message(d.ID, d.Run, d.Due))
	}
	return outbox.Remove(tx, outbox.Enqueue, deliveryID)
}

// end ends a delivery and what is owed for it.
func (s *Store) end(tx *db.Tx, d deliveryRow, state State) error {
	if err := tx.Later("UPDATE webhook_deliveries SET state = ?, ended = ? WHERE id = ?", state, s.now(), d.ID); err != nil {
		return err
	}
	return outbox.Remove(tx, outbox.Enqueue, d.ID)
}

// State is where a delivery stands.
type State string

// The states. Delivered, failed and canceled deliveries have ended.
const (
	Pending   State = "pending"
	Sent      State = "sending" // an attempt is under way
	Delivered State = "delivered"
	Failed    State = "failed"
	Canceled  State = "canceled" // its endpoint was disabled or deleted before an attempt
)

// Ended tells whether the state is one that only Redeliver leaves.
func (s State) Ended() bool { return s != Pending && s != Sent }

// deliveryRow is a row of the table webhook_deliveries.
type deliveryRow struct {
	ID       string        `db:"id"`
	Endpoint string        `db:"endpoint_id"`
	Event    string        `db:"event_id"`
	State    State         `db:"state"`
	Run      int64         `db:"run"`
	Attempts int           `db:"attempts"`
	Failures int           `db:"failures"`
	Round    int           `db:"round"`
	Once     bool          `db:"once"`
	Due      int64         `db:"due"`
	Created  int64         `db:"created"`
	Ended    sql.NullInt64 `db:"ended"`
	Bytes    int64         `db:"bytes"` // counted as stored, with its attempts
}

// eventRow is what an attempt needs of a row of the table webhook_events.
type eventRow struct {
	Type    string `db:"type"`
	Payload []byte `db:"payload"`
}
