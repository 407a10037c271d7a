package command

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/storage/plan"
	"github.com/einvoiced/einvoiced/storage/queue/names"
	"github.com/einvoiced/einvoiced/storage/ratelimit"
	"github.com/einvoiced/einvoiced/storage/seal"
)

// processFlags are the settings of every role.
type processFlags struct {
	LogLevel string `env:"EINVOICED_LOG_LEVEL" enum:"debug,info,warn,error" default:"info" help:"Least level of the log on standard error: debug, info, warn or error; default ${default}."`
	adminFlag
	storeFlags
	webhookFlags
	peppolFlags
	rulebooksFlag
	operationFlags
	verifactuFlag
	StartWait time.Duration `env:"EINVOICED_START_WAIT" name:"start-wait" default:"60s" placeholder:"TIME" help:"How long a start waits for PostgreSQL, Redis and S3 that do not answer yet; default ${default}."`
}

// storeFlags say where rows, documents and the queue are kept.
type storeFlags struct {
	dataFlag
	plansFlag
	Redis            string        `env:"EINVOICED_REDIS" placeholder:"URL" help:"Redis server of the queue: redis://host:6379/0, rediss://…, redis-sentinel://host,host/master or redis-cluster://host,host; by default a queue inside the process."`
	S3               string        `name:"s3" env:"EINVOICED_S3" placeholder:"URL" help:"Object store of documents: https://KEY:SECRET@host/bucket?region=…; by default a folder below --data."`
	SecretKey        string        `env:"EINVOICED_SECRET_KEY" placeholder:"KEYS" help:"Secret keys that seal what is stored encrypted: 32 bytes each in base64, separated by commas; the first seals, all open. With --database it must be given; otherwise a file in --data is used and made."`
	Retention        time.Duration `env:"EINVOICED_RETENTION" default:"168h" placeholder:"TIME" help:"How long inputs and outputs of finished jobs are kept; default ${default}."`
	FailedRetention  time.Duration `env:"EINVOICED_FAILED_RETENTION" name:"failed-retention" default:"24h" placeholder:"TIME" help:"How long inputs of jobs that have failed or were canceled are kept, if shorter; default ${default}."`
	ExpiredRetention time.Duration `env:"EINVOICED_EXPIRED_RETENTION" name:"expired-retention" default:"720h" placeholder:"TIME" help:"How long it can be seen that there was a job whose input and output are gone; default ${default}."`
	StoredBytes      int64         `env:"EINVOICED_STORED_BYTES" name:"stored-bytes" default:"107374182400" placeholder:"N" help:"How many bytes one account may have stored, of jobs, answers kept for idempotency keys, events for webhooks, sent documents, records of VeriFactu and templates; 0 for any number; default ${default}."`
	JobTime          time.Duration `env:"EINVOICED_JOB_TIME" name:"job-time" default:"120s" placeholder:"TIME" help:"How long one run of a job may take; default ${default}."`
}

// sealer reads the secret keys.
func (f *storeFlags) sealer() (*seal.Sealer, error) {
	c := seal.Config{Key: f.SecretKey}
	if f.SecretKey == "" {
		c.KeyFile = filepath.Join(f.Data, "secret.key")
	}
	s, err := seal.Open(c)
	if err != nil {
		return nil, &failure{code: exitUsage, cause: err, hint: "--secret-key (EINVOICED_SECRET_KEY) takes what head -c 32 /dev/urandom | base64 prints"}
	}
	return s, nil
}

// plansFlag says what plans there are.
type plansFlag struct {
	Plans string `env:"EINVOICED_PLANS" placeholder:"FILE" help:"YAML file with the plans that accounts can have; without one nothing is limited."`
}

// mostSetting is the most bytes of a file with settings.
const mostSetting = 1 << 20

// plans reads the file of plans.
func (f *plansFlag) plans() (plan.Set, error) {
	if f.Plans == "" {
		return plan.Set{}, nil
	}
	text, err := readFile(f.Plans, mostSetting)
	if err != nil {
		return plan.Set{}, plansFailure(err)
	}
	set, err := plan.Load(text)
	if err != nil {
		return plan.Set{}, plansFailure(err)
	}
	return set, nil
}

func plansFailure(cause error) error {
	return &failure{code: exitUsage, cause: cause, hint: "--plans (EINVOICED_PLANS) names a YAML file as docs/limits.md describes it"}
}

// apiFlags are the settings of a process that answers requests.
type apiFlags struct {
	Listen         string        `env:"EINVOICED_LISTEN" default:"127.0.0.1:8080" placeholder:"ADDR" help:"Address of the API; default ${default}."`
	InlineMaxLines int           `env:"EINVOICED_INLINE_MAX_LINES" default:"500" placeholder:"N" help:"Requests with more lines are done by a worker; default ${default}."`
	InlineMaxTime  time.Duration `env:"EINVOICED_INLINE_MAX_TIME" default:"5s" placeholder:"TIME" help:"Requests that take longer are done anew by a worker; default ${default}."`
	RatePerSecond  int           `env:"EINVOICED_RATE_PER_SECOND" placeholder:"N" help:"Requests a second of keys whose plan has no rate; by default there is no limit."`
	RateBurst      int           `env:"EINVOICED_RATE_BURST" placeholder:"N" help:"How many of these may come at once; by default as many as in a second."`
	EmbedService   bool          `env:"EINVOICED_EMBED_SERVICE" negatable:"" default:"true" help:"A worker takes jobs from the queue embed; without one PDF carriers of more than 15 MiB are refused. On by default."`
	InlineMaxBytes int64         `env:"EINVOICED_INLINE_MAX_BYTES" default:"2097152" placeholder:"N" help:"Requests with a larger body are done by a worker; default ${default}."`
}

// rate is what keys may use whose plan says nothing.
func (f *apiFlags) rate() ratelimit.Rate {
	return ratelimit.Rate{PerSecond: f.RatePerSecond, Burst: f.RateBurst}
}

// workerFlags are the settings of a process that does jobs.
type workerFlags struct {
	Queues      []string `env:"EINVOICED_QUEUES" default:"interactive=6,default=3,embed=1,webhook" placeholder:"NAME[=WEIGHT]" help:"Queues to take jobs from, with their weights; default ${default}."`
	Concurrency int      `env:"EINVOICED_CONCURRENCY" default:"0" placeholder:"N" help:"How many jobs of one account are done beside each other, and twice as many in all; by default the number of processors."`
}

// places is how many jobs of one account are done beside each other. There are twice as many places, so that the job of another account is begun at once.
func (f *workerFlags) places() int { return cmp.Or(f.Concurrency, runtime.NumCPU()) }

// settings is everything that any role can be told. A role that lacks a room leaves its part zero.
type settings struct {
	processFlags
	apiFlags
	workerFlags

	self string // file of the program; empty where it must not be started
}

// check refuses settings that the rooms cannot work with.
func (s *settings) check(r rooms) error {
	for _, c := range []struct {
		flag  string
		wrong bool
		must  string
	}{
		{"--inline-max-lines (EINVOICED_INLINE_MAX_LINES)", r.api && s.InlineMaxLines < 0, "must not be negative"},
		{"--inline-max-bytes (EINVOICED_INLINE_MAX_BYTES)", r.api && s.InlineMaxBytes < 0, "must not be negative"},
		{"--inline-max-time (EINVOICED_INLINE_MAX_TIME)", r.api && s.InlineMaxTime < 0, "must not be negative"},
		{"--rate-per-second (EINVOICED_RATE_PER_SECOND)", s.RatePerSecond < 0, "must not be negative"},
		{"--rate-burst (EINVOICED_RATE_BURST)", s.RateBurst < 0, "must not be negative"},
		{"--concurrency (EINVOICED_CONCURRENCY)", s.Concurrency < 0, "must not be negative"},
		{"--retention (EINVOICED_RETENTION)", s.Retention < time.Minute, "must be at least a minute"},
		{"--failed-retention (EINVOICED_FAILED_RETENTION)", s.FailedRetention < time.Minute, "must be at least a minute"},
		{"--expired-retention (EINVOICED_EXPIRED_RETENTION)", s.ExpiredRetention < time.Minute, "must be at least a minute"},
		{"--stored-bytes (EINVOICED_STORED_BYTES)", s.StoredBytes < 0, "must not be negative"},
		{"--start-wait (EINVOICED_START_WAIT)", s.StartWait < 0, "must not be negative"},
		{"--job-time (EINVOICED_JOB_TIME)", s.JobTime < time.Second, "must be at least a second"},
	} {
		if c.wrong {
			return &failure{code: exitUsage, cause: fmt.Errorf("%s %s", c.flag, c.must)}
		}
	}
	return nil
}

// weights reads --queues. The queue of deliveries is told apart.
func (f *workerFlags) weights() (jobs map[string]int, deliveries bool, err error) {
	jobs = map[string]int{}
	for _, item := range f.Queues {
		name, text, weighted := strings.Cut(item, "=")
		weight := 1
		if weighted {
			weight, err = strconv.Atoi(text)
		}
		switch {
		case err != nil || weight < 1:
			return nil, false, queuesFailure(fmt.Errorf("%q has no weight of at least 1", item))
		case name == names.Webhook:
			deliveries = true
		case slices.Contains(names.OfJobs(), name):
			jobs[name] = weight
		default:
			return nil, false, queuesFailure(fmt.Errorf("there is no queue %q", name))
		}
	}
	if len(jobs) == 0 && !deliveries {
		return nil, false, queuesFailure(errors.New("no queue is named"))
	}
	return jobs, deliveries, nil
}

func queuesFailure(cause error) error {
	return &failure{code: exitUsage, cause: cause, hint: "--queues (EINVOICED_QUEUES) takes " +
		strings.Join(append(names.OfJobs(), names.Webhook), ", ") + ", each with an optional weight such as interactive=6"}
}
