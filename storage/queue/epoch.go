package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// keepEvery is how often names and leases are looked after.
const keepEvery = 30 * time.Second

// leaseFor is asynq's own: a lease that is not renewed runs out then.
const leaseFor = 30 * time.Second

// keep looks after what asynq does once and never again.
func (q *Queue) keep(ctx context.Context) {
	tick := time.NewTicker(keepEvery)
	defer tick.Stop()
	for {
		if err := q.tend(ctx); err != nil && ctx.Err() == nil {
			q.cfg.Logger.Debug("the queue could not be looked after", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// tend registers the names of the queues, which asynq does once in a process and not again after a loss, and gives tasks
// that have lost their lease another.
func (q *Queue) tend(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, keepEvery/2)
	defer cancel()
	if err := q.redis.SAdd(ctx, namesKey, q.cfg.Names).Err(); err != nil {
		return fmt.Errorf("register queues: %w", err)
	}
	until := time.Now().Add(leaseFor).Unix()
	for _, name := range q.cfg.Names {
		given, err := leaseScript.Run(ctx, q.redis, []string{activeKey(name), leaseKey(name)}, until).Int()
		if err != nil {
			return fmt.Errorf("look for tasks without a lease in queue %s: %w", name, err)
		}
		if given > 0 {
			q.cfg.Logger.Warn("tasks had lost their lease", "queue", name, "count", given)
		}
	}
	return nil
}

// Epoch names the present life of the queue's memory. It changes when that was lost, and when a Redis server was restarted
// or another has taken its place, which may lack the last messages: then everything owed must be enqueued again. Epoch also
// registers the queue names anew.
func (q *Queue) Epoch(ctx context.Context) (string, error) {
	pipe := q.redis.Pipeline()
	epochs := make([]*redis.StringCmd, len(q.cfg.Names))
	for i, name := range q.cfg.Names {
		pipe.SetNX(ctx, epochKey(name), rand16(), 0)
		epochs[i] = pipe.Get(ctx, epochKey(name))
	}
	pipe.SAdd(ctx, namesKey, q.cfg.Names)
	if _, err := pipe.Exec(ctx); err != nil {
		return "", fmt.Errorf("ask queue for its epoch: %w", err)
	}
	// A key tells of memory that was emptied, the run of a server of one that came back with memory a little older.
	parts, err := q.lives(ctx)
	for _, e := range epochs {
		parts = append(parts, e.Val())
	}
	return strings.Join(parts, " "), err
}

// Ping asks each server whether it is there.
func (q *Queue) Ping(ctx context.Context) error {
	err := q.eachServer(ctx, func(ctx context.Context, server *redis.Client) error { return server.Ping(ctx).Err() })
	if err != nil {
		return fmt.Errorf("ask queue whether it is there: %w", err)
	}
	return nil
}

// lives names the lives of the servers. One that does not tell (it may be forbidden) has none.
func (q *Queue) lives(ctx context.Context) ([]string, error) {
	if q.inside != nil {
		return nil, nil
	}
	var lives []string
	err := q.eachServer(ctx, func(ctx context.Context, server *redis.Client) error {
		info, err := server.Info(ctx, "server").Result()
		var answer redis.Error
		if errors.As(err, &answer) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("ask Redis for its run: %w", err)
		}
		for line := range strings.Lines(info) {
			if id, ok := strings.CutPrefix(line, "run_id:"); ok {
				lives = append(lives, strings.TrimSpace(id))
			}
		}
		return nil
	})
	slices.Sort(lives)
	return lives, err
}

// eachServer calls do for the server, or for each master of a cluster, one after the other.
func (q *Queue) eachServer(ctx context.Context, do func(context.Context, *redis.Client) error) error {
	switch client := q.redis.(type) {
	case *redis.Client:
		return do(ctx, client)
	case *redis.ClusterClient:
		var one sync.Mutex
		return client.ForEachMaster(ctx, func(ctx context.Context, server *redis.Client) error {
			one.Lock()
			defer one.Unlock()
			return do(ctx, server)
		})
	}
	return nil
}
