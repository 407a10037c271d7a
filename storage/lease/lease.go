// Package lease lets one process among many on the same database do something.
//
// The row of a lease counts the beats of its holder. Nobody's clock is asked what time it is: a candidate takes the lease when
// it has seen no new beat for a while by its own stopwatch, and the holder stops sooner than that by its own, counted from
// before its last beat. So no jump of a clock makes two holders.
package lease

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
)

// Config sets up a Lease.
type Config struct {
	Name   string        // of what one process is to do. Required.
	Holder string        // what this process is called in the row; it gets a random end. Default: "process".
	TTL    time.Duration // how long after the death of its holder the lease has another one, at most. At least 1 s; processes with different ones respect the longest. Default: 10 s.
	Clock  clock.Clock   // only ever makes a holder stop sooner, when it shows that the machine slept. Default: the system's clock.
	Logger *slog.Logger  // Default: slog.Default().
}

func (c Config) withDefaults() (Config, error) {
	c.TTL = cmp.Or(c.TTL, 10*time.Second)
	if c.Name == "" || c.TTL < time.Second {
		return c, fmt.Errorf("lease: a Name is required and a TTL of at least 1 s: %q, %s", c.Name, c.TTL)
	}
	c.Holder = cmp.Or(c.Holder, "process") + "/" + rand.Text()
	if c.Clock == nil {
		c.Clock = clock.System{}
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c, nil
}

// The shares of the TTL. A holder that dies right after a beat is followed after the wait for its silence and two looks, one
// that was a little too early to see the beat and one a little too early to see enough silence: 7+1+1 of ten.
const (
	looks   = 10 // a candidate looks at the row every tenth
	beats   = 5  // a holder beats every fifth
	stops   = 2  // a holder without a beat stops its work after a half
	silence = 7  // a candidate takes the lease after seven tenths of silence
)

// Store is the database as a lease uses it; a *db.DB is one.
type Store interface {
	Select(ctx context.Context, dst any, query string, args ...any) error
	Write(ctx context.Context, fn func(*db.Tx) error) error
}

// Lease is a process's part in a lease. It is safe for concurrent use.
type Lease struct {
	cfg   Config
	store Store
}

// New prepares a Lease.
func New(cfg Config, store Store) (*Lease, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Lease{cfg, store}, nil
}

// Hold runs while in this process for as long as it holds the lease, again each time that it gets it, until ctx ends or while
// returns although it holds the lease. The context of while ends when the lease is in danger, in time for it to stop before
// another process begins; Fence tells its number. When Hold returns, while has returned and the lease is free for others.
func (l *Lease) Hold(ctx context.Context, while func(ctx context.Context)) {
	c := candidate{Lease: l}
	for ctx.Err() == nil {
		t, ok := c.await(ctx)
		if !ok {
			return
		}
		l.cfg.Logger.Info("lease taken", "lease", l.cfg.Name, "holder", l.cfg.Holder, "fence", t.fence)
		why := l.serve(ctx, t, while)
		l.cfg.Logger.Info("lease let go", "lease", l.cfg.Name, "holder", l.cfg.Holder, "fence", t.fence, "why", why)
		if errors.Is(why, errDone) {
			return
		}
	}
}

// term is one time of holding the lease.
type term struct {
	fence int64
	since stopwatch // started before the last beat
}

// stopwatch measures by the clock that no one sets, and by the clock that goes on while the machine sleeps.
type stopwatch struct {
	start, wall time.Time
}

func (l *Lease) startWatch() stopwatch { return stopwatch{time.Now(), l.cfg.Clock.Now().Round(0)} }

// elapsed is the longer of both times.
func (l *Lease) elapsed(w stopwatch) time.Duration {
	return max(time.Since(w.start), l.cfg.Clock.Now().Round(0).Sub(w.wall))
}

type fenceKey struct{}

// Fence gives the number of the term in which ctx, that of a function which Hold runs, has the lease: it grows with each term,
// so that what a later holder has written can be told from what an earlier one writes too late. It is 0 for another context.
func Fence(ctx context.Context) int64 {
	fence, _ := ctx.Value(fenceKey{}).(int64)
	return fence
}
