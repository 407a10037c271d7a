package command

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/einvoiced/einvoiced/worker"
)

// serveCommand is einvoiced serve: every room in one process.
type serveCommand struct {
	processFlags
	apiFlags
	workerFlags
}

// Run serves until ctx ends.
func (c *serveCommand) Run(m *Main, ctx context.Context) error {
	return serve(ctx, m, settings{processFlags: c.processFlags, apiFlags: c.apiFlags, workerFlags: c.workerFlags}, rooms{api: true, worker: true, scheduler: true})
}

// apiCommand is einvoiced api.
type apiCommand struct {
	processFlags
	apiFlags
}

// Run answers requests until ctx ends.
func (c *apiCommand) Run(m *Main, ctx context.Context) error {
	return serve(ctx, m, settings{processFlags: c.processFlags, apiFlags: c.apiFlags}, rooms{api: true})
}

// workerCommand is einvoiced worker.
type workerCommand struct {
	processFlags
	workerFlags
}

// Run does jobs until ctx ends.
func (c *workerCommand) Run(m *Main, ctx context.Context) error {
	return serve(ctx, m, settings{processFlags: c.processFlags, workerFlags: c.workerFlags}, rooms{worker: true})
}

// schedulerCommand is einvoiced scheduler.
type schedulerCommand struct {
	processFlags
}

// Run does the chores until ctx ends.
func (c *schedulerCommand) Run(m *Main, ctx context.Context) error {
	return serve(ctx, m, settings{processFlags: c.processFlags}, rooms{scheduler: true})
}

// rooms says which rooms a process has.
type rooms struct{ api, worker, scheduler bool }

// String names the rooms.
func (r rooms) String() string {
	var names []string
	for _, room := range []struct {
		has  bool
		name string
	}{{r.api, "api"}, {r.worker, "worker"}, {r.scheduler, "scheduler"}} {
		if room.has {
			names = append(names, room.name)
		}
	}
	return strings.Join(names, " ")
}

// all tells whether the process can do without others.
func (r rooms) all() bool { return r.api && r.worker && r.scheduler }

// behindAnswers is the niceness of a process that does jobs and answers nobody, where it shares a machine with those that do, and with
// stores: the kernel gives it a third of their weight for a contended processor.
const behindAnswers = 5

// lowerPriority puts a worker behind processes that answer. Where the kernel refuses, the worker does its jobs all the same.
func (h *daemon) lowerPriority() {
	if h.worker == nil || h.api != nil {
		return
	}
	if err := worker.LowerPriority(behindAnswers); err != nil {
		h.log.Warn("the worker stands beside other processes, not behind them", "error", err)
	}
}

// heapFloor is how many bytes a process that answers allocates before its memory is collected, however little of it is in use.
const heapFloor = 64 << 20

// floorHeap lets a small heap grow before it is collected: what is in use for small invoices doubles within milliseconds, and each collection takes
// processors from requests. The floor is memory that counts as used and is never touched, so that none stands behind it. Where the operator has
// set GOGC or GOMEMLIMIT, that holds, and nil is given. The floor lasts as long as what is given.
func floorHeap(r rooms) []byte {
	if !r.api || os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return nil
	}
	return make([]byte, heapFloor)
}

// check refuses stores that processes with the other rooms could not share.
func (r rooms) check(f *storeFlags) error {
	switch {
	case f.Database != "" && f.SecretKey == "":
		return &failure{code: exitUsage, cause: errors.New("processes that share a database need one secret key"),
			hint: "--secret-key (EINVOICED_SECRET_KEY) takes what head -c 32 /dev/urandom | base64 prints"}
	case r.all():
		return nil
	case f.Database == "":
		return &failure{code: exitUsage, cause: errors.New("roles in separate processes need PostgreSQL: an SQLite file has one process"),
			hint: "--database (EINVOICED_DATABASE) takes postgres://user:password@host:5432/name; einvoiced serve runs everything in one process"}
	case f.Redis == "":
		return &failure{code: exitUsage, cause: errors.New("roles in separate processes need Redis: the queue inside a process is heard by nobody else"),
			hint: "--redis (EINVOICED_REDIS) takes redis://host:6379/0; einvoiced serve runs everything in one process"}
	}
	return nil
}
