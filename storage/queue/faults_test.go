package queue_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/einvoiced/einvoiced/storage/queue"
	"github.com/einvoiced/einvoiced/storage/queue/queuetest"
)

// entries is what the database and the reconciler do for the queue: they know what is owed and enqueue again.
type entries struct {
	mu   sync.Mutex
	owed map[string]int64 // the subjects with the number of the next message
	done map[string]int
}

func newEntries() *entries { return &entries{owed: map[string]int64{}, done: map[string]int{}} }

func (d *entries) add(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for range n {
		d.owed[fmt.Sprint("job_", len(d.owed)+len(d.done))] = 1
	}
}

func (d *entries) left() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.owed)
}

// handle pays an entry.
func (d *entries) handle(_ context.Context, _, subject string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.owed, subject)
	d.done[subject]++
}

// enqueue enqueues all that is owed, with the next number where the message is held.
func (d *entries) message(ctx context.Context, q *queue.Queue) {
	d.mu.Lock()
	owed := maps.Clone(d.owed)
	d.mu.Unlock()
	for subject, run := range owed {
		limited, cancel := context.WithTimeout(ctx, 2*time.Second)
		held, err := q.Enqueue(limited, "default", subject, run)
		cancel()
		if err != nil {
			return // the server is away; the next round tries again
		}
		d.mu.Lock()
		if _, still := d.owed[subject]; still && held {
			d.owed[subject] = run + 1
		}
		d.mu.Unlock()
	}
}

// settle enqueues until nothing is owed.
func (d *entries) settle(t *testing.T, q *queue.Queue) {
	t.Helper()
	queuetest.Until(t, "all entries to be paid", func() bool { d.message(t.Context(), q); return d.left() == 0 })
}

// server gives a Redis server: a real one where there is one.
func server(t *testing.T) (addr string, flush func()) {
	if queuetest.Real() {
		_, s := queuetest.Single(t)
		return s.Addr, func() { s.Do(t, "FLUSHALL") }
	}
	s := miniredis.RunT(t)
	return s.Addr(), s.FlushAll
}

func TestWipesInMidRunLoseNothing(t *testing.T) {
	t.Parallel()
	addr, flush := server(t)
	q := queuetest.Open(t, queue.Config{Redis: "redis://" + addr})
	d := newEntries()
	defer queuetest.Serve(t, q, queue.Consumer{Concurrency: 4, Handle: d.handle})()
	for range 5 {
		d.add(50)
		d.message(t.Context(), q)
		flush()
	}
	d.settle(t, q)
	queuetest.Until(t, "the queue to be served again", func() bool {
		is, err := q.Served(t.Context(), "default")
		return err == nil && is
	})
}

func TestBadWaysLoseNothingAndLeakNothing(t *testing.T) {
	addr, _ := server(t)
	way := newToxic(t, addr)
	q := queuetest.Open(t, queue.Config{Redis: "redis://" + way.addr})
	d := newEntries()
	defer queuetest.Serve(t, q, queue.Consumer{Concurrency: 4, Handle: d.handle})()
	d.add(10)
	d.settle(t, q)
	before := runtime.NumGoroutine()
	for name, sick := range map[string]func(){
		"slow":   func() { way.latency = 20 * time.Millisecond },
		"broken": func() { way.resets = 0.05 },
		"sliced": func() { way.slice = 1 },
		"all":    func() { way.latency, way.resets, way.slice = 2*time.Millisecond, 0.02, 1 },
	} {
		way.set(sick)
		d.add(20)
		d.settle(t, q)
		way.set(func() { way.latency, way.resets, way.slice = 0, 0, 0 })
		t.Log(name, runtime.NumGoroutine())
	}
	way.set(func() { way.hole = make(chan struct{}) })
	d.add(20)
	for range 10 { // nothing comes back
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if _, err := q.Enqueue(ctx, "default", "job_0", 1); err == nil {
			t.Error("enqueued into a hole")
		}
		cancel()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	queuetest.Until(t, "a question that gets no answer in time", func() bool {
		_, err := q.Served(ctx, "default")
		return errors.Is(err, context.DeadlineExceeded)
	})
	way.set(func() { close(way.hole); way.hole = nil })
	d.settle(t, q)
	queuetest.Until(t, "the goroutines to be as before", func() bool { return runtime.NumGoroutine() <= before+10 })
}

func TestServerThatIsAwayIsAnErrorAndComesBack(t *testing.T) {
	server := miniredis.RunT(t)
	q := queuetest.Open(t, queue.Config{Redis: "redis://" + server.Addr()})
	d := newEntries()
	defer queuetest.Serve(t, q, queue.Consumer{Handle: d.handle})()
	server.Close()
	if _, err := q.Enqueue(t.Context(), "default", "job_0", 1); err == nil {
		t.Error("enqueued without a server")
	}
	if _, err := q.Epoch(t.Context()); err == nil {
		t.Error("an epoch without a server")
	}
	if err := q.Ping(t.Context()); err == nil {
		t.Error("an answer without a server")
	}
	if _, err := q.Served(t.Context(), "default"); err == nil {
		t.Error("served without a server")
	}
	if _, err := q.Durability(t.Context()); err == nil {
		t.Error("durability without a server")
	}
	for range 50_000 { // must not block
		q.EnqueueSoon("default", "job_0", 1)
	}
	if err := server.Restart(); err != nil {
		t.Fatal(err)
	}
	d.add(10)
	d.settle(t, q)
}

func TestFullServerRefusesMessagesAndTakesThemLater(t *testing.T) {
	if !queuetest.Real() {
		return
	}
	redis, s := queuetest.Single(t, "--maxmemory-policy", "noeviction")
	q := queuetest.Open(t, redis.Config)
	d := newEntries()
	defer queuetest.Serve(t, q, queue.Consumer{Handle: d.handle})()
	s.Do(t, "CONFIG", "SET", "maxmemory", "1mb")
	if _, err := q.Enqueue(t.Context(), "default", "job_0", 1); err == nil || !strings.Contains(err.Error(), "OOM") {
		t.Errorf("a full server: error %v", err)
	}
	d.add(10)
	d.message(t.Context(), q)
	if d.left() != 10 {
		t.Errorf("%d are owed", d.left())
	}
	s.Do(t, "CONFIG", "SET", "maxmemory", "0")
	d.settle(t, q)
}

func epoch(t *testing.T, q *queue.Queue) (e string) {
	t.Helper()
	queuetest.Until(t, "an epoch", func() bool {
		var err error
		e, err = q.Epoch(t.Context())
		return err == nil
	})
	return e
}

func TestRestartedServerHasAnotherEpoch(t *testing.T) {
	if !queuetest.Real() {
		return
	}
	redis, s := queuetest.Single(t, "--appendonly", "yes", "--appendfsync", "always")
	q := queuetest.Open(t, redis.Config)
	before := epoch(t, q)
	queuetest.Enqueue(t, q, "default", "job_0", 1)
	s.Kill(t)
	s.Restart(t)
	if epoch(t, q) == before {
		t.Error("the same epoch: messages that the server lacks would be missed")
	}
	d := newEntries()
	d.add(1)
	defer queuetest.Serve(t, q, queue.Consumer{Handle: d.handle})()
	queuetest.Until(t, "the message that the server has kept", func() bool { return d.left() == 0 })
}

func TestFailoverLosesNothing(t *testing.T) {
	if !queuetest.Real() {
		return
	}
	redis, master, _ := queuetest.Sentinel(t)
	q := queuetest.Open(t, redis.Config)
	d := newEntries()
	d.add(50)
	d.message(t.Context(), q)
	before := epoch(t, q)
	master.Kill(t)
	d.add(50)
	queuetest.Until(t, "another epoch", func() bool {
		now, err := q.Epoch(t.Context())
		return err == nil && now != before
	})
	defer queuetest.Serve(t, q, queue.Consumer{Concurrency: 4, Handle: d.handle})()
	d.settle(t, q)
}

func TestClusterNodeThatForgetsIsNoticed(t *testing.T) {
	if !queuetest.Real() {
		return
	}
	redis, nodes := queuetest.Cluster(t)
	q := queuetest.Open(t, redis.Config)
	for _, name := range []string{"interactive", "default", "embed", "webhook"} {
		queuetest.Enqueue(t, q, name, "job_1", 1)
	}
	forgot := 0
	for _, n := range nodes {
		if keys := fmt.Sprint(n.Do(t, "KEYS", "*:pending")); keys == "[]" {
			continue // no queue is here
		}
		before := epoch(t, q)
		n.Do(t, "FLUSHALL")
		if epoch(t, q) == before {
			t.Error("the epoch has survived")
		}
		forgot++
	}
	if forgot < 2 {
		t.Errorf("the queues are on %d nodes", forgot)
	}
	heard := make(chan string, 10)
	defer queuetest.Serve(t, q, queue.Consumer{Handle: func(_ context.Context, name, _ string) { heard <- name }})()
	for _, name := range []string{"interactive", "default", "embed"} {
		if queuetest.Enqueue(t, q, name, "job_1", 1) {
			t.Errorf("a lost message of %s counts as held", name)
		}
		if got := <-heard; got != name {
			t.Errorf("heard %s", got)
		}
	}
}
