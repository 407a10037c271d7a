// Package queuetest is what a queue.Queue must pass on every form of Redis.
package queuetest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/queue"
)

// Redis is where the queues of a suite are.
type Redis struct {
	Config queue.Config // how to get there
	// Wipe makes the servers forget everything; nil for those inside, of which each queue has one of its own.
	Wipe func(t *testing.T)
}

// Run runs the suite.
func Run(t *testing.T, redis Redis) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, Redis)
	}{
		{"each message reaches a handler once", eachOnce},
		{"a burst of messages is not dropped", burst},
		{"a message in a worker's hands is held until it is done", heldUntilDone},
		{"a panic of a handler harms nobody", panics},
		{"consumers have places and queues of their own", consumers},
		{"a weight starves nobody", weights},
		{"a queue is served while a consumer takes from it", served},
		{"stopping lets handlers end", stopWaits},
		{"stopping tells handlers to let go after drain", stopDrains},
		{"a message whose context has ended is not enqueued", endedContext},
		{"the epoch stays", epochStays},
		{"a wiped queue has another epoch and takes messages again", wiped},
		{"durability can be asked for", durability},
		{"an idle consumer is told of messages", wakes},
		{"what one process tells is heard by the others", told},
	} {
		t.Run(test.name, func(t *testing.T) {
			if redis.Wipe != nil {
				redis.Wipe(t)
			}
			test.run(t, redis)
		})
	}
}

// Open opens a queue and closes it with the test.
func Open(t testing.TB, cfg queue.Config) *queue.Queue {
	t.Helper()
	cfg.Logger = slog.New(slog.DiscardHandler)
	if cfg.Poll == 0 {
		cfg.Poll = time.Millisecond
	}
	q, err := queue.Open(cfg)
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

// Serve runs a consumer until the returned function is called, which waits for its end. Without Queues it takes from the
// queues of jobs, without Concurrency it has one place.
func Serve(t testing.TB, q *queue.Queue, consumer queue.Consumer) (stop func()) {
	t.Helper()
	if consumer.Queues == nil {
		consumer.Queues = map[string]int{"interactive": 6, "default": 3, "embed": 1}
	}
	if consumer.Concurrency == 0 {
		consumer.Concurrency = 1
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

// Enqueue enqueues and fails the test where that fails.
func Enqueue(t testing.TB, q *queue.Queue, name, subject string, run int64) (held bool) {
	t.Helper()
	held, err := q.Enqueue(t.Context(), name, subject, run)
	if err != nil {
		t.Fatal(err)
	}
	return held
}

// Until waits for what must become true within a minute.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for: %s", what)
		}
	}
}

// heard is a handler that tells what it hears.
func heard(most int) (<-chan string, queue.Handler) {
	c := make(chan string, most)
	return c, func(_ context.Context, name, subject string) { c <- name + " " + subject }
}

func eachOnce(t *testing.T, redis Redis) {
	q := Open(t, redis.Config)
	const many = 100
	for i := range many {
		for range 3 { // enqueueing again changes nothing
			if Enqueue(t, q, "default", fmt.Sprint("job_", i), 1) {
				t.Errorf("job_%d is held before anyone serves", i)
			}
		}
	}
	q.EnqueueSoon("interactive", "job_last", 1)
	messages, handle := heard(10 * many)
	stop := Serve(t, q, queue.Consumer{Concurrency: 4, Handle: handle})
	var got []string
	for range many + 1 {
		got = append(got, <-messages)
	}
	stop()
	slices.Sort(got)
	if len(slices.Compact(slices.Clone(got))) != many+1 || len(messages) > 0 || !slices.Contains(got, "interactive job_last") {
		t.Fatalf("heard %d different, %d too many: %q", len(slices.Compact(got)), len(messages), got)
	}
}

func burst(t *testing.T, redis Redis) {
	q := Open(t, redis.Config)
	const many = 1000
	for i := range many {
		q.EnqueueSoon("default", fmt.Sprint("job_", i), 1)
	}
	var ended atomic.Int64
	defer Serve(t, q, queue.Consumer{Concurrency: 8, Handle: func(context.Context, string, string) { ended.Add(1) }})()
	Until(t, "all messages", func() bool { return ended.Load() >= many })
}

func heldUntilDone(t *testing.T, redis Redis) {
	q := Open(t, redis.Config)
	begun, finish, ended := make(chan string), make(chan struct{}), make(chan struct{}, 10)
	defer Serve(t, q, queue.Consumer{Concurrency: 4, Handle: func(_ context.Context, _, subject string) {
		begun <- subject
		<-finish
		ended <- struct{}{}
	}})()
	Enqueue(t, q, "default", "job_1", 1)
	<-begun
	if !Enqueue(t, q, "default", "job_1", 1) {
		t.Error("not held while it runs")
	}
	if Enqueue(t, q, "default", "job_1", 2) {
		t.Error("held under another number")
	}
	<-begun
	close(finish)
	<-ended
	<-ended
	Until(t, "the messages to go", func() bool { return !Enqueue(t, q, "default", "job_1", 1) })
	<-begun
	<-ended
}

func panics(t *testing.T, redis Redis) {
	q := Open(t, redis.Config)
	messages, handle := heard(10)
	defer Serve(t, q, queue.Consumer{Handle: func(ctx context.Context, name, subject string) {
		handle(ctx, name, subject)
		if subject == "job_bad" {
			panic("boom")
		}
	}})()
	for _, subject := range []string{"job_bad", "job_good"} {
		Enqueue(t, q, "default", subject, 1)
		if got := <-messages; got != "default "+subject {
			t.Errorf("heard %q", got)
		}
	}
}

func consumers(t *testing.T, redis Redis) {
	q := Open(t, redis.Config)
	begun, finish := make(chan string, 10), make(chan struct{})
	defer Serve(t, q, queue.Consumer{Queues: map[string]int{"default": 1}, Concurrency: 2, Handle: func(_ context.Context, name, subject string) {
		begun <- name + " " + subject
		<-finish
	}})()
	messages, handle := heard(10)
	defer Serve(t, q, queue.Consumer{Queues: map[string]int{"webhook": 1}, Handle: handle})()
	defer close(finish)
	for i := range int64(3) {
		Enqueue(t, q, "default", "job_1", i)
	}
	<-begun
	<-begun
	for i := range 3 { // while all places of the other consumer are taken
		Enqueue(t, q, "webhook", fmt.Sprint("dlv_", i), 1)
		if got, want := <-messages, fmt.Sprint("webhook dlv_", i); got != want {
			t.Errorf("heard %q, want %q", got, want)
		}
	}
	if len(begun) > 0 {
		t.Error("more handlers beside each other than the consumer has places")
	}
}

func weights(t *testing.T, redis Redis) {
	q := Open(t, redis.Config)
	for i := range 50 {
		Enqueue(t, q, "interactive", fmt.Sprint("job_i", i), 1)
		Enqueue(t, q, "embed", fmt.Sprint("job_e", i), 1)
	}
	messages, handle := heard(1000)
	stop := Serve(t, q, queue.Consumer{Handle: handle})
	last := map[string]int{}
	for i := range 100 {
		got := <-messages
		last[got[:1]] = i
	}
	stop()
	if last["i"] >= last["e"] {
		t.Errorf("the last of interactive was heard as number %d, that of embed as %d", last["i"], last["e"])
	}
}

func served(t *testing.T, redis Redis) {
	q := Open(t, redis.Config)
	is := func(name string) bool {
		is, err := q.Served(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		return is
	}
	if is("default") {
		t.Error("served before anyone serves")
	}
	_, handle := heard(1)
	stop := Serve(t, q, queue.Consumer{Queues: map[string]int{"default": 1}, Handle: handle})
	Until(t, "default to be served", func() bool { return is("default") })
	if is("webhook") {
		t.Error("a queue that no consumer takes from is served")
	}
	stop()
	Until(t, "default to be served no more", func() bool { return !is("default") })
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.Served(ended, "default"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

func stopWaits(t *testing.T, redis Redis) {
	q := Open(t, redis.Config)
	begun, finish := make(chan struct{}), make(chan struct{})
	var atEnd error
	stop := Serve(t, q, queue.Consumer{Handle: func(ctx context.Context, _, _ string) {
		close(begun)
		<-finish
		atEnd = ctx.Err()
	}})
	Enqueue(t, q, "default", "job_1", 1)
	<-begun
	stopped := make(chan struct{})
	go func() { stop(); close(stopped) }()
	close(finish)
	<-stopped
	if atEnd != nil {
		t.Errorf("the handler's context ended: %v", atEnd)
	}
}

func stopDrains(t *testing.T, redis Redis) {
	redis.Config.Drain = time.Millisecond
	q := Open(t, redis.Config)
	begun := make(chan struct{})
	var told error
	stop := Serve(t, q, queue.Consumer{Handle: func(ctx context.Context, _, _ string) {
		close(begun)
		<-ctx.Done()
		told = ctx.Err()
	}})
	Enqueue(t, q, "default", "job_1", 1)
	<-begun
	stop()
	if !errors.Is(told, context.Canceled) {
		t.Errorf("told %v", told)
	}
}

func endedContext(t *testing.T, redis Redis) {
	q := Open(t, redis.Config)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.Enqueue(ended, "default", "job_1", 1); !errors.Is(err, context.Canceled) {
		t.Errorf("message: error %v, want context.Canceled", err)
	}
	if _, err := q.Epoch(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("epoch: error %v, want context.Canceled", err)
	}
}

func epoch(t *testing.T, q *queue.Queue) string {
	t.Helper()
	e, err := q.Epoch(t.Context())
	if err != nil || e == "" {
		t.Fatalf("epoch %q, error %v", e, err)
	}
	return e
}

func epochStays(t *testing.T, redis Redis) {
	q := Open(t, redis.Config)
	first := epoch(t, q)
	if epoch(t, q) != first {
		t.Error("the epoch changes by itself")
	}
	if other := epoch(t, Open(t, redis.Config)); (other == first) != (redis.Wipe != nil) {
		t.Errorf("another process sees epoch %q, this one %q", other, first)
	}
}

func wiped(t *testing.T, redis Redis) {
	if redis.Wipe == nil {
		return // it ends with the process
	}
	q := Open(t, redis.Config)
	first := epoch(t, q)
	Enqueue(t, q, "default", "job_1", 1)
	redis.Wipe(t)
	second := epoch(t, q)
	if second == first || epoch(t, q) != second {
		t.Errorf("epochs %q, then %q", first, second)
	}
	if Enqueue(t, q, "default", "job_1", 1) {
		t.Error("a lost message counts as held")
	}
	messages, handle := heard(1)
	defer Serve(t, q, queue.Consumer{Handle: handle})()
	if got := <-messages; got != "default job_1" {
		t.Errorf("heard %q", got)
	}
}

func durability(t *testing.T, redis Redis) {
	q := Open(t, redis.Config)
	warnings, err := q.Durability(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) > 0 && redis.Config.Redis == "" {
		t.Errorf("the server inside is warned of: %q", warnings)
	}
}

// told tells again until both others have heard all, since who has just begun to hear may not be there yet.
func told(t *testing.T, redis Redis) {
	if redis.Wipe == nil {
		return // there are no others
	}
	var others sync.WaitGroup
	defer others.Wait()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	var mu sync.Mutex
	heard := map[string]int{} // subject with who has heard it
	for other := range 2 {
		q := Open(t, redis.Config)
		others.Go(func() {
			q.Hear(ctx, queue.Left, func(subjects ...string) {
				mu.Lock()
				defer mu.Unlock()
				for _, s := range subjects {
					heard[s] |= 1 << other
				}
			})
		})
	}
	all := map[string]int{"job_1": 3, "job_2": 3, "job_3": 3}
	complete := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return maps.Equal(heard, all)
	}
	for q := Open(t, redis.Config); !complete(); {
		if ctx.Err() != nil {
			t.Fatalf("heard %v", heard)
		}
		q.Tell(queue.Left, "job_1", "job_2")
		q.Tell(queue.Accepted, "job_4")
		q.Tell(queue.Left, "job_3")
		pause(ctx)
	}
}

// pause waits a little.
func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(10 * time.Millisecond):
	}
}

// wakes has a consumer that would look by itself again in an hour. A message is put down until one is handled, since who has just begun to listen may
// not be there yet.
func wakes(t *testing.T, redis Redis) {
	redis.Config.Poll = time.Hour
	q, handled := Open(t, redis.Config), make(chan string, 1<<10)
	defer Serve(t, q, queue.Consumer{Handle: func(_ context.Context, _, subject string) { handled <- subject }})()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	from := q
	if redis.Wipe != nil {
		from = Open(t, redis.Config) // another process
	}
	for i, n := 0, 0; i < 20; n++ {
		if ctx.Err() != nil {
			t.Fatalf("%d of %d messages came", i, n)
		}
		if _, err := from.Enqueue(ctx, "default", fmt.Sprint("job_", n), 1); err != nil {
			t.Fatal(err)
		}
		pause(ctx)
		for ; len(handled) > 0; i++ {
			<-handled
		}
	}
}
