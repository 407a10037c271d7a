package webhook

import (
	"fmt"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/id"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/outbox"
)

var _ ledger.Publisher = (*Store)(nil)

// Dispatcher attempts deliveries in this process at once, where it has places for them.
type Dispatcher interface {
	// Reserve takes a place for one attempt at the endpoint if one is free for its account. Cancel or Dispatch gives it back.
	Reserve(r Recipient) bool
	Cancel(r Recipient)
	// Dispatch makes the attempt and settles it. It does not wait for that.
	Dispatch(s Sending)
}

// DispatchBy has the dispatcher attempt what this process publishes: a delivery for which it has a place is written as claimed by it, and
// neither enqueued nor claimed once more. It is to be called before the first event.
func (s *Store) DispatchBy(c Dispatcher) { s.dispatcher = c }

// Ask implements ledger.Publisher. What it gives writes, in the transaction of their cause, the events and a delivery for each enabled
// endpoint of the account and mode that wants one. The messages are owed already; they are given to be enqueued at once when the transaction is
// committed. What nobody wants is not written.
func (s *Store) Ask(tx *db.Tx, accountID string, mode account.Mode) (ledger.Publish, error) {
	endpoints := new([]endpointRow)
	err := tx.Also(endpoints, `SELECT * FROM webhook_endpoints
		WHERE account_id = ? AND mode = ? AND deleted IS NULL AND enabled ORDER BY id`, accountID, mode)
	if err != nil {
		return nil, fmt.Errorf("ask who wants events: %w", err)
	}
	return func(events ...ledger.Event) (told ledger.Published, err error) {
		if err := tx.Await(); err != nil {
			return ledger.Published{}, fmt.Errorf("ask who wants events: %w", err)
		}
		for _, e := range events {
			if err := s.publish(tx, *endpoints, e, &told); err != nil {
				return ledger.Published{}, fmt.Errorf("publish %s: %w", e.Type, err)
			}
		}
		return told, nil
	}, nil
}

// publish writes one event, for those of the endpoints that want it, and adds to what is told.
func (s *Store) publish(tx *db.Tx, endpoints []endpointRow, e ledger.Event, told *ledger.Published) (err error) {
	var v published
	for _, endpoint := range endpoints {
		if !endpoint.wants(e.Type) {
			continue
		}
		if v.id == "" {
			if v, err = s.insertEvent(tx, e); err != nil {
				return err
			}
		}
		d := s.newDelivery(endpoint.ID, v)
		if s.dispatcher != nil && s.dispatcher.Reserve(endpoint.recipient()) {
			err = s.insertDispatched(tx, endpoint, d, v)
		} else {
			var message outbox.Entry
			message, err = s.insertDelivery(tx, d)
			told.Messages = append(told.Messages, message)
		}
		if err != nil {
			return err
		}
		told.Bytes += d.Bytes
	}
	return nil
}

// published is an event as it is written and sent.
type published struct {
	id string
	eventRow
}

// What rows take in the database, with their indexes, beside what is counted byte by byte.
const (
	deliveryBytes = 1 << 10 // and the message that is owed for it
	attemptBytes  = 1 << 8
)

// newDelivery prepares a delivery that is due at once. It counts the bytes of its event, which stay until the last delivery of that goes.
func (s *Store) newDelivery(endpointID string, v published) deliveryRow {
	now := s.cfg.Clock.Now()
	return deliveryRow{ID: id.New("dlv", now), Endpoint: endpointID, Event: v.id, State: Pending, Due: clock.Millis(now), Created: clock.Millis(now),
		Bytes: deliveryBytes + int64(len(v.Payload))}
}

const insertStatement = `INSERT INTO webhook_deliveries (id, endpoint_id, event_id, state, run, once, due, created, bytes)
	VALUES (:id, :endpoint_id, :event_id, :state, :run, :once, :due, :created, :bytes)`

// insertEvent writes the event.
func (s *Store) insertEvent(tx *db.Tx, e ledger.Event) (published, error) {
	now := s.cfg.Clock.Now()
	eventID := id.New("evt", now)
	payload, err := payloadOf(eventID, e, now)
	if err != nil {
		// What an event tells must not hold up what it tells of.
		s.cfg.Logger.Error("event without its object", "event_id", eventID, "type", e.Type, "error", err)
	}
	err = tx.Later("INSERT INTO webhook_events (id, type, payload, created) VALUES (?, ?, ?, ?)", eventID, e.Type, payload, clock.Millis(now))
	return published{eventID, eventRow{e.Type, payload}}, err
}

// insertDispatched writes a delivery that the dispatcher has a place for as Claim would leave it, and hands it over once the transaction is
// committed. If that is not known, the claim runs out as that of a worker that has died.
func (s *Store) insertDispatched(tx *db.Tx, e endpointRow, d deliveryRow, v published) error {
	d.State, d.Run, d.Round, d.Due = Sent, 1, 1, clock.Millis(s.cfg.Clock.Now().Add(s.cfg.Lease))
	tx.After(func(committed bool) {
		if !committed {
			s.dispatcher.Cancel(e.recipient())
			return
		}
		s.dispatcher.Dispatch(s.sending(d, e, v.eventRow))
	})
	if err := tx.LaterNamed(insertStatement, d); err != nil {
		return err
	}
	return outbox.Add(tx, message(d.ID, d.Run, d.Due))
}

// insertDelivery writes a delivery that is due at once.
func (s *Store) insertDelivery(tx *db.Tx, d deliveryRow) (outbox.Entry, error) {
	if err := tx.LaterNamed(insertStatement, d); err != nil {
		return outbox.Entry{}, err
	}
	return s.addNow(tx, d.ID, 0)
}
