package lease

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
)

// TestLeaseGoesFromProcessToProcess passes a lease on, on every database and in real time: from a process that ends, from one that
// is killed, and to one that starts again.
func TestLeaseGoesFromProcessToProcess(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, cfg db.Config) {
		var active, worst atomic.Int32
		terms := make(chan int64)
		start := func() (p *process) {
			p = &process{store: &flaky{DB: dbtest.Reopen(t, cfg)}, ended: make(chan struct{})}
			l, err := New(Config{Name: "scheduler", TTL: 4 * time.Second, Logger: silent}, p.store)
			if err != nil {
				t.Fatal(err)
			}
			var ctx context.Context
			ctx, p.end = context.WithCancel(context.Background())
			go func() {
				defer close(p.ended)
				l.Hold(ctx, func(ctx context.Context) {
					worst.Store(max(worst.Load(), active.Add(1)))
					defer active.Add(-1)
					select {
					case terms <- Fence(ctx):
						<-ctx.Done()
					case <-ctx.Done():
					}
				})
			}()
			return p
		}
		one := start()
		first := <-terms
		two := start()
		one.stop()
		second := <-terms
		three := start()
		two.kill()
		third := <-terms
		three.stop()
		again := start()
		fourth := <-terms
		again.stop()
		if first >= second || second >= third || third >= fourth || worst.Load() > 1 {
			t.Errorf("fences %d, %d, %d, %d, at most %d active", first, second, third, fourth, worst.Load())
		}
	})
}
