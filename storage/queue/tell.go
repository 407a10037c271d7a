package queue

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Topic is what processes on the same Redis server tell each other of, which they would find out by themselves a little later: the name of a channel.
type Topic string

const (
	Left     Topic = "einvoiced:told"     // ids of jobs that a run has left, ended or not
	Accepted Topic = "einvoiced:accepted" // accounts of which jobs were accepted
	arrived  Topic = "einvoiced:arrived"  // queues that got a message
)

const (
	tellMost   = 4096            // words that wait to be told
	tellAtOnce = 256             // that are told together
	tellLimit  = 2 * time.Second // for them
)

// word is said of a topic.
type word struct {
	topic Topic
	word  string
}

// Tell says words of a topic, without white space, to all processes on the same Redis server. It does not wait. Nothing may rest on it: what is told while
// the server is away, or more than it takes, is dropped. Inside one process, which knows by itself, it does nothing.
func (q *Queue) Tell(of Topic, words ...string) {
	for _, w := range words {
		q.say(word{of, w})
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
			words := map[Topic][]string{w.topic: {w.word}}
			for range min(tellAtOnce-1, len(q.tell)) { // nobody else takes from it
				w := <-q.tell
				words[w.topic] = append(words[w.topic], w.word)
			}
			q.publish(ctx, words)
		}
	}
}

func (q *Queue) publish(ctx context.Context, words map[Topic][]string) {
	ctx, cancel := context.WithTimeout(ctx, tellLimit)
	defer cancel()
	_, err := q.redis.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		for topic, list := range words {
			slices.Sort(list)
			pipe.Publish(ctx, string(topic), strings.Join(slices.Compact(list), " "))
		}
		return nil
	})
	if err != nil {
		q.cfg.Logger.Debug("other processes could not be told by the queue", "error", err)
	}
}

// Hear calls told with what processes say of a topic by Tell, each word once where it is said several times at once, until ctx ends. While the server is
// away nothing is heard.
func (q *Queue) Hear(ctx context.Context, of Topic, told func(words ...string)) {
	if q.inside != nil {
		return
	}
	subscription := q.redis.Subscribe(ctx, string(of))
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
