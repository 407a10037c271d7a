package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"einvoiced/core/finding"
	"einvoiced/storage/account"
	"einvoiced/storage/ledger"
)

// Jobs keeps the jobs; *ledger.Ledger does.
type Jobs interface {
	Accept(ctx context.Context, n ledger.NewJob) (ledger.Job, error)
	Get(ctx context.Context, accountID string, mode account.Mode, jobID string) (ledger.Job, error)
	List(ctx context.Context, accountID string, mode account.Mode, p ledger.Page) ([]ledger.Job, bool, error)
	Cancel(ctx context.Context, accountID string, mode account.Mode, jobID string) (ledger.Job, error)
	Erase(ctx context.Context, accountID string, mode account.Mode, jobID string) (ledger.Job, error)
	Answer(ctx context.Context, job ledger.Job) ([]byte, error)
	Artifact(ctx context.Context, job ledger.Job) (io.ReadCloser, error)
}

var _ Jobs = (*ledger.Ledger)(nil)

// enqueue makes a job of an order. The answer is the job, or what the synchronous call would have answered when the job ends
// within the time that the client waits.
func (s *Server) enqueue(c *call, o Order, p preference, l *lease) (*answer, error) {
	queue := ledger.Default
	if p.wait > 0 {
		queue = ledger.Interactive
	}
	job, err := s.Jobs.Accept(c.r.Context(), ledger.NewJob{
		Account: c.key.AccountID, Mode: c.key.Mode, KeyID: c.key.ID, RequestID: c.x.id,
		Kind: o.Kind(), Queue: queue, Request: bytes.NewReader(o.pack()),
	})
	if err != nil {
		return nil, err
	}
	l.release()
	if job, err = s.await(c.r.Context(), job, min(p.wait, s.cfg.MaxWait)); err != nil {
		return nil, err
	}
	if job.State.Finished() && p.wait > 0 {
		return s.relay(c, job)
	}
	return acknowledge(job), nil
}

// acknowledge gives the 202.
func acknowledge(job ledger.Job) *answer {
	a := jsonAnswer(http.StatusAccepted, jobView{ID: job.ID, Type: operationOf(job), Status: job.State, Created: job.Created})
	return a.with("Location", "/api/v1/jobs/"+job.ID).with("Preference-Applied", "respond-async")
}

// Pauses between two looks at a job that is waited for.
const (
	firstLook = 5 * time.Millisecond
	lastLook  = 250 * time.Millisecond
)

// await looks at the job until it has ended, the time is up or the server drains. A client that leaves ends the waiting, not the job.
func (s *Server) await(ctx context.Context, job ledger.Job, wait time.Duration) (ledger.Job, error) {
	deadline := time.NewTimer(wait)
	defer deadline.Stop()
	for pause := firstLook; wait > 0 && !job.State.Finished(); pause = min(2*pause, lastLook) {
		select {
		case <-ctx.Done():
			return job, errClientGone
		case <-deadline.C:
			return job, nil
		case <-s.draining:
			return job, nil
		case <-time.After(pause):
		}
		now, err := s.Jobs.Get(ctx, job.Account, job.Mode, job.ID)
		if err != nil {
			return job, err
		}
		job = now
	}
	return job, nil
}

// relay gives what the synchronous call would have answered.
func (s *Server) relay(c *call, job ledger.Job) (*answer, error) {
	if job.Failure != nil {
		return nil, failureOf(job)
	}
	if job.Answer == nil {
		return acknowledge(job), nil // canceled or erased while it was waited for
	}
	var o Order
	o.setKind(job.Kind)
	body, err := s.Jobs.Answer(c.r.Context(), job)
	if err != nil {
		return nil, err
	}
	if err := o.allow(c.key, body); err != nil {
		return nil, err
	}
	return &answer{status: job.Status, contentType: typeJSON, body: body}, nil
}

// failureOf is the public 500 of a job that the service itself failed.
func failureOf(job ledger.Job) error {
	p := &problem{status: http.StatusInternalServerError}
	p.Refusal = finding.Refusal{Word: internalRefusal.Word, Message: job.Failure.Message, Code: job.Failure.Code}
	return p
}

// jobView is a job as the API shows it.
type jobView struct {
	ID       string         `json:"id"`
	Type     string         `json:"type"` // the operation
	Status   ledger.State   `json:"status"`
	Progress *int           `json:"progress,omitzero"` // 0 to 100
	Created  time.Time      `json:"created"`
	Started  time.Time      `json:"started,omitzero"`
	Finished time.Time      `json:"finished,omitzero"`
	Expires  time.Time      `json:"expires,omitzero"`  // when input and output go
	Result   jsontext.Value `json:"result,omitzero"`   // the synchronous answer, when it is small enough
	Artifact string         `json:"artifact,omitzero"` // path of the artifact
	Error    jsontext.Value `json:"error,omitzero"`    // the synchronous answer of a failed job
}

// viewOf shows a job without its output.
func viewOf(job ledger.Job) jobView {
	v := jobView{
		ID: job.ID, Type: operationOf(job), Status: job.State, Progress: &job.Progress,
		Created: job.Created, Started: job.Started, Finished: job.Finished, Expires: job.Expires,
	}
	if job.State == ledger.Succeeded {
		v.Artifact = "/api/v1/jobs/" + job.ID + "/artifact"
	}
	if job.Failure != nil {
		v.Error = problemOf(failureOf(job)).body()
	}
	return v
}

func operationOf(job ledger.Job) string {
	var o Order
	o.setKind(job.Kind)
	return o.Operation
}

// visible gives the job of the path if the key may see it. What belongs to another account or mode is unknown.
func (s *Server) visible(c *call) (ledger.Job, error) {
	job, err := s.Jobs.Get(c.r.Context(), c.key.AccountID, c.key.Mode, c.id())
	if err != nil {
		return job, err
	}
	return job, authoriseJob(c.key, job)
}

// id is the job id of the path.
func (c *call) id() string {
	id, _ := c.variable("id")
	return id
}

// authoriseJob asks for the entitlement of the job's operation. What the answer has to tell is
// asked for with it.
func authoriseJob(key *account.Key, job ledger.Job) error {
	var o Order
	o.setKind(job.Kind)
	if needed := o.needs(); needed != "" {
		return require(key, needed)
	}
	return requireSome(key, o.some())
}

// getJob is GET /api/v1/jobs/{id}.
func (s *Server) getJob(c *call) (*answer, error) {
	job, err := s.visible(c)
	if err != nil {
		return nil, err
	}
	v := viewOf(job)
	if err := s.addOutput(c, job, &v); err != nil {
		return nil, err
	}
	return jsonAnswer(http.StatusOK, v), nil
}

// addOutput adds the answer of a finished job, if it is small.
func (s *Server) addOutput(c *call, job ledger.Job, v *jobView) error {
	if job.Answer == nil || job.Answer.Size > s.cfg.MaxInlineResult {
		return nil
	}
	a, err := s.relay(c, job)
	if errors.Is(err, ledger.ErrGone) {
		return nil // expired since the row was read
	}
	if err != nil {
		return err
	}
	if job.State == ledger.Failed {
		v.Error = a.body
	} else {
		v.Result = a.body
	}
	return nil
}

// getArtifact is GET /api/v1/jobs/{id}/artifact: the document that the job made, or its answer where it made none, or where
// JSON is asked for.
func (s *Server) getArtifact(c *call) (*answer, error) {
	job, err := s.visible(c)
	if err != nil {
		return nil, err
	}
	if job.State != ledger.Succeeded {
		return nil, &finding.Refusal{Kind: finding.NotFound, Message: fmt.Sprintf("Job %s is %s and has no artifact", job.ID, job.State)}
	}
	if job.Artifact == nil || wantsJSON(c.r.Header, job.Artifact.MimeType) {
		return s.relay(c, job)
	}
	r, err := s.Jobs.Artifact(c.r.Context(), job)
	if err != nil {
		return nil, err
	}
	a := documentAnswer(job.Artifact.Filename, job.Artifact.MimeType, job.Artifact.SHA256, nil)
	a.stream, a.size = r, job.Artifact.Size
	return a, nil
}

// deleteJob is DELETE /api/v1/jobs/{id}: it cancels an unfinished job and erases input and output of a finished one.
func (s *Server) deleteJob(c *call) (*answer, error) {
	job, err := s.visible(c)
	if err != nil {
		return nil, err
	}
	remove := s.Jobs.Cancel
	if job.State.Finished() {
		remove = s.Jobs.Erase
	}
	job, err = remove(c.r.Context(), c.key.AccountID, c.key.Mode, c.id())
	if errors.Is(err, ledger.ErrFinished) { // it ended since the row was read
		job, err = s.Jobs.Erase(c.r.Context(), c.key.AccountID, c.key.Mode, c.id())
	}
	if err != nil {
		return nil, err
	}
	return jsonAnswer(http.StatusOK, viewOf(job)), nil
}

// listJobs is GET /api/v1/jobs. It leaves out the jobs whose operations the key has no entitlement for.
func (s *Server) listJobs(c *call) (*answer, error) {
	page, err := pageOf(c.r.URL.Query())
	if err != nil {
		return nil, err
	}
	views, more, err := s.collect(c, page)
	if err != nil {
		return nil, err
	}
	return jsonAnswer(http.StatusOK, struct {
		Object  string    `json:"object"`
		Data    []jobView `json:"data"`
		HasMore bool      `json:"has_more"`
		URL     string    `json:"url"`
	}{"list", views, more, "/api/v1/jobs"}), nil
}

// collect reads on until the page is full of jobs that the key may see.
func (s *Server) collect(c *call, page ledger.Page) (views []jobView, more bool, err error) {
	limit := page.Limit
	for more = true; more && len(views) < limit; {
		var jobs []ledger.Job
		page.Limit = limit - len(views)
		if jobs, more, err = s.Jobs.List(c.r.Context(), c.key.AccountID, c.key.Mode, page); err != nil {
			return nil, false, err
		}
		found := visibleOf(c.key, jobs)
		if page.EndingBefore != "" {
			views = append(found, views...)
		} else {
			views = append(views, found...)
		}
		page = beyond(page, jobs)
	}
	return views, more, nil
}

func visibleOf(key *account.Key, jobs []ledger.Job) []jobView {
	views := []jobView{}
	for _, job := range jobs {
		if authoriseJob(key, job) == nil {
			views = append(views, viewOf(job))
		}
	}
	return views
}

// beyond moves the cursor of a page behind the jobs that it gave.
func beyond(page ledger.Page, jobs []ledger.Job) ledger.Page {
	switch {
	case len(jobs) == 0:
	case page.EndingBefore != "":
		page.EndingBefore = jobs[0].ID
	default:
		page.StartingAfter = jobs[len(jobs)-1].ID
	}
	return page
}

// pageOf reads limit, starting_after and ending_before.
func pageOf(q url.Values) (ledger.Page, error) {
	p := ledger.Page{Limit: 20, StartingAfter: q.Get("starting_after"), EndingBefore: q.Get("ending_before")}
	if text := q.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 100 {
			return p, badField("limit", finding.InvalidValue, "limit: must be a whole number from 1 to 100")
		}
		p.Limit = n
	}
	if p.StartingAfter != "" && p.EndingBefore != "" {
		return p, badField("ending_before", finding.InvalidValue, "ending_before: cannot be combined with starting_after")
	}
	return p, nil
}
