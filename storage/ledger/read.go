package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
)

// Get gives a job of the account and mode. The error is ErrNotFound for one that is unknown or another's.
func (l *Ledger) Get(ctx context.Context, accountID string, mode account.Mode, jobID string) (Job, error) {
	var r row
	err := l.db.Get(ctx, &r, "SELECT * FROM jobs WHERE id = ? AND account_id = ? AND mode = ?", jobID, accountID, mode)
	if errors.Is(err, sql.ErrNoRows) {
		return Job{}, ErrNotFound
	}
	if err != nil {
		return Job{}, fmt.Errorf("read job: %w", err)
	}
	return r.job(), nil
}

// Page is a part of a list of jobs.
type Page = db.Page

// List gives the jobs of the account and mode, newest first, and whether more follow in the direction of the page. The
// error is ErrInvalid for a page that is none.
func (l *Ledger) List(ctx context.Context, accountID string, mode account.Mode, p Page) (jobs []Job, more bool, err error) {
	rows, more, err := db.List[row](ctx, l.db, p, "id", "SELECT * FROM jobs WHERE account_id = ? AND mode = ?", accountID, mode)
	if errors.Is(err, db.ErrPage) {
		err = errors.Join(err, ErrInvalid)
	}
	if err != nil {
		return nil, false, fmt.Errorf("list jobs: %w", err)
	}
	jobs = make([]Job, len(rows))
	for i, r := range rows {
		jobs[i] = r.job()
	}
	return jobs, more, nil
}

// Input gives the request that was accepted.
func (l *Ledger) Input(job Job) Content { return stored{l, job, 0, inputName, job.Input} }

// Answer gives the answer of the synchronous call, verified. The error is ErrGone or ErrCorrupt.
func (l *Ledger) Answer(ctx context.Context, job Job) ([]byte, error) {
	if job.Answer == nil {
		return nil, ErrGone
	}
	return l.whole(ctx, job, job.Run, answerName, *job.Answer)
}

// Artifact opens the artifact; the caller closes it. Reading verifies: bytes that differ from the row's size or SHA-256 end
// in ErrCorrupt instead of io.EOF. The error is ErrGone where there is none.
func (l *Ledger) Artifact(ctx context.Context, job Job) (io.ReadCloser, error) {
	if job.Artifact == nil {
		return nil, ErrGone
	}
	return l.open(ctx, job, job.Run, artifactName, job.Artifact.Info)
}
