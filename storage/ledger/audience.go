package ledger

import (
	"context"
	"slices"

	"github.com/einvoiced/einvoiced/storage/account"
)

// Audience is what a Publisher may be besides: it knows, without a transaction and mostly without the database, whether anybody
// wants an event of that type. A request that nobody wants to hear of, and that leaves nothing else, then writes nothing.
type Audience interface {
	Wants(ctx context.Context, accountID string, mode account.Mode, eventType string) (bool, error)

	// Listens tells whether anybody wants any event.
	Listens(ctx context.Context, accountID string, mode account.Mode) (bool, error)
}

// heard tells whether somebody may want to hear of what the account does. Where that cannot be told, a request is not refused for it.
func (l *Ledger) heard(ctx context.Context, accountID string, mode account.Mode) bool {
	audience, ok := l.cfg.Publisher.(Audience)
	if !ok {
		return false
	}
	listens, err := audience.Listens(ctx, accountID, mode)
	return err == nil && listens
}

// wanted leaves out the events that nobody wants. Where that cannot be told, all are left: publishing them decides.
func (l *Ledger) wanted(ctx context.Context, accountID string, mode account.Mode, events []Event) []Event {
	if l.cfg.Publisher == nil {
		return nil
	}
	audience, ok := l.cfg.Publisher.(Audience)
	if !ok {
		return events
	}
	return slices.DeleteFunc(slices.Clone(events), func(e Event) bool {
		wanted, err := audience.Wants(ctx, accountID, mode, e.Type)
		return err == nil && !wanted
	})
}
