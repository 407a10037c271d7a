package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/mattn/go-sqlite3"
)

// maxBatch bounds how many writes share one transaction, and so how much one sync has to carry.
const maxBatch = 256

// write is one caller's turn. The writer takes it, or the caller gives it up, never both.
type write struct {
	fn    func(*Tx) error
	taken atomic.Bool
	tx    *Tx
	err   error
	done  chan error
}

// write waits for its turn, which a context that ends gives up, and then for the outcome, so that it is never in doubt.
func (d *sqlite) write(ctx context.Context, fn func(*Tx) error) error {
	w := &write{fn: fn, tx: &Tx{}, done: make(chan error, 1)}
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-d.stopped.Done():
		return ErrClosed
	default:
	}
	select {
	case d.queue <- w:
	case <-ctx.Done():
		return ctx.Err()
	case <-d.stopped.Done():
		return ErrClosed
	}
	select {
	case err := <-w.done:
		return err
	case <-ctx.Done():
		if w.taken.CompareAndSwap(false, true) {
			return ctx.Err()
		}
		return <-w.done
	}
}

// serveWrites is the one writer.
func (d *sqlite) serveWrites() {
	for {
		select {
		case <-d.stopped.Done():
			return
		case w := <-d.queue:
			d.runBatch(w)
		}
	}
}

// runBatch runs first and the writes that already wait behind it in one transaction, so that they share one sync.
func (d *sqlite) runBatch(first *write) {
	batch, err := d.inTransaction(first)
	for _, w := range batch {
		err := errors.Join(w.err, err)
		w.tx.ended(err == nil)
		w.done <- err
	}
}

// inTransaction gives the writes it took and the error that they share; with one, nothing of them is written. It never waits
// for further writes: those that came while the transaction before was synced are there already.
func (d *sqlite) inTransaction(first *write) (batch []*write, err error) {
	tx, err := d.begin()
	if err != nil {
		if first.taken.CompareAndSwap(false, true) {
			batch = append(batch, first)
		}
		return batch, fmt.Errorf("begin transaction: %w", err)
	}
	for w := first; w != nil; w = d.waiting(len(batch)) {
		if !w.taken.CompareAndSwap(false, true) {
			continue
		}
		batch = append(batch, w)
		if w.err, err = runOne(tx, w); err != nil {
			return batch, errors.Join(err, rollback(tx))
		}
	}
	if err := tx.Commit(); err != nil {
		return batch, errors.Join(fmt.Errorf("commit transaction: %w", err), rollback(tx))
	}
	return batch, nil
}

// begin waits for another process that writes. SQLite's own waiting looks ever more rarely, and so may never see the moment
// between two transactions of a busy process. Each try looks for the 2 ms of busy_timeout, so that the loop needs no pause of
// its own.
func (d *sqlite) begin() (tx *sqlx.Tx, err error) {
	for end := time.Now().Add(d.cfg.BusyTimeout); ; {
		tx, err = d.writer.Beginx()
		var e sqlite3.Error
		switch {
		case !errors.As(err, &e) || e.Code != sqlite3.ErrBusy:
			return tx, err
		case time.Now().After(end):
			return nil, errors.Join(ErrBusy, err)
		case d.stopped.Err() != nil:
			return nil, ErrClosed
		}
	}
}

// waiting gives the next write that waits already, or nil; it takes none from the queue when the batch, of n, is full.
func (d *sqlite) waiting(n int) *write {
	if n >= maxBatch {
		return nil
	}
	select {
	case w := <-d.queue:
		return w
	default:
		return nil
	}
}

// runOne runs a write inside a savepoint. own is its function's error, which undoes it alone; shared undoes the transaction.
// Writes of several callers share the transaction, and none is to fail for another's error.
func runOne(tx *sqlx.Tx, w *write) (own, shared error) {
	if _, err := tx.Exec("SAVEPOINT one"); err != nil {
		return nil, fmt.Errorf("set savepoint: %w", err)
	}
	w.tx.on = inSQLite{tx}
	if own = call(w.tx, w.fn); own != nil {
		if _, err := tx.Exec("ROLLBACK TO one"); err != nil {
			return own, fmt.Errorf("roll back to savepoint: %w", err)
		}
	}
	if _, err := tx.Exec("RELEASE one"); err != nil {
		return own, fmt.Errorf("release savepoint: %w", err)
	}
	return own, nil
}

func rollback(tx *sqlx.Tx) error {
	if err := tx.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) {
		return fmt.Errorf("roll back transaction: %w", err)
	}
	return nil
}
