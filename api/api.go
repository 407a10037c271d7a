// Package api is the HTTP door of the service: routes, authentication, limits, the decoding of requests and the shape of
// answers. It knows nothing about invoices: what a request asks for is done by package operation, here or in a job.
//
// A request passes, in this order: the request id, the route (404, 405), the key (401) and its rate (429), the path (400
// unsupported country or format), the entitlement (403), the body (415, 413, 408, 429, 400), its idempotency key (409, or the
// answer that there is already), the quota (429) and the operation (400, 422), here or, where it is large, by a worker whose answer
// is relayed. Each step answers in the one error shape of the contract; refuse.go is the only place that knows which refusal is
// which status.
package api

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"time"

	"github.com/gorilla/mux"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/registration"
	"github.com/einvoiced/einvoiced/storage/plan"
	"github.com/einvoiced/einvoiced/storage/ratelimit"
)

// Operations is what the API itself asks of the core, beside the kinds of jobs; *operation.Service does it.
type Operations interface {
	Countries(ctx context.Context) []operation.Country
	Country(ctx context.Context, code string) (*operation.Country, error)
	Lookup(code string) (format.Country, error)
	ListRulebooks(ctx context.Context) ([]operation.ListedRulebook, error)
	PrintDeclaration(ctx context.Context) (*operation.PagesAnswer, error)
	DiffRulebooks(ctx context.Context, from, to string) (*operation.RulebookDiff, error)
	CheckTemplate(text []byte) ([]operation.Info, error)
	Languages() []string
}

var _ Operations = (*operation.Service)(nil)

// Check is one condition of readiness. Err gives the reason why the service should get no requests, or nil.
type Check struct {
	Name   string
	Err    func(ctx context.Context) error
	Serves bool // the service can serve without it: the condition is told to be degraded, and requests may be sent. Default: false
}

// Version is what GET /api/v1/version tells.
type Version struct {
	Version string `json:"version"` // of the program, e.g. v1.2.0 or devel
	Commit  string `json:"commit"`  // revision that it was built from; empty when unknown
	Built   string `json:"built"`   // time of that revision, RFC 3339; empty when unknown
	Go      string `json:"go"`      // Go release
	API     string `json:"api"`     // version label of the interface description
}

// Config limits what one Server takes on. The zero value is the default.
type Config struct {
	MaxBody          int64         // bytes of a request body before 413 PAYLOAD_TOO_LARGE. Default: 134,217,728 (128 MiB).
	MaxOpen          int           // requests with a key that are answered at a time before 429. Default: 4,096.
	MaxInflight      int           // requests whose body has come that are worked on at a time before 429. Default: 512.
	MaxInflightBytes int64         // bytes of memory for request bodies; larger bodies wait for their turn. Default: 402,653,184 (384 MiB).
	MaxSpooledBytes  int64         // bytes of request bodies in temporary files before 429. Default: 2,147,483,648 (2 GiB).
	Processors       int           // how many processors there are for the work of requests. Default: those of the machine.
	BodyGrace        time.Duration // time in which a body must bring its next bytes: as many as MinBodyRate tells, or all. Default: 10 s.
	MinBodyRate      int64         // bytes per second that a body must bring. Default: 10,240.
	LargeBodyRate    int64         // bytes per second of an account's bodies over 1 MiB, together, while others are served. Default: 16 MiB for each processor.
	WriteStall       time.Duration // time that a client may leave a part of an answer unread. Default: 30 s.
	BadKeysPerMinute int           // failed authentications of one address before 429. Default: 300.
	MaxInlineResult  int64         // bytes of a job's result shown inline. Default: 1,048,576 (1 MiB).
	MaxWait          time.Duration // longest Prefer: wait. Default: 120 s.
	InlineMaxLines   int           // invoice lines above which a worker does the work. Default: 500.
	InlineMaxBytes   int64         // bytes of a request body above which a worker does the work. Default: 2,097,152 (2 MiB).
	InlineMaxTime    time.Duration // time after which a worker does the work anew. Default: 5 s.
	MaxRelay         time.Duration // how long a client that knows of no job is kept waiting for it. Default: 10 min.
	DrainWait        time.Duration // the same while the server shuts down; less than it grants its requests. Default: 8 s.
	MaxBatchBody     int64         // bytes of a batch of lines or a ZIP before 413. Default: 1,073,741,824 (1 GiB).
	MaxBatchInflated int64         // bytes of the documents of a ZIP together. Default: 4,294,967,296 (4 GiB).

	// Rate is what each key may use whose plan says nothing. Default: no limit.
	Rate ratelimit.Rate

	// Lines bounds an invoice while it arrives; it should be what the operations allow. Default: the limits of package invoice.
	Lines invoice.Limits
}

func (c Config) withDefaults() (Config, error) {
	fill(&c.MaxBody, 128<<20)
	fill(&c.MaxOpen, 4096)
	fill(&c.MaxInflight, 512)
	fill(&c.MaxInflightBytes, 384<<20)
	fill(&c.MaxSpooledBytes, 2<<30)
	fill(&c.Processors, runtime.NumCPU())
	fill(&c.BodyGrace, 10*time.Second)
	fill(&c.MinBodyRate, 10<<10)
	fill(&c.LargeBodyRate, int64(c.Processors)*(16<<20))
	fill(&c.WriteStall, 30*time.Second)
	fill(&c.BadKeysPerMinute, 300)
	fill(&c.MaxInlineResult, 1<<20)
	fill(&c.MaxWait, 120*time.Second)
	fill(&c.InlineMaxLines, 500)
	fill(&c.InlineMaxBytes, 2<<20)
	fill(&c.InlineMaxTime, 5*time.Second)
	fill(&c.MaxRelay, 10*time.Minute)
	fill(&c.DrainWait, 8*time.Second)
	fill(&c.MaxBatchBody, 1<<30)
	fill(&c.MaxBatchInflated, 4<<30)
	if min(c.MaxInflightBytes, c.MaxSpooledBytes) < c.MaxBody {
		return c, errors.New("MaxInflightBytes and MaxSpooledBytes must be at least MaxBody")
	}
	return c, positive(int64(c.MaxOpen), int64(c.MaxInflight), c.MaxSpooledBytes, int64(c.Processors), c.MaxBody, int64(c.BodyGrace), c.MinBodyRate, c.LargeBodyRate, int64(c.WriteStall),
		int64(c.BadKeysPerMinute), c.MaxInlineResult, int64(c.MaxWait), int64(c.InlineMaxLines), c.InlineMaxBytes, int64(c.InlineMaxTime), int64(c.MaxRelay),
		int64(c.DrainWait), c.MaxBatchBody, c.MaxBatchInflated, int64(c.Rate.PerSecond), int64(c.Rate.Burst))
}

// fill sets *field to its default when it is zero.
func fill[T comparable](field *T, def T) {
	var zero T
	if *field == zero {
		*field = def
	}
}

func positive(values ...int64) error {
	for _, v := range values {
		if v < 0 {
			return errors.New("limits must not be negative")
		}
	}
	return nil
}

// Deps are the parts that a Server stands on. All are required but Isolated, EmbedServed, Limiter, Plans, Ready and Metrics.
type Deps struct {
	Operations Operations
	Kinds      job.Kinds  // what can be ordered
	Isolated   job.Runner // does orders of kinds that are to be isolated always; nil: they are done in this process
	Keys       Keys
	Accounts   Accounts
	Jobs       Jobs
	Inline     Inline
	Usage      Usage
	Webhooks   Webhooks
	Templates  Templates
	Plans      plan.Set                // what accounts with a plan may use
	Limiter    Limiter                 // nil: keys may ask as fast as they like
	Registrar  *registration.Registrar // of records of Spanish invoices
	Peppol     Peppol
	Log        *slog.Logger
	Metrics    *Metrics    // nil: counted, but shown nowhere
	Recent     *job.Recent // who was served lately; nil: only requests count
	// Processors are those that requests have with what else works in this process, as jobs do. Default: those of the Config, for requests alone.
	Processors *job.Processors
	// Accepted is told of the account of each job or batch that was accepted, so that who runs jobs need not look for it. It must not block. Default: nobody.
	Accepted func(account string)
	// EmbedServed tells whether a live process takes jobs from the queue embed; nil: there is none by configuration.
	EmbedServed func(ctx context.Context) (bool, error)
	Ready       []Check
	Version     Version
}

func (d *Deps) validate() error {
	if d.Operations == nil || len(d.Kinds) == 0 || d.Keys == nil || d.Accounts == nil || d.Jobs == nil || d.Inline == nil || d.Usage == nil || d.Webhooks == nil || d.Templates == nil || d.Registrar == nil || d.Peppol.Transmissions == nil || d.Peppol.Prepare == nil || d.Log == nil {
		return errors.New("operations, kinds, keys, accounts, jobs, inline, usage, webhooks, templates, registrar, Peppol and log are required")
	}
	if d.Metrics == nil {
		d.Metrics = NewMetrics(prometheus.NewRegistry())
	}
	if d.Recent == nil {
		d.Recent = &job.Recent{}
	}
	if d.Accepted == nil {
		d.Accepted = func(string) {}
	}
	return nil
}

// Server answers the public routes. It is an http.Handler, safe for concurrent use; it owns no goroutine but the one that looks
// at jobs as long as requests wait for them.
type Server struct {
	Deps
	cfg      Config
	router   *mux.Router
	byName   map[string]*route
	watcher  *watcher
	capacity *capacity
	throttle *throttle
	checks   *chainChecks
	draining chan struct{} // closed when readiness ends

	working context.Context         // ends when requests that are still answered have to end
	endWork context.CancelCauseFunc // with the reason
}

// New prepares a Server. It fails on limits that contradict each other, on missing parts and on a route without a policy.
func New(cfg Config, deps Deps) (*Server, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := deps.validate(); err != nil {
		return nil, err
	}
	if deps.Processors == nil {
		deps.Processors = job.NewProcessors(cfg.Processors, deps.Recent)
	}
	s := &Server{Deps: deps, cfg: cfg, capacity: newCapacity(&cfg, deps.Recent, deps.Processors), checks: &chainChecks{}, draining: make(chan struct{})}
	s.working, s.endWork = context.WithCancelCause(context.Background())
	s.throttle = newThrottle(cfg.BadKeysPerMinute)
	s.watcher = newWatcher(deps.Jobs.Ended, deps.Log)
	s.byName = map[string]*route{}
	for i := range routes {
		s.byName[routes[i].name] = &routes[i]
	}
	s.router, err = s.newRouter(routes)
	return s, err
}

// LookAt makes requests that wait for these jobs look at them now. It is called when a run has left one, here or in another process, so that
// the requests need not find out by themselves.
func (s *Server) LookAt(jobIDs ...string) { s.watcher.tell(jobIDs...) }

// Drain makes /readyz answer 503, so that a load balancer sends nothing more; requests are still answered. What is not done after
// Config.DrainWait and a second is ended and answered with 503. It is to be called once.
func (s *Server) Drain() {
	close(s.draining)
	time.AfterFunc(s.cfg.DrainWait+drainGrace, func() { s.endWork(errStopping) })
}

// drainGrace is the time in which who has waited for a job can still be told of it.
const drainGrace = time.Second

// errStopping is the answer to requests whose work the end of the process has cut off.
var errStopping error = &finding.Refusal{Kind: finding.Unavailable, Message: "The service is shutting down and could not finish; send the request again"}

// HTTPServer gives the http.Server that serves h with the time limits that hold slow clients off: 5 s for the header, 60 s
// between requests, 32 KiB of header. Bodies and answers have their own clocks. It has as many connections as leave a quarter of the files that the
// process may open; beyond these it closes one that waits for a request, of the address that has the most. It is to serve a Listener.
func HTTPServer(h http.Handler, log *slog.Logger) *http.Server {
	return httpServer(h, log, mostConnections(openFiles()))
}

func httpServer(h http.Handler, log *slog.Logger, most int) *http.Server {
	all := newConnections(most)
	return &http.Server{
		Handler:                      h,
		ReadHeaderTimeout:            5 * time.Second,
		IdleTimeout:                  60 * time.Second,
		MaxHeaderBytes:               32 << 10,
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		ConnContext:                  withConnection,
		ConnState: func(c net.Conn, state http.ConnState) {
			follow(c, state)
			all.follow(c, state)
		},
	}
}
