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

// servedFor is how long an answer of Served is good.
const servedFor = time.Second

// watch is what is known of the servers that take from queues.
type watch struct {
	mu     sync.Mutex
	asked  time.Time       // when they were last asked for
	served map[string]bool // the queues that they take from
	err    error           // of asking
	asking chan struct{}   // closed when the answer is there; nil while nobody asks
}

// Served tells whether a live server, of any process, takes from the queue. It is at most a second old; a server that was
// killed counts for ten more seconds.
func (q *Queue) Served(ctx context.Context, queue string) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	w := &q.watch
	w.mu.Lock()
	if time.Since(w.asked) >= servedFor && w.asking == nil {
		w.asking = make(chan struct{})
		q.work.Go(q.askForServers) // it knows no context and may take longer than the caller has
	}
	asking := w.asking
	w.mu.Unlock()
	if asking != nil {
		select {
		case <-asking:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.served[queue], w.err
}

// askForServers asks once for all who wait, and takes the lock only when the answer is there.
func (q *Queue) askForServers() {
	served := map[string]bool{}
	servers, err := q.inspector.Servers()
	if err != nil {
		err = fmt.Errorf("ask queue for its servers: %w", err)
	}
	for _, s := range servers {
		for name := range s.Queues {
			served[name] = served[name] || s.Status == "active"
		}
	}
	w := &q.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	w.served, w.err, w.asked = served, err, time.Now()
	close(w.asking)
	w.asking = nil
}

// settings are those of a Redis server that make it lose messages.
var settings = []struct{ name, want, harm string }{
	{"appendonly", "yes", "a Redis server that is killed forgets the messages since its last snapshot"},
	{"maxmemory-policy", "noeviction", "a Redis server that is full throws messages away"},
}

// Durability tells what of the Redis server's settings makes it lose messages. Nothing is lost for good then, but what was
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
