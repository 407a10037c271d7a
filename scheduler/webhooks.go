package scheduler

import (
	"context"
	"time"

	"github.com/einvoiced/einvoiced/storage/webhook"
)

// Webhooks gives the chores of webhooks: events and deliveries whose retention is over go, every minute, and mail that is owed is sent,
// every 10 s. The messages of deliveries are those of the outbox, which Jobs messages.
func Webhooks(store *webhook.Store, sendMail func(context.Context) error) []Chore {
	return []Chore{
		{"expire webhook events", time.Minute, func(ctx context.Context) error { return untilNone(ctx, store.Expire) }},
		{"send mail", 10 * time.Second, sendMail},
	}
}
