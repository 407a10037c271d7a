// Package outbox keeps what the database owes to the world outside: messages for what waits in a queue, and the removal of blobs.
// An entry is written in the transaction of its cause and removed in that of its fulfilment, so that no crash in between loses it;
// until then the reconciler does what is due, again and again.
package outbox

import (
	"context"
	"fmt"
	"time"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
)

// Kind is what is owed.
type Kind string

// The kinds, in the words of their rows, which stay: processes of earlier versions write and read them beside these.
const (
	Enqueue Kind = "ring"  // until the subject is claimed
	Purge   Kind = "purge" // until the subject's blobs are gone
)

// EnqueueAgain is how long after a message a subject that nobody has claimed is enqueued again, unless a Config says otherwise.
const EnqueueAgain = 30 * time.Second

// urgency is how many times sooner a message comes again that is urgent.
const urgency = 6

// slowest is the longest time between two messages of one subject.
const slowest = 10 * time.Minute

// Entry is what is owed for a subject. There is one of each kind at most.
type Entry struct {
	Kind    Kind
	Subject string // job_… or dlv_…
	Queue   string // where the message goes
	Run     int64  // the number of the message: of a job's next run, of a delivery's next attempt
	Due     time.Time
}

// Add writes an entry. One of the same kind and subject is replaced.
func Add(tx *db.Tx, d Entry) error {
	err := tx.Later(`INSERT INTO outbox (kind, subject, queue, run, due) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (kind, subject) DO UPDATE SET queue = excluded.queue, run = excluded.run, due = excluded.due, tries = 0`,
		d.Kind, d.Subject, d.Queue, d.Run, clock.Millis(d.Due))
	if err != nil {
		return fmt.Errorf("owe %s for %s: %w", d.Kind, d.Subject, err)
	}
	return nil
}

// Remove removes an entry that was fulfilled or has become pointless; one that does not exist is no error.
func Remove(tx *db.Tx, kind Kind, subject string) error {
	if err := tx.Later("DELETE FROM outbox WHERE kind = ? AND subject = ?", kind, subject); err != nil {
		return fmt.Errorf("settle %s for %s: %w", kind, subject, err)
	}
	return nil
}

// PutOff makes an entry due later, because it could not be fulfilled now.
func PutOff(tx *db.Tx, kind Kind, subject string, due time.Time) error {
	err := tx.Later("UPDATE outbox SET due = ?, tries = tries + 1 WHERE kind = ? AND subject = ?", clock.Millis(due), kind, subject)
	if err != nil {
		return fmt.Errorf("put off %s for %s: %w", kind, subject, err)
	}
	return nil
}

// Config sets up a Store.
type Config struct {
	EnqueueAgain time.Duration // how long after a message its subject is enqueued again; doubles with each message up to 10 min. Default: 30 s.
	Clock        clock.Clock   // Default: the system's clock.
}

// Store is the outbox as the reconciler sees it. It is safe for concurrent use, also by several processes.
type Store struct {
	cfg Config
	db  *db.DB
}

// New prepares a Store.
func New(cfg Config, database *db.DB) (*Store, error) {
	if cfg.EnqueueAgain == 0 {
		cfg.EnqueueAgain = EnqueueAgain
	}
	if cfg.EnqueueAgain < time.Second {
		return nil, fmt.Errorf("outbox: EnqueueAgain is %s, at least 1 s is needed", cfg.EnqueueAgain)
	}
	if cfg.Clock == nil {
		cfg.Clock = clock.System{}
	}
	return &Store{cfg, database}, nil
}

// Message is a message that is due.
type Message struct {
	Subject string `db:"subject"`
	Queue   string `db:"queue"`
	Run     int64  `db:"run"` // the number of the message
	Tries   int    `db:"tries"`
	// Held is set by who enqueued: a worker has taken the message of this number and not come back with it, so the next one
	// needs another number.
	Held bool `db:"-"`
	// Urgent is set by who enqueued: the next message comes after a sixth of EnqueueAgain, however many there were. Of all that wait, few may be.
	Urgent bool `db:"-"`
}

// What is asked for a queue, each by an index that has these messages alone: those of millions of subjects that were enqueued again and again must not
// stand before those that are due for the first time.
const (
	selectMessages = "SELECT subject, queue, run, tries FROM outbox WHERE kind = 'ring' AND "
	first          = "tries = 0"
	again          = "tries > 0"
	dueOfQueue     = " AND queue = ? AND due <= ? ORDER BY due LIMIT ?"
)

// Due gives at most limit messages of a queue that are due and were not enqueued since they were added, those that wait longest first.
func (s *Store) Due(ctx context.Context, queue string, limit int) ([]Message, error) {
	return s.due(ctx, first, queue, limit)
}

// DueAgain is Due for messages that were enqueued, and that nobody has taken since.
func (s *Store) DueAgain(ctx context.Context, queue string, limit int) ([]Message, error) {
	return s.due(ctx, again, queue, limit)
}

func (s *Store) due(ctx context.Context, which, queue string, limit int) ([]Message, error) {
	var owed []Message
	if err := s.db.Select(ctx, &owed, selectMessages+which+dueOfQueue, queue, clock.Millis(s.cfg.Clock.Now()), limit); err != nil {
		return nil, fmt.Errorf("read owed messages: %w", err)
	}
	return owed, nil
}

// atOnce is how many messages one transaction makes due at most.
const atOnce = 1000

// MakeDue makes messages due at once that stood in a queue, because that has lost them: limit of those that were enqueued again, and as many of the others,
// except what is to be enqueued later for the first time. It gives their number. What there is beyond that comes by itself.
func (s *Store) MakeDue(ctx context.Context, queue string, limit int) (int, error) {
	now := s.cfg.Clock.Now()
	total := 0
	for _, c := range []struct {
		which  string
		before time.Time
	}{{first, now.Add(s.cfg.EnqueueAgain)}, {again, now.Add(max(slowest, s.cfg.EnqueueAgain))}} {
		for made := 0; made < limit; {
			n, err := s.makeDue(ctx, c.which, queue, clock.Millis(now), clock.Millis(c.before), min(atOnce, limit-made))
			if err != nil {
				return total, fmt.Errorf("make messages due: %w", err)
			}
			made, total = made+n, total+n
			if n < atOnce {
				break
			}
		}
	}
	return total, nil
}

func (s *Store) makeDue(ctx context.Context, which, queue string, now, before int64, limit int) (int, error) {
	var n int64
	err := s.db.Write(ctx, func(tx *db.Tx) (err error) {
		n, err = tx.Exec(`UPDATE outbox SET due = ? WHERE kind = 'ring' AND subject IN (
			SELECT subject FROM outbox WHERE kind = 'ring' AND `+which+` AND queue = ? AND due > ? AND due <= ? ORDER BY due LIMIT ?)`, now, queue, now, before, limit)
		return err
	})
	return int(n), err
}

// Enqueued notes that the messages were enqueued: each is owed again after a delay that doubles with each but Urgent ones, unless the entry is
// removed meanwhile.
func (s *Store) Enqueued(ctx context.Context, enqueued []Message) error {
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		for _, p := range enqueued {
			if err := s.noteEnqueued(tx, p); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("note messages: %w", err)
	}
	return nil
}

// noteEnqueued leaves an entry alone that was replaced since it was read. One that is urgent stays among those that are due for the first time.
func (s *Store) noteEnqueued(tx *db.Tx, p Message) error {
	next := p.Run
	if p.Held {
		next++
	}
	again, tries := min(s.cfg.EnqueueAgain<<min(p.Tries, 8), max(slowest, s.cfg.EnqueueAgain)), p.Tries+1
	if p.Urgent {
		again, tries = s.cfg.EnqueueAgain/urgency, 0
	}
	err := tx.Later("UPDATE outbox SET due = ?, run = ?, tries = ? WHERE kind = 'ring' AND subject = ? AND run = ?",
		clock.Millis(s.cfg.Clock.Now().Add(again)), next, tries, p.Subject, p.Run)
	return err
}
