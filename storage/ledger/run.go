package ledger

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"einvoiced/storage/blob"
	"einvoiced/storage/clock"
	"einvoiced/storage/db"
	"einvoiced/storage/outbox"
)

// Claim gives a queued job to the caller under the next run number, which everything the run does must carry. The error is
// ErrNotQueued where there is nothing to do: the ring was a duplicate, or came late; and ErrSuspect where the job must be
// claimed with ClaimSuspect.
func (l *Ledger) Claim(ctx context.Context, queue, jobID string) (Job, error) {
	return l.claim(ctx, jobID, false)
}

// ClaimSuspect is Claim for a job that was running when its worker died. A process runs one suspect at a time, beside jobs
// that are none: so a second crash is the suspect's own doing, and no job is given up for the company it was in.
func (l *Ledger) ClaimSuspect(ctx context.Context, jobID string) (Job, error) {
	return l.claim(ctx, jobID, true)
}

func (l *Ledger) claim(ctx context.Context, jobID string, suspect bool) (Job, error) {
	var r row
	err := l.db.Write(ctx, func(tx *db.Tx) error {
		now := l.now()
		err := tx.Get(&r, `UPDATE jobs SET state = 'running', run = run + 1, progress = 0, started = coalesce(started, ?), beat = ?
			WHERE id = ? AND state = 'queued' AND (crashes = 0 OR ?) RETURNING *`, now, now, jobID, suspect)
		if errors.Is(err, sql.ErrNoRows) {
			return whyUnclaimed(tx, jobID)
		}
		if err != nil {
			return err
		}
		return outbox.Settle(tx, outbox.Ring, jobID)
	})
	if err != nil {
		return Job{}, fmt.Errorf("claim job %s: %w", jobID, err)
	}
	return r.job(), nil
}

// whyUnclaimed tells a suspect from a job that is not queued.
func whyUnclaimed(tx *db.Tx, jobID string) error {
	var queued int
	if err := tx.Get(&queued, "SELECT count(*) FROM jobs WHERE id = ? AND state = 'queued'", jobID); err != nil {
		return err
	}
	if queued == 0 {
		return ErrNotQueued
	}
	return ErrSuspect
}

// Beat says that the run of job is alive and how far it is (0 to 100). The error is ErrLost when the run must stop.
func (l *Ledger) Beat(ctx context.Context, job Job, progress int) error {
	return l.fenced(ctx, "beat for", job, func(tx *db.Tx) (int64, error) {
		return tx.Exec("UPDATE jobs SET beat = ?, progress = ? WHERE id = ? AND run = ? AND state = 'running'",
			l.now(), min(max(progress, 0), 100), job.ID, job.Run)
	})
}

// Output is what a run has made: the answer of the synchronous call and, apart from it, the document.
type Output struct {
	Status   int    // the HTTP status of the answer: below 400 the job has succeeded, otherwise it was refused
	Answer   []byte // JSON
	Document *Document

	Rulebooks Rulebooks // that judged the document; zero where none were asked
	Events    []Event   // published in the transaction that ends the job
}

// Document is the artifact's bytes.
type Document struct {
	Filename string
	MimeType string
	Bytes    []byte
}

// Finish stores the output of the run of job and ends the job: succeeded, or failed where the status is 400 or more. The
// error is ErrLost where the job is no longer the run's; then nothing of the output is kept.
func (l *Ledger) Finish(ctx context.Context, job Job, out Output) error {
	if err := l.holds(ctx, job); err != nil {
		return err
	}
	r := row{
		ID: job.ID, Run: job.Run, State: Succeeded, Status: out.Status,
		RulebooksNumber: out.Rulebooks.Number, RulebooksDigest: out.Rulebooks.Digest,
	}
	if out.Status >= 400 {
		r.State = Failed
	}
	if err := l.store(ctx, job, out, &r); err != nil {
		return err // what is half there is swept
	}
	err := l.end(ctx, job, r)
	if errors.Is(err, ErrLost) {
		return errors.Join(err, l.discard(context.WithoutCancel(ctx), job))
	}
	return err
}

// holds gives ErrLost where the job is not the run's, before anything is stored for it.
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

// store writes the output's blobs, beside each other because each waits for the disk, and notes them in the row.
func (l *Ledger) store(ctx context.Context, job Job, out Output, r *row) error {
	var work sync.WaitGroup
	var answer, artifact blob.Info
	var errs [2]error
	work.Go(func() { answer, errs[0] = l.put(ctx, job, answerName, out.Answer) })
	if out.Document != nil {
		work.Go(func() { artifact, errs[1] = l.put(ctx, job, artifactName, out.Document.Bytes) })
		r.ArtifactFilename, r.ArtifactMime = out.Document.Filename, out.Document.MimeType
	}
	work.Wait()
	r.AnswerSize, r.AnswerSHA256 = answer.Size, answer.SHA256
	r.ArtifactSize, r.ArtifactSHA256 = artifact.Size, artifact.SHA256
	return errors.Join(errs[:]...)
}

// put stores one blob of the run.
func (l *Ledger) put(ctx context.Context, job Job, name string, data []byte) (blob.Info, error) {
	info, err := l.blobs.Put(ctx, blob.Key(job.Account, job.ID, job.Run, name), bytes.NewReader(data))
	if err != nil {
		return blob.Info{}, fmt.Errorf("store %s of job %s: %w", name, job.ID, err)
	}
	return info, nil
}

// Fail ends the job of the run as failed by the service, with one of the JOB_ codes. The error is ErrLost where the job is
// no longer the run's.
func (l *Ledger) Fail(ctx context.Context, job Job, f Failure) error {
	return l.end(ctx, job, row{ID: job.ID, Run: job.Run, State: Failed, FailureCode: f.Code, FailureMessage: f.Message})
}

// end makes the job final as r says, if it still belongs to the run.
func (l *Ledger) end(ctx context.Context, job Job, r row) error {
	return l.fenced(ctx, "finish", job, func(tx *db.Tx) (int64, error) { return l.endRow(tx, r) })
}

const endStatement = `UPDATE jobs SET state = :state, progress = CASE WHEN :state = 'succeeded' THEN 100 ELSE progress END,
	finished = :finished, expires = :expires, status = :status, answer_size = :answer_size, answer_sha256 = :answer_sha256,
	artifact_size = :artifact_size, artifact_sha256 = :artifact_sha256, artifact_filename = :artifact_filename,
	artifact_mime = :artifact_mime, failure_code = :failure_code, failure_message = :failure_message, attempts = attempts + :attempts,
	crashes = crashes + :crashes, rulebooks_number = :rulebooks_number, rulebooks_digest = :rulebooks_digest
	WHERE id = :id AND run = :run AND state = 'running'`

func (l *Ledger) endRow(tx *db.Tx, r row) (int64, error) {
	now := l.cfg.Clock.Now()
	r.Finished = sql.NullInt64{Int64: clock.Millis(now), Valid: true}
	r.Expires = sql.NullInt64{Int64: clock.Millis(now.Add(l.cfg.Retention)), Valid: true}
	return tx.Named(endStatement, r)
}

// Retry says that the run of job has failed inside the service. The job is queued again, with a growing delay, until
// MaxAttempts have failed; then it has failed with JOB_FAILED. The error is ErrLost where the job is no longer the run's.
func (l *Ledger) Retry(ctx context.Context, job Job) error {
	if job.Attempts+1 >= l.cfg.MaxAttempts {
		return l.end(ctx, job, row{
			ID: job.ID, Run: job.Run, State: Failed, Attempts: 1, FailureCode: CodeFailed,
			FailureMessage: fmt.Sprintf("Job %s failed inside the service %d times and was given up", job.ID, job.Attempts+1),
		})
	}
	delay := retryDelay << job.Attempts
	return l.requeue(ctx, job, requeue{attempts: 1, due: l.cfg.Clock.Now().Add(delay)})
}

// Release gives the job of the run back, because its worker stops: it is queued again at once, and nothing is counted.
func (l *Ledger) Release(ctx context.Context, job Job) error {
	return l.requeue(ctx, job, requeue{due: l.cfg.Clock.Now()})
}

// fenced runs an update that is bound to the run: no row changed means that the run has lost the job.
func (l *Ledger) fenced(ctx context.Context, doing string, job Job, update func(*db.Tx) (int64, error)) error {
	err := l.db.Write(ctx, func(tx *db.Tx) error {
		n, err := update(tx)
		if err == nil && n == 0 {
			return ErrLost
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("%s run %d of job %s: %w", doing, job.Run, job.ID, err)
	}
	return nil
}
