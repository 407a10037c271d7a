package webhook

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
)

// pageOfExpired is how many events one transaction of Expire removes at most.
const pageOfExpired = 200

// selectExpired gives old events of which nothing is to be sent any more; those that are much older go in any case.
const selectExpired = `SELECT id FROM webhook_events WHERE created < ? AND (created < ? OR NOT EXISTS (
		SELECT 1 FROM webhook_deliveries d WHERE d.event_id = webhook_events.id AND d.state IN ('pending', 'sending')))
	ORDER BY created LIMIT ?`

// grace is how much longer than the retention an event stays that is still to be sent: longer than the schedule lasts.
const grace = 24 * time.Hour

// Expire removes events older than the retention of which nothing is to be sent any more, with their deliveries and the log of them, mail of that age, and what is left of
// deleted endpoints. It gives how many events went; 0 says that nothing is left to do.
func (s *Store) Expire(ctx context.Context) (int, error) {
	n := 0
	before := clock.Millis(s.cfg.Clock.Now().Add(-s.cfg.Retention))
	longBefore := clock.Millis(s.cfg.Clock.Now().Add(-s.cfg.Retention - grace))
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		var events []string
		n = 0
		err := tx.Select(&events, selectExpired, before, longBefore, pageOfExpired)
		if err != nil {
			return err
		}
		n = len(events)
		if n == 0 {
			return s.expireRest(tx, before)
		}
		return removeEvents(tx, events)
	})
	if err != nil {
		return 0, fmt.Errorf("expire webhook events: %w", err)
	}
	return n, nil
}

// removeEvents removes events and all that belongs to them. Messages that are still owed settle themselves when they come up.
func removeEvents(tx *db.Tx, events []string) error {
	args := make([]any, len(events))
	for i, e := range events {
		args[i] = e
	}
	in := " IN (?" + strings.Repeat(", ?", len(events)-1) + ")"
	for _, statement := range []string{
		"DELETE FROM webhook_attempts WHERE delivery_id IN (SELECT id FROM webhook_deliveries WHERE event_id" + in + ")",
		"DELETE FROM webhook_deliveries WHERE event_id" + in,
		"DELETE FROM webhook_events WHERE id" + in,
	} {
		if err := tx.Later(statement, args...); err != nil {
			return err
		}
	}
	return nil
}

// expireRest removes old mail, and deleted endpoints that no delivery refers to. An endpoint waits an hour at least: a transaction that
// has seen it alive may still be writing a delivery.
func (s *Store) expireRest(tx *db.Tx, before int64) error {
	if err := tx.Later("DELETE FROM webhook_mails WHERE created < ?", before); err != nil {
		return err
	}
	err := tx.Later(`DELETE FROM webhook_endpoints WHERE deleted < ?
		AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.endpoint_id = webhook_endpoints.id)`,
		clock.Millis(s.cfg.Clock.Now().Add(-time.Hour)))
	return err
}
