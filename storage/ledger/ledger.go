// Package ledger is the only writer of jobs. The database row is the job; the queue only tells a worker to
// look at it. A job is accepted when its input and then its row are on the disk; it is claimed under a run number that
// fences everything the run does; and what is owed for it outside the database (message, purge) stands in the outbox until it
// has happened.
//
// Three ways lead in: Accept takes one job, AcceptBatch many, and Begin the right to answer a request inline, which Settle or
// Drop gives back, or Accept turns into a job. A worker that is told of a job calls Claim, then Beat while it runs, and ends
// with Finish, Fail, Retry or Release, each of which is refused with ErrLost where the run is no longer the job's. The
// scheduler calls Reap, ReapHolders, ReapBatches, Expire, Purge and Sweep for what the dead have left and what is over.
// Charges are reserved with an acceptance and counted or given back in the transaction that ends the work, and so are events
// published: nothing is told or charged that a crash could take back.
package ledger

import (
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/blob"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/id"
	"github.com/einvoiced/einvoiced/storage/outbox"
	"github.com/einvoiced/einvoiced/storage/plan"
	"github.com/einvoiced/einvoiced/storage/seal"
	"github.com/einvoiced/einvoiced/storage/volume"
)

// Errors of this package, for errors.Is.
var (
	ErrNotFound   = errors.New("no such job")                  // unknown, another account's or the other mode's
	ErrInvalid    = errors.New("not acceptable")               // wrapped with what is wrong
	ErrNotQueued  = errors.New("the job is not queued")        // there is nothing to claim: a duplicate or late message
	ErrPassed     = errors.New("others have to wait")          // all that waits belongs to accounts that were passed over
	ErrSuspect    = errors.New("the job has crashed a worker") // claim it with ClaimSuspect
	ErrLost       = errors.New("the run has lost the job")     // stop and discard: the job was canceled or given to another run
	ErrFinished   = errors.New("the job has finished")         // too late to cancel
	ErrUnfinished = errors.New("the job has not finished")     // too early to erase
	ErrGone       = errors.New("the job's bytes are gone")     // expired or erased, or there never were any
	ErrCorrupt    = errors.New("the job's bytes are damaged")  // size or SHA-256 differ from the row's
)

// State is where a job stands.
type State string

// The states. A queued or running job is unfinished; succeeded, failed and canceled ones become expired when their input
// and output are removed.
const (
	Queued    State = "queued"
	Running   State = "running"
	Succeeded State = "succeeded"
	Failed    State = "failed"
	Canceled  State = "canceled"
	Expired   State = "expired"
)

// Finished tells whether the state is one that no run leaves.
func (s State) Finished() bool { return s != Queued && s != Running }

// The codes of failures that are the service's, not the caller's. They are stable.
const (
	CodeCrashed  = "JOB_CRASHED"   // the worker died three times while it ran nothing else
	CodeTimedOut = "JOB_TIMED_OUT" // a run exceeded the job's time limit
	CodeFailed   = "JOB_FAILED"    // it panicked or failed inside the service too often
)

// Job is a job's row.
type Job struct {
	ID        string // job_…
	Account   string
	Mode      account.Mode
	KeyID     string // the API key that asked for it
	RequestID string // of the request that asked for it
	Kind      string // the operation; what a kind means is agreed between who accepts and who runs
	Queue     string
	State     State
	Progress  int   // 0 to 100
	Run       int64 // the last claim's number, 0 before the first
	Attempts  int   // runs that failed inside the service; crashes and interruptions are none
	Crashes   int   // runs whose worker died
	Blamed    int   // of the crashes, those of runs that were alone in their process
	Alone     bool  // the run is alone in its process: see ClaimSuspect
	TimeLimit time.Duration

	Created  time.Time
	Started  time.Time // of the first run; zero before
	Finished time.Time // zero before
	Expires  time.Time // when input and output go; zero while unfinished

	Status   int        // the HTTP status of the synchronous answer; 0 without one
	Input    blob.Info  // of the request's bytes
	Request  []byte     // the request's bytes where a claim has found them beside the row; nil otherwise: see Ledger.Input
	Answer   *blob.Info // the JSON that the synchronous call would have answered, of a succeeded job or of a refusal; nil without
	Artifact *Artifact  // nil without
	Failure  *Failure   // why a failed job has no answer; nil otherwise

	Rulebooks Rulebooks // that judged its document; zero while unfinished, and where none were asked

	Metadata map[string]string // the client's own words; nil without any
	Announce bool              // its end is told by job.succeeded or job.failed
	Batch    string            // bat_…; empty for a job of its own
}

// Rulebooks names the generation of rulebooks that a process had loaded.
type Rulebooks struct {
	Number int64  // that all processes agree on
	Digest string // of all rulebooks together, 64 hexadecimal digits
}

// Artifact is the document that a job has made.
type Artifact struct {
	Filename string
	MimeType string
	blob.Info
}

// Failure is a failure of the service itself; the public answer to it is a 500.
type Failure struct {
	Code    string // JOB_…
	Message string // public
}

// Enqueuer tells workers that a job or a delivery waits. EnqueueSoon must not block and may fail in silence: the reconciler enqueues again.
type Enqueuer interface {
	EnqueueSoon(queue, subject string, run int64)
}

// Watch is told what becomes of jobs after it has been committed, for metrics. It must not block.
type Watch interface {
	// Started tells of a job whose first run begins.
	Started(Job)
	// Ended tells of a job that has succeeded, failed or been canceled.
	Ended(Job)
}

// nobodyWatches is the default Watch.
type nobodyWatches struct{}

// Started implements Watch.
func (nobodyWatches) Started(Job) {}

// Ended implements Watch.
func (nobodyWatches) Ended(Job) {}

// mostSmall bounds Config.SmallBytes: more does not belong into a row.
const mostSmall = 1 << 20

// Config sets up a Ledger.
type Config struct {
	Clock        clock.Clock   // Default: the system's clock.
	TimeLimit    time.Duration // of one run of a job that brings no limit of its own. Default: 120 s.
	Retention    time.Duration // how long input and output of finished jobs are kept. Default: 7 days.
	DeadAfter    time.Duration // age of a beat at which its worker is taken for dead. Default: 10 s.
	CrashDelay   time.Duration // how long a job waits after its second crash, beside DeadAfter; doubles with each, up to 5 min. Default: 5 s.
	EnqueueAgain time.Duration // how long after its acceptance a queued job is enqueued again; the outbox's Config has the rest. Default: 30 s.
	MaxAttempts  int           // failures inside the service after which a job has failed. Default: 3.
	MaxCrashes   int           // crashes of runs that were alone in their process after which a job has failed. Default: 3.
	SmallBytes   int           // input and output of up to so many bytes are kept beside the job's row, and bodies of kept answers in theirs, at most 1 MiB; negative: none. Default: 32 KiB.
	Stored       *volume.Limit // of what an account may have stored. Default: any number of bytes.
	Registrar    Registrar     // takes what successes register. Default: none, and what registers something fails.
	Publisher    Publisher     // takes the events of jobs and requests. Default: none, and nothing is published.
	Watch        Watch         // is told of jobs that this process starts and ends. Default: nobody is.
	Logger       *slog.Logger  // Default: slog.Default().
	Plans        plan.Set      // what accounts with a plan may use. Default: no plans, so that only accounts without one can work.
	Seal         *seal.Sealer  // encrypts stored answers. Default: none, and requests with an idempotency key are refused.
	Process      string        // the id under which this process holds what its requests reserve. Default: a new one.

	// FailedRetention is how long the input of jobs is kept that have failed or were canceled, where that is shorter than Retention. Default: 24 h.
	FailedRetention time.Duration

	// ExpiredRetention is how long the row of an expired job stays, which tells that there was one. Default: 30 days.
	ExpiredRetention time.Duration

	// JobEvent tells the end of a job that is to be announced; refused is the answer of a run that the input is to blame for, else nil.
	// Default: none, and no end is published.
	JobEvent func(job Job, refused []byte) Event

	// Attempts gives MaxAttempts of a kind of job; 0 for that of all. Default: 0.
	Attempts func(kind string) int
}

func (c Config) withDefaults() (Config, error) {
	for _, d := range []*struct {
		name  string
		value *time.Duration
		least time.Duration
		deflt time.Duration
	}{
		{"TimeLimit", &c.TimeLimit, time.Second, 120 * time.Second},
		{"Retention", &c.Retention, time.Minute, 7 * 24 * time.Hour},
		{"FailedRetention", &c.FailedRetention, time.Minute, 24 * time.Hour},
		{"ExpiredRetention", &c.ExpiredRetention, time.Minute, 30 * 24 * time.Hour},
		{"DeadAfter", &c.DeadAfter, time.Second, 10 * time.Second},
		{"CrashDelay", &c.CrashDelay, time.Millisecond, 5 * time.Second},
		{"EnqueueAgain", &c.EnqueueAgain, time.Second, outbox.EnqueueAgain},
	} {
		if *d.value == 0 {
			*d.value = d.deflt
		}
		if *d.value < d.least {
			return c, fmt.Errorf("jobs: %s is %s, at least %s is needed", d.name, *d.value, d.least)
		}
	}
	if c.SmallBytes > mostSmall {
		return c, fmt.Errorf("jobs: SmallBytes is %d, at most %d are allowed", c.SmallBytes, mostSmall)
	}
	if c.SmallBytes == 0 {
		c.SmallBytes = 32 << 10
	}
	if c.MaxAttempts < 0 || c.MaxCrashes < 0 {
		return c, errors.New("jobs: MaxAttempts and MaxCrashes must not be negative")
	}
	if c.MaxAttempts == 0 {
		c.MaxAttempts = 3
	}
	if c.MaxCrashes == 0 {
		c.MaxCrashes = 3
	}
	if c.Clock == nil {
		c.Clock = clock.System{}
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.Watch == nil {
		c.Watch = nobodyWatches{}
	}
	if c.Process == "" {
		c.Process = id.New("process", c.Clock.Now())
	}
	return c, nil
}

// Ledger keeps the jobs. It is safe for concurrent use.
type Ledger struct {
	cfg   Config
	db    *db.DB
	blobs blob.Store
	queue Enqueuer
	turns turns

	beat      atomic.Int64 // of this process as a holder, 0 before the first
	leftovers leftovers
}

// New prepares a Ledger.
func New(cfg Config, database *db.DB, blobs blob.Store, queue Enqueuer) (*Ledger, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Ledger{cfg: cfg, db: database, blobs: blobs, queue: queue}, nil
}

// now is the present moment as it is stored.
func (l *Ledger) now() int64 { return clock.Millis(l.cfg.Clock.Now()) }
