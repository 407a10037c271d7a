// Package db is the database with its schema: one SQLite file, or a PostgreSQL database that many processes share. Both have
// the same migrations, the same queries (with ? for parameters) and the same promises.
//
// On SQLite, reads go to a pool of connections and writes through one connection: Write waits its turn in Go, where the accounts
// take turns (ByAccount), and shares the sync to disk with the writes that waited beside it. On PostgreSQL every Write has a
// transaction and a connection of its own, of which an account has its share, and is tried again after a conflict or a lost connection.
package db

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"time"
)

// Errors of this package.
var (
	ErrClosed  = errors.New("the database is closed")
	ErrCorrupt = errors.New("the database is damaged")
	ErrBusy    = errors.New("another process writes to the database and does not end") // SQLite
	ErrAbsent  = errors.New("einvoiced has not kept anything there yet")               // Config.Existing

	// ErrInDoubt says that the connection to PostgreSQL was lost while the transaction was being committed, and that the
	// database stayed out of reach: nobody knows whether it was. Callers must not undo side effects then.
	ErrInDoubt = errors.New("it is not known whether the transaction was committed")
)

// Config sets up a DB.
type Config struct {
	Path        string        // the SQLite file; created with its folder when absent. This or URL is required.
	URL         string        // of a PostgreSQL database (13 or later): postgres://user:password@host:port/name?sslmode=… Default: none.
	Existing    bool          // open only what a service has made before: the error is ErrAbsent where there is no file, or no schema in it or at URL. Default: both are made.
	Readers     int           // connections of the read pool. Default: 4, or the number of processors if that is more.
	Writers     int           // connections of the write pool on PostgreSQL. Default: 8.
	BusyTimeout time.Duration // how long to wait for another process that writes, on SQLite. Default: 10 s.
	CheckWait   time.Duration // how long Open waits for the check of a SQLite file after an unclean stop; then it goes on beside the work. Default: 500 ms.
	Timeout     time.Duration // of one try of a transaction or query on PostgreSQL. Default: 30 s.
	RetryFor    time.Duration // how long a transaction or query is tried again while PostgreSQL is away or refuses it for a conflict. Default: 15 s.
	Logger      *slog.Logger  // Default: slog.Default().
}

func (c Config) withDefaults() (Config, error) {
	if (c.Path == "") == (c.URL == "") {
		return c, errors.New("database: one of Path and URL is required")
	}
	if min(c.Readers, c.Writers) < 0 || min(c.BusyTimeout, c.CheckWait, c.Timeout, c.RetryFor) < 0 {
		return c, errors.New("database: Readers, Writers, BusyTimeout, CheckWait, Timeout and RetryFor must not be negative")
	}
	c.Readers = cmp.Or(c.Readers, max(4, runtime.NumCPU()))
	c.Writers = cmp.Or(c.Writers, 8)
	c.BusyTimeout = cmp.Or(c.BusyTimeout, 10*time.Second)
	c.CheckWait = cmp.Or(c.CheckWait, 500*time.Millisecond)
	c.Timeout = cmp.Or(c.Timeout, 30*time.Second)
	c.RetryFor = cmp.Or(c.RetryFor, 15*time.Second)
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c, nil
}

// engine is one kind of database.
type engine interface {
	get(ctx context.Context, dst any, query string, args []any) error
	sel(ctx context.Context, dst any, query string, args []any) error
	write(ctx context.Context, fn func(*Tx) error) error
	others(account string, now time.Time) bool
	health(ctx context.Context) error
	close() error
}

// DB is an open database with its present schema. It is safe for concurrent use.
type DB struct{ engine engine }

// Open opens the database, creates a SQLite file where there is none, and brings the schema up to date; of many processes
// that start together one does so. A SQLite file is checked after an unclean stop. The error is ErrCorrupt for a damaged
// file, ErrNewer for a schema of a later version and ErrAbsent where there is none of what Config.Existing asks for.
func Open(ctx context.Context, cfg Config) (*DB, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	var e engine
	if cfg.URL != "" {
		e, err = openPostgres(ctx, cfg)
	} else {
		e, err = openSQLite(ctx, cfg)
	}
	if err != nil {
		return nil, err
	}
	return &DB{e}, nil
}

// Get reads one row into dst; without a row the error is sql.ErrNoRows.
func (d *DB) Get(ctx context.Context, dst any, query string, args ...any) error {
	return d.engine.get(ctx, dst, query, args)
}

// Select reads all rows into the slice dst.
func (d *DB) Select(ctx context.Context, dst any, query string, args ...any) error {
	return d.engine.sel(ctx, dst, query, args)
}

// Write runs fn in a transaction and returns when that is on the disk. If fn returns an error, or a statement of it has
// failed, nothing of it is written and Write returns that error. A context that ends while fn waits for its turn or runs
// may give it up (on SQLite only while it waits); what has come of it is known in any case, but for ErrInDoubt.
//
// fn must be short, must not call Write, and resets what it captures: on PostgreSQL it runs again after a conflict or a lost
// connection. It sees what is committed (READ COMMITTED) and others change rows beside it there: what it reads to decide
// on a change, it reads with Tx.Lock, or it puts the condition into the statement that changes. On SQLite it may run beside
// others' writes in one transaction, each of which sees those before it.
func (d *DB) Write(ctx context.Context, fn func(*Tx) error) error { return d.engine.write(ctx, fn) }

// Others tells whether this process has written for other accounts within the last second: then who has much to write does so in small parts, since others
// may wait for each of them.
func (d *DB) Others(accountID string) bool { return d.engine.others(accountID, time.Now()) }

// Health tells whether the database can be used; a readiness probe asks it. On SQLite it is what the check after an unclean
// stop has found, nil while that runs; on PostgreSQL the database is asked.
func (d *DB) Health(ctx context.Context) error { return d.engine.health(ctx) }

// Close waits for the transactions that are under way and closes the database. Writes that wait get ErrClosed.
func (d *DB) Close() error { return d.engine.close() }
