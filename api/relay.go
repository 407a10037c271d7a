package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/answers"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// follow answers for a job that was just accepted: with the job itself where the client prefers that, or has waited as long as
// it wants to, otherwise with what the synchronous call would have answered.
func (s *Server) follow(c *call, job ledger.Job, p preference) (*answer, error) {
	if !p.async {
		return s.relay(c, job)
	}
	job, why, err := s.await(c.r.Context(), job, min(p.wait, s.cfg.MaxWait), s.draining)
	if err != nil {
		return nil, err
	}
	if why == ended && p.wait > 0 && (job.Answer != nil || job.Failure != nil) {
		return s.outcome(c, job)
	}
	return acknowledge(job), nil
}

// join answers for a job that was accepted under the same idempotency key before.
func (s *Server) join(c *call, jobID string) (*answer, error) {
	job, err := s.Jobs.Get(c.r.Context(), c.key.AccountID, c.key.Mode, jobID)
	if err != nil {
		return nil, err
	}
	p := preferred(c.r.Header)
	if c.route.name == "createJobs" {
		p = preference{async: true}
	}
	a, err := s.follow(c, job, p)
	if err != nil {
		return nil, err // of the service itself: what the job was refused with is an answer
	}
	return a.with(replayed, "true"), nil
}

// acknowledge gives the 202.
func acknowledge(job ledger.Job) *answer {
	a := jsonAnswer(http.StatusAccepted, jobView{ID: job.ID, Type: operationOf(job), Status: job.State, Created: job.Created})
	return a.with("Location", "/api/v1/jobs/"+job.ID).with("Preference-Applied", "respond-async")
}

// The reasons why waiting for a job ends.
type reason int

const (
	ended reason = iota
	timeUp
	stopping // the server is shutting down
)

// await waits until the job has ended, the time is up or the server stops, and gives the job as it is then. A client that
// leaves ends the waiting, not the job.
func (s *Server) await(ctx context.Context, job ledger.Job, wait time.Duration, stop <-chan struct{}) (_ ledger.Job, why reason, err error) {
	deadline := time.NewTimer(wait)
	defer deadline.Stop()
	for !job.State.Finished() && wait > 0 {
		if why, err = s.awaitLook(ctx, job.ID, deadline.C, stop); err != nil || why != ended {
			return job, why, err
		}
		if job, err = s.Jobs.Get(ctx, job.Account, job.Mode, job.ID); err != nil {
			return job, why, err
		}
	}
	if !job.State.Finished() {
		return job, timeUp, nil
	}
	return job, ended, nil
}

// awaitLook waits until there is a reason to look at the job: that it has ended, most of the time.
func (s *Server) awaitLook(ctx context.Context, jobID string, timeout <-chan time.Time, stop <-chan struct{}) (reason, error) {
	over, leave := s.watcher.await(jobID)
	defer leave()
	select {
	case <-ctx.Done():
		if errors.Is(context.Cause(ctx), errStopping) {
			return stopping, nil
		}
		return timeUp, errClientGone
	case <-timeout:
		return timeUp, nil
	case <-stop:
		return stopping, nil
	case <-over:
		return ended, nil
	}
}

// relay waits for a job whose client knows of none, and answers what the synchronous call would have answered. While the
// server shuts down, it goes on waiting for as long as requests are given to end.
func (s *Server) relay(c *call, job ledger.Job) (*answer, error) {
	job, why, err := s.await(c.r.Context(), job, s.cfg.MaxRelay, s.draining)
	if err == nil && why == stopping {
		if job, why, err = s.await(c.r.Context(), job, s.cfg.DrainWait, nil); why == timeUp {
			why = stopping
		}
	}
	switch {
	case err != nil:
		return nil, err
	case why != ended:
		return nil, unfinished(job, why)
	}
	return s.outcome(c, job)
}

// unfinished is the answer to a client that has waited for a job as long as the service waits. The job goes on.
func unfinished(job ledger.Job, why reason) error {
	p := &problem{status: http.StatusInternalServerError}
	p.Refusal = finding.Refusal{Word: answers.Internal.Word, Code: "JOB_UNFINISHED",
		Message: fmt.Sprintf("Job %s has not ended yet; GET /api/v1/jobs/%s tells what comes of it", job.ID, job.ID)}
	if why == stopping {
		p.status, p.Word = http.StatusServiceUnavailable, http.StatusText(http.StatusServiceUnavailable)
		p.Message = fmt.Sprintf("The service is shutting down; job %s goes on, and GET /api/v1/jobs/%s tells what comes of it", job.ID, job.ID)
	}
	return p
}

// outcome gives what the synchronous call would have answered for a job that has ended.
func (s *Server) outcome(c *call, ended ledger.Job) (*answer, error) {
	operation, _, _ := job.SplitKind(ended.Kind)
	kind := s.Kinds.Find(operation)
	switch {
	case ended.State == ledger.Canceled:
		return nil, &finding.Refusal{Kind: finding.Conflict, Code: "JOB_CANCELED", Message: fmt.Sprintf("Job %s was canceled before it ended", ended.ID)}
	case ended.Artifact == nil || !wantsDocument(c.r.Header, kind, ended.Artifact.MimeType):
		return s.relayJSON(c, ended)
	}
	body, err := s.answerOf(c, ended)
	if err != nil {
		return nil, err
	}
	if kind != nil {
		if header, alone := kind.Alone(body); alone {
			return s.relayDocument(c, ended, header)
		}
	}
	return &answer{status: ended.Status, contentType: typeJSON, body: body}, nil
}

// relayJSON gives the answer of a job.
func (s *Server) relayJSON(c *call, job ledger.Job) (*answer, error) {
	body, err := s.answerOf(c, job)
	if err != nil {
		return nil, err
	}
	return &answer{status: job.Status, contentType: typeJSON, body: body}, nil
}

// relayDocument gives the artifact of a job.
func (s *Server) relayDocument(c *call, job ledger.Job, header map[string]string) (*answer, error) {
	if kind := s.Kinds.Find(operationOf(job)); kind != nil && kind.Detected != nil {
		if _, err := s.answerOf(c, job); err != nil { // which asks for what only the answer tells
			return nil, err
		}
	}
	r, err := s.Jobs.Artifact(c.r.Context(), job)
	if err != nil {
		return nil, err
	}
	a := documentAnswer(job.Artifact.Filename, job.Artifact.MimeType, job.Artifact.SHA256, nil)
	a.stream, a.size = r, job.Artifact.Size
	return a.withAll(header), nil
}

// answerOf is the body that the synchronous call would have answered, if the key may see it.
func (s *Server) answerOf(c *call, j ledger.Job) ([]byte, error) {
	if j.Failure != nil {
		return nil, failureOf(j)
	}
	body, err := s.loadAnswer(c, j)
	if err != nil {
		return nil, err
	}
	var o job.Order
	o.Operation, o.Country, o.Format = job.SplitKind(j.Kind)
	return body, s.allow(c.key, &o, body)
}

// loadAnswer brings the answer of a job into memory. A large one takes a processor to be unpacked, and its turn for the memory that large bodies share,
// which it keeps until it is sent: a client that reads slowly holds it for long.
func (s *Server) loadAnswer(c *call, j ledger.Job) ([]byte, error) {
	ctx := c.r.Context()
	if j.Answer != nil && j.Answer.Size > smallBody {
		leave, err := s.toLoad(c, j.Answer.Size)
		if err != nil {
			return nil, gone(ctx, err)
		}
		defer leave()
	}
	return s.Jobs.Answer(s.Recent.Yielding(ctx, c.key.AccountID), j)
}

// toLoad waits for memory for n bytes of an answer, which a call gets once, and for a processor. Meanwhile others of the account may read: a client that
// takes its answers slowly must not hold up its lists.
func (s *Server) toLoad(c *call, n int64) (leave func(), err error) {
	c.doneReading()
	if c.answer == nil {
		c.answer = &lease{capacity: s.capacity, account: c.key.AccountID}
		if err := c.answer.room(c.r.Context(), n); err != nil {
			return func() {}, err
		}
	}
	return s.process(c.r.Context(), c.key.AccountID)
}

// failureOf is the public 500 of a job that the service itself failed.
func failureOf(job ledger.Job) error {
	p := &problem{status: http.StatusInternalServerError}
	p.Refusal = finding.Refusal{Word: answers.Internal.Word, Message: job.Failure.Message, Code: job.Failure.Code}
	return p
}
