package ledger

import (
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/outbox"
)

// Event is something that webhooks tell the account.
type Event struct {
	Type   string // invoice.created, job.succeeded …
	Object []byte // the JSON of data.object
}

// Publish notes whom events are to be told.
type Publish func(events ...Event) (Published, error)

// Published is what is left to do for events that are noted.
type Published struct {
	Messages []outbox.Entry // to be enqueued after the commit
	Bytes    int64          // that are stored for the account, to be counted at the end of the transaction (volume.Count)
}

// Publisher takes events over in the transaction of their cause.
type Publisher interface {
	// Ask asks who wants to be told of an account's events, before these are known, along with another statement that the
	// transaction waits for. What it gives publishes them after that statement.
	Ask(tx *db.Tx, accountID string, mode account.Mode) (Publish, error)
}

// nobody is who is told where no Publisher is set.
func nobody(...Event) (Published, error) { return Published{}, nil }

// ask asks the Publisher.
func (l *Ledger) ask(tx *db.Tx, accountID string, mode account.Mode) (Publish, error) {
	if l.cfg.Publisher == nil {
		return nobody, nil
	}
	return l.cfg.Publisher.Ask(tx, accountID, mode)
}

// publish publishes the events of a request.
func (l *Ledger) publish(tx *db.Tx, r Request, events []Event) (Published, error) {
	if len(events) == 0 {
		return Published{}, nil
	}
	publish, err := l.ask(tx, r.Account, r.Mode)
	if err != nil {
		return Published{}, err
	}
	return publish(events...)
}

// enqueue enqueues entries whose transaction is committed.
func (l *Ledger) enqueue(messages []outbox.Entry) {
	now := l.cfg.Clock.Now()
	for _, d := range messages {
		if d.Kind == outbox.Enqueue && !d.Due.After(now) {
			l.queue.EnqueueSoon(d.Queue, d.Subject, d.Run)
		}
	}
}
