package db

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/jmoiron/sqlx"
)

// When the write-ahead log is moved into the database file, in its pages of 4 KiB. SQLite has whoever commits do so every 1,000 pages, and all writes
// wait for it: five to ten milliseconds.
const (
	pagesToMove  = 1_000 // that are not moved yet, from which on that is done beside the writer
	pagesTooLong = 8_000 // by which the log grows until the writer moves what then is left: else that of a database that is always written to would grow for ever
)

// checkpoints moves the log beside the writer, over a connection of its own.
type checkpoints struct {
	on        *sqlx.DB
	log       *slog.Logger
	committed chan struct{} // has something in it when something was committed
	tooLong   atomic.Bool   // the writer is to move the rest

	// Of serve alone: the pages of the log from which on it is too long, and those that it had.
	next, last int64
}

// logState is what SQLite tells of the log, in pages; both are -1 where it has none.
type logState struct {
	Pages int64 `db:"log"`
	Moved int64 `db:"checkpointed"`
}

func openCheckpoints(ctx context.Context, cfg Config, writer *sqlx.DB) (*checkpoints, error) {
	on, err := connect(ctx, cfg, 1, "_txlock=deferred")
	if err != nil {
		return nil, err
	}
	for _, pool := range []*sqlx.DB{on, writer} {
		if _, err := pool.ExecContext(ctx, "PRAGMA wal_autocheckpoint = 0"); err != nil {
			return nil, errors.Join(fmt.Errorf("set up checkpoints: %w", err), on.Close())
		}
	}
	return &checkpoints{on: on, log: cfg.Logger, committed: make(chan struct{}, 1), next: pagesTooLong}, nil
}

// wake has it looked how long the log is.
func (c *checkpoints) wake() {
	select {
	case c.committed <- struct{}{}:
	default:
	}
}

// serve moves what is committed until stopped ends. What cannot be moved stays in the log, and is moved later; a warning tells of the first time.
func (c *checkpoints) serve(stopped context.Context) {
	for fails := false; ; {
		select {
		case <-stopped.Done():
			return
		case <-c.committed:
			err := c.move()
			if err != nil && !fails {
				c.unmoved(err)
			}
			fails = err != nil
		}
	}
}

// move moves the log where it is long enough. It takes no context: it would be cut off where the process ends, and the log stays longer.
func (c *checkpoints) move() error {
	state, err := checkpoint(c.on, "NOOP")
	if err == nil && state.Pages-state.Moved >= pagesToMove {
		state, err = checkpoint(c.on, "PASSIVE")
	}
	if state.Pages < c.last { // it was begun anew
		c.next = pagesTooLong
	}
	if c.last = state.Pages; state.Pages >= c.next {
		c.next = state.Pages + pagesTooLong
		c.tooLong.Store(true)
	}
	return err
}

// finish moves the rest of a log that has become too long, where no transaction is under way, so that the next one begins the log anew.
func (c *checkpoints) finish(writer *sqlx.DB) {
	if !c.tooLong.CompareAndSwap(true, false) {
		return
	}
	if _, err := checkpoint(writer, "PASSIVE"); err != nil {
		c.unmoved(err)
	}
}

// unmoved tells that a part of the log could not be moved.
func (c *checkpoints) unmoved(err error) {
	c.log.Warn("the write-ahead log grows until it can be moved into the database", "error", err)
}

func checkpoint(on *sqlx.DB, mode string) (state logState, err error) {
	if err := on.Get(&state, "PRAGMA wal_checkpoint("+mode+")"); err != nil {
		return logState{}, fmt.Errorf("checkpoint the write-ahead log: %w", err)
	}
	return state, nil
}
