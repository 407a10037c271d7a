// Package outbox keeps what the database owes to the world outside: rings for what waits in a queue, and the removal of blobs.
// A debt is written in the transaction of its cause and settled in that of its fulfilment, so that no crash in between loses it;
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

// The kinds.
const (
	Ring  Kind = "ring"  // until the subject is claimed
	Purge Kind = "purge" // until the subject's blobs are gone
)

// RingAgain is how long after a ring a subject that nobody has claimed is rung again, unless a Config says otherwise.
const RingAgain = 30 * time.Second

// slowest is the longest time between two rings of one subject.
const slowest = 10 * time.Minute

// Debt is what is owed for a subject. There is one of each kind at most.
type Debt struct {
	Kind    Kind
	Subject string // job_… or dlv_…
	Queue   string // where to ring
	Run     int64  // the number to ring with: of a job's next run, of a delivery's next attempt
	Due     time.Time
}

// Owe writes a debt. One of the same kind and subject is replaced.
func Owe(tx *db.Tx, d Debt) error {
	err := tx.Later(`INSERT INTO outbox (kind, subject, queue, run, due) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (kind, subject) DO UPDATE SET queue = excluded.queue, run = excluded.run, due = excluded.due, tries = 0`,
		d.Kind, d.Subject, d.Queue, d.Run, clock.Millis(d.Due))
	if err != nil {
		return fmt.Errorf("owe %s for %s: %w", d.Kind, d.Subject, err)
	}
	return nil
}

// Settle removes a debt that was fulfilled or has become pointless; one that does not exist is no error.
func Settle(tx *db.Tx, kind Kind, subject string) error {
	if err := tx.Later("DELETE FROM outbox WHERE kind = ? AND subject = ?", kind, subject); err != nil {
		return fmt.Errorf("settle %s for %s: %w", kind, subject, err)
	}
	return nil
}

// PutOff makes a debt due later, because it could not be fulfilled now.
func PutOff(tx *db.Tx, kind Kind, subject string, due time.Time) error {
	err := tx.Later("UPDATE outbox SET due = ?, tries = tries + 1 WHERE kind = ? AND subject = ?", clock.Millis(due), kind, subject)
	if err != nil {
		return fmt.Errorf("put off %s for %s: %w", kind, subject, err)
	}
	return nil
}

// Config sets up a Store.
type Config struct {
	RingAgain time.Duration // how long after a ring its subject is rung again; doubles with each ring up to 10 min. Default: 30 s.
	Clock     clock.Clock   // Default: the system's clock.
}

// Store is the outbox as the reconciler sees it. It is safe for concurrent use, also by several processes.
type Store struct {
	cfg Config
	db  *db.DB
}

// New prepares a Store.
func New(cfg Config, database *db.DB) (*Store, error) {
	if cfg.RingAgain == 0 {
		cfg.RingAgain = RingAgain
	}
	if cfg.RingAgain < time.Second {
		return nil, fmt.Errorf("outbox: RingAgain is %s, at least 1 s is needed", cfg.RingAgain)
	}
	if cfg.Clock == nil {
		cfg.Clock = clock.System{}
	}
	return &Store{cfg, database}, nil
}

// Bellpull is a ring that is owed.
type Bellpull struct {
	Subject string `db:"subject"`
	Queue   string `db:"queue"`
	Run     int64  `db:"run"` // the number to ring with
	Tries   int    `db:"tries"`
	// Held is set by who rang: a worker has taken the ring of this number and not come back with it, so the next one
	// needs another number.
	Held bool `db:"-"`
}

const selectRings = "SELECT subject, queue, run, tries FROM outbox WHERE kind = 'ring' AND due <= ? ORDER BY due LIMIT ?"

// Owed gives at most limit rings that are due, those that wait longest first.
func (s *Store) Owed(ctx context.Context, limit int) ([]Bellpull, error) {
	var owed []Bellpull
	if err := s.db.Select(ctx, &owed, selectRings, clock.Millis(s.cfg.Clock.Now()), limit); err != nil {
		return nil, fmt.Errorf("read owed rings: %w", err)
	}
	return owed, nil
}

// OweAll makes every ring due at once, because the queue has lost them. It gives their number.
func (s *Store) OweAll(ctx context.Context) (int, error) {
	var n int64
	err := s.db.Write(ctx, func(tx *db.Tx) (err error) {
		now := clock.Millis(s.cfg.Clock.Now())
		n, err = tx.Exec("UPDATE outbox SET due = ?, tries = 0 WHERE kind = 'ring' AND due > ?", now, now)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("make all rings due: %w", err)
	}
	return int(n), nil
}

// Rung notes that the rings were rung: each is owed again after a delay that doubles with each, unless it is settled meanwhile.
func (s *Store) Rung(ctx context.Context, rung []Bellpull) error {
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		for _, p := range rung {
			if err := s.noteRung(tx, p); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("note rings: %w", err)
	}
	return nil
}

// noteRung leaves a debt alone that was replaced since it was read.
func (s *Store) noteRung(tx *db.Tx, p Bellpull) error {
	next := p.Run
	if p.Held {
		next++
	}
	again := min(s.cfg.RingAgain<<min(p.Tries, 8), max(slowest, s.cfg.RingAgain))
	err := tx.Later("UPDATE outbox SET due = ?, run = ?, tries = tries + 1 WHERE kind = 'ring' AND subject = ? AND run = ?",
		clock.Millis(s.cfg.Clock.Now().Add(again)), next, p.Subject, p.Run)
	return err
}
