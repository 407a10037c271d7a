// Package generation keeps the number by which many processes agree on the rulebooks that they use.
package generation

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
)

// Generation is a set of rulebooks that a process has loaded and others follow. The zero Generation is that of none.
type Generation struct {
	Number int64  // from 1
	Digest string // of all rulebooks together, 64 hexadecimal digits
	Loaded time.Time
}

// Config sets up a Store.
type Config struct {
	Clock clock.Clock // Default: the system's clock.
}

// Store keeps the generations. It is safe for concurrent use.
type Store struct {
	clock    clock.Clock
	database *db.DB
}

// New prepares a Store.
func New(cfg Config, database *db.DB) *Store {
	if cfg.Clock == nil {
		cfg.Clock = clock.System{}
	}
	return &Store{cfg.Clock, database}
}

// row is a row of the table rulebook_generations.
type row struct {
	Number int64  `db:"number"`
	Digest string `db:"digest"`
	Loaded int64  `db:"loaded"`
}

const (
	latest = "SELECT number, digest, loaded FROM rulebook_generations ORDER BY number DESC LIMIT 1"
	// insert changes nothing where another process has just taken the number; then there is a later latest.
	insert = "INSERT INTO rulebook_generations (number, digest, loaded) VALUES (:number, :digest, :loaded) ON CONFLICT (number) DO NOTHING"
)

// Latest gives the generation that all processes should use; the zero Generation before the first.
func (s *Store) Latest(ctx context.Context) (Generation, error) {
	var r row
	err := s.database.Get(ctx, &r, latest)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return Generation{}, fmt.Errorf("read the generation of rulebooks: %w", err)
	}
	return r.generation(), nil
}

// Announce makes the rulebooks with a digest the latest generation, and gives its number: the next one, or that of the latest where
// that has the same digest. When it returns without an error, the others will see it.
func (s *Store) Announce(ctx context.Context, digest string) (Generation, error) {
	var r row
	err := s.database.Write(ctx, func(tx *db.Tx) error {
		for {
			r = row{}
			if err := tx.Get(&r, latest); err != nil && !errors.Is(err, sql.ErrNoRows) {
				return err
			}
			if r.Digest == digest {
				return nil
			}
			r = row{r.Number + 1, digest, clock.Millis(s.clock.Now())}
			if n, err := tx.Named(insert, r); err != nil || n == 1 {
				return err
			}
		}
	})
	if err != nil {
		return Generation{}, fmt.Errorf("announce rulebooks: %w", err)
	}
	return r.generation(), nil
}

func (r row) generation() Generation {
	if r.Number == 0 {
		return Generation{}
	}
	return Generation{r.Number, r.Digest, clock.Time(r.Loaded)}
}
