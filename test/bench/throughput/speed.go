package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"github.com/einvoiced/einvoiced/internal/harness"
)

// speed is one line of the table: what did how many a second.
type speed struct {
	Setup, What string
	Jobs        int
	Took        time.Duration
	CPU         effort // for one job; nil where it is not known
}

func (s speed) perSecond() float64 { return float64(s.Jobs) / s.Took.Seconds() }

// best repeats a measurement and gives the quickest.
func best(rounds int, measure func(round int) time.Duration) time.Duration {
	least := measure(0)
	for round := 1; round < rounds; round++ {
		least = min(least, measure(round))
	}
	return least
}

// bare measures asynq alone: empty tasks are enqueued by the callers and processed beside it, on the Redis of the set-up; embedded, on one
// inside the process.
func bare(t *measurement, o options, h *harness.System) speed {
	client := redisOf(t, h)
	took := best(o.rounds, func(round int) time.Duration { return bareRound(t, o, client, fmt.Sprint("bare-", round)) })
	return speed{Setup: h.Name, What: "bare asynq", Jobs: o.jobs, Took: took}
}

func redisOf(t *measurement, h *harness.System) redis.UniversalClient {
	if h.Redis != nil {
		return h.Redis.Client
	}
	inside, err := miniredis.Run()
	if err != nil {
		t.Fatalf("start Redis inside: %v", err)
	}
	client := redis.NewClient(&redis.Options{Addr: inside.Addr(), DisableIdentity: true})
	t.Cleanup(func() { _ = client.Close(); inside.Close() })
	return client
}

func bareRound(t *measurement, o options, client redis.UniversalClient, queue string) time.Duration {
	var done sync.WaitGroup
	done.Add(o.jobs)
	server := asynq.NewServerFromRedisClient(client, asynq.Config{
		Concurrency: 2 * runtime.NumCPU(), Queues: map[string]int{queue: 1}, TaskCheckInterval: 100 * time.Millisecond, LogLevel: asynq.FatalLevel,
	})
	if err := server.Start(asynq.HandlerFunc(func(context.Context, *asynq.Task) error { done.Done(); return nil })); err != nil {
		t.Fatalf("start asynq: %v", err)
	}
	defer server.Shutdown()
	began := time.Now()
	enqueue := asynq.NewClientFromRedisClient(client)
	beside(o.callers, o.jobs, func(i int) {
		task := asynq.NewTask("empty", nil, asynq.TaskID(fmt.Sprint(queue, "-", i)), asynq.Queue(queue))
		if _, err := enqueue.EnqueueContext(t.ctx, task); err != nil {
			slog.Error("bare asynq", "error", err)
			done.Done() // the figure is then asynq's loss alone
		}
	})
	done.Wait()
	return time.Since(began)
}

// beside calls do for 0 to n-1, from some callers beside each other.
func beside(callers, n int, do func(i int)) {
	var next atomic.Int64
	var work sync.WaitGroup
	for range callers {
		work.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
	work.Wait()
}

// small is the order that is measured: a small document to validate.
func small(t *measurement, c *harness.Client) harness.Order {
	orders := harness.Only(harness.Learn(t, c, harness.Orders(t)), "validate")
	least := orders[0]
	for _, o := range orders {
		if len(o.Body) < len(least.Body) {
			least = o
		}
	}
	return least
}

// endToEnd measures from the first request to the last webhook: with a request for each job, and with batches.
func endToEnd(t *measurement, o options, h *harness.System, c *harness.Client, receiver *harness.Receiver) []speed {
	order := small(t, c)
	receiver.Subscribe(t, c, "/speed", "job.succeeded")
	var speeds []speed
	counted := count(t, o, h)
	for _, form := range []struct {
		what   string
		submit func(*measurement, options, *harness.Client, harness.Order) string
	}{{"einvoiced, a request each", submitAlone}, {fmt.Sprintf("einvoiced, batches of %d", o.batch), submitBatches}} {
		before := spent(h)
		counted.begin(t)
		took := best(o.rounds, func(int) time.Duration {
			had := receiver.Count()
			began := time.Now()
			if why := form.submit(t, o, c, order); why != "" {
				t.Fatalf("a job was not accepted: %s", why)
			}
			harness.Until(t, 10*time.Minute, "all webhooks have come", func() bool { return receiver.Count() >= had+o.jobs })
			return time.Since(began)
		})
		speeds = append(speeds, speed{Setup: h.Name, What: form.what, Jobs: o.jobs, Took: took, CPU: spent(h).since(before, o.rounds*o.jobs)})
		counted.report(t, os.Stdout, form.what, o.rounds*o.jobs)
	}
	return speeds
}

// submitAlone sends a request for each job and gives why one was not accepted.
func submitAlone(t *measurement, o options, c *harness.Client, order harness.Order) string {
	return sendAll(t, c, o.callers, o.jobs, func(int) (string, []byte) { return order.Path, order.Body }, "Prefer", "respond-async")
}

// submitBatches sends the jobs in batches.
func submitBatches(t *measurement, o options, c *harness.Client, order harness.Order) string {
	return sendAll(t, c, min(o.callers, 4), (o.jobs+o.batch-1)/o.batch, func(i int) (string, []byte) {
		return "/api/v1/jobs", batchOf(order, min(o.batch, o.jobs-i*o.batch))
	})
}

// sendAll sends n requests and gives why one was not accepted; empty where all were.
func sendAll(t *measurement, c *harness.Client, callers, n int, request func(i int) (path string, body []byte), header ...string) string {
	var refused atomic.Value
	beside(callers, n, func(i int) {
		path, body := request(i)
		if a, err := c.Do(t.ctx, "POST", path, body, header...); err != nil || a.Status != 202 {
			refused.Store(fmt.Sprintf("status %d: %v: %.300s", a.Status, err, a.Body))
		}
	})
	why, _ := refused.Load().(string)
	return why
}

func batchOf(o harness.Order, n int) []byte {
	type operation struct {
		Method string          `json:"method"`
		Path   string          `json:"path"`
		Body   json.RawMessage `json:"body"`
	}
	all := make([]operation, n)
	for i := range all {
		all[i] = operation{"POST", o.Path, o.Body}
	}
	body, _ := json.Marshal(map[string]any{"operations": all}) // the body is JSON that was read
	return body
}
