package db

import (
	"database/sql"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"strings"

	"github.com/jmoiron/sqlx"
)

// Tx is a transaction that is under way. Its methods take no context: SQLite answers an interrupted statement by rolling
// back the whole transaction, and with it the writes of others; on PostgreSQL it is that of Write. It must not be used after
// the function that got it.
//
// On PostgreSQL each call of Exec, Named, Get and Select is a round trip to the server. What nobody has to wait for goes along with
// the next of them, or with the commit: see Later and Also.
type Tx struct {
	on       statements
	postgres bool
	failed   error // of the first statement that has failed
	wrote    bool  // whether a statement may have changed something
	after    []func(committed bool)
	lane     uint32 // see Lane; 0 before it is asked for
}

// statements is what carries them out: a transaction of SQLite, or a connection of PostgreSQL that is in one.
type statements interface {
	exec(query string, args []any) (rows int64, err error)
	get(dst any, query string, args []any) error
	sel(dst any, query string, args []any) error
	later(query string, args []any) error
	must(none error, query string, args []any) error
	also(dst any, query string, args []any) error
	await() error
}

// Exec runs a statement and gives the number of rows it changed.
func (t *Tx) Exec(query string, args ...any) (rows int64, err error) {
	rows, err = t.on.exec(query, args)
	t.wrote = t.wrote || rows > 0
	return rows, t.fail(err)
}

// Named runs a statement whose :name parameters are the fields of arg.
func (t *Tx) Named(query string, arg any) (rows int64, err error) {
	query, args, err := sqlx.Named(query, arg)
	if err != nil {
		return 0, t.fail(err)
	}
	return t.Exec(query, args...)
}

// Later runs a statement of which nobody needs to know how many rows it changes. An error of it may come with a later statement, or
// fail the Write after its function has returned.
func (t *Tx) Later(query string, args ...any) error {
	t.wrote = true
	return t.fail(t.on.later(query, args))
}

// LaterNamed is Later for a statement whose :name parameters are the fields of arg.
func (t *Tx) LaterNamed(query string, arg any) error {
	query, args, err := sqlx.Named(query, arg)
	if err != nil {
		return t.fail(err)
	}
	return t.Later(query, args...)
}

// Must runs a statement that is to change something; where it changes no row, the Write fails with none. Like Later, it may say so
// with a later statement, or after the function has returned: which does nothing, therefore, that rests on the change.
func (t *Tx) Must(none error, query string, args ...any) error {
	t.wrote = true
	return t.fail(t.on.must(none, query, args))
}

// Get reads one row into dst; without a row the error is sql.ErrNoRows.
func (t *Tx) Get(dst any, query string, args ...any) error {
	t.wrote = t.wrote || !isSelect(query)
	return t.fail(t.on.get(dst, query, args))
}

// Select reads all rows into the slice dst.
func (t *Tx) Select(dst any, query string, args ...any) error {
	t.wrote = t.wrote || !isSelect(query)
	return t.fail(t.on.sel(dst, query, args))
}

// Also reads all rows into the slice dst, which has them after the next call of Exec, Named, Get, Select or Await.
func (t *Tx) Also(dst any, query string, args ...any) error {
	t.wrote = t.wrote || !isSelect(query)
	return t.fail(t.on.also(dst, query, args))
}

// Await returns when dst of every Also before is there.
func (t *Tx) Await() error { return t.fail(t.on.await()) }

// After has do called when the outcome of this try of the transaction is known, before Write returns or tries again: for what stands
// in memory for something that the transaction writes. committed is false also where nobody knows. do must be quick.
func (t *Tx) After(do func(committed bool)) { t.after = append(t.after, do) }

// ended calls what After was given.
func (t *Tx) ended(committed bool) {
	for _, do := range t.after {
		do(committed)
	}
	t.after = nil
}

// Lane gives a number below n at random, the same each time within the transaction: where a sum is kept in n rows, so that those who add to it need not wait for
// each other, a transaction locks one of them.
func (t *Tx) Lane(n int) int {
	if t.lane == 0 {
		t.lane = 1 + rand.Uint32N(math.MaxUint32)
	}
	return int(t.lane % uint32(n))
}

// Lock is to be appended to a SELECT whose rows the same function then changes: nobody else changes them meanwhile, and one
// who tries waits. On SQLite, where one function writes at a time, it is empty.
func (t *Tx) Lock() string {
	if t.postgres {
		return " FOR UPDATE"
	}
	return ""
}

// LockTable keeps others from changing the table until the transaction ends; those who try wait. On SQLite one function writes at a time anyway.
func (t *Tx) LockTable(name string) error {
	if !t.postgres {
		return nil
	}
	_, err := t.Exec("LOCK TABLE " + name + " IN SHARE ROW EXCLUSIVE MODE")
	return err
}

// SkipLocked is Lock for a SELECT that is to pass over the rows that others have locked.
func (t *Tx) SkipLocked() string {
	if t.postgres {
		return " FOR UPDATE SKIP LOCKED"
	}
	return ""
}

// fail remembers the error of a statement: PostgreSQL carries out nothing after it, and so a transaction with one is not to
// be committed on SQLite either.
func (t *Tx) fail(err error) error {
	if t.failed == nil && err != nil && !errors.Is(err, sql.ErrNoRows) {
		t.failed = err
	}
	return err
}

// inSQLite carries the statements of a transaction of SQLite out as they come.
type inSQLite struct{ tx *sqlx.Tx }

func (s inSQLite) exec(query string, args []any) (int64, error) {
	res, err := s.tx.Exec(query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

func (s inSQLite) get(dst any, query string, args []any) error { return s.tx.Get(dst, query, args...) }
func (s inSQLite) sel(dst any, query string, args []any) error {
	return s.tx.Select(dst, query, args...)
}
func (s inSQLite) also(dst any, query string, args []any) error { return s.sel(dst, query, args) }

func (s inSQLite) await() error { return nil }

func (s inSQLite) must(none error, query string, args []any) error {
	n, err := s.exec(query, args)
	if err == nil && n == 0 {
		err = none
	}
	return err
}

func (s inSQLite) later(query string, args []any) error {
	_, err := s.tx.Exec(query, args...)
	return err
}

// isSelect tells whether the statement only reads.
func isSelect(query string) bool {
	query = strings.TrimSpace(query)
	return len(query) > 6 && strings.EqualFold(query[:6], "SELECT")
}

// call runs fn. A panic is an error: others depend on the goroutine, the connection and its locks. So is a statement that has
// failed, whatever fn makes of it.
func call(t *Tx, fn func(*Tx) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a transaction: %v\n%s", p, debug.Stack())
		}
	}()
	if err := fn(t); err != nil {
		return err
	}
	return t.failed
}
