package queue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hibiken/asynq"

	"github.com/einvoiced/einvoiced/storage/queue/names"
)

const (
	taskType    = "job"
	mostWaiting = 10_000                 // messages that wait in a queue before the reconciler puts no more down: what there is beyond that waits in the database alone
	roomKnown   = 100 * time.Millisecond // how long EnqueueSoon believes a length
	soonMost    = 16384                  // messages that EnqueueSoon lets wait: more than are accepted while a reachable server takes them
	soonCallers = 4                      // that put messages of EnqueueSoon down beside each other, so that a way of some milliseconds does not hold them up
	soonLimit   = 5 * time.Second        // for one message of EnqueueSoon
	taskLimit   = 7 * 24 * time.Hour     // asynq's limit for a task; the real one is the subject's
)

// message says what to look at: a job or a delivery. The number tells its messages apart: a job's run, a delivery's attempt.
type message struct {
	queue   string
	subject string
	run     int64
}

// id is the task's id and its payload: subject:run, so that enqueueing twice is enqueueing once.
func (r message) id() string { return r.subject + ":" + strconv.FormatInt(r.run, 10) }

// subjectOf gives the subject of a task's payload.
func subjectOf(payload []byte) (string, bool) {
	subject, run, ok := strings.Cut(string(payload), ":")
	if _, err := strconv.ParseInt(run, 10, 64); err != nil || subject == "" {
		return "", false
	}
	return subject, ok
}

// Enqueue puts the message into the queue; one with the same subject and run that waits there already is as good. held says that
// a worker has taken that one and not come back, so that the next message needs another run number.
func (q *Queue) Enqueue(ctx context.Context, queue, subject string, run int64) (held bool, err error) {
	r := message{queue, subject, run}
	for range 2 { // a second time where the other message has gone in between
		put, err := q.put(ctx, r)
		if put || err != nil {
			return false, err
		}
		switch found, err := q.find(ctx, r); {
		case err != nil:
			return false, err
		case found != gone:
			return found == taken, nil
		}
	}
	return true, nil
}

// put puts the message into the queue and tells whether it was not there.
func (q *Queue) put(ctx context.Context, r message) (put bool, err error) {
	// The queue never retries a failure and must never archive a task either: an archived one would keep its id taken.
	// So one retry is allowed and no outcome counts as one (see server).
	_, err = q.client.EnqueueContext(ctx, asynq.NewTask(taskType, []byte(r.id())),
		asynq.TaskID(r.id()), asynq.Queue(r.queue), asynq.MaxRetry(1), asynq.Timeout(taskLimit))
	switch {
	case errors.Is(err, asynq.ErrTaskIDConflict):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("enqueue %s: %w", r.subject, err)
	}
	q.say(word{arrived, r.queue})
	return true, nil
}

// Room gives how many more messages should be enqueued. Nothing is refused beyond that, but the memory of the queue grows.
func (q *Queue) Room(ctx context.Context, queue string) (int, error) {
	n, err := q.waiting(ctx, queue)
	return max(0, mostWaiting-n), err
}

// waiting gives how many messages wait in the queue.
func (q *Queue) waiting(ctx context.Context, queue string) (int, error) {
	n, err := q.redis.LLen(ctx, pendingKey(queue)).Result()
	if err != nil {
		return 0, fmt.Errorf("ask how many messages wait in queue %s: %w", queue, err)
	}
	return int(n), nil
}

// EnqueueSoon enqueues without waiting. A message that cannot be put down is dropped, and one for a queue in which thousands wait: the database owes
// it. A full channel is not waited for either: an answer would hang on the queue then.
func (q *Queue) EnqueueSoon(queue, subject string, run int64) {
	select {
	case q.soon <- message{queue, subject, run}:
	default:
	}
}

// enqueueWaiting enqueues what EnqueueSoon was given.
func (q *Queue) enqueueWaiting(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case r := <-q.soon:
			limited, cancel := context.WithTimeout(ctx, soonLimit)
			if err := q.enqueueWithin(limited, r); err != nil && ctx.Err() == nil {
				q.cfg.Logger.Warn("a message was not taken by the queue; the reconciler will enqueue it", "queue", r.queue, "subject", r.subject, "error", err)
			}
			cancel()
		}
	}
}

// soonWaiting is how many messages wait in a queue before EnqueueSoon puts no more down. In the queues of jobs each tells only that something waits, and
// what the reconciler puts down is older. A delivery waits for its own.
func soonWaiting(queue string) int {
	if queue == names.Webhook {
		return 5 * mostWaiting
	}
	return mostWaiting / 2
}

// lengths are how many messages wait in the queues, as far as EnqueueSoon needs to know.
type lengths struct {
	mu sync.Mutex
	m  map[string]*length
}

type length struct {
	waiting int
	until   time.Time // when it is asked for again
}

// has tells whether one more message may be put down, and counts it.
func (l *lengths) has(ctx context.Context, queue string, ask func(context.Context, string) (int, error)) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	known := l.m[queue]
	if known == nil || time.Now().After(known.until) {
		n, err := ask(ctx, queue)
		if err != nil {
			return false, err
		}
		if l.m == nil {
			l.m = map[string]*length{}
		}
		known = &length{n, time.Now().Add(roomKnown)}
		l.m[queue] = known
	}
	known.waiting++
	return known.waiting <= soonWaiting(queue), nil
}

// enqueueWithin enqueues a message unless thousands wait in its queue.
func (q *Queue) enqueueWithin(ctx context.Context, r message) error {
	has, err := q.lengths.has(ctx, r.queue, q.waiting)
	if has {
		_, err = q.Enqueue(ctx, r.queue, r.subject, r.run)
	}
	return err
}
