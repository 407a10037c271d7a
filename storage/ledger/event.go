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
	// Publish notes whom the event is to be told. The rings that it owes for that are rung after the commit.
	Publish(tx *db.Tx, accountID string, mode account.Mode, e Event) (rings []outbox.Debt, err error)
}

// publish hands events to the Publisher, in the transaction of their cause, and gives what is to be rung after its commit.
func (l *Ledger) publish(tx *db.Tx, accountID string, mode account.Mode, events []Event) (rings []outbox.Debt, err error) {
	if l.cfg.Publisher == nil {
		return nil, nil
	}
	for _, e := range events {
		more, err := l.cfg.Publisher.Publish(tx, accountID, mode, e)
		if err != nil {
			return nil, err
		}
		rings = append(rings, more...)
	}
	return rings, nil
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
