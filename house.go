package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/prometheus/client_golang/prometheus"

	"einvoiced/api"
	"einvoiced/core/rulebook"
	"einvoiced/scheduler"
	"einvoiced/storage/account"
	"einvoiced/storage/blob"
	"einvoiced/storage/db"
	"einvoiced/storage/generation"
	"einvoiced/storage/ledger"
	"einvoiced/storage/outbox"
	"einvoiced/storage/queue"
	"einvoiced/worker"
)

// house is every room of one process, wired together.
type house struct {
	lock     *os.File
	database *db.DB
	blobs    *blob.Folder
	queue    *queue.Queue
	accounts *account.Store
	webhooks *webhooks
	api      *api.Server
	worker   *worker.Worker
	clock    *scheduler.Scheduler
	registry *prometheus.Registry
	version  api.Version

	rulebooks *rulebook.Registry
	follow    *scheduler.Rulebooks

	stopWork context.CancelFunc
	work     sync.WaitGroup
}

// jobQueues are the queues of jobs with their weights.
var jobQueues = map[string]int{ledger.Interactive: 6, ledger.Default: 3, ledger.Embed: 1}

// openHouse opens the stores and builds the rooms on them. After an error nothing stays open.
func openHouse(ctx context.Context, c *serveCommand, log *slog.Logger) (*house, error) {
	h := &house{version: buildVersion(), stopWork: func() {}}
	h.registry = newRegistry(h.version)
	var err error
	if h.rulebooks, err = c.rulebooksFlag.registry(ctx); err != nil {
		return nil, err
	}
	if err := h.openStores(ctx, c, log); err != nil {
		h.close(log)
		return nil, err
	}
	if err := h.build(c, log); err != nil {
		h.close(log)
		return nil, err
	}
	return h, nil
}

func (h *house) openStores(ctx context.Context, c *serveCommand, log *slog.Logger) (err error) {
	if h.lock, err = lockFolder(c.Data); err != nil {
		return err
	}
	if h.database, err = c.open(ctx, log); err != nil {
		return err
	}
	if h.blobs, err = blob.OpenFolder(filepath.Join(c.Data, "blobs")); err != nil {
		return err
	}
	if h.queue, err = queue.Open(queue.Config{Drain: drainJobs, Logger: log}); err != nil {
		return err
	}
	generations := generation.New(generation.Config{}, h.database)
	h.follow, err = scheduler.NewRulebooks(ctx, scheduler.RulebooksConfig{Logger: log}, h.rulebooks, generations)
	return err
}

func (h *house) build(c *serveCommand, log *slog.Logger) error {
	operations, err := c.service(h.rulebooks)
	if err != nil {
		return err
	}
	if h.accounts, err = account.New(account.Config{}, h.database); err != nil {
		return err
	}
	sealer, err := openSealer(c.Data)
	if err != nil {
		return err
	}
	if h.webhooks, err = openWebhooks(c.webhookFlags, h.version.Version, h.database, sealer, h.queue, h.accounts, log); err != nil {
		return err
	}
	jobs, err := ledger.New(ledger.Config{Seal: sealer, Publisher: h.webhooks.store, JobEvent: api.JobEvent, Logger: log}, h.database, h.blobs, h.queue)
	if err != nil {
		return err
	}
	metrics := api.NewMetrics(h.registry)
	h.registry.MustRegister(jobsGauge{jobs.Counts}, rulebooksMetrics{h.rulebooks, h.follow}, h.webhooks)
	if h.worker, err = worker.New(worker.Config{Logger: log}, jobs, api.NewRunner(operations, metrics, h.rulebooks)); err != nil {
		return err
	}
	owed, err := outbox.New(outbox.Config{}, h.database)
	if err != nil {
		return err
	}
	if h.clock, err = scheduler.New(scheduler.Config{Logger: log}, h.chores(jobs, owed)...); err != nil {
		return err
	}
	h.api, err = api.New(api.Config{Lines: operations.Limits()}, api.Deps{
		Operations: operations, Keys: h.accounts, Accounts: h.accounts, Jobs: jobs, Inline: jobs, Usage: jobs, Webhooks: h.webhooks.store,
		Log: log, Metrics: metrics, Version: h.version,
		Ready: []api.Check{
			{Name: "database", Err: h.database.Health},
			{Name: "rulebooks", Err: func(context.Context) error { return h.follow.InStep() }, Serves: true},
		},
	})
	return err
}

// chores is what the scheduler does.
func (h *house) chores(jobs *ledger.Ledger, owed *outbox.Store) []scheduler.Chore {
	return append(append(scheduler.Jobs(jobs, owed, h.queue), h.webhooks.chores()...), h.follow.Chore(),
		scheduler.Chore{Name: "note use of keys", Every: usePause, Do: h.accounts.FlushUse})
}

// start lets worker and scheduler run until stop; fail is told when the worker cannot. Each signal of reloads loads the rulebooks.
func (h *house) start(fail context.CancelCauseFunc, reloads <-chan os.Signal) {
	var ctx context.Context
	ctx, h.stopWork = context.WithCancel(context.Background())
	h.work.Go(func() { h.clock.Run(ctx) })
	h.work.Go(func() { reloadOn(ctx, reloads, h.follow) })
	for _, lane := range []queue.Lane{{Queues: jobQueues, Handle: h.worker.Handle}, h.webhooks.lane()} {
		h.work.Go(func() {
			if err := h.queue.Serve(ctx, lane); err != nil {
				fail(fmt.Errorf("serve the queue: %w", err))
			}
		})
	}
}

// stop ends worker and scheduler and waits for them.
func (h *house) stop() {
	h.stopWork()
	h.work.Wait()
}

// close closes what is open, users before what they use.
func (h *house) close(log *slog.Logger) {
	h.stop()
	var errs []error
	if h.webhooks != nil {
		h.webhooks.client.Close()
	}
	if h.accounts != nil {
		errs = append(errs, h.accounts.FlushUse(context.Background()))
	}
	if h.queue != nil {
		errs = append(errs, h.queue.Close())
	}
	if h.blobs != nil {
		errs = append(errs, h.blobs.Close())
	}
	if h.database != nil {
		errs = append(errs, h.database.Close())
	}
	if h.lock != nil {
		errs = append(errs, h.lock.Close())
	}
	if err := errors.Join(errs...); err != nil {
		log.Error("not everything could be closed", "error", err)
	}
}

// lockFolder makes the folder and keeps other services out of it for as long as the file is open: two of them would each
// have a queue of their own for the same jobs.
func lockFolder(dir string) (*os.File, error) {
	hint := "--data (EINVOICED_DATA) names the folder; it must be writable"
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, &failure{code: exitInternal, cause: fmt.Errorf("make folder: %w", err), hint: hint}
	}
	f, err := os.OpenFile(filepath.Join(dir, "serve.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, &failure{code: exitInternal, cause: fmt.Errorf("lock folder: %w", err), hint: hint}
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		cause := errors.Join(fmt.Errorf("another einvoiced serves the folder %s", dir), f.Close())
		return nil, &failure{code: exitInternal, cause: cause, hint: "stop it, or choose another folder with --data (EINVOICED_DATA)"}
	}
	return f, nil
}
