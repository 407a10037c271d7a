// Package scheduler is a table of chores, each done at the start and then at its interval, by one process among
// many or by each of them.
//
// New takes the chores that one process is to do, the one that holds the Lease, and those that each process does; Run does
// them beside each other. A chore has no memory here of what it has done: what there is to do it reads from the database each
// time, so that another process goes on where this one ends.
package scheduler

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
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
	Lease   Lease         // the chores are done only while this process holds it, so by one of many. Default: none, they are always done.
	Each    []Chore       // done in every process, whoever holds the Lease. Default: none.
	Logger  *slog.Logger  // Default: slog.Default().
}

// Lease lets one process among many do something.
type Lease interface {
	// Hold runs while whenever this process holds the lease, until ctx ends; the context of while ends with the lease.
	Hold(ctx context.Context, while func(ctx context.Context))
}

// always is the lease of a process that has no others beside it.
type always struct{}

func (always) Hold(ctx context.Context, while func(context.Context)) { while(ctx) }

// Scheduler does chores.
type Scheduler struct {
	cfg    Config
	chores []Chore
}

// New prepares a Scheduler for chores under the Lease and those of cfg.Each.
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
	if cfg.Lease == nil {
		cfg.Lease = always{}
	}
	for _, c := range slices.Concat(chores, cfg.Each) {
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
	work.Go(func() { s.cfg.Lease.Hold(ctx, func(ctx context.Context) { s.do(ctx, s.chores) }) })
	work.Go(func() { s.do(ctx, s.cfg.Each) })
	work.Wait()
}

func (s *Scheduler) do(ctx context.Context, chores []Chore) {
	var work sync.WaitGroup
	for _, c := range chores {
		work.Go(func() { s.repeat(ctx, c) })
	}
	work.Wait()
}

// repeat does a chore until ctx ends. After a failure it waits twice as long as before, up to Config.Slowest; a chore that is
// done more seldom than that keeps its time.
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

// do makes an error of a panic, so that the other chores go on.
func do(ctx context.Context, c Chore) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in chore %s: %v\n%s", c.Name, p, debug.Stack())
		}
	}()
	return c.Do(ctx)
}
