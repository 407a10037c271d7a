package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/hibiken/asynq"
)

// Handler looks at the subject of a message of the queue: a job, a delivery. Its context ends when the subject must be let go.
// What comes of it stands in the database; the queue needs no answer.
type Handler func(ctx context.Context, queue, subject string)

// Consumer is a set of queues that are served together, apart from those of other consumers.
type Consumer struct {
	Queues      map[string]int // the names with their weights, at least 1: how often a queue is looked at first.
	Concurrency int            // how many handlers run beside each other. Default: the number of processors.
	Handle      Handler
}

func (l Consumer) withDefaults() (Consumer, error) {
	if l.Concurrency < 0 || l.Handle == nil || len(l.Queues) == 0 {
		return l, errors.New("queue: a consumer needs queues, a handler and a concurrency that is not negative")
	}
	for name, weight := range l.Queues {
		if name == "" || weight < 1 {
			return l, fmt.Errorf("queue: queue %q has weight %d, at least 1 is needed", name, weight)
		}
	}
	if l.Concurrency == 0 {
		l.Concurrency = runtime.NumCPU()
	}
	return l, nil
}

// Serve calls the consumer's handler for every message of its queues until ctx ends. Then it takes no more, lets those under way
// run on for Drain, ends their contexts and waits for them. It may be called for several consumers beside each other. A
// message is done with when its handler returns, whatever came of it: what is still to be done is owed by the database.
func (q *Queue) Serve(ctx context.Context, consumer Consumer) error {
	consumer, err := consumer.withDefaults()
	if err != nil {
		return err
	}
	// The handlers' context is not asynq's: a lease that asynq has lost says nothing about the job, whose beats count.
	work, letGo := context.WithCancel(context.WithoutCancel(ctx))
	defer letGo()
	var active sync.WaitGroup
	idle, leave := q.idleOf(ctx, consumer)
	defer leave()
	client := q.connect(idle)
	defer client.Close()
	server := asynq.NewServerFromRedisClient(client, q.serverConfig(consumer))
	err = server.Start(asynq.HandlerFunc(func(ctx context.Context, task *asynq.Task) error {
		active.Add(1)
		defer active.Done()
		name, _ := asynq.GetQueueName(ctx)
		q.handle(work, name, task.Payload(), consumer.Handle)
		return nil
	}))
	if err != nil {
		return fmt.Errorf("start queue server: %w", err)
	}
	<-ctx.Done()
	server.Stop()
	timer := time.AfterFunc(q.cfg.Drain, letGo)
	defer timer.Stop()
	server.Shutdown() // waits for the handlers that asynq knows
	active.Wait()     // and for those whose lease it has lost
	return nil
}

func (q *Queue) serverConfig(consumer Consumer) asynq.Config {
	return asynq.Config{
		Concurrency:       consumer.Concurrency,
		Queues:            consumer.Queues,
		TaskCheckInterval: min(q.cfg.Poll, 200*time.Microsecond), // it waits for messages instead
		// What comes back (a lost lease, a stop) comes back at once and is not counted, so it is never archived.
		RetryDelayFunc:  func(int, error, *asynq.Task) time.Duration { return 0 },
		IsFailure:       func(error) bool { return false },
		ShutdownTimeout: q.cfg.Drain + time.Minute, // never reached: by then the handlers were told to let go
		Logger:          quiet{q.cfg.Logger},
		LogLevel:        asynq.DebugLevel,
	}
}

// handle calls the handler with the message's subject.
func (q *Queue) handle(ctx context.Context, queue string, payload []byte, handle Handler) {
	subject, ok := subjectOf(payload)
	if !ok {
		q.cfg.Logger.Warn("message that names nothing", "queue", queue, "payload_bytes", len(payload))
		return
	}
	defer func() {
		if p := recover(); p != nil {
			q.cfg.Logger.Error("panic in a queue handler", "queue", queue, "subject", subject, "panic", p, "stack", string(debug.Stack()))
		}
	}()
	handle(ctx, queue, subject)
}

// quiet is asynq's logger: its everyday news are debugging for us.
type quiet struct{ log *slog.Logger }

func (l quiet) say(level slog.Level, args []any) {
	l.log.Log(context.Background(), level, "queue: "+fmt.Sprint(args...))
}

// Debug drops asynq's chatter.
func (l quiet) Debug(...any) {}

// Info is debugging.
func (l quiet) Info(args ...any) { l.say(slog.LevelDebug, args) }

// Warn stays a warning.
func (l quiet) Warn(args ...any) { l.say(slog.LevelWarn, args) }

// Error is a warning: the database still owes what went wrong here.
func (l quiet) Error(args ...any) { l.say(slog.LevelWarn, args) }

// Fatal is an error and ends nothing.
func (l quiet) Fatal(args ...any) { l.say(slog.LevelError, args) }
