package queue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hibiken/asynq"
)

const (
	taskType    = "job"
	soonMost    = 16384              // rings that RingSoon lets wait: more than are accepted while a reachable server rings them
	soonCallers = 4                  // that put rings of RingSoon down beside each other, so that a way of some milliseconds does not hold them up
	soonLimit   = 5 * time.Second    // for one ring of RingSoon
	taskLimit   = 7 * 24 * time.Hour // asynq's limit for a task; the real one is the subject's
)

// ring says what to look at: a job or a delivery. The number tells its rings apart: a job's run, a delivery's attempt.
type ring struct {
	queue   string
	subject string
	run     int64
}

// id is the task's id and its payload: subject:run, so that ringing twice is ringing once.
func (r ring) id() string { return r.subject + ":" + strconv.FormatInt(r.run, 10) }

// subjectOf gives the subject of a task's payload.
func subjectOf(payload []byte) (string, bool) {
	subject, run, ok := strings.Cut(string(payload), ":")
	if _, err := strconv.ParseInt(run, 10, 64); err != nil || subject == "" {
		return "", false
	}
	return subject, ok
}

// Ring puts the ring into the queue; one with the same subject and run that waits there already is as good. held says that
// a worker has taken that one and not come back, so that the next ring needs another run number.
func (q *Queue) Ring(ctx context.Context, queue, subject string, run int64) (held bool, err error) {
	r := ring{queue, subject, run}
	for range 2 { // a second time where the other ring has gone in between
		put, err := q.enqueue(ctx, r)
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

// enqueue puts the ring into the queue and tells whether it was not there.
func (q *Queue) enqueue(ctx context.Context, r ring) (put bool, err error) {
	// The queue never retries a failure and must never archive a task either: an archived one would keep its id taken.
	// So one retry is allowed and no outcome counts as one (see server).
	_, err = q.client.EnqueueContext(ctx, asynq.NewTask(taskType, []byte(r.id())),
		asynq.TaskID(r.id()), asynq.Queue(r.queue), asynq.MaxRetry(1), asynq.Timeout(taskLimit))
	switch {
	case errors.Is(err, asynq.ErrTaskIDConflict):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("ring for %s: %w", r.subject, err)
	}
	return true, nil
}

// RingSoon rings without waiting. A ring that cannot be put down is dropped: the database owes it.
func (q *Queue) RingSoon(queue, subject string, run int64) {
	select {
	case q.soon <- ring{queue, subject, run}:
	default:
	}
}

// ringWaiting rings what RingSoon was given.
func (q *Queue) ringWaiting(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case r := <-q.soon:
			limited, cancel := context.WithTimeout(ctx, soonLimit)
			if _, err := q.Ring(limited, r.queue, r.subject, r.run); err != nil && ctx.Err() == nil {
				q.cfg.Logger.Warn("the bell did not ring; the reconciler will", "queue", r.queue, "subject", r.subject, "error", err)
			}
			cancel()
		}
	}
}
