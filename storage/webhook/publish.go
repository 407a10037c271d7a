package webhook

import (
	"fmt"

	"einvoiced/storage/account"
	"einvoiced/storage/clock"
	"einvoiced/storage/db"
	"einvoiced/storage/id"
	"einvoiced/storage/ledger"
	"einvoiced/storage/outbox"
)

var _ ledger.Publisher = (*Store)(nil)

// Publish writes, in the transaction of its cause, an event and a delivery for each enabled endpoint of the account and mode that
// wants it. The rings are owed already; they are given to be rung at once when the transaction is committed. Where nobody wants
// the event, nothing is written.
func (s *Store) Publish(tx *db.Tx, accountID string, mode account.Mode, e ledger.Event) ([]outbox.Debt, error) {
	var rows []endpointRow
	err := tx.Select(&rows, `SELECT id, events FROM webhook_endpoints
		WHERE account_id = ? AND mode = ? AND deleted IS NULL AND enabled ORDER BY id`, accountID, mode)
	if err != nil {
		return nil, fmt.Errorf("publish %s: %w", e.Type, err)
	}
	var wanting []string
	for _, r := range rows {
		if r.wants(e.Type) {
			wanting = append(wanting, r.ID)
		}
	}
	if len(wanting) == 0 {
		return nil, nil
	}
	eventID, err := s.insertEvent(tx, e)
	if err != nil {
		return nil, fmt.Errorf("publish %s: %w", e.Type, err)
	}
	rings := make([]outbox.Debt, len(wanting))
	for i, endpointID := range wanting {
		if rings[i], err = s.insertDelivery(tx, endpointID, eventID, false); err != nil {
			return nil, fmt.Errorf("publish %s: %w", e.Type, err)
		}
	}
	return rings, nil
}

// insertEvent writes the event and gives its id.
func (s *Store) insertEvent(tx *db.Tx, e ledger.Event) (string, error) {
	now := s.cfg.Clock.Now()
	eventID := id.New("evt", now)
	payload, err := payloadOf(eventID, e, now)
	if err != nil {
		// What an event tells must not hold up what it tells of.
		s.cfg.Logger.Error("event without its object", "event_id", eventID, "type", e.Type, "error", err)
	}
	err = tx.Later("INSERT INTO webhook_events (id, type, payload, created) VALUES (?, ?, ?, ?)", eventID, e.Type, payload, clock.Millis(now))
	return eventID, err
}

// insertDelivery writes a delivery that is due at once.
func (s *Store) insertDelivery(tx *db.Tx, endpointID, eventID string, once bool) (outbox.Debt, error) {
	deliveryID, now := id.New("dlv", s.cfg.Clock.Now()), s.now()
	err := tx.Later("INSERT INTO webhook_deliveries (id, endpoint_id, event_id, state, once, due, created) VALUES (?, ?, ?, 'pending', ?, ?, ?)",
		deliveryID, endpointID, eventID, once, now, now)
	if err != nil {
		return outbox.Debt{}, err
	}
	return s.oweNow(tx, deliveryID, 0)
}
