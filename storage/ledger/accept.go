package ledger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"einvoiced/storage/account"
	"einvoiced/storage/blob"
	"einvoiced/storage/clock"
	"einvoiced/storage/db"
	"einvoiced/storage/id"
)

// The names of a job's blobs: the input belongs to run 0, the others to the run that made them.
const (
	inputName    = "input"
	answerName   = "answer"
	artifactName = "artifact"
)

// NewJob is what a job is made of.
type NewJob struct {
	Account   string
	Mode      account.Mode
	KeyID     string
	RequestID string
	Kind      string        // required
	Queue     string        // Interactive, Default or Embed; empty means Default
	Request   io.Reader     // read to its end; what the Runner gets
	TimeLimit time.Duration // of one run; 0 means the Config's
}

func (n NewJob) check() error {
	switch {
	case n.Account == "" || n.Kind == "" || n.Request == nil:
		return fmt.Errorf("a job needs account, kind and request: %w", ErrInvalid)
	case !slices.Contains([]string{Interactive, Default, Embed}, n.Queue):
		return fmt.Errorf("queue %q is none of interactive, default, embed: %w", n.Queue, ErrInvalid)
	case n.TimeLimit < time.Second:
		return fmt.Errorf("time limit %s is below a second: %w", n.TimeLimit, ErrInvalid)
	}
	return nil
}

// Accept takes a job over. When it returns without an error, input and row are on the disk, and the job reaches a final
// state whatever is killed. With an error the job does not exist. The bell is rung after the commit; a bell that does not
// ring is no error.
func (l *Ledger) Accept(ctx context.Context, n NewJob) (Job, error) {
	if n.Queue == "" {
		n.Queue = Default
	}
	if n.TimeLimit == 0 {
		n.TimeLimit = l.cfg.TimeLimit
	}
	if err := n.check(); err != nil {
		return Job{}, fmt.Errorf("accept job: %w", err)
	}
	jobID := id.New("job", l.cfg.Clock.Now())
	input, err := l.blobs.Put(ctx, blob.Key(n.Account, jobID, 0, inputName), n.Request)
	if err != nil {
		return Job{}, fmt.Errorf("accept job: store input: %w", err)
	}
	r := row{
		ID: jobID, Account: n.Account, Mode: n.Mode, KeyID: n.KeyID, RequestID: n.RequestID, Kind: n.Kind, Queue: n.Queue, State: Queued,
		TimeLimit: n.TimeLimit.Milliseconds(), Created: l.now(), InputSize: input.Size, InputSHA256: input.SHA256,
	}
	if err := l.db.Write(ctx, func(tx *db.Tx) error { return l.insert(tx, r) }); err != nil {
		undo := l.blobs.DeleteAll(context.WithoutCancel(ctx), n.Account+"/"+jobID)
		return Job{}, errors.Join(fmt.Errorf("accept job: %w", err), undo)
	}
	l.bell.RingSoon(r.Queue, r.ID, 1)
	return r.job(), nil
}

func (l *Ledger) insert(tx *db.Tx, r row) error {
	_, err := tx.Named(`INSERT INTO jobs (id, account_id, mode, key_id, request_id, kind, queue, state, time_limit, created, input_size, input_sha256)
		VALUES (:id, :account_id, :mode, :key_id, :request_id, :kind, :queue, :state, :time_limit, :created, :input_size, :input_sha256)`, r)
	if err != nil {
		return err
	}
	return owe(tx, oweRing, r, clock.Millis(l.cfg.Clock.Now().Add(l.cfg.RingAgain)))
}

// The kinds of what is owed.
const (
	oweRing  = "ring"
	owePurge = "purge"
)

// owe writes to the outbox, in the transaction of its cause, what is to happen outside the database for the job.
func owe(tx *db.Tx, kind string, r row, due int64) error {
	_, err := tx.Exec(`INSERT INTO outbox (kind, job_id, queue, run, due) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (kind, job_id) DO UPDATE SET run = excluded.run, due = excluded.due, tries = 0`, kind, r.ID, r.Queue, r.Run+1, due)
	return err
}

// settle removes from the outbox what has happened or need not happen any more.
func settle(tx *db.Tx, kind, jobID string) error {
	_, err := tx.Exec("DELETE FROM outbox WHERE kind = ? AND job_id = ?", kind, jobID)
	return err
}
