package queue

import (
	"context"
	"strings"
	"time"
)

const (
	toldChannel = "einvoiced:told"
	tellMost    = 4096            // subjects that Tell lets wait
	tellAtOnce  = 256             // that go in one message
	tellLimit   = 2 * time.Second // for it
)

// Tell says to all processes on the same Redis server that there is something new about the subjects, such as that a job has ended. It does not wait.
// Nothing may rest on it: what is told while the server is away, or more than it takes, is dropped. Inside one process, which knows by itself, it does
// nothing.
func (q *Queue) Tell(subjects ...string) {
	if q.inside != nil {
		return
	}
	for _, s := range subjects {
		select {
		case q.tell <- s:
		default:
			return
		}
	}
}

// tellWaiting says what Tell was given, as much as there is at once.
func (q *Queue) tellWaiting(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case first := <-q.tell:
			subjects := []string{first}
			for range min(tellAtOnce-1, len(q.tell)) { // nobody else takes from it
				subjects = append(subjects, <-q.tell)
			}
			q.publish(ctx, subjects)
		}
	}
}

func (q *Queue) publish(ctx context.Context, subjects []string) {
	ctx, cancel := context.WithTimeout(ctx, tellLimit)
	defer cancel()
	if err := q.redis.Publish(ctx, toldChannel, strings.Join(subjects, " ")).Err(); err != nil {
		q.cfg.Logger.Debug("other processes could not be told by the queue", "subjects", len(subjects), "error", err)
	}
}

// Hear calls told with what processes say by Tell until ctx ends. While the server is away nothing is heard.
func (q *Queue) Hear(ctx context.Context, told func(subjects ...string)) {
	if q.inside != nil {
		return
	}
	subscription := q.redis.Subscribe(ctx, toldChannel)
	defer subscription.Close() // it was only read
	messages := subscription.Channel()
	for {
		select {
		case <-ctx.Done():
			return
		case m, open := <-messages:
			if !open {
				return
			}
			told(strings.Fields(m.Payload)...)
		}
	}
}
