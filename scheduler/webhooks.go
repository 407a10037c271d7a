package scheduler

import (
	"context"
	"time"

	"einvoiced/storage/webhook"
)

// Webhooks gives the chores of webhooks: the end of the retention of events and deliveries, every minute.
func Webhooks(webhooks *webhook.Store) []Chore {
	return []Chore{{"expire webhook events", time.Minute, func(ctx context.Context) error { return untilNone(ctx, webhooks.Expire) }}}
}
