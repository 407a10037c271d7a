package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/scheduler"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/blob"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/outbox"
	"github.com/einvoiced/einvoiced/storage/queue"
	"github.com/einvoiced/einvoiced/storage/queue/names"
	"github.com/einvoiced/einvoiced/worker"
)

// system is all that jobs need, on the files of a folder, wired as the program does it.
type system struct {
	db       *db.DB
	blobs    *blob.Folder
	queue    *queue.Queue
	ledger   *ledger.Ledger
	outbox   *outbox.Store
	worker   *worker.Worker
	consumer queue.Consumer
	accounts *account.Store
	chores   []scheduler.Chore
}

// plan is how a system differs from the default one.
type plan struct {
	ledger ledger.Config
	queue  queue.Config
	places int // jobs that run beside each other; 0 leaves the default
	worker worker.Config
	every  time.Duration // the interval of all chores; 0 leaves theirs
	log    *slog.Logger
}

// runner is a Runner made of a function.
type runner func(ctx context.Context, kind string, request []byte) (ledger.Output, error)

func (r runner) Run(ctx context.Context, run job.Run, request ledger.Content) (ledger.Output, error) {
	data, err := ledger.ReadAll(ctx, request)
	if err != nil {
		return ledger.Output{}, err
	}
	return r(ctx, run.Kind, data)
}

// echo answers with what it was asked.
func echo(_ context.Context, _ string, request []byte) (ledger.Output, error) {
	return ledger.Output{Status: 200, Answer: ledger.Bytes(request), Document: &ledger.Document{Filename: "re.xml", MimeType: "application/xml", Content: ledger.Bytes(request)}}, nil
}

// build opens a system; close closes it.
func build(dir string, p plan, run runner) (h *system, err error) {
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	p.ledger.Logger, p.queue.Logger, p.worker.Logger = p.log, p.log, p.log
	h = &system{}
	var errs [7]error
	h.db, errs[0] = db.Open(context.Background(), db.Config{Path: filepath.Join(dir, "einvoiced.db"), Logger: p.log})
	h.blobs, errs[1] = blob.OpenFolder(filepath.Join(dir, "blobs"))
	h.queue, errs[2] = queue.Open(p.queue)
	h.ledger, errs[3] = ledger.New(p.ledger, h.db, h.blobs, h.queue)
	h.worker, errs[4] = worker.New(p.worker, h.ledger, run)
	h.consumer = queue.Consumer{Queues: map[string]int{names.Interactive: 6, names.Default: 3, names.Embed: 1}, Concurrency: p.places, Handle: h.worker.Handle}
	h.accounts, errs[5] = account.New(account.Config{}, h.db)
	h.outbox, errs[6] = outbox.New(outbox.Config{EnqueueAgain: p.ledger.EnqueueAgain}, h.db)
	h.chores = scheduler.Jobs(h.ledger, h.outbox, h.queue)
	for i := range h.chores {
		if p.every > 0 {
			h.chores[i].Every = p.every
		}
	}
	return h, errors.Join(errs[:]...)
}

func (h *system) close() error {
	return errors.Join(h.queue.Close(), h.blobs.Close(), h.db.Close())
}

// open builds a system for the test.
func open(t testing.TB, p plan, run runner) *system {
	t.Helper()
	h, err := build(t.TempDir(), p, run)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// account makes an account.
func (h *system) account(t testing.TB) string {
	t.Helper()
	a, err := h.accounts.CreateAccount(t.Context(), "Musterfirma")
	if err != nil {
		t.Fatal(err)
	}
	return a.ID
}

// accept takes over n jobs that ask for their number, some callers beside each other.
func (h *system) accept(t testing.TB, accountID string, n int) []ledger.Job {
	t.Helper()
	jobs := make([]ledger.Job, n)
	var next atomic.Int64
	var callers sync.WaitGroup
	for range min(n, 16) {
		callers.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				job, err := h.ledger.Accept(context.Background(), ledger.NewJob{
					Account: accountID, Mode: account.Test, Kind: "echo", Request: strings.NewReader(fmt.Sprint(i)),
				})
				if err != nil {
					t.Error(err)
				}
				jobs[i] = job
			}
		})
	}
	callers.Wait()
	return jobs
}

// serve runs worker and scheduler until the returned function is called.
func (h *system) serve(t testing.TB) (stop func()) {
	t.Helper()
	stopScheduler := start(t, h.chores...)
	stopWorker := h.work(t)
	return sync.OnceFunc(func() { stopWorker(); stopScheduler() })
}

// work runs the worker until the returned function is called.
func (h *system) work(t testing.TB) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- h.queue.Serve(ctx, h.consumer) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// await polls until all jobs have finished and counts their states.
func (h *system) await(t testing.TB, jobs []ledger.Job) map[ledger.State]int {
	t.Helper()
	deadline, states := time.Now().Add(2*time.Minute), map[ledger.State]int{}
	for len(jobs) > 0 {
		got, err := h.ledger.Get(context.Background(), jobs[0].Account, jobs[0].Mode, jobs[0].ID)
		switch {
		case err != nil:
			t.Fatal(err)
		case got.State.Finished():
			states[got.State]++
			jobs = jobs[1:]
		case time.Now().After(deadline):
			t.Fatalf("%d jobs are not finished, the first is %+v", len(jobs), got)
		default:
			<-time.After(20 * time.Millisecond) // between two polls; the state decides
		}
	}
	return states
}
