package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
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

// settings are those of a Redis server that make it lose rings.
var settings = []struct{ name, want, harm string }{
	{"appendonly", "yes", "a Redis server that is killed forgets the rings since its last snapshot"},
	{"maxmemory-policy", "noeviction", "a Redis server that is full throws rings away"},
}

// Durability tells what of the Redis server's settings makes it lose rings. Nothing is lost for good then, but what was
// owed is late by as long as the reconciler takes. The server inside promises nothing and gets no warning.
func (q *Queue) Durability(ctx context.Context) ([]string, error) {
	if q.inside != nil {
		return nil, nil
	}
	var warnings []string
	err := q.eachServer(ctx, func(ctx context.Context, server *redis.Client) error {
		for _, s := range settings {
			got, err := server.ConfigGet(ctx, s.name).Result()
			var answer redis.Error
			switch {
			case errors.As(err, &answer):
				warnings = append(warnings, fmt.Sprintf("Redis does not tell its setting %s; it should be %s: otherwise %s", s.name, s.want, s.harm))
			case err != nil:
				return fmt.Errorf("ask Redis for its setting %s: %w", s.name, err)
			case !strings.EqualFold(got[s.name], s.want):
				warnings = append(warnings, fmt.Sprintf("Redis has %s %s, it should be %s: otherwise %s", s.name, got[s.name], s.want, s.harm))
			}
		}
		return nil
	})
	slices.Sort(warnings)
	return slices.Compact(warnings), err
}
