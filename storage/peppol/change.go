package peppol

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/outbox"
	"github.com/einvoiced/einvoiced/storage/volume"
)

const insertStatement = `INSERT INTO peppol_transmissions (id, account_id, mode, state, message_id, job_id, events, sender, recipient, recipient_name, document_type,
	process, country, invoice_number, created, updated) VALUES (:id, :account_id, :mode, :state, :message_id, :job_id, :events, :sender, :recipient, :recipient_name,
	:document_type, :process, :country, :invoice_number, :created, :updated)`

// KeptBytes is what a transmission counts as stored with its log, each time that it is queued: both are kept as long as the account. Its receipt counts besides.
const KeptBytes = 2 << 10

// Insert writes a new transmission with its document, in the transaction that accepts the job which sends it, and which counts the document and KeptBytes as stored.
func (s *Store) Insert(tx *db.Tx, t Transmission, d Document) error {
	now := s.now()
	r := row{ID: t.ID, Account: t.Account, Mode: t.Mode, State: Queued, MessageID: t.MessageID, JobID: t.JobID, Events: 1, Sender: t.Sender, Recipient: t.Recipient,
		RecipientName: t.RecipientName, DocumentType: t.DocumentType, Process: t.Process, Country: t.Country, InvoiceNumber: t.InvoiceNumber,
		Created: clock.Millis(t.Created), Updated: now}
	if err := tx.LaterNamed(insertStatement, r); err != nil {
		return err
	}
	if err := tx.Later("INSERT INTO peppol_documents (transmission_id, bytes, counted, created) VALUES (?, ?, ?, ?)", t.ID, d.row, d.size, now); err != nil {
		return err
	}
	return s.note(tx, r, string(Queued), "accepted")
}

// note writes the entry of the log that the row counts last.
func (s *Store) note(tx *db.Tx, r row, kind, message string) error {
	return tx.Later("INSERT INTO peppol_events (transmission_id, number, type, message, created) VALUES (?, ?, ?, ?, ?)", r.ID, r.Events, kind, message, s.now())
}

// Attempt is a transmission that a run may send, with its document in its envelope.
type Attempt struct {
	Transmission
	Run      int64
	Document []byte
}

// Begin gives a transmission to a run of its job. The error is ErrSettled where it is not to be sent, and the transmission is given all the same; and ErrLost where a
// later run has it.
func (s *Store) Begin(ctx context.Context, transmissionID, jobID string, run int64) (Attempt, error) {
	var r row
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		if err := s.lock(tx, &r, transmissionID); err != nil {
			return err
		}
		switch {
		case r.Receipt != "" || r.State != Queued && r.State != Sending:
			return ErrSettled
		case r.JobID != jobID || r.State == Sending && run <= r.Run:
			return ErrLost
		}
		err := tx.Get(&r, `UPDATE peppol_transmissions SET state = 'sending', run = ?, attempts = attempts + 1, tries = tries + 1, events = events + 1, updated = ?
			WHERE id = ? RETURNING *`, run, s.now(), r.ID)
		if err != nil {
			return err
		}
		return s.note(tx, r, string(Sending), fmt.Sprintf("attempt %d", r.Attempts))
	})
	if err != nil {
		return Attempt{Transmission: r.transmission()}, fmt.Errorf("begin to send %s: %w", transmissionID, err)
	}
	document, err := s.document(ctx, r.Account, transmissionID)
	return Attempt{r.transmission(), run, document}, err
}

// lock reads a row that the same function then changes.
func (s *Store) lock(tx *db.Tx, r *row, transmissionID string) error {
	*r = row{}
	err := tx.Get(r, "SELECT * FROM peppol_transmissions WHERE id = ?"+tx.Lock(), transmissionID)
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	return err
}

// NoteFault writes into the log that an attempt has failed and will be repeated.
func (s *Store) NoteFault(ctx context.Context, a Attempt, message string) error {
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		var r row
		err := tx.Get(&r, "UPDATE peppol_transmissions SET events = events + 1, updated = ? WHERE id = ? AND run = ? AND state = 'sending' RETURNING *", s.now(), a.ID, a.Run)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrLost
		}
		if err != nil {
			return err
		}
		return s.note(tx, r, AttemptFailed, message)
	})
	if err != nil {
		return fmt.Errorf("note a fault of %s: %w", a.ID, err)
	}
	return nil
}

// Outcome is what is known of a transmission from now on.
type Outcome struct {
	State   State  // Sent, Delivered or Failed
	Code    string // of a failure
	Reason  string // for clients
	Receipt string // of a delivery, as it was given

	// AskAfter is how long after a transmission of live mode was sent its provider is asked what became of it. Default: never.
	AskAfter time.Duration
}

// follows tells from which states an outcome leads on. A receipt counts whenever it comes; a failure does not undo what was sent, and
// nothing undoes a delivery.
var follows = map[State][]State{
	Sent:      {Queued, Sending},
	Delivered: {Queued, Sending, Sent, Failed},
	Failed:    {Queued, Sending, Sent},
}

// Settle writes what came of an attempt. A failure that is told by a run which no longer has the transmission is left out (ErrLost); what was
// sent or delivered counts whoever tells it. What changes nothing is no error.
func (s *Store) Settle(ctx context.Context, a Attempt, o Outcome) error {
	return s.settle(ctx, a.ID, func(_ *db.Tx, r row) error {
		if o.State == Failed && (r.Run != a.Run || r.JobID != a.JobID) {
			return ErrLost
		}
		return nil
	}, o)
}

func (s *Store) settle(ctx context.Context, transmissionID string, allowed func(*db.Tx, row) error, o Outcome) error {
	var messages []outbox.Entry
	err := s.db.Write(ctx, func(tx *db.Tx) (err error) {
		messages = nil
		var r row
		if err := s.lock(tx, &r, transmissionID); err != nil {
			return err
		}
		if err := allowed(tx, r); err != nil {
			return err
		}
		messages, err = s.move(tx, r, o)
		return err
	})
	if err != nil {
		return fmt.Errorf("settle %s: %w", transmissionID, err)
	}
	s.enqueue(messages)
	return nil
}

const moveStatement = `UPDATE peppol_transmissions SET state = ?, code = ?, reason = ?, receipt = CASE WHEN ? = '' THEN receipt ELSE ? END, updated = ?,
	sent = coalesce(sent, ?), ended = ?, events = events + 1, asked = 0, ask_at = ?, ask_since = ? WHERE id = ? RETURNING *`

// move changes the state, writes the log and publishes.
func (s *Store) move(tx *db.Tx, r row, o Outcome) ([]outbox.Entry, error) {
	if !slices.Contains(follows[o.State], r.State) {
		return nil, nil
	}
	publish, err := s.ask(tx, r)
	if err != nil {
		return nil, err
	}
	now := s.now()
	var sent, ended, askAt, askSince *int64
	if o.State != Failed {
		sent = &now
	}
	if o.State == Sent && o.AskAfter > 0 && r.Mode == account.Live {
		at := now + o.AskAfter.Milliseconds()
		askAt, askSince = &at, &now
	}
	if o.State != Sent {
		ended = &now
	}
	unsent, received := r.Sent == nil, int64(len(o.Receipt))
	if received > 0 {
		received -= int64(len(r.Receipt)) // which it takes the place of
	}
	if err := tx.Get(&r, moveStatement, o.State, o.Code, o.Reason, o.Receipt, o.Receipt, now, sent, ended, askAt, askSince, r.ID); err != nil {
		return nil, err
	}
	if err := s.note(tx, r, string(o.State), cmp.Or(o.Reason, plainly[o.State])); err != nil {
		return nil, err
	}
	var events []ledger.Event
	if o.State == Delivered && unsent {
		events = append(events, s.event(Sent, r))
	}
	told, err := publish(append(events, s.event(o.State, r))...)
	if err != nil {
		return nil, err
	}
	return told.Messages, volume.Count(tx, r.Account, told.Bytes+received)
}

// plainly is what the log says of an outcome for which no reason is given.
var plainly = map[State]string{Sent: "the provider has it", Delivered: "the receipt is there", Failed: "it has failed"}

// event is what webhooks are told.
func (s *Store) event(state State, r row) ledger.Event {
	if s.cfg.Object == nil {
		return ledger.Event{}
	}
	t := r.transmission()
	return ledger.Event{Type: "peppol." + string(state), Object: s.cfg.Object(t)}
}

func (s *Store) ask(tx *db.Tx, r row) (ledger.Publish, error) {
	if s.cfg.Publisher == nil {
		return func(...ledger.Event) (ledger.Published, error) { return ledger.Published{}, nil }, nil
	}
	return s.cfg.Publisher.Ask(tx, r.Account, r.Mode)
}

// enqueue tells workers of deliveries whose transaction is committed.
func (s *Store) enqueue(messages []outbox.Entry) {
	now := s.cfg.Clock.Now()
	for _, m := range messages {
		if m.Kind == outbox.Enqueue && !m.Due.After(now) {
			s.cfg.Queue.EnqueueSoon(m.Queue, m.Subject, m.Run)
		}
	}
}

// Cancel ends a transmission that no attempt was made for since it was queued. The error is ErrNotFound, or ErrState where it is too late.
func (s *Store) Cancel(ctx context.Context, accountID string, mode account.Mode, transmissionID string) (Transmission, error) {
	var r row
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		if err := s.lockOwn(tx, &r, accountID, mode, transmissionID); err != nil {
			return err
		}
		if r.State != Queued || r.Attempts > 0 {
			return ErrState
		}
		now := s.now()
		err := tx.Get(&r, "UPDATE peppol_transmissions SET state = 'canceled', updated = ?, ended = ?, events = events + 1 WHERE id = ? RETURNING *", now, now, r.ID)
		if err != nil {
			return err
		}
		return s.note(tx, r, string(Canceled), "canceled before the first attempt")
	})
	if err != nil {
		return Transmission{}, fmt.Errorf("cancel transmission: %w", err)
	}
	return r.transmission(), nil
}

func (s *Store) lockOwn(tx *db.Tx, r *row, accountID string, mode account.Mode, transmissionID string) error {
	if err := s.lock(tx, r, transmissionID); err != nil {
		return err
	}
	if r.Account != accountID || r.Mode != mode {
		return ErrNotFound
	}
	return nil
}

// Requeue queues a failed transmission again for a new job, in the transaction that accepts that and counts KeptBytes as stored. Its message id stays. The error is
// ErrNotFound, or ErrState where it has not failed, or its document is gone.
func (s *Store) Requeue(tx *db.Tx, accountID string, mode account.Mode, transmissionID, jobID string) (Transmission, error) {
	var r row
	if err := s.lockOwn(tx, &r, accountID, mode, transmissionID); err != nil {
		return Transmission{}, err
	}
	var documents int
	if err := tx.Get(&documents, "SELECT count(*) FROM peppol_documents WHERE transmission_id = ?", r.ID); err != nil {
		return Transmission{}, err
	}
	if r.State != Failed || r.Receipt != "" || documents == 0 {
		return Transmission{}, ErrState
	}
	err := tx.Get(&r, `UPDATE peppol_transmissions SET state = 'queued', job_id = ?, run = 0, tries = 0, code = '', reason = '', ended = NULL, updated = ?, events = events + 1
		WHERE id = ? RETURNING *`, jobID, s.now(), r.ID)
	if err != nil {
		return Transmission{}, err
	}
	return r.transmission(), s.note(tx, r, string(Queued), "queued again, with the same message id")
}
