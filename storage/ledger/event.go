package ledger

import (
	"einvoiced/storage/account"
	"einvoiced/storage/db"
	"einvoiced/storage/outbox"
)

// Event is something that webhooks tell the account.
type Event struct {
	Type   string // invoice.created, job.succeeded …
	Object []byte // the JSON of data.object
}

// Publisher takes events over in the transaction of their cause.
type Publisher interface {
	// Publish notes whom the events are to be told. The rings that it owes for that are rung after the commit.
	Publish(tx *db.Tx, accountID string, mode account.Mode, events ...Event) (rings []outbox.Debt, err error)
}

// Asker is what a Publisher may be besides: it asks who wants to be told of an account's events along with another statement of the
// transaction, before these are known, and gives what publishes them after that statement.
type Asker interface {
	Ask(tx *db.Tx, accountID string, mode account.Mode) (publish func(events ...Event) (rings []outbox.Debt, err error), err error)
}

// publisher prepares to publish events in the transaction of their cause. What it gives does so, after another statement that the
// transaction has waited for, and gives what is to be rung after the commit.
func (l *Ledger) publisher(tx *db.Tx, accountID string, mode account.Mode) (publish func(...Event) ([]outbox.Debt, error), err error) {
	switch p := l.cfg.Publisher.(type) {
	case nil:
		return func(...Event) ([]outbox.Debt, error) { return nil, nil }, nil
	case Asker:
		return p.Ask(tx, accountID, mode)
	default:
		return func(events ...Event) ([]outbox.Debt, error) { return p.Publish(tx, accountID, mode, events...) }, nil
	}
}

// publish publishes the events of a request.
func (l *Ledger) publish(tx *db.Tx, r Request, events []Event) ([]outbox.Debt, error) {
	if len(events) == 0 {
		return nil, nil
	}
	publish, err := l.publisher(tx, r.Account, r.Mode)
	if err != nil {
		return nil, err
	}
	return publish(events...)
}

// ring rings for debts whose transaction is committed.
func (l *Ledger) ring(rings []outbox.Debt) {
	now := l.cfg.Clock.Now()
	for _, d := range rings {
		if d.Kind == outbox.Ring && !d.Due.After(now) {
			l.bell.RingSoon(d.Queue, d.Subject, d.Run)
		}
	}
}
