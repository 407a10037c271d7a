// Package queue tells workers which job or delivery to look at, through asynq on a Redis server or, by
// default, on one inside the process. Nothing depends on what it holds. A message that is lost is enqueued again from the
// database, and one that comes twice finds the job claimed, so the queue retries nothing by itself.
//
// Enqueue and EnqueueSoon put down a message that names a subject and the number of its run; Serve calls the Handler of a
// Consumer for each. Tell and Hear pass on to other processes that there is something new. Served, Ping and Durability tell who
// takes from it and how it fares. Epoch changes when the memory of a server was lost, upon which the reconciler enqueues
// everything owed once more. keys.go and scripts.go have what depends on the version of asynq.
package queue

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"github.com/einvoiced/einvoiced/storage/queue/names"
)

// Config sets up a Queue.
type Config struct {
	// Redis says where the queue is: redis://[user:password@]host[:port][/database], redis-sentinel://[…]host1,host2/master[/database]
	// (its sentinels' own credentials as ?sentinel_username=…&sentinel_password=…), redis-cluster://[…]host1,host2; each with
	// TLS as rediss…. Default: empty, which means a server inside this process.
	Redis  string
	TLS    *tls.Config   // what rediss… trusts. Default: the authorities of the system.
	Names  []string      // the queues that there are. Default: interactive, default, embed, webhook.
	Poll   time.Duration // how often an idle consumer looks on a Redis server that has told it of no message. Default: 50 ms.
	Drain  time.Duration // how long a stopping consumer lets its handlers run on. Default: 20 s.
	Logger *slog.Logger  // Default: slog.Default().
}

func (c Config) withDefaults() (Config, error) {
	if c.Poll < 0 || c.Drain < 0 {
		return c, errors.New("queue: Poll and Drain must not be negative")
	}
	if slices.Contains(c.Names, "") {
		return c, errors.New("queue: a queue has no name")
	}
	if len(c.Names) == 0 {
		c.Names = names.All()
	}
	if c.Poll == 0 {
		c.Poll = 50 * time.Millisecond
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
	options   *redis.UniversalOptions
	redis     redis.UniversalClient
	inside    *inside // nil with a Redis server
	client    *asynq.Client
	inspector *asynq.Inspector
	soon      chan message
	tell      chan word // nil with the server inside, where nobody else is
	lengths   lengths
	watch     watch
	stop      context.CancelFunc
	work      sync.WaitGroup
}

// silence is done once: the client's logger belongs to the whole process.
var silence sync.Once

// Open connects to the Redis server or starts the one inside. A server that cannot be reached now is no error: messages
// reach it when it is back.
func Open(cfg Config) (*Queue, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	// The client's own log goes to standard error as it likes; whatever matters in it comes back as an error here.
	silence.Do(logging.Disable)
	options := defaultOptions()
	if cfg.Redis != "" {
		if options, err = parseAddress(cfg.Redis, cfg.TLS); err != nil {
			return nil, fmt.Errorf("queue: the address of Redis is not usable: %w", err)
		}
	}
	q := &Queue{cfg: cfg, options: options, soon: make(chan message, soonMost)}
	if cfg.Redis == "" {
		q.inside = startInside()
		options.Addrs, options.Dialer = []string{"inside"}, q.inside.dial
	} else {
		q.tell = make(chan word, tellMost)
	}
	q.redis = q.connect(nil)
	q.client = asynq.NewClientFromRedisClient(q.redis)
	q.inspector = asynq.NewInspectorFromRedisClient(q.redis)
	var ctx context.Context
	ctx, q.stop = context.WithCancel(context.Background())
	for range soonCallers {
		q.work.Go(func() { q.enqueueWaiting(ctx) })
	}
	if q.tell != nil {
		q.work.Go(func() { q.tellWaiting(ctx) })
	}
	q.work.Go(func() { q.keep(ctx) })
	return q, nil
}

// connect makes a client of the server; one of a consumer waits for messages, where idle says so.
func (q *Queue) connect(idle *idle) redis.UniversalClient {
	client := redis.NewUniversalClient(q.options)
	switch {
	case q.inside != nil:
		client.AddHook(&hook{in: q.inside, idle: idle})
	case idle != nil:
		client.AddHook(&idleHook{idle: idle})
	}
	return client
}

// Close ends the connections and the server inside. Messages that wait are dropped; they are owed by the database.
func (q *Queue) Close() error {
	q.stop()
	q.work.Wait()
	err := q.redis.Close()
	if q.inside != nil {
		q.inside.close()
	}
	return err
}

// Client is the connection to the Redis server, for others that keep what may be lost there; nil with the one inside. It
// ends with the Queue.
func (q *Queue) Client() redis.UniversalClient {
	if q.inside != nil {
		return nil
	}
	return q.redis
}
