// Package scheduler is the clockwork: a table of chores, each done at the start and then at its interval.
package scheduler

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

// Chore is something to be done again and again.
type Chore struct {
	Name  string
	Every time.Duration // from the end of one time to the start of the next
	Do    func(ctx context.Context) error
}

// Config sets up a Scheduler.
type Config struct {
	Slowest time.Duration // the longest delay of a chore that keeps failing: its interval doubles up to this. Default: 30 s.
	Logger  *slog.Logger  // Default: slog.Default().
}

// Scheduler does chores.
type Scheduler struct {
	cfg    Config
	chores []Chore
}

// New prepares a Scheduler.
func New(cfg Config, chores ...Chore) (*Scheduler, error) {
	if cfg.Slowest < 0 {
		return nil, errors.New("scheduler: Slowest must not be negative")
	}
	if cfg.Slowest == 0 {
		cfg.Slowest = 30 * time.Second
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	for _, c := range chores {
		if c.Name == "" || c.Do == nil || c.Every <= 0 {
			return nil, fmt.Errorf("scheduler: chore %q needs a name, a positive interval and something to do", c.Name)
		}
	}
	return &Scheduler{cfg, chores}, nil
}

// Run does the chores, beside each other, until ctx ends, and waits for those under way. A chore that fails is logged and
// done again after twice its delay; a panic is a failure.
func (s *Scheduler) Run(ctx context.Context) {
	var work sync.WaitGroup
	for _, c := range s.chores {
		work.Go(func() { s.repeat(ctx, c) })
	}
	work.Wait()
}

func (s *Scheduler) repeat(ctx context.Context, c Chore) {
	delay := c.Every
	for {
		switch err := do(ctx, c); {
		case ctx.Err() != nil:
			return
		case err != nil:
			delay = min(2*delay, max(s.cfg.Slowest, c.Every))
			s.cfg.Logger.Error("chore failed", "chore", c.Name, "again_in", delay, "error", err)
		default:
			delay = c.Every
		}
		timer := time.NewTimer(delay)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

func do(ctx context.Context, c Chore) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in chore %s: %v\n%s", c.Name, p, debug.Stack())
		}
	}()
	return c.Do(ctx)
}
