// Package ratelimit tells whether a caller may go on now: a token bucket for each key. With a Redis server all processes
// share the buckets; without one, and while it is away, each process keeps its own. The answer never waits for a server that
// is away and is never an error because of one.
package ratelimit

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"
)

// Config sets up a Limiter.
type Config struct {
	Redis   redis.UniversalClient // shares the buckets between processes. Default: nil, which means buckets of this process.
	Timeout time.Duration         // how long Redis may take for an answer. Default: 100 ms.
	Pause   time.Duration         // how long Redis is left alone after it gave none. Default: 2 s.
	Keys    int                   // how many buckets of this process are kept. Default: 100,000.
	Logger  *slog.Logger          // Default: slog.Default().
}

func (c Config) withDefaults() (Config, error) {
	if c.Timeout < 0 || c.Pause < 0 || c.Keys < 0 {
		return c, errors.New("ratelimit: Timeout, Pause and Keys must not be negative")
	}
	if c.Timeout == 0 {
		c.Timeout = 100 * time.Millisecond
	}
	if c.Pause == 0 {
		c.Pause = 2 * time.Second
	}
	if c.Keys == 0 {
		c.Keys = 100_000
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c, nil
}

// Rate is what a key may use: PerSecond in the long run, Burst at once. A Rate whose PerSecond is 0 or less has no limit; a
// Burst below 1 is taken for PerSecond.
type Rate struct {
	PerSecond int
	Burst     int
}

// Decision is the answer to one request.
type Decision struct {
	Allowed   bool
	Limit     int       // requests at once, the burst; 0 without a limit
	Remaining int       // requests that would be allowed now, after this one
	Reset     time.Time // when the bucket is full again
	Retry     time.Time // when a refused request would be allowed; zero for an allowed one
}

// Limiter decides. It is safe for concurrent use.
type Limiter struct {
	cfg    Config
	shared *redis_rate.Limiter // nil without Redis
	own    *buckets
	away   atomic.Int64 // until when Redis is left alone, in nanoseconds of the Unix time; 0 while it answers
}

// New prepares a Limiter.
func New(cfg Config) (*Limiter, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	l := &Limiter{cfg: cfg, own: newBuckets(cfg.Keys)}
	if cfg.Redis != nil {
		l.shared = redis_rate.NewLimiter(cfg.Redis)
	}
	return l, nil
}

// Allow takes one request from the bucket of the key. The error is that of ctx, never one of Redis.
func (l *Limiter) Allow(ctx context.Context, key string, rate Rate) (Decision, error) {
	if err := ended(ctx); err != nil {
		return Decision{}, err
	}
	if rate.PerSecond <= 0 {
		return Decision{Allowed: true}, nil
	}
	if rate.Burst < 1 {
		rate.Burst = rate.PerSecond
	}
	now := time.Now()
	if l.shared == nil || !l.reachable(now) {
		return l.own.take(now, key, rate), nil
	}
	d, err := l.ask(ctx, now, key, rate)
	if err == nil {
		l.away.Store(0)
		return d, nil
	}
	if err := ended(ctx); err != nil {
		return Decision{}, err
	}
	l.leaveAlone(err)
	return l.own.take(now, key, rate), nil
}

// ended is ctx.Err, and what that is about to be: a connection sees a deadline pass before the context does.
func ended(ctx context.Context) error {
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		return context.DeadlineExceeded
	}
	return ctx.Err()
}

// reachable tells whether Redis is to be asked. While it is away, one request after each pause asks whether it is back.
func (l *Limiter) reachable(now time.Time) bool {
	until := l.away.Load()
	return until == 0 || now.UnixNano() >= until && l.away.CompareAndSwap(until, now.Add(l.cfg.Pause).UnixNano())
}

// ask takes from the bucket in Redis.
func (l *Limiter) ask(ctx context.Context, now time.Time, key string, rate Rate) (Decision, error) {
	ctx, cancel := context.WithTimeout(ctx, l.cfg.Timeout)
	defer cancel()
	r, err := l.shared.Allow(ctx, key, redis_rate.Limit{Rate: rate.PerSecond, Burst: rate.Burst, Period: time.Second})
	if err != nil {
		return Decision{}, err
	}
	d := Decision{Allowed: r.Allowed > 0, Limit: rate.Burst, Remaining: r.Remaining, Reset: now.Add(r.ResetAfter)}
	if !d.Allowed {
		d.Retry = now.Add(r.RetryAfter)
	}
	return d, nil
}

// leaveAlone lets requests go by Redis for a while, and tells that once.
func (l *Limiter) leaveAlone(cause error) {
	if l.away.Swap(time.Now().Add(l.cfg.Pause).UnixNano()) == 0 {
		l.cfg.Logger.Warn("each process keeps the rate limits by itself: Redis gives no answer", "error", cause)
	}
}
