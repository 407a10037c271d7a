package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/answers"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// Jobs keeps the jobs; *ledger.Ledger does.
type Jobs interface {
	Accept(ctx context.Context, n ledger.NewJob) (ledger.Job, error)
	Get(ctx context.Context, accountID string, mode account.Mode, jobID string) (ledger.Job, error)
	List(ctx context.Context, accountID string, mode account.Mode, p db.Page) ([]ledger.Job, bool, error)
	Cancel(ctx context.Context, accountID string, mode account.Mode, jobID string) (ledger.Job, error)
	Erase(ctx context.Context, accountID string, mode account.Mode, jobID string) (ledger.Job, error)
	Answer(ctx context.Context, job ledger.Job) ([]byte, error)
	Artifact(ctx context.Context, job ledger.Job) (io.ReadCloser, error)
	ArtifactURL(ctx context.Context, job ledger.Job, ttl time.Duration) (string, error)
	Ended(ctx context.Context, jobIDs []string) ([]string, error)
	AcceptBatch(ctx context.Context, n ledger.NewBatch) (*ledger.BatchWriter, error)
	Admit(ctx context.Context, accountID string, bytes int64) error
}

var _ Jobs = (*ledger.Ledger)(nil)

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

	ArtifactURL string            `json:"artifactUrl,omitzero"` // of the artifact at its store, without a key, for linkTime
	Metadata    map[string]string `json:"metadata,omitzero"`    // as it was given
}

// linkTime is how long the address of an artifact at its store is good.
const linkTime = 5 * time.Minute

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
	if len(job.Metadata) > 0 {
		v.Metadata = job.Metadata
	}
	return v
}

func operationOf(j ledger.Job) string {
	operation, _, _ := job.SplitKind(j.Kind)
	return operation
}

// visible gives the job of the path if the key may see it. What belongs to another account or mode is unknown.
func (s *Server) visible(c *call) (ledger.Job, error) {
	job, err := s.Jobs.Get(c.r.Context(), c.key.AccountID, c.key.Mode, c.id())
	if err != nil {
		return job, err
	}
	return job, s.authoriseJob(c.key, job)
}

// id is the id of the path. What cannot be one becomes an id that nothing has: databases refuse to look for some of it.
func (c *call) id() string {
	id, _ := c.variable("id")
	if !safeID(id) {
		return "none"
	}
	return id
}

// authoriseJob asks for the entitlement of the job's operation. What the answer has to tell is asked for with it. Jobs of a kind that
// this program does not know are shown to nobody.
func (s *Server) authoriseJob(key *account.Key, j ledger.Job) error {
	operation, country, token := job.SplitKind(j.Kind)
	kind := s.Kinds.Find(operation)
	if kind == nil {
		return ledger.ErrNotFound
	}
	if needed := kind.Needs(country, token); needed != "" {
		return require(key, needed)
	}
	return requireSome(key, kind.Some(country))
}

// allow checks the entitlement that only the answer can tell: the one for what was detected.
func (s *Server) allow(key *account.Key, o *job.Order, answer []byte) error {
	kind := s.Kinds.Find(o.Operation)
	if kind == nil || kind.Detected == nil {
		return nil
	}
	entitlement, err := kind.Detected(o, answer)
	if err != nil || entitlement == "" {
		return err
	}
	return require(key, entitlement)
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
	if job.State == ledger.Succeeded {
		if v.ArtifactURL, err = s.Jobs.ArtifactURL(c.r.Context(), job, linkTime); err != nil {
			return nil, err
		}
	}
	return jsonAnswer(http.StatusOK, v), nil
}

// addOutput adds the answer of a finished job, if it is small. The reason of a failed one stands nowhere else, so it is always there.
func (s *Server) addOutput(c *call, job ledger.Job, v *jobView) error {
	if job.Answer == nil || job.State != ledger.Failed && job.Answer.Size > s.cfg.MaxInlineResult {
		return nil
	}
	body, err := s.answerOf(c, job)
	if errors.Is(err, ledger.ErrGone) {
		return nil // expired since the row was read
	}
	if err != nil {
		return err
	}
	if job.State == ledger.Failed {
		v.Error = body
	} else {
		v.Result = body
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
		return s.relayJSON(c, job)
	}
	return s.relayDocument(c, job, nil)
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
	return listing[ledger.Job, jobView]{
		path: "/api/v1/jobs",
		list: func(p db.Page) ([]ledger.Job, bool, error) {
			return s.Jobs.List(c.r.Context(), c.key.AccountID, c.key.Mode, p)
		},
		id:   func(job ledger.Job) string { return job.ID },
		show: func(job ledger.Job) (jobView, bool) { return viewOf(job), s.authoriseJob(c.key, job) == nil },
	}.answer(c.r.URL.Query())
}

// The events of jobs (contract, Events).
const (
	eventJobSucceeded = "job.succeeded"
	eventJobFailed    = "job.failed"
)

// JobEvent tells that a job has ended: the job as GET shows it, without its result. The error of one that was refused is the refusal.
func JobEvent(job ledger.Job, refused []byte) ledger.Event {
	v := viewOf(job)
	if len(refused) > 0 {
		v.Error = shortRefusal(job.Status, refused)
	}
	e := ledger.Event{Type: eventJobFailed, Object: answers.JSON(v)}
	if job.State == ledger.Succeeded {
		e.Type = eventJobSucceeded
	}
	return e
}

// The most of a refusal in an event, whose body is short.
const (
	refusalShown  = 8 << 10 // bytes
	findingsShown = 5       // of a longer one
)

// shortRefusal is the answer of a refused run, or the reason and the first findings of a long one.
func shortRefusal(status int, body []byte) []byte {
	if len(body) <= refusalShown {
		return body
	}
	r := answers.RefusalOf(answers.Read(status, body))
	r.Extra = nil
	if rest := len(r.Errors) - findingsShown; rest > 0 {
		r.Errors = append(r.Errors[:findingsShown], finding.Finding{Code: finding.FindingsOmitted, Message: fmt.Sprintf("%d further findings are not listed", rest)})
	}
	return r.Body()
}
