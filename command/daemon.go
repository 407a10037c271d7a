package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/einvoiced/einvoiced/api"
	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/kinds"
	"github.com/einvoiced/einvoiced/job/registration"
	"github.com/einvoiced/einvoiced/scheduler"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/generation"
	"github.com/einvoiced/einvoiced/storage/lease"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/outbox"
	"github.com/einvoiced/einvoiced/storage/plan"
	"github.com/einvoiced/einvoiced/storage/queue"
	"github.com/einvoiced/einvoiced/storage/queue/names"
	"github.com/einvoiced/einvoiced/storage/ratelimit"
	"github.com/einvoiced/einvoiced/storage/seal"
	"github.com/einvoiced/einvoiced/storage/templates"
	"github.com/einvoiced/einvoiced/storage/volume"
	"github.com/einvoiced/einvoiced/worker"
	"github.com/einvoiced/einvoiced/worker/subprocess"
)

// daemon is every room of one process, wired together. Rooms that the process has not are nil.
type daemon struct {
	settings   settings
	rooms      rooms
	processors int // of the machine, as far as this process may use them
	log        *slog.Logger
	version    api.Version
	registry   *prometheus.Registry
	metrics    *api.Metrics
	*stores

	rulebooks  *rulebook.Registry
	follow     *scheduler.Rulebooks
	operations *operation.Service
	kinds      job.Kinds
	accounts   *account.Store
	jobs       *ledger.Ledger
	plans      plan.Set
	sealer     *seal.Sealer
	stored     *volume.Limit
	webhooks   *webhooks
	network    *network
	taxOffice  *taxOffice
	registrar  *registration.Registrar

	api        *api.Server
	worker     *worker.Worker
	isolated   *subprocess.Runner   // does large runs of jobs, and orders of kinds that are to be isolated always
	weights    map[string]int       // of the queues of jobs that the worker serves
	deliveries bool                 // the worker serves deliveries, too
	clock      *scheduler.Scheduler // the chores of this process, and those that one does for all

	recent   job.Recent
	shared   *job.Processors // by requests and the jobs beside them; nil where no requests are answered
	stopWork context.CancelFunc
	work     sync.WaitGroup
}

// openDaemon opens the stores and builds the rooms on them. After an error nothing stays open.
func openDaemon(ctx context.Context, s settings, r rooms, log *slog.Logger) (*daemon, error) {
	h := &daemon{settings: s, rooms: r, processors: min(runtime.GOMAXPROCS(0), runtime.NumCPU()), log: log, version: buildVersion(), stopWork: func() {}}
	h.registry = newRegistry(h.version)
	h.metrics = api.NewMetrics(h.registry)
	var err error
	if h.rulebooks, err = s.rulebooksFlag.registry(ctx); err != nil {
		return nil, err
	}
	if h.stores, err = s.openStores(ctx, log, s.StartWait); err != nil {
		return nil, err
	}
	if err := h.build(ctx); err != nil {
		h.close()
		return nil, err
	}
	return h, nil
}

// build makes what all rooms stand on, then the rooms.
func (h *daemon) build(ctx context.Context) (err error) {
	generations := generation.New(generation.Config{}, h.database)
	if h.follow, err = scheduler.NewRulebooks(ctx, scheduler.RulebooksConfig{Logger: h.log}, h.rulebooks, generations); err != nil {
		return err
	}
	if h.settings.installed, err = h.settings.installation(); err != nil {
		return err
	}
	if h.operations, err = h.settings.service(h.rulebooks); err != nil {
		return err
	}
	if err := h.buildOutside(); err != nil {
		return err
	}
	if h.rooms.api {
		h.shared = job.NewProcessors(h.processors, &h.recent)
	}
	h.kinds = append(kinds.All(h.operations), kinds.Send(h.network.store, h.network.sender()), h.taxOffice.kind())
	if h.isolated, err = h.openSubprocesses(); err != nil {
		return err
	}
	if h.plans, err = h.settings.plans(); err != nil {
		return err
	}
	if h.accounts, err = account.New(account.Config{Plans: h.plans}, h.database); err != nil {
		return err
	}
	if err := h.missPlans(ctx); err != nil {
		return err
	}
	if err := h.buildLedger(); err != nil {
		return err
	}
	h.registry.MustRegister(unfinishedJobs{h.jobs.Counts}, h.dependencies(), rulebooksMetrics{h.rulebooks, h.follow}, h.webhooks)
	return errors.Join(h.buildAPI(), h.buildWorker(), h.buildScheduler())
}

// missPlans warns of plans that accounts have and nobody has configured: what counts is refused to these accounts.
func (h *daemon) missPlans(ctx context.Context) error {
	missing, err := unplanned(ctx, h.accounts, h.plans)
	for _, name := range missing {
		h.log.Warn("accounts have a plan that is not configured; what counts is refused to them", "plan", name, "setting", "--plans (EINVOICED_PLANS)")
	}
	return err
}

// unplanned gives the plans that accounts have and nobody has configured.
func unplanned(ctx context.Context, accounts *account.Store, plans plan.Set) ([]string, error) {
	used, err := accounts.PlansInUse(ctx)
	return slices.DeleteFunc(used, plans.Has), err
}

// buildOutside makes what reaches beyond the service: webhooks, the Peppol network, and the tax office.
func (h *daemon) buildOutside() (err error) {
	if h.sealer, err = h.settings.sealer(); err != nil {
		return err
	}
	h.stored = volume.NewLimit(h.database, clock.System{}, h.settings.StoredBytes)
	if h.webhooks, err = h.openWebhooks(h.sealer); err != nil {
		return err
	}
	if h.network, err = h.openPeppol(h.sealer); err != nil {
		return err
	}
	h.taxOffice, err = h.openTaxOffice()
	return err
}

func (h *daemon) buildLedger() (err error) {
	c := ledger.Config{Retention: h.settings.Retention, FailedRetention: h.settings.FailedRetention, ExpiredRetention: h.settings.ExpiredRetention, TimeLimit: h.settings.JobTime,
		Stored: h.stored, JobEvent: api.JobEvent, Attempts: h.kinds.Attempts, Plans: h.plans, Watch: newJobMetrics(h.registry), Logger: h.log}
	c.Seal, c.Publisher = h.sealer, h.webhooks.store
	h.registrar = &registration.Registrar{Database: h.database, Chains: h.taxOffice.chains, Installation: h.settings.installed}
	c.Registrar = h.registrar
	h.jobs, err = ledger.New(c, h.database, h.blobs, h.queue)
	return err
}

func (h *daemon) buildAPI() (err error) {
	if !h.rooms.api {
		return nil
	}
	limits := ratelimit.Config{Logger: h.log}
	if h.settings.Redis != "" {
		limits.Redis = h.queue.Client()
	}
	limiter, err := ratelimit.New(limits)
	if err != nil {
		return err
	}
	h.api, err = api.New(api.Config{
		Lines: h.operations.Limits(), InlineMaxLines: h.settings.InlineMaxLines, InlineMaxBytes: h.settings.InlineMaxBytes, InlineMaxTime: h.settings.InlineMaxTime, Rate: h.settings.rate(),
		Processors: h.processors,
	}, api.Deps{
		Operations: h.operations, Kinds: h.kinds, Isolated: h.isolated, Keys: h.accounts, Accounts: h.accounts, Jobs: h.jobs, Inline: h.jobs, Usage: h.jobs, Webhooks: h.webhooks.store, Peppol: h.network.routes(h.isolated), Registrar: h.registrar, Templates: templates.New(h.database, nil), Plans: h.plans, Limiter: limiter,
		Log: h.log, Metrics: h.metrics, Version: h.version, Recent: &h.recent, Processors: h.shared, Ready: h.checks(), EmbedServed: h.embedServed(), Accepted: h.accepted,
	})
	return err
}

// accepted has workers look for the job of an account that the API has accepted, wherever they are.
func (h *daemon) accepted(account string) {
	if h.worker != nil {
		h.worker.LookFor(account)
	}
	h.queue.Tell(queue.Accepted, account)
}

// embedServed tells whether the embedding service is there; nil where it is not configured: by --no-embed-service, or because this is the only
// process, and takes nothing from the queue. One that is alone and does take from it need not ask: it would not find itself before its queue has
// told so for the first time.
func (h *daemon) embedServed() func(context.Context) (bool, error) {
	if !h.settings.EmbedService {
		return nil
	}
	if alone := h.rooms.worker && h.settings.Redis == ""; !alone {
		return func(ctx context.Context) (bool, error) { return h.queue.Served(ctx, names.Embed) }
	}
	weights, _, err := h.settings.weights()
	if err != nil || weights[names.Embed] == 0 {
		return nil
	}
	return func(context.Context) (bool, error) { return true, nil }
}

// dependencies are what every process stands on.
func (h *daemon) dependencies() dependencies {
	return dependencies{"database": h.database.Health, "queue": h.queue.Ping, "documents": h.documentsAnswer(h.settings.documentFolder())}
}

// checks are the conditions of readiness.
func (h *daemon) checks() []api.Check {
	checks := []api.Check{
		{Name: "database", Err: h.database.Health},
		{Name: "queue", Err: h.queue.Ping, Serves: true}, // the row is the job
		{Name: "rulebooks", Err: func(context.Context) error { return h.follow.InStep() }, Serves: true},
	}
	if h.settings.S3 != "" {
		checks = append(checks, api.Check{Name: "s3", Err: h.documents, Serves: true}) // small documents stand beside their row
	}
	return checks
}

// lookRarely is how often a worker that other processes tell of what they accept looks for it all the same: each look asks a database that all share.
const lookRarely = 100 * time.Millisecond

func (h *daemon) buildWorker() (err error) {
	if !h.rooms.worker {
		return nil
	}
	if h.weights, h.deliveries, err = h.settings.weights(); err != nil {
		return err
	}
	if h.deliveries {
		h.webhooks.store.DispatchBy(h.webhooks.deliverer)
	}
	c := worker.Config{Logger: h.log, Ends: 4 * runtime.NumCPU(), Recent: &h.recent, Isolated: h.isolated.Isolates, Share: h.settings.places()}
	for name := range h.weights {
		c.Queues = append(c.Queues, name)
	}
	if h.settings.Redis != "" {
		c.Look = lookRarely
	}
	slices.SortFunc(c.Queues, func(a, b string) int { return h.weights[b] - h.weights[a] })
	c.Left = h.left
	h.registry.MustRegister(largeRuns{h.isolated})
	h.worker, err = worker.New(c, h.jobs, job.Counted(h.isolated, h.metrics.Documents))
	return err
}

// left lets requests that wait for jobs look at them, wherever they wait, when a run has left these.
func (h *daemon) left(jobIDs ...string) {
	if h.api != nil {
		h.api.LookAt(jobIDs...)
	}
	h.queue.Tell(queue.Left, jobIDs...)
}

func (h *daemon) buildScheduler() (err error) {
	c := scheduler.Config{Each: h.ownChores(), Logger: h.log}
	if !h.rooms.scheduler {
		h.clock, err = scheduler.New(c)
		return err
	}
	if h.settings.Database != "" { // otherwise the process is alone, and need not wait for a dead one
		if c.Lease, err = lease.New(lease.Config{Name: "scheduler", Logger: h.log}, h.database); err != nil {
			return err
		}
	}
	entries, err := outbox.New(outbox.Config{}, h.database)
	if err != nil {
		return err
	}
	h.clock, err = scheduler.New(c, slices.Concat(scheduler.Jobs(h.jobs, entries, h.queue), h.webhooks.chores(), h.network.chores(), h.taxOffice.chores(h.jobs))...)
	return err
}

// ownChores are what every process does for itself.
func (h *daemon) ownChores() []scheduler.Chore {
	return []scheduler.Chore{
		h.follow.Chore(),
		{Name: "note use of keys", Every: usePause, Do: h.accounts.FlushUse},
		{Name: "beat", Every: 3 * time.Second, Do: h.jobs.BeatHolder},
	}
}

// start lets the rooms work until stop; fail is told when one cannot. Each signal of reloads loads the rulebooks.
func (h *daemon) start(fail context.CancelCauseFunc, reloads <-chan os.Signal) {
	var ctx context.Context
	ctx, h.stopWork = context.WithCancel(context.Background())
	h.work.Go(func() { h.clock.Run(ctx) })
	h.work.Go(func() { h.spreadThreads(ctx) })
	h.work.Go(func() { reloadOn(ctx, reloads, h.follow) })
	if h.api != nil {
		h.work.Go(func() { h.queue.Hear(ctx, queue.Left, h.api.LookAt) })
	}
	if h.deliveries {
		h.work.Go(func() { h.webhooks.deliverer.Serve(ctx) })
	}
	if h.worker != nil {
		h.work.Go(func() { h.queue.Hear(ctx, queue.Accepted, h.worker.LookFor) })
		for _, consumer := range h.consumers() {
			h.work.Go(func() {
				if err := h.queue.Serve(ctx, consumer); err != nil {
					fail(fmt.Errorf("serve the queue: %w", err))
				}
			})
		}
	}
}

// consumers are the queues that this process serves.
func (h *daemon) consumers() (consumers []queue.Consumer) {
	if len(h.weights) > 0 {
		consumers = append(consumers, queue.Consumer{Queues: h.weights, Concurrency: 2 * h.settings.places(), Handle: h.worker.Handle})
	}
	if h.deliveries {
		consumers = append(consumers, h.webhooks.consumer())
	}
	return consumers
}

// stop ends worker and scheduler and waits for them.
func (h *daemon) stop() {
	h.stopWork()
	h.work.Wait()
	if h.worker != nil {
		h.worker.Wait()
	}
}

// close closes what is open, users before what they use.
func (h *daemon) close() {
	h.stop()
	if h.isolated != nil {
		h.isolated.Close()
	}
	if h.webhooks != nil {
		h.webhooks.client.Close()
	}
	if h.network != nil && h.network.client != nil {
		h.network.client.Close()
	}
	if h.taxOffice != nil && h.taxOffice.client != nil {
		h.taxOffice.client.Close()
	}
	var used error
	if h.accounts != nil {
		used = h.accounts.FlushUse(context.Background())
	}
	if err := errors.Join(used, h.stores.close()); err != nil {
		h.log.Error("not everything could be closed", "error", err)
	}
}
