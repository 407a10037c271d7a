// Package subprocess does the runs of jobs on large inputs in processes of their own. Such a run takes hundreds of megabytes and seconds; in
// the process that answers requests, or writes down what came of other jobs, all would wait for the collection of its memory, and
// end with it where it ends the process. A process of its own stands behind those that the kernel shares a processor among together
// with it (those of its session or control group), comes first where the kernel must end one for memory, and is killed where its run is to end.
//
// A Runner stands in the worker and starts the processes; Serve is what they do.
package subprocess

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// Config sets up a Runner.
type Config struct {
	// Program is the program, and its arguments, that calls Serve with its standard input and Files. Default: none; all is done by local.
	Program []string

	// Rulebooks tells which rulebooks are in use in this process, so that a subprocess judges by the same. Required with Program.
	Rulebooks func() ledger.Rulebooks

	// Isolation tells which runs of a kind of job are done in processes of their own. Default: the large ones of every kind.
	Isolation func(kind string) job.Isolation

	// Session gives each process a session of its own. Where the kernel shares processors by sessions (autogroup in sched(7)) it so stands behind other
	// sessions, as connections of a database on this machine are; where nobody but this process is to be let go first, niceness does that better.
	Session bool

	From   int64         // Requests of so many bytes or more are done in a subprocess. Default: more than 256 KiB, below which a run is over too soon.
	Start  time.Duration // How long a process may take until it is ready. Default: 15 s.
	Idle   time.Duration // How long a process is kept for the next run. Default: 10 s.
	Logger *slog.Logger  // Default: slog.Default().
}

func (c Config) withDefaults() (Config, error) {
	if len(c.Program) > 0 && c.Rulebooks == nil {
		return c, errors.New("subprocess: Rulebooks must be told")
	}
	if c.From < 0 || c.Start < 0 || c.Idle < 0 {
		return c, errors.New("subprocess: From, Start and Idle must not be negative")
	}
	if c.Isolation == nil {
		c.Isolation = func(string) job.Isolation { return job.Large }
	}
	c.From = cmp.Or(c.From, 256<<10+1)
	c.Start = cmp.Or(c.Start, 15*time.Second)
	c.Idle = cmp.Or(c.Idle, 10*time.Second)
	c.Logger = cmp.Or(c.Logger, slog.Default())
	return c, nil
}

// Runner does large runs in subprocesses and the others in this process. It is a job.Runner, and safe for concurrent use.
type Runner struct {
	cfg   Config
	local job.Runner

	mu     sync.Mutex
	idle   []*process
	closed bool
	counts map[Course]int64
}

// Course is the course that a large run took.
type Course string

// The courses.
const (
	Subprocess Course = "subprocess" // done in a process of its own, or ended there with its context
	Local      Course = "here"       // done in this process, because no other could do it
	Died       Course = "died"       // its process died
)

// New prepares a Runner; local does what is done in this process. No process is started before there is a run for it.
func New(cfg Config, local job.Runner) (*Runner, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Runner{cfg: cfg, local: local, counts: map[Course]int64{Subprocess: 0, Local: 0, Died: 0}}, nil
}

// Run does a run. One in a subprocess ends with ctx, whatever it is at. Where no process can be had that judges by the rulebooks of this one,
// the run is done by local. The error wraps ErrDied where the process died of the run. The contents of an output lie in the process's file;
// the process waits for its release.
func (r *Runner) Run(ctx context.Context, run job.Run, request ledger.Content) (ledger.Output, error) {
	if !r.Isolates(run.Kind, request.Size()) {
		return r.local.Run(ctx, run, request)
	}
	output, err := r.outside(ctx, order{Run: run, Rulebooks: r.cfg.Rulebooks()}, request)
	switch {
	case errors.Is(err, errUnfit) && ctx.Err() == nil:
		r.count(Local)
		r.cfg.Logger.Warn("a large run is done in this process", "kind", run.Kind, "error", err)
		return r.local.Run(ctx, run, request)
	case errors.Is(err, ErrDied):
		r.count(Died)
	default:
		r.count(Subprocess)
	}
	return output, err
}

// Isolates tells whether runs of a kind are done in a process of their own, where one can be had, if their requests have the size.
func (r *Runner) Isolates(kind string, size int64) bool {
	if len(r.cfg.Program) == 0 {
		return false
	}
	switch r.cfg.Isolation(kind) {
	case job.Always:
		return true
	case job.Large:
		return size >= r.cfg.From
	}
	return false
}

func (r *Runner) count(c Course) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts[c]++
}

// Counts gives how many large runs have taken each course since the start.
func (r *Runner) Counts() map[Course]int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.counts)
}

// errUnfit says that no process can do the run, and that nothing is known against the run itself.
var errUnfit = errors.New("no subprocess can do the run")

// ErrDied says that a process died while it did a run.
var ErrDied = errors.New("the process of the run has died")

// outside does the run in a process that waits for one, or in a new one. What has waited may have died of something else.
func (r *Runner) outside(ctx context.Context, o order, request ledger.Content) (ledger.Output, error) {
	if p := r.waiting(); p != nil {
		if output, err := r.in(ctx, p, o, request); !errors.Is(err, ErrDied) {
			return output, err
		}
	}
	ready, cancel := context.WithTimeout(ctx, r.cfg.Start)
	defer cancel()
	p, err := start(ready, r.cfg.Program, r.cfg.Session)
	if err != nil {
		return ledger.Output{}, err
	}
	return r.in(ctx, p, o, request)
}

// in does the run in a process, which is kept for the next one once nobody reads what it gave.
func (r *Runner) in(ctx context.Context, p *process, o order, request ledger.Content) (ledger.Output, error) {
	var err error
	if o.Request, err = p.shared.take(ctx, request); err != nil {
		r.keep(p)
		return ledger.Output{}, fmt.Errorf("load input: %w", err)
	}
	answer, err := p.do(ctx, o)
	if err != nil {
		return ledger.Output{}, err
	}
	output, err := answer.outcome(p.shared)
	if err != nil {
		r.keep(p)
		return ledger.Output{}, err
	}
	output.Release = sync.OnceFunc(func() { r.keep(p) })
	return output, nil
}

// waiting gives the process that waits the shortest, which is the likeliest to be warm; nil where none does.
func (r *Runner) waiting() *process {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.idle) > 0 {
		last := len(r.idle) - 1
		p := r.idle[last]
		r.idle = r.idle[:last]
		if p.stay() {
			return p
		}
	}
	return nil
}

// keep lets a process wait for the next run, for a while.
func (r *Runner) keep(p *process) {
	err := p.shared.wipe()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil || r.closed {
		p.kill()
		return
	}
	p.leaveAfter(r.cfg.Idle)
	r.idle = append(r.idle, p)
}

// Close ends the processes that wait. Runs that are under way end with their contexts.
func (r *Runner) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, p := range r.idle {
		p.stay()
		p.kill()
	}
	r.idle = nil
}
