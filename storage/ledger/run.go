package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/einvoiced/einvoiced/storage/db"
)

// Beat says that the run of job is alive and how far it is (0 to 100). The error is ErrLost when the run must stop.
func (l *Ledger) Beat(ctx context.Context, job Job, progress int) error {
	err := l.db.Write(ctx, func(tx *db.Tx) error {
		return tx.Must(ErrLost, "UPDATE jobs SET beat = ?, progress = ? WHERE id = ? AND run = ? AND state = 'running'",
			l.now(), min(max(progress, 0), 100), job.ID, job.Run)
	})
	if err != nil {
		return fmt.Errorf("beat for run %d of job %s: %w", job.Run, job.ID, err)
	}
	return nil
}

// Output is what a run has made: the answer of the synchronous call and, apart from it, the document.
type Output struct {
	Status   int     // the HTTP status of the answer: below 400 the job has succeeded, otherwise it was refused
	Answer   Content // JSON; nil is none
	Document *Document

	Rulebooks Rulebooks // that judged the document; zero where none were asked
	Events    []Event   // published in the transaction that ends the job

	Registrations []Registration // of a job that succeeds: registered in the transaction that ends it

	Release func() // lets go what holds the contents, when nobody reads them any more; nil where nothing has to be told
}

// Document is the artifact.
type Document struct {
	Filename string
	MimeType string
	Content  Content
}

// isLarge tells whether any of the contents has more than so many bytes.
func (o *Output) isLarge(small int) bool {
	return o.Answer.Size() > int64(small) || o.Document != nil && o.Document.Content.Size() > int64(small)
}

// Finish stores the output of the run of job and ends the job: succeeded, or failed where the status is 400 or more. What the
// job has reserved is counted or released, and its events are published, in the same transaction. An error of the
// Registrar is given as it is, wrapped; then the job goes on. The error is ErrLost where the job is no longer the run's; then nothing of the output is kept.
func (l *Ledger) Finish(ctx context.Context, job Job, out Output) error {
	e := ending{row: row{
		ID: job.ID, Account: job.Account, Mode: job.Mode, Run: job.Run, State: Succeeded, Status: out.Status,
		RulebooksNumber: out.Rulebooks.Number, RulebooksDigest: out.Rulebooks.Digest,
	}, events: out.Events, registrations: out.Registrations}
	if out.Answer == nil {
		out.Answer = Bytes(nil)
	}
	if out.Status >= 400 {
		refused, err := ReadAll(ctx, out.Answer)
		if err != nil {
			return fmt.Errorf("finish run %d of job %s: %w", job.Run, job.ID, err)
		}
		e.State, e.refused, e.registrations = Failed, refused, nil
	}
	large := out.isLarge(l.cfg.SmallBytes)
	if large {
		if err := l.holds(ctx, job); err != nil {
			return err
		}
	}
	if err := l.store(ctx, job, out, &e); err != nil {
		return err // what is half there is swept
	}
	err := l.end(ctx, job, e)
	if large && errors.Is(err, ErrLost) {
		return errors.Join(err, l.discard(context.WithoutCancel(ctx), job))
	}
	return err
}

// holds gives ErrLost where the job is not the run's, before anything is stored for it. It only spares work: what decides is
// the statement that ends the job.
func (l *Ledger) holds(ctx context.Context, job Job) error {
	var held int
	err := l.db.Get(ctx, &held, "SELECT count(*) FROM jobs WHERE id = ? AND run = ? AND state = 'running'", job.ID, job.Run)
	if err == nil && held == 0 {
		err = ErrLost
	}
	if err != nil {
		return fmt.Errorf("finish run %d of job %s: %w", job.Run, job.ID, err)
	}
	return nil
}

// discard removes the output of a run that has lost its job, and of no other: an end whose acknowledgement was lost looks
// like a loss, too.
func (l *Ledger) discard(ctx context.Context, job Job) error {
	var owner sweptJob
	if err := l.findOwner(ctx, job.ID, &owner); err != nil || owner.keeps(job.Run) {
		return err
	}
	return l.blobs.DeleteAll(ctx, fmt.Sprintf("%s/%s/%d", job.Account, job.ID, job.Run))
}

// store prepares the output and notes it in the row.
func (l *Ledger) store(ctx context.Context, job Job, out Output, e *ending) error {
	answer, err := l.keep(ctx, job, answerName, out.Answer)
	if err != nil {
		return err
	}
	e.AnswerSize, e.AnswerSHA256, e.data = answer.Size, answer.SHA256, []datum{answer}
	d := out.Document
	if d == nil {
		return nil
	}
	artifact, err := l.keep(ctx, job, artifactName, d.Content)
	e.ArtifactSize, e.ArtifactSHA256, e.data = artifact.Size, artifact.SHA256, append(e.data, artifact)
	e.ArtifactFilename, e.ArtifactMime = d.Filename, d.MimeType
	return err
}

// Fail ends the job of the run as failed by the service, with one of the JOB_ codes. The error is ErrLost where the job is
// no longer the run's.
func (l *Ledger) Fail(ctx context.Context, job Job, f Failure) error {
	return l.end(ctx, job, ending{row: row{
		ID: job.ID, Account: job.Account, Mode: job.Mode, Run: job.Run, State: Failed, FailureCode: f.Code, FailureMessage: f.Message,
	}})
}

// Retry says that the run of job has failed inside the service. The job is queued again, with a growing delay, until
// as many have failed as the Config allows its kind; then it has failed with JOB_FAILED. The error is ErrLost where the job is no longer the run's.
func (l *Ledger) Retry(ctx context.Context, job Job) error {
	if job.Attempts+1 >= l.maxAttempts(job.Kind) {
		return l.end(ctx, job, ending{row: row{
			ID: job.ID, Account: job.Account, Mode: job.Mode, Run: job.Run, State: Failed, Attempts: 1, FailureCode: CodeFailed,
			FailureMessage: fmt.Sprintf("Job %s failed inside the service %d times and was given up", job.ID, job.Attempts+1),
		}})
	}
	return l.requeue(ctx, job, requeue{attempts: 1, delay: retryDelay << job.Attempts})
}

// maxAttempts is how many failures end a job of the kind.
func (l *Ledger) maxAttempts(kind string) int {
	if l.cfg.Attempts == nil {
		return l.cfg.MaxAttempts
	}
	return cmp.Or(l.cfg.Attempts(kind), l.cfg.MaxAttempts)
}

// Release gives the job of the run back, because its worker stops: it is queued again at once, and nothing is counted.
func (l *Ledger) Release(ctx context.Context, job Job) error {
	return l.requeue(ctx, job, requeue{})
}
