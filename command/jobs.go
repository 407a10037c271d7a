package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// jobsCommand is einvoiced jobs.
type jobsCommand struct {
	List   jobsList   `cmd:"" help:"List jobs, newest first."`
	Show   jobsShow   `cmd:"" help:"Tell all about jobs, as JSON."`
	Cancel jobsCancel `cmd:"" help:"Cancel jobs that have not finished."`
	Erase  jobsErase  `cmd:"" help:"Erase input and output of jobs that have finished."`
}

// ledgerFlags open the jobs for a command.
type ledgerFlags struct{ storeFlags }

// silent is a queue for who accepts no jobs.
type silent struct{}

// EnqueueSoon does nothing.
func (silent) EnqueueSoon(string, string, int64) {}

// with does something with the jobs of all accounts.
func (f *ledgerFlags) with(ctx context.Context, m *Main, do func(*offline) error) error {
	log := newLog(m.Stderr, "warn")
	database, err := f.open(ctx, log)
	if err != nil {
		return err
	}
	s := &stores{database: database}
	if s.blobs, err = f.existingBlobs(ctx); err == nil {
		err = f.visit(s, do)
	}
	return errors.Join(err, s.close())
}

// existingBlobs opens where a service keeps its documents, and makes nothing.
func (f *ledgerFlags) existingBlobs(ctx context.Context) (blobStore, error) {
	if f.S3 == "" {
		if _, err := os.Stat(f.documentFolder()); err != nil {
			cause := fmt.Errorf("find the folder of the documents: %w", err)
			return nil, &failure{code: exitUsage, cause: cause, hint: s3Flag + " or --data (EINVOICED_DATA) names where the service keeps its documents"}
		}
	}
	return f.openBlobs(ctx)
}

func (f *ledgerFlags) visit(s *stores, do func(*offline) error) error {
	accounts, err := account.New(account.Config{}, s.database)
	if err != nil {
		return err
	}
	jobs, err := ledger.New(ledger.Config{Retention: f.Retention, FailedRetention: f.FailedRetention, ExpiredRetention: f.ExpiredRetention, TimeLimit: f.JobTime}, s.database, s.blobs, silent{})
	if err != nil {
		return err
	}
	return do(&offline{accounts, jobs})
}

// offline is accounts and jobs beside a running service, or without one.
type offline struct {
	accounts *account.Store
	jobs     *ledger.Ledger
}

var modes = []account.Mode{account.Test, account.Live}

// find gives a job, whosever it is: who may open the database owns them all.
func (o *offline) find(ctx context.Context, jobID string) (ledger.Job, error) {
	owners, err := o.accounts.Accounts(ctx)
	if err != nil {
		return ledger.Job{}, err
	}
	for _, owner := range owners {
		for _, mode := range modes {
			if job, err := o.jobs.Get(ctx, owner.ID, mode, jobID); !errors.Is(err, ledger.ErrNotFound) {
				return job, err
			}
		}
	}
	return ledger.Job{}, &failure{code: exitUsage, cause: fmt.Errorf("there is no job %s", jobID), hint: "einvoiced jobs list shows the ids"}
}

// jobsList is einvoiced jobs list.
type jobsList struct {
	ledgerFlags
	State []string `enum:"queued,running,succeeded,failed,canceled,expired" placeholder:"STATE" help:"Only jobs in these states."`
	Limit int      `default:"100" placeholder:"N" help:"At most so many of each account and mode; default ${default}."`
	JSON  bool     `name:"json" help:"Print one line of JSON for each job."`
}

// listedJob is a job as it is listed.
type listedJob struct {
	ID       string            `json:"id"`
	Account  string            `json:"account"`
	Mode     account.Mode      `json:"mode"`
	Kind     string            `json:"kind"` // operation:country:format
	Queue    string            `json:"queue"`
	State    ledger.State      `json:"state"`
	Runs     int64             `json:"runs"`
	Attempts int               `json:"attempts"` // that failed inside the service
	Crashes  int               `json:"crashes"`  // of its workers
	Created  time.Time         `json:"created"`
	Started  time.Time         `json:"started,omitzero"`
	Finished time.Time         `json:"finished,omitzero"`
	Expires  time.Time         `json:"expires,omitzero"`
	Status   int               `json:"status,omitzero"` // of the synchronous answer
	Failure  string            `json:"failure,omitzero"`
	Request  string            `json:"requestId"`
	Metadata map[string]string `json:"metadata,omitzero"`
}

func listed(j ledger.Job) listedJob {
	l := listedJob{j.ID, j.Account, j.Mode, j.Kind, j.Queue, j.State, j.Run, j.Attempts, j.Crashes, j.Created, j.Started, j.Finished, j.Expires,
		j.Status, "", j.RequestID, j.Metadata}
	if j.Failure != nil {
		l.Failure = j.Failure.Code + ": " + j.Failure.Message
	}
	return l
}

// Run prints the jobs of all accounts, newest first.
func (c *jobsList) Run(m *Main, ctx context.Context) error {
	return c.with(ctx, m, func(o *offline) error {
		jobs, err := c.collect(ctx, o)
		if err != nil {
			return err
		}
		return jobColumns.print(m.Stdout, c.JSON, mapped(jobs, listed))
	})
}

var jobColumns = columns[listedJob]{
	head: []string{"ID", "STATE", "KIND", "QUEUE", "RUNS", "ACCOUNT", "CREATED", "FINISHED", "FAILURE"},
	cells: func(l listedJob) []string {
		return []string{l.ID, string(l.State), l.Kind, l.Queue, strconv.FormatInt(l.Runs, 10), l.Account, moment(l.Created), moment(l.Finished), orDash(l.Failure)}
	},
}

func moment(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.DateTime)
}

func (c *jobsList) collect(ctx context.Context, o *offline) (jobs []ledger.Job, err error) {
	owners, err := o.accounts.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	for _, owner := range owners {
		for _, mode := range modes {
			of, err := c.of(ctx, o.jobs, owner.ID, mode)
			if err != nil {
				return nil, err
			}
			jobs = append(jobs, of...)
		}
	}
	slices.SortFunc(jobs, func(a, b ledger.Job) int { return b.Created.Compare(a.Created) })
	return jobs, nil
}

// of reads pages until there are enough jobs in the states.
func (c *jobsList) of(ctx context.Context, jobs *ledger.Ledger, owner string, mode account.Mode) (found []ledger.Job, err error) {
	page, more := ledger.Page{Limit: 100}, true
	for more && len(found) < c.Limit {
		var list []ledger.Job
		if list, more, err = jobs.List(ctx, owner, mode, page); err != nil {
			return nil, err
		}
		for _, j := range list {
			if len(c.State) == 0 || slices.Contains(c.State, string(j.State)) {
				found = append(found, j)
			}
			page.StartingAfter = j.ID
		}
	}
	return found[:min(len(found), c.Limit)], nil
}

// jobIDs are the jobs that a command is about.
type jobIDs struct {
	ledgerFlags
	ID []string `arg:"" help:"Ids of jobs (job_…)."`
}

// each does something with every job and prints what became of it as a line of JSON.
func (c *jobIDs) each(ctx context.Context, m *Main, do func(*offline, ledger.Job) (ledger.Job, error)) error {
	return c.with(ctx, m, func(o *offline) error {
		for _, id := range c.ID {
			job, err := o.find(ctx, id)
			if err == nil {
				job, err = do(o, job)
			}
			if err == nil {
				err = printJSON(m.Stdout, listed(job))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// change does something with every job for which the state of one may be wrong; the hint says what helps then.
func (c *jobIDs) change(
	ctx context.Context, m *Main, do func(*ledger.Ledger, context.Context, string, account.Mode, string) (ledger.Job, error), wrong error, hint string,
) error {
	return c.each(ctx, m, func(o *offline, job ledger.Job) (ledger.Job, error) {
		changed, err := do(o.jobs, ctx, job.Account, job.Mode, job.ID)
		if errors.Is(err, wrong) {
			return changed, &failure{code: exitInvalid, cause: fmt.Errorf("job %s is %s", job.ID, job.State), hint: hint}
		}
		return changed, err
	})
}

// jobsShow is einvoiced jobs show.
type jobsShow struct{ jobIDs }

// Run prints the jobs.
func (c *jobsShow) Run(m *Main, ctx context.Context) error {
	return c.each(ctx, m, func(_ *offline, job ledger.Job) (ledger.Job, error) { return job, nil })
}

// jobsCancel is einvoiced jobs cancel.
type jobsCancel struct{ jobIDs }

// Run cancels the jobs. A worker that runs one learns so with its next beat.
func (c *jobsCancel) Run(m *Main, ctx context.Context) error {
	return c.change(ctx, m, (*ledger.Ledger).Cancel, ledger.ErrFinished, "einvoiced jobs erase removes its input and output")
}

// jobsErase is einvoiced jobs erase.
type jobsErase struct{ jobIDs }

// Run erases the jobs; their rows stay.
func (c *jobsErase) Run(m *Main, ctx context.Context) error {
	return c.change(ctx, m, (*ledger.Ledger).Erase, ledger.ErrUnfinished, "einvoiced jobs cancel ends it")
}
