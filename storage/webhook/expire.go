package webhook

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/volume"
)

// pageOfExpired is how many events, or deliveries of deleted endpoints, one transaction of Expire removes at most.
const pageOfExpired = 200

const (
	// selectExpired gives old events of which nothing is to be sent any more; those that are much older go in any case.
	selectExpired = `SELECT id FROM webhook_events WHERE created < ? AND (created < ? OR NOT EXISTS (
		SELECT 1 FROM webhook_deliveries d WHERE d.event_id = webhook_events.id AND d.state IN ('pending', 'sending')))
		ORDER BY created LIMIT ?`

	// selectOrphaned gives deliveries to deleted endpoints, whose log nobody can read.
	selectOrphaned = `SELECT d.id FROM webhook_endpoints e JOIN webhook_deliveries d ON d.endpoint_id = e.id WHERE e.deleted < ? LIMIT ?`
)

const (
	// grace is how much longer than the retention an event stays that is still to be sent: longer than the schedule lasts.
	grace = 24 * time.Hour

	// afterDeletion is how long what belongs to a deleted endpoint stays: longer than a transaction goes on that has seen it alive and writes a
	// delivery, and than an attempt.
	afterDeletion = time.Hour
)

// Expire removes events older than the retention of which nothing is to be sent any more, with their deliveries and the log of them, what there is of
// endpoints that were deleted an hour ago, and mail of that age. It gives how many events went and deliveries of deleted endpoints; 0 says that nothing
// is left to do.
func (s *Store) Expire(ctx context.Context) (int, error) {
	n := 0
	now := s.cfg.Clock.Now()
	before, longBefore := clock.Millis(now.Add(-s.cfg.Retention)), clock.Millis(now.Add(-s.cfg.Retention-grace))
	deleted := clock.Millis(now.Add(-afterDeletion))
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		var events, orphaned []string
		n = 0
		if err := tx.Select(&events, selectExpired, before, longBefore, pageOfExpired); err != nil {
			return err
		}
		if n = len(events); n > 0 {
			return removeEvents(tx, events)
		}
		if err := tx.Select(&orphaned, selectOrphaned, deleted, pageOfExpired); err != nil {
			return err
		}
		if n = len(orphaned); n > 0 {
			return removeDeliveries(tx, orphaned)
		}
		return expireRest(tx, before, deleted)
	})
	if err != nil {
		return 0, fmt.Errorf("expire webhook events: %w", err)
	}
	return n, nil
}

// removeEvents removes events and all that belongs to them. Messages that are still owed settle themselves when they come up.
func removeEvents(tx *db.Tx, events []string) error {
	among, args := db.In(events)
	_, freed, err := remove(tx, "event_id "+among, args)
	if err != nil {
		return err
	}
	if err := tx.Later("DELETE FROM webhook_events WHERE id "+among, args...); err != nil {
		return err
	}
	return volume.CountOut(tx, freed)
}

// removeDeliveries removes deliveries and their log, and the events of which there is no other. On PostgreSQL the last two of an event may each take
// the other for the last; then the event goes by its age.
func removeDeliveries(tx *db.Tx, deliveries []string) error {
	among, args := db.In(deliveries)
	events, freed, err := remove(tx, "id "+among, args)
	if err != nil || len(events) == 0 {
		return err
	}
	among, args = db.In(events)
	err = tx.Later("DELETE FROM webhook_events WHERE id "+among+` AND NOT EXISTS (
		SELECT 1 FROM webhook_deliveries d WHERE d.event_id = webhook_events.id)`, args...)
	if err != nil {
		return err
	}
	return volume.CountOut(tx, freed)
}

// remove removes the deliveries of a condition with their log. It gives of which events they were, and what they took, by account.
func remove(tx *db.Tx, condition string, args []any) (events []string, freed map[string]int64, err error) {
	err = tx.Later("DELETE FROM webhook_attempts WHERE delivery_id IN (SELECT id FROM webhook_deliveries WHERE "+condition+")", args...)
	if err != nil {
		return nil, nil, err
	}
	var gone []struct {
		Account string `db:"account_id"`
		Event   string `db:"event_id"`
		Bytes   int64  `db:"bytes"`
	}
	err = tx.Select(&gone, "DELETE FROM webhook_deliveries WHERE "+condition+` RETURNING event_id, bytes,
		(SELECT account_id FROM webhook_endpoints e WHERE e.id = endpoint_id) AS account_id`, args...)
	freed = map[string]int64{}
	for _, d := range gone {
		freed[d.Account] += d.Bytes
		events = append(events, d.Event)
	}
	slices.Sort(events)
	return slices.Compact(events), freed, err
}

// expireRest removes old mail, and endpoints deleted a while ago that no delivery refers to.
func expireRest(tx *db.Tx, before, deleted int64) error {
	if err := tx.Later("DELETE FROM webhook_mails WHERE created < ?", before); err != nil {
		return err
	}
	return tx.Later(`DELETE FROM webhook_endpoints WHERE deleted < ?
		AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.endpoint_id = webhook_endpoints.id)`, deleted)
}
