package queue

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hibiken/asynq"
	"go.uber.org/goleak"

	"github.com/einvoiced/einvoiced/storage/queue/names"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open opens a queue and closes it with the test.
func open(t testing.TB, cfg Config) *Queue {
	t.Helper()
	cfg.Logger = slog.New(slog.DiscardHandler)
	if cfg.Poll == 0 {
		cfg.Poll = time.Millisecond
	}
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

// serve runs a consumer with the handler until the returned function is called, which waits for the end.
func serve(t testing.TB, q *Queue, places int, handle func(context.Context, string)) (stop func()) {
	t.Helper()
	consumer := Consumer{
		Queues: map[string]int{"interactive": 6, "default": 3, "embed": 1}, Concurrency: places,
		Handle: func(ctx context.Context, _, subject string) { handle(ctx, subject) },
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- q.Serve(ctx, consumer) }()
	return sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// mustEnqueue enqueues and fails the test where that fails.
func mustEnqueue(t testing.TB, q *Queue, job string, run int64) (held bool) {
	t.Helper()
	held, err := q.Enqueue(t.Context(), "default", job, run)
	if err != nil {
		t.Fatal(err)
	}
	return held
}

func TestConfigIsChecked(t *testing.T) {
	for name, cfg := range map[string]Config{
		"poll": {Poll: -1}, "drain": {Drain: -1}, "name": {Names: []string{""}}, "address": {Redis: "localhost:6379"},
	} {
		if q, err := Open(cfg); err == nil {
			t.Errorf("%s: accepted", name)
			q.Close()
		}
	}
}

func TestConsumerIsChecked(t *testing.T) {
	q, handle, one := open(t, Config{}), func(context.Context, string, string) {}, map[string]int{"default": 1}
	for name, consumer := range map[string]Consumer{
		"concurrency": {Queues: one, Handle: handle, Concurrency: -1}, "weight": {Queues: map[string]int{"default": 0}, Handle: handle},
		"name": {Queues: map[string]int{"": 1}, Handle: handle}, "queues": {Handle: handle}, "handler": {Queues: one},
	} {
		if err := q.Serve(t.Context(), consumer); err == nil {
			t.Errorf("%s: served", name)
		}
	}
}

func TestBurstOfMessagesIsNotDropped(t *testing.T) {
	q := open(t, Config{})
	const burst = 3000
	for i := range burst {
		q.EnqueueSoon("default", fmt.Sprint("job_", i), 1)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) { // until all are there
		info, err := q.inspector.GetQueueInfo("default")
		if err == nil && info.Pending == burst {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("in the queue are %+v, error %v, want %d", info, err, burst)
		}
	}
}

// TestQueueOfJobsHoldsSomeThousandMessages ensures that EnqueueSoon puts no more into a queue of jobs than leaves room for what is owed longer, that the
// room is told, and that deliveries, of which each waits for its own, have more.
func TestQueueOfJobsHoldsSomeThousandMessages(t *testing.T) {
	q := open(t, Config{})
	const n = mostWaiting/2 + 1000
	for i := range n {
		for _, queue := range []string{names.Default, names.Webhook} {
			q.EnqueueSoon(queue, fmt.Sprint("job_", i), 1)
		}
	}
	ask := func(of func(context.Context, string) (int, error), queue string) int {
		t.Helper()
		n, err := of(t.Context(), queue)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for deadline := time.Now().Add(time.Minute); ask(q.waiting, names.Webhook) < n; time.Sleep(time.Millisecond) { // until all are there
		if time.Now().After(deadline) {
			t.Fatalf("%d deliveries wait, want %d", ask(q.waiting, names.Webhook), n)
		}
	}
	if got := ask(q.waiting, names.Default); got < mostWaiting/2 || got > mostWaiting/2+soonCallers {
		t.Errorf("%d jobs wait", got)
	}
	for queue, want := range map[string]int{names.Default: mostWaiting / 2, names.Webhook: mostWaiting - n, names.Embed: mostWaiting} {
		if got := ask(q.Room, queue); got < want-soonCallers || got > want {
			t.Errorf("room in %s for %d, want %d", queue, got, want)
		}
	}
}

func TestPanicOfAHandlerHarmsNobodyAndArchivesNothing(t *testing.T) {
	q := open(t, Config{})
	heard := make(chan string, 10)
	stop := serve(t, q, 1, func(_ context.Context, job string) {
		heard <- job
		if job == "job_bad" {
			panic("boom")
		}
	})
	mustEnqueue(t, q, "job_bad", 1)
	if _, err := q.client.Enqueue(asynq.NewTask(taskType, []byte("names no job"))); err != nil {
		t.Fatal(err)
	}
	mustEnqueue(t, q, "job_good", 1)
	if got := []string{<-heard, <-heard}; !slices.Equal(got, []string{"job_bad", "job_good"}) {
		t.Errorf("heard %q", got)
	}
	stop()
	info, err := q.inspector.GetQueueInfo("default")
	if err != nil || info.Size != 0 || info.Archived != 0 {
		t.Errorf("left in the queue: %+v, error %v", info, err)
	}
}

func TestKeysInsideExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := open(t, Config{})
		if err := q.redis.Set(t.Context(), "short", "x", 3*time.Second).Err(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		if n, err := q.redis.Exists(t.Context(), "short").Result(); err != nil || n != 1 {
			t.Errorf("after 2 s: %d keys, error %v", n, err)
		}
		time.Sleep(2 * time.Second)
		if n, err := q.redis.Exists(t.Context(), "short").Result(); err != nil || n != 0 {
			t.Errorf("after 4 s: %d keys, error %v", n, err)
		}
	})
}

func TestServerInsideHasNoPort(t *testing.T) {
	q := open(t, Config{})
	if err := q.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if addr := q.inside.server.Server().Addr(); addr != nil {
		t.Fatalf("the server inside listens on %s", addr)
	}
}

func TestStartAndStopLeaveNothingRunning(t *testing.T) {
	for i := range 10 {
		q, err := Open(Config{Logger: slog.New(slog.DiscardHandler), Poll: time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		heard := make(chan struct{}, 1)
		stop := serve(t, q, 1, func(context.Context, string) { heard <- struct{}{} })
		if i%2 == 0 { // every other time it stops before anything has happened
			q.EnqueueSoon("default", "job_1", 1)
			<-heard
		}
		stop()
		if err := q.Close(); err != nil {
			t.Fatal(err)
		}
	}
	goleak.VerifyNone(t)
}

// BenchmarkMessage measures putting messages into the queue inside.
func BenchmarkMessage(b *testing.B) {
	q := open(b, Config{})
	for i := 0; b.Loop(); i++ {
		mustEnqueue(b, q, fmt.Sprint("job_", i), 1)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
}

// BenchmarkServe measures messages from the queue inside to a handler that does nothing.
func BenchmarkServe(b *testing.B) {
	q := open(b, Config{})
	var left sync.WaitGroup
	left.Add(b.N)
	for i := range b.N {
		mustEnqueue(b, q, fmt.Sprint("job_", i), 1)
	}
	b.ResetTimer()
	stop := serve(b, q, 8, func(context.Context, string) { left.Done() })
	left.Wait()
	b.StopTimer()
	stop()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "served/s")
}
