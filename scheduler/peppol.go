package scheduler

import (
	"context"
	"time"

	"github.com/einvoiced/einvoiced/storage/peppol"
)

// orphansAtOnce is how many transmissions without a job are settled at a time.
const orphansAtOnce = 100

// Peppol gives the chores of transmissions: those whose job was given up have failed, every 10 s, documents whose retention is over go, every minute, and providers that are
// polled are asked, as follow does, every 2 s.
func Peppol(store *peppol.Store, follow func(context.Context) error) []Chore {
	return []Chore{
		{"ask what became of transmissions", 2 * time.Second, follow},
		{"settle transmissions without a job", 10 * time.Second, func(ctx context.Context) error {
			_, err := store.SettleOrphans(ctx, orphansAtOnce)
			return err
		}},
		{"expire documents of transmissions", time.Minute, func(ctx context.Context) error { return untilNone(ctx, store.Expire) }},
	}
}
