// Package db is the database: one SQLite file with its schema.
//
// Reads go to a pool of connections. Writes go through one connection and one queue: Write waits its turn in Go, where
// waiting is fair, and shares the sync to disk with the writes that waited beside it.
package db

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"
	_ "github.com/mattn/go-sqlite3" // registers the driver sqlite3
)

// Errors of this package.
var (
	ErrClosed  = errors.New("the database is closed")
	ErrCorrupt = errors.New("the database file is damaged")
)

// Config sets up a DB.
type Config struct {
	Path        string        // the SQLite file; created with its folder when absent. Required.
	Readers     int           // connections of the read pool. Default: 4, or the number of processors if that is more.
	BusyTimeout time.Duration // how long to wait for another process that writes. Default: 10 s.
	CheckWait   time.Duration // how long Open waits for the check after an unclean stop; then it goes on beside the work. Default: 500 ms.
	Logger      *slog.Logger  // Default: slog.Default().
}

func (c Config) withDefaults() (Config, error) {
	if c.Path == "" {
		return c, errors.New("database: Path is required")
	}
	if c.Readers < 0 || c.BusyTimeout < 0 || c.CheckWait < 0 {
		return c, errors.New("database: Readers, BusyTimeout and CheckWait must not be negative")
	}
	if c.Readers == 0 {
		c.Readers = max(4, runtime.NumCPU())
	}
	if c.BusyTimeout == 0 {
		c.BusyTimeout = 10 * time.Second
	}
	if c.CheckWait == 0 {
		c.CheckWait = 500 * time.Millisecond
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c, nil
}

// DB is an open database with its present schema. It is safe for concurrent use.
type DB struct {
	log     *slog.Logger
	read    *sqlx.DB
	writer  *sqlx.DB
	queue   chan *write
	stop    context.CancelFunc
	stopped context.Context
	work    sync.WaitGroup
	check   check
}

// Open opens or creates the file, brings its schema up to date and, after an unclean stop, checks its integrity.
// The error is ErrCorrupt for a damaged file and ErrNewer for one written by a later version.
func Open(ctx context.Context, cfg Config) (*DB, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	unclean, err := prepare(cfg.Path)
	if err != nil {
		return nil, err
	}
	d := &DB{log: cfg.Logger, queue: make(chan *write)}
	d.stopped, d.stop = context.WithCancel(context.Background())
	if err := d.open(ctx, cfg, unclean); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *DB) open(ctx context.Context, cfg Config, unclean bool) (err error) {
	if d.writer, err = connect(ctx, cfg, 1, "_txlock=immediate"); err != nil {
		return err
	}
	if err := migrate(ctx, d.writer.DB); err != nil {
		return err
	}
	if d.read, err = connect(ctx, cfg, cfg.Readers, "_query_only=on"); err != nil {
		return err
	}
	d.work.Go(d.serveWrites)
	if unclean {
		return d.startCheck(ctx, cfg.CheckWait)
	}
	return nil
}

// prepare makes folder and file, readable by the owner only, and tells whether the last process that had the file open
// was killed: SQLite removes the write-ahead log when the last connection closes.
func prepare(path string) (unclean bool, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return false, fmt.Errorf("make folder of database: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return false, fmt.Errorf("open database file: %w", err)
	}
	if err := f.Close(); err != nil {
		return false, fmt.Errorf("open database file: %w", err)
	}
	wal, err := os.Stat(path + "-wal")
	return err == nil && wal.Size() > 0, nil
}

// connect opens a pool of n connections.
func connect(ctx context.Context, cfg Config, n int, param string) (*sqlx.DB, error) {
	path, err := filepath.Abs(cfg.Path)
	if err != nil {
		return nil, fmt.Errorf("find database file: %w", err)
	}
	busy := strconv.FormatInt(cfg.BusyTimeout.Milliseconds(), 10)
	dsn := (&url.URL{Scheme: "file", Path: path}).String() + "?_journal_mode=WAL&_synchronous=FULL&_foreign_keys=on" +
		"&_stmt_cache_size=64&_busy_timeout=" + busy + "&" + param
	pool, err := sqlx.Open("sqlite3", dsn)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	pool.SetMaxOpenConns(n)
	pool.SetMaxIdleConns(n)
	if err := pool.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open database: %w", damaged(err)), pool.Close())
	}
	return pool, nil
}

// Get reads one row into dst; without a row the error is sql.ErrNoRows.
func (d *DB) Get(ctx context.Context, dst any, query string, args ...any) error {
	return d.read.GetContext(ctx, dst, query, args...)
}

// Select reads all rows into the slice dst.
func (d *DB) Select(ctx context.Context, dst any, query string, args ...any) error {
	return d.read.SelectContext(ctx, dst, query, args...)
}

// Close waits for the transaction that is under way and closes the file. Writes that wait get ErrClosed.
func (d *DB) Close() error {
	d.stop()
	d.work.Wait()
	var errs []error
	for _, pool := range []*sqlx.DB{d.read, d.writer} {
		if pool != nil {
			errs = append(errs, pool.Close())
		}
	}
	return errors.Join(errs...)
}
