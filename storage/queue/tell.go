package queue

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// The channels on which processes on the same Redis server tell each other what they would find out by themselves a little later.
const (
	toldChannel    = "einvoiced:told"    // subjects
	arrivedChannel = "einvoiced:arrived" // queues
)

const (
	tellMost   = 4096            // words that wait to be told
	tellAtOnce = 256             // that are told together
	tellLimit  = 2 * time.Second // for them
)

// word is said on a channel.
type word struct{ channel, word string }

// Tell says to all processes on the same Redis server that there is something new about the subjects, such as that a job has ended. It does not wait.
// Nothing may rest on it: what is told while the server is away, or more than it takes, is dropped. Inside one process, which knows by itself, it does
// nothing.
func (q *Queue) Tell(subjects ...string) {
	for _, s := range subjects {
		q.say(word{toldChannel, s})
	}
}

func (q *Queue) say(w word) {
	select {
	case q.tell <- w:
	default:
	}
}

// tellWaiting tells what waits, as much as there is at once.
func (q *Queue) tellWaiting(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case w := <-q.tell:
			words := map[string][]string{w.channel: {w.word}}
			for range min(tellAtOnce-1, len(q.tell)) { // nobody else takes from it
				w := <-q.tell
				words[w.channel] = append(words[w.channel], w.word)
			}
			q.publish(ctx, words)
		}
	}
}

func (q *Queue) publish(ctx context.Context, words map[string][]string) {
	ctx, cancel := context.WithTimeout(ctx, tellLimit)
	defer cancel()
	_, err := q.redis.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		for channel, list := range words {
			slices.Sort(list)
			pipe.Publish(ctx, channel, strings.Join(slices.Compact(list), " "))
		}
		return nil
	})
	if err != nil {
		q.cfg.Logger.Debug("other processes could not be told by the queue", "error", err)
	}
}

// Hear calls told with what processes say by Tell until ctx ends. While the server is away nothing is heard.
func (q *Queue) Hear(ctx context.Context, told func(subjects ...string)) {
	if q.inside == nil {
		q.hear(ctx, toldChannel, told)
	}
}

func (q *Queue) hear(ctx context.Context, channel string, told func(words ...string)) {
	subscription := q.redis.Subscribe(ctx, channel)
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
