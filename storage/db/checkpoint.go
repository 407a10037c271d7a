package db

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/jmoiron/sqlx"
	"github.com/mattn/go-sqlite3"
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
	tight     atomic.Bool   // a write has once found no room on the disk: the log is kept short

	full bool // a write has found no room on the disk, and the log was not moved since; the writer's own

	// Of serve alone: the pages that the log had when the writer was asked to move the rest, and when it was last looked at.
	asked, last int64
}

// logState is what SQLite tells of the log, in pages; both are -1 where it has none.
type logState struct {
	Pages int64 `db:"log"`
	Moved int64 `db:"checkpointed"`
	Busy  bool  `db:"busy"` // somebody else is moving it
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
	return &checkpoints{on: on, log: cfg.Logger, committed: make(chan struct{}, 1)}, nil
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
	if err != nil {
		return err
	}
	if state.Pages < c.last { // it was begun anew
		c.asked = 0
	}
	if c.last = state.Pages; state.Pages-c.asked >= c.longest() {
		c.asked = state.Pages
		c.tooLong.Store(true)
	}
	return nil
}

// longest is how many pages the log may have until the writer moves the rest.
func (c *checkpoints) longest() int64 {
	if c.tight.Load() {
		return pagesToMove
	}
	return pagesTooLong
}

// ended looks whether a write has failed for want of room on the disk.
func (c *checkpoints) ended(err error) {
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return
	}
	switch {
	case e.Code == sqlite3.ErrFull,
		e.ExtendedCode == sqlite3.ErrIoErrWrite,   // which a quota that is used up gives
		e.ExtendedCode == sqlite3.ErrIoErrSHMSize: // where it was the log's index that found no room
		c.full = true
		c.tight.Store(true)
	}
}

// finish moves the rest of a log that has become too long, where no transaction is under way, so that the next one begins the log anew. On a disk that is
// full it does so whatever the log's length, and its error says that nothing is to be written: the log would take the room that the database needs for
// what is in it, and neither could grow any more.
func (c *checkpoints) finish(writer *sqlx.DB) error {
	if !c.tooLong.Swap(false) && !c.full {
		return nil
	}
	if c.full {
		if err := keepShort(writer); err != nil {
			return err
		}
	}
	state, err := checkpoint(writer, "PASSIVE")
	switch {
	case err == nil:
		c.full = c.full && (state.Busy || state.Moved < state.Pages)
	case c.full:
		return err
	default:
		c.unmoved(err)
	}
	return nil
}

// keepShort has a log that is begun anew give back to the disk what it has of more than its shortest length.
func keepShort(writer *sqlx.DB) error {
	if _, err := writer.Exec(fmt.Sprintf("PRAGMA journal_size_limit = %d", pagesToMove<<12)); err != nil {
		return fmt.Errorf("limit the write-ahead log: %w", err)
	}
	return nil
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
