package queue

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// arrivals wakes consumers that wait for a message.
type arrivals struct {
	mu       sync.Mutex
	messages uint64        // so far
	next     chan struct{} // closed by the next message; nil while nobody waits
}

func (b *arrivals) note() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.messages++
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}

// heard tells how many messages there have been.
func (b *arrivals) heard() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.messages
}

// since gives what the first message after the first so many closes; nil when it has been already.
func (b *arrivals) since(messages uint64) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.messages != messages {
		return nil
	}
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

// idle makes a consumer wait for a message where asynq would look again and again. asynq looks from one goroutine.
type idle struct {
	arrivals *arrivals
	stopped  <-chan struct{} // closed when the consumer stops
	queues   int             // of the consumer
	least    time.Duration   // between two looks at all queues that were found empty
	most     time.Duration   // the same: what comes back to its queue without a word is seen then
	empty    int             // queues found empty in a row: asynq looks at each of them once before it rests
	heard    uint64          // messages before the first of them
	rested   time.Time       // when it went on to look
}

const (
	idleMost  = time.Second          // of consumers of the server inside
	idleLeast = 5 * time.Millisecond // of those of a Redis server, of which each looks when there is a message
)

// idleOf lets a consumer wait for messages until ctx ends or leave is called, which gives back what that takes.
func (q *Queue) idleOf(ctx context.Context, consumer Consumer) (w *idle, leave func()) {
	w = &idle{stopped: ctx.Done(), queues: len(consumer.Queues), most: idleMost}
	if q.inside != nil {
		w.arrivals = &q.inside.arrivals
		return w, func() {}
	}
	w.arrivals, w.most, w.least = &arrivals{}, q.cfg.Poll, min(q.cfg.Poll, idleLeast)
	var listening sync.WaitGroup
	ctx, stop := context.WithCancel(ctx)
	listening.Go(func() {
		q.Hear(ctx, arrived, func(queues ...string) {
			if slices.ContainsFunc(queues, func(name string) bool { return consumer.Queues[name] > 0 }) {
				w.arrivals.note()
			}
		})
	})
	return w, func() {
		stop()
		listening.Wait()
	}
}

// looked is told what came of a look at a queue, before which so many messages had been. Once all queues were found empty it waits for a message.
func (w *idle) looked(found bool, heard uint64) {
	if found {
		w.empty = 0
		return
	}
	if w.empty == 0 {
		w.heard = heard
	}
	if w.empty++; w.empty < w.queues {
		return
	}
	w.empty = 0
	if next := w.arrivals.since(w.heard); next != nil {
		w.wait(next, w.most)
	}
	if rest := w.least - time.Since(w.rested); rest > 0 {
		w.wait(nil, rest)
	}
	w.rested = time.Now()
}

func (w *idle) wait(next <-chan struct{}, most time.Duration) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-next:
	case <-w.stopped:
	case <-timer.C:
	}
}

// idleHook makes the client of a consumer wait that is one of a Redis server.
type idleHook struct {
	passing
	idle *idle
}

// ProcessHook looks at what came of asynq's script that takes a task.
func (h *idleHook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		script, _ := known(cmd.Args())
		heard := h.idle.arrivals.heard()
		err := next(ctx, cmd)
		switch {
		case !script.takes:
		case err != nil && !errors.Is(err, redis.Nil):
			h.idle.wait(nil, h.idle.most) // asynq would ask again at once, and again
		default:
			h.idle.looked(err == nil, heard)
		}
		return err
	}
}

// passing is the part of a hook that changes nothing.
type passing struct{}

// DialHook changes nothing.
func (passing) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

// ProcessPipelineHook changes nothing: no script comes in a pipeline.
func (passing) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error { return next(ctx, cmds) }
}
