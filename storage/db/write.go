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

// Bounds of the writes that share one transaction, and so of how much one sync has to carry and how long whoever comes next has to wait.
const (
	maxBatch  = 256
	batchTime = 2 * time.Millisecond // or as long as the last commit took, so that writing has at least half of the time
)

// write is one caller's turn. The writer takes it, or the caller gives it up, never both.
type write struct {
	account string // of ByAccount
	fn      func(*Tx) error
	taken   atomic.Bool
	tx      *Tx
	err     error
	done    chan error
}

// write waits for its turn, which a context that ends gives up, and then for the outcome, so that it is never in doubt.
func (d *sqlite) write(ctx context.Context, fn func(*Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w := &write{account: accountOf(ctx), fn: fn, tx: &Tx{}, done: make(chan error, 1)}
	d.turns.add(w)
	var given error
	select {
	case err := <-w.done:
		return err
	case <-ctx.Done():
		given = ctx.Err()
	case <-d.stopped.Done():
		given = ErrClosed
	}
	if w.taken.CompareAndSwap(false, true) {
		return given
	}
	return <-w.done
}

// serveWrites is the one writer.
func (d *sqlite) serveWrites() {
	for d.stopped.Err() == nil {
		w, wait := d.turns.next(time.Now())
		if w != nil {
			d.runBatch(w)
			continue
		}
		var rested <-chan time.Time
		if wait > 0 {
			rested = time.After(wait)
		}
		select {
		case <-d.stopped.Done():
		case <-d.turns.some:
		case <-rested:
		}
	}
}

// runBatch runs first and the writes that already wait behind it in one transaction, so that they share one sync.
func (d *sqlite) runBatch(first *write) {
	batch, err := []*write{first}, d.moves.finish(d.writer)
	if err == nil {
		batch, err = d.inTransaction(first)
	}
	d.turns.ended(d.committing, time.Now())
	for _, w := range batch {
		err := errors.Join(w.err, err)
		d.moves.ended(err)
		w.tx.ended(err == nil)
		w.done <- err
	}
}

// inTransaction gives the writes it took and the error that they share; with one, nothing of them is written. It never waits
// for further writes: those that came while the transaction before was synced are there already.
func (d *sqlite) inTransaction(first *write) (batch []*write, err error) {
	batch = []*write{first}
	tx, err := d.begin()
	if err != nil {
		return batch, fmt.Errorf("begin transaction: %w", err)
	}
	began := time.Now()
	for w, now := first, began; w != nil; {
		if w.err, err = runOne(tx, w); err != nil {
			return batch, errors.Join(err, rollback(tx))
		}
		start := now
		now = time.Now()
		d.turns.ran(w.account, now.Sub(start), now)
		if len(batch) >= maxBatch || now.Sub(began) > max(batchTime, d.committing) {
			break
		}
		if w, _ = d.turns.next(now); w != nil {
			batch = append(batch, w)
		}
	}
	return batch, d.commit(tx)
}

// commit commits what a transaction has written.
func (d *sqlite) commit(tx *sqlx.Tx) error {
	began := time.Now()
	if err := tx.Commit(); err != nil {
		return errors.Join(fmt.Errorf("commit transaction: %w", err), rollback(tx))
	}
	d.committing = time.Since(began)
	d.moves.wake()
	return nil
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
