package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"

	"github.com/jmoiron/sqlx"
)

// maxBatch bounds how many writes share one transaction, and so how much one sync has to carry.
const maxBatch = 256

// Tx is a transaction that is under way. Its methods take no context: SQLite answers an interrupted statement by rolling
// back the whole transaction, and with it the writes of others. It must not be used after the function that got it.
type Tx struct{ tx *sqlx.Tx }

// Exec runs a statement and gives the number of rows it changed.
func (t *Tx) Exec(query string, args ...any) (rows int64, err error) {
	res, err := t.tx.Exec(query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// Named runs a statement whose :name parameters are the fields of arg.
func (t *Tx) Named(query string, arg any) (rows int64, err error) {
	res, err := t.tx.NamedExec(query, arg)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// Get reads one row into dst; without a row the error is sql.ErrNoRows.
func (t *Tx) Get(dst any, query string, args ...any) error { return t.tx.Get(dst, query, args...) }

// Select reads all rows into the slice dst.
func (t *Tx) Select(dst any, query string, args ...any) error {
	return t.tx.Select(dst, query, args...)
}

// write is one caller's turn. The writer takes it, or the caller gives it up, never both.
type write struct {
	fn    func(*Tx) error
	taken atomic.Bool
	err   error
	done  chan error
}

// Write runs fn in a transaction and returns when that is on the disk. If fn returns an error, nothing of it is written
// and Write returns that error. A context that ends gives up the turn only while it waits: afterwards the outcome is awaited,
// so that the answer is never in doubt. fn must be short, must not call Write, and may run beside others' writes in one
// transaction, each of which sees those before it.
func (d *DB) Write(ctx context.Context, fn func(*Tx) error) error {
	w := &write{fn: fn, done: make(chan error, 1)}
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
func (d *DB) serveWrites() {
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
func (d *DB) runBatch(first *write) {
	batch, err := d.inTransaction(first)
	for _, w := range batch {
		w.done <- errors.Join(w.err, err)
	}
}

// inTransaction gives the writes it took and the error that they share; with one, nothing of them is written.
func (d *DB) inTransaction(first *write) (batch []*write, err error) {
	tx, err := d.writer.Beginx()
	if err != nil {
		if first.taken.CompareAndSwap(false, true) {
			batch = append(batch, first)
		}
		return batch, fmt.Errorf("begin transaction: %w", err)
	}
	for w := first; w != nil && len(batch) < maxBatch; w = d.waiting() {
		if !w.taken.CompareAndSwap(false, true) {
			continue
		}
		batch = append(batch, w)
		if w.err, err = runOne(tx, w.fn); err != nil {
			return batch, errors.Join(err, rollback(tx))
		}
	}
	if err := tx.Commit(); err != nil {
		return batch, errors.Join(fmt.Errorf("commit transaction: %w", err), rollback(tx))
	}
	return batch, nil
}

// waiting gives the next write that waits already, or nil.
func (d *DB) waiting() *write {
	select {
	case w := <-d.queue:
		return w
	default:
		return nil
	}
}

// runOne runs fn inside a savepoint. own is fn's error, which undoes fn alone; shared undoes the transaction.
func runOne(tx *sqlx.Tx, fn func(*Tx) error) (own, shared error) {
	if _, err := tx.Exec("SAVEPOINT one"); err != nil {
		return nil, fmt.Errorf("set savepoint: %w", err)
	}
	if own = call(tx, fn); own != nil {
		if _, err := tx.Exec("ROLLBACK TO one"); err != nil {
			return own, fmt.Errorf("roll back to savepoint: %w", err)
		}
	}
	if _, err := tx.Exec("RELEASE one"); err != nil {
		return own, fmt.Errorf("release savepoint: %w", err)
	}
	return own, nil
}

// call turns a panic of fn into an error: the writer goroutine serves everyone.
func call(tx *sqlx.Tx, fn func(*Tx) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a transaction: %v\n%s", p, debug.Stack())
		}
	}()
	return fn(&Tx{tx})
}

func rollback(tx *sqlx.Tx) error {
	if err := tx.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) {
		return fmt.Errorf("roll back transaction: %w", err)
	}
	return nil
}
