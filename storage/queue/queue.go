// Package queue is the bell of the jobs: it tells workers which job to look at, through asynq on a Redis server or, by
// default, on one inside the process. Nothing depends on what it holds. A ring that is lost is rung again from the
// database, and one that comes twice finds the job claimed, so the queue retries nothing by itself.
package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Config sets up a Queue.
type Config struct {
	Redis       string         // host:port of a Redis server. Default: empty, which means one inside this process.
	Queues      map[string]int // the queues that Serve takes from, with their weights. Default: interactive 6, default 3, embed 1.
	Concurrency int            // how many jobs Serve runs beside each other. Default: the number of processors.
	Poll        time.Duration  // how often an idle Serve looks. Default: 100 ms.
	Drain       time.Duration  // how long a stopping Serve lets its jobs run on. Default: 20 s.
	Logger      *slog.Logger   // Default: slog.Default().
}

func (c Config) withDefaults() (Config, error) {
	if c.Concurrency < 0 || c.Poll < 0 || c.Drain < 0 {
		return c, errors.New("queue: Concurrency, Poll and Drain must not be negative")
	}
	for name, weight := range c.Queues {
		if name == "" || weight < 1 {
			return c, fmt.Errorf("queue: queue %q has weight %d, at least 1 is needed", name, weight)
		}
	}
	if len(c.Queues) == 0 {
		c.Queues = map[string]int{"interactive": 6, "default": 3, "embed": 1}
	}
	if c.Concurrency == 0 {
		c.Concurrency = runtime.NumCPU()
	}
	if c.Poll == 0 {
		c.Poll = 100 * time.Millisecond
	}
	if c.Drain == 0 {
		c.Drain = 20 * time.Second
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c, nil
}

// Queue is a connection to the queues. It is safe for concurrent use.
type Queue struct {
	cfg       Config
	redis     *redis.Client
	inside    *inside // nil with a Redis server
	client    *asynq.Client
	inspector *asynq.Inspector
	soon      chan ring
	stop      context.CancelFunc
	work      sync.WaitGroup
}

// silence is done once: the client's logger belongs to the whole process.
var silence sync.Once

// Open connects to the Redis server or starts the one inside. A server that cannot be reached now is no error: the bell
// rings when it is back.
func Open(cfg Config) (*Queue, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	// The client's own log goes to standard error as it likes; whatever matters in it comes back as an error here.
	silence.Do(logging.Disable)
	options := &redis.Options{
		Addr: cfg.Redis, MaxRetries: 1, DialerRetries: 1, DialTimeout: 2 * time.Second, ReadTimeout: 3 * time.Second, DisableIdentity: true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
	q := &Queue{cfg: cfg, soon: make(chan ring, soonMost)}
	if cfg.Redis == "" {
		if q.inside, err = startInside(); err != nil {
			return nil, err
		}
		options.Addr, options.Dialer = "inside", q.inside.dial
	}
	q.redis = redis.NewClient(options)
	q.client = asynq.NewClientFromRedisClient(q.redis)
	q.inspector = asynq.NewInspectorFromRedisClient(q.redis)
	var ctx context.Context
	ctx, q.stop = context.WithCancel(context.Background())
	q.work.Go(func() { q.ringWaiting(ctx) })
	return q, nil
}

// Close ends the connections and the server inside. Rings that wait are dropped; they are owed by the database.
func (q *Queue) Close() error {
	q.stop()
	q.work.Wait()
	err := q.redis.Close()
	if q.inside != nil {
		q.inside.close()
	}
	return err
}

// The keys of Redis that this package touches beside asynq's own.
const (
	epochKey = "einvoiced:epoch"
	namesKey = "asynq:queues" // asynq's set of queue names
)

// Epoch names the present life of the queue's memory. It changes when that was lost: then everything owed must be rung
// again. Epoch also registers the queue names anew, which asynq does once in a process and never after a loss.
func (q *Queue) Epoch(ctx context.Context) (string, error) {
	names := slices.Collect(maps.Keys(q.cfg.Queues))
	pipe := q.redis.Pipeline()
	pipe.SetNX(ctx, epochKey, rand16(), 0)
	epoch := pipe.Get(ctx, epochKey)
	pipe.SAdd(ctx, namesKey, names)
	if _, err := pipe.Exec(ctx); err != nil {
		return "", fmt.Errorf("ask queue for its epoch: %w", err)
	}
	return epoch.Val(), nil
}
