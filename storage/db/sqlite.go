package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"
	_ "github.com/mattn/go-sqlite3" // registers the driver sqlite3
	"github.com/pressly/goose/v3"
)

// sqlite is a database in a file.
type sqlite struct {
	cfg     Config
	log     *slog.Logger
	read    *sqlx.DB
	writer  *sqlx.DB
	turns   *turns
	stop    context.CancelFunc
	stopped context.Context
	work    sync.WaitGroup
	check   check
	moves   *checkpoints

	committing time.Duration // what the last commit took; the writer's own
}

func openSQLite(ctx context.Context, cfg Config) (engine, error) {
	if cfg.Existing {
		if err := find(cfg.Path); err != nil {
			return nil, err
		}
	}
	unclean, err := prepare(cfg.Path)
	if err != nil {
		return nil, err
	}
	d := &sqlite{cfg: cfg, log: cfg.Logger, turns: newTurns()}
	d.stopped, d.stop = context.WithCancel(context.Background())
	if err := d.open(ctx, cfg, unclean); err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

// open connects the writer first, which brings the tables up to date: the readers may do nothing but query.
func (d *sqlite) open(ctx context.Context, cfg Config, unclean bool) (err error) {
	if d.writer, err = connect(ctx, cfg, 1, "_txlock=immediate"); err != nil {
		return err
	}
	if err := migrate(ctx, goose.DialectSQLite3, d.writer.DB); err != nil {
		return err
	}
	if err := guardSQLite(ctx, d.writer); err != nil {
		return err
	}
	if _, err := d.writer.ExecContext(ctx, "PRAGMA busy_timeout = 2"); err != nil { // begin waits by itself
		return fmt.Errorf("set up database: %w", err)
	}
	if d.read, err = connect(ctx, cfg, cfg.Readers, "_query_only=on"); err != nil {
		return err
	}
	if d.moves, err = openCheckpoints(ctx, cfg, d.writer); err != nil {
		return err
	}
	d.work.Go(d.serveWrites)
	d.work.Go(func() { d.moves.serve(d.stopped) })
	if unclean {
		return d.startCheck(ctx, cfg.CheckWait)
	}
	return nil
}

// find looks whether there is a file with something in it.
func find(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return fmt.Errorf("no database at %s: %w", path, ErrAbsent)
	}
	if err != nil {
		return fmt.Errorf("find database file: %w", err)
	}
	return nil
}

// prepare makes folder and file, readable by the owner only, and tells whether the last process that had the file open
// was killed: SQLite removes the write-ahead log when the last connection closes.
func prepare(path string) (unclean bool, err error) {
	if err := makeFolder(filepath.Dir(path)); err != nil {
		return false, fmt.Errorf("make folder of database: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return false, fmt.Errorf("open database file: %w", err)
	}
	if err := errors.Join(f.Close(), syncFolder(filepath.Dir(path))); err != nil {
		return false, fmt.Errorf("open database file: %w", err)
	}
	wal, err := os.Stat(path + "-wal")
	return err == nil && wal.Size() > 0, nil
}

// makeFolder makes a folder and those above it, so that a power cut does not take them, and what they hold, away again.
func makeFolder(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeFolder(filepath.Dir(dir)); err != nil {
			return err
		}
		err = os.Mkdir(dir, 0o700)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return syncFolder(filepath.Dir(dir))
}

// syncFolder makes the names in a folder durable.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// connect opens a pool of n connections.
func connect(ctx context.Context, cfg Config, n int, param string) (*sqlx.DB, error) {
	path, err := filepath.Abs(cfg.Path)
	if err != nil {
		return nil, fmt.Errorf("find database file: %w", err)
	}
	busy := strconv.FormatInt(cfg.BusyTimeout.Milliseconds(), 10)
	// With a write-ahead log and less than FULL, a power cut takes commits away that Write has acknowledged.
	dsn := (&url.URL{Scheme: "file", Path: path}).String() + "?_journal_mode=WAL&_synchronous=FULL&_foreign_keys=on" +
		"&_stmt_cache_size=64&_busy_timeout=" + busy + "&" + param
	pool, err := sqlx.Open("sqlite3", dsn)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	pool = pool.Unsafe() // a column that a later version has added while this process runs is not ours to read
	pool.SetMaxOpenConns(n)
	pool.SetMaxIdleConns(n)
	if err := pool.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open database: %w", damaged(err)), pool.Close())
	}
	return pool, nil
}

func (d *sqlite) get(ctx context.Context, dst any, query string, args []any) error {
	return d.read.GetContext(ctx, dst, query, args...)
}

func (d *sqlite) sel(ctx context.Context, dst any, query string, args []any) error {
	return d.read.SelectContext(ctx, dst, query, args...)
}

func (d *sqlite) others(account string, now time.Time) bool {
	return d.turns.recent.Others(account, now)
}

func (d *sqlite) close() error {
	d.stop()
	d.work.Wait()
	var errs []error
	pools := []*sqlx.DB{d.read, d.writer}
	if d.moves != nil {
		pools = append(pools, d.moves.on)
	}
	for _, pool := range pools {
		if pool != nil {
			errs = append(errs, pool.Close())
		}
	}
	return errors.Join(errs...)
}
