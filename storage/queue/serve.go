package queue

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/hibiken/asynq"
)

// Handler looks at a job. Its context ends when the job must be let go. What comes of it stands in the database; the queue
// needs no answer.
type Handler func(ctx context.Context, jobID string)

// Serve calls the handler for every ring of its queues until ctx ends. Then it takes no more, lets those under way run on
// for Drain, ends their contexts and waits for them.
func (q *Queue) Serve(ctx context.Context, handle Handler) error {
	// The handlers' context is not asynq's: a lease that asynq has lost says nothing about the job, whose beats count.
	work, letGo := context.WithCancel(context.WithoutCancel(ctx))
	defer letGo()
	var active sync.WaitGroup
	server := asynq.NewServerFromRedisClient(q.redis, q.serverConfig())
	err := server.Start(asynq.HandlerFunc(func(_ context.Context, task *asynq.Task) error {
		active.Add(1)
		defer active.Done()
		q.handle(work, task.Payload(), handle)
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

func (q *Queue) serverConfig() asynq.Config {
	return asynq.Config{
		Concurrency:       q.cfg.Concurrency,
		Queues:            q.cfg.Queues,
		TaskCheckInterval: q.cfg.Poll,
		// What comes back (a lost lease, a stop) comes back at once and is not counted, so it is never archived.
		RetryDelayFunc:  func(int, error, *asynq.Task) time.Duration { return 0 },
		IsFailure:       func(error) bool { return false },
		ShutdownTimeout: q.cfg.Drain + time.Minute, // never reached: by then the handlers were told to let go
		Logger:          quiet{q.cfg.Logger},
		LogLevel:        asynq.DebugLevel,
	}
}

// handle calls the handler with the ring's job.
func (q *Queue) handle(ctx context.Context, payload []byte, handle Handler) {
	job, ok := jobOf(payload)
	if !ok {
		q.cfg.Logger.Warn("ring that names no job", "payload_bytes", len(payload))
		return
	}
	defer func() {
		if p := recover(); p != nil {
			q.cfg.Logger.Error("panic in a queue handler", "job_id", job, "panic", p, "stack", string(debug.Stack()))
		}
	}()
	handle(ctx, job)
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
