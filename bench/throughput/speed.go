package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"einvoiced/internal/stage"
)

// speed is one line of the table: what did how many a second.
type speed struct {
	Setup, What string
	Jobs        int
	Took        time.Duration
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
func bare(t *theatre, o options, h *stage.House) speed {
	client := redisOf(t, h)
	took := best(o.rounds, func(round int) time.Duration { return bareRound(t, o, client, fmt.Sprint("bare-", round)) })
	return speed{h.Name, "bare asynq", o.jobs, took}
}

func redisOf(t *theatre, h *stage.House) redis.UniversalClient {
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

func bareRound(t *theatre, o options, client redis.UniversalClient, queue string) time.Duration {
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
func small(t *theatre, c *stage.Client) stage.Order {
	orders := stage.Only(stage.Learn(t, c, stage.Orders(t)), "validate")
	least := orders[0]
	for _, o := range orders {
		if len(o.Body) < len(least.Body) {
			least = o
		}
	}
	return least
}

// endToEnd measures from the first request to the last webhook.
func endToEnd(t *theatre, o options, h *stage.House, c *stage.Client, receiver *stage.Receiver) speed {
	order := small(t, c)
	receiver.Subscribe(t, c, "/speed", "job.succeeded")
	took := best(o.rounds, func(round int) time.Duration {
		before := len(receiver.Events())
		began := time.Now()
		submit(t, o, c, order)
		stage.Until(t, 10*time.Minute, "all webhooks have come", func() bool { return len(receiver.Events()) >= before+o.jobs })
		return time.Since(began)
	})
	what := "einvoiced, a request each"
	if o.batch > 1 {
		what = fmt.Sprintf("einvoiced, %d in a batch", o.batch)
	}
	return speed{h.Name, what, o.jobs, took}
}

// submit sends the jobs, alone or in batches.
func submit(t *theatre, o options, c *stage.Client, order stage.Order) {
	var failed atomic.Value
	send := func(body []byte, path string, header ...string) {
		if a, err := c.Do(t.ctx, "POST", path, body, header...); err != nil || a.Status != 202 {
			failed.Store(fmt.Sprintf("status %d: %v: %.300s", a.Status, err, a.Body))
		}
	}
	if o.batch == 1 {
		beside(o.callers, o.jobs, func(int) { send(order.Body, order.Path, "Prefer", "respond-async") })
	} else {
		beside(min(o.callers, 4), (o.jobs+o.batch-1)/o.batch, func(i int) {
			send(batchOf(order, min(o.batch, o.jobs-i*o.batch)), "/api/v1/jobs")
		})
	}
	if why := failed.Load(); why != nil {
		t.Fatalf("a job was not accepted: %v", why)
	}
}

func batchOf(o stage.Order, n int) []byte {
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
