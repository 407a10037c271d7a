package queue

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/hibiken/asynq"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open opens a queue and closes it with the test.
func open(t testing.TB, cfg Config) *Queue {
	t.Helper()
	cfg.Logger = slog.New(slog.DiscardHandler)
	q, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	})
	return q
}

// serve runs the handler until the returned function is called, which waits for the end.
func serve(t testing.TB, q *Queue, handle Handler) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- q.Serve(ctx, handle) }()
	return sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkRingAndServe(b *testing.B) {
	q := open(b, Config{Concurrency: 8})
	var left sync.WaitGroup
	left.Add(b.N)
	for i := range b.N {
		if _, err := q.Ring(b.Context(), "default", fmt.Sprint("job_", i), 1); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rings/s")
	stop := serve(b, q, func(context.Context, string) { left.Done() })
	defer stop()
	left.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "served/s")
}

var _ = miniredis.RunT
var _ = slices.Sort[[]string]
var _ = strings.Cut
var _ = time.Now
var _ = asynq.NewTask
