package db

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
)

// passing is an error after which the same may be tried again: nothing was written, and the cause passes.
type passing struct{ cause error }

func (p *passing) Error() string { return p.cause.Error() }
func (p *passing) Unwrap() error { return p.cause }

// The pauses between two tries: the first is up to firstPause, each next one up to twice as long. Each pause is drawn, so
// that those which failed at the same moment do not come back at the same moment.
const (
	firstPause = 10 * time.Millisecond
	longPause  = 100 * time.Millisecond // from here on the operator should know
	lastPause  = time.Second
)

// complainEvery is the time between two complaints that something has to be tried again and again.
const complainEvery = 10 * time.Second

// complain logs why something is tried again, now and then and not once for each that tries.
func (p *postgres) complain(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := time.Now(); now.Sub(p.complained) > complainEvery {
		p.complained = now
		p.log.Warn("the database is tried again", "error", err)
	}
}

// persist runs do, with a context that ends after the Timeout, until it succeeds, fails for good, or RetryFor is over.
func (p *postgres) persist(ctx context.Context, do func(context.Context) error) error {
	begin, pause := time.Now(), firstPause
	for {
		err := p.try(ctx, do)
		var again *passing
		if !errors.As(err, &again) {
			return err
		}
		if time.Since(begin) > p.cfg.RetryFor {
			return again.cause
		}
		if pause > longPause {
			p.complain(again.cause)
		}
		timer := time.NewTimer(time.Duration(rand.Int64N(int64(pause))) + time.Millisecond)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return errors.Join(ctx.Err(), again.cause)
		case <-p.stopped.Done():
			timer.Stop()
			return errors.Join(ErrClosed, again.cause)
		}
		pause = min(2*pause, lastPause)
	}
}

// try runs do once.
func (p *postgres) try(ctx context.Context, do func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if p.stopped.Err() != nil {
		return ErrClosed
	}
	limited, cancel := context.WithTimeout(ctx, p.cfg.Timeout)
	defer cancel()
	return do(limited)
}

// connection takes a connection from the pool. That the database is away passes; that it refuses us does not.
func (p *postgres) connection(ctx context.Context, pool *sqlx.DB) (*sqlx.Conn, error) {
	conn, err := pool.Connx(ctx)
	if err == nil {
		return conn, nil
	}
	if p.stopped.Err() != nil {
		return nil, ErrClosed
	}
	if ctx.Err() != nil || refused(err) {
		return nil, damaged(err)
	}
	return nil, &passing{err}
}

// refused tells whether the server does not know the user (class 28) or the database (3D000).
func refused(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (strings.HasPrefix(e.Code, "28") || e.Code == "3D000")
}

// conflicts are the SQLSTATEs of a transaction that may well succeed when it is tried again: serialisation failure, deadlock,
// and a statement that was prepared before another process has migrated the schema.
var conflicts = []string{"40001", "40P01", "26000"}

// passing judges the error of a statement on conn.
func (p *postgres) passing(conn *pgx.Conn, err error) error {
	var e *pgconn.PgError
	if errors.As(err, &e) && (slices.Contains(conflicts, e.Code) || e.Code == "0A000" && strings.Contains(e.Message, "cached plan")) {
		return &passing{err}
	}
	if conn == nil || conn.IsClosed() {
		return &passing{err}
	}
	return damaged(err)
}

// driver gives the driver's connection, nil where it is lost.
func driver(conn *sqlx.Conn) (driver *pgx.Conn) {
	_ = conn.Raw(func(c any) error { // it fails where there is none
		driver = c.(*stdlib.Conn).Conn()
		return nil
	})
	return driver
}
