package queue

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// servedFor is how long an answer of Served is good.
const servedFor = time.Second

// Served tells whether a live server, of any process, takes from the queue. It is at most a second old; a server that was
// killed counts for ten more seconds.
func (q *Queue) Served(ctx context.Context, queue string) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	q.watch.Lock()
	defer q.watch.Unlock()
	if time.Since(q.watched) >= servedFor {
		servers, err := q.inspector.Servers()
		if err != nil {
			return false, fmt.Errorf("ask queue for its servers: %w", err)
		}
		q.served, q.watched = map[string]bool{}, time.Now()
		for _, s := range servers {
			for name := range s.Queues {
				q.served[name] = q.served[name] || s.Status == "active"
			}
		}
	}
	return q.served[queue], nil
}

// Durability tells what of the Redis server's settings makes it lose rings: nothing is lost for good then, but what was
// owed is late by as long as the reconciler takes. The server inside promises nothing and gets no warning.
func (q *Queue) Durability(ctx context.Context) ([]string, error) {
	if q.inside != nil {
		return nil, nil
	}
	var warnings []string
	for _, s := range []struct{ name, want, harm string }{
		{"appendonly", "yes", "a killed Redis server forgets rings since its last snapshot"},
		{"maxmemory-policy", "noeviction", "a full Redis server throws rings away"},
	} {
		got, err := q.redis.ConfigGet(ctx, s.name).Result()
		if err != nil {
			return nil, fmt.Errorf("ask Redis for its setting %s: %w", s.name, err)
		}
		if !strings.EqualFold(got[s.name], s.want) {
			warnings = append(warnings, fmt.Sprintf("Redis has %s %s, %s is advised: %s", s.name, got[s.name], s.want, s.harm))
		}
	}
	return slices.Clip(warnings), nil
}
