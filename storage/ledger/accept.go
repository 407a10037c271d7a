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
	"einvoiced/storage/db"
	"einvoiced/storage/id"
	"einvoiced/storage/outbox"
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

	Metadata map[string]string // the client's own words: at most 16 pairs, keys of 1 to 40 and values of up to 500 characters
	Announce bool              // publish job.succeeded or job.failed at its end
	Charges  []Charge          // reserved with the acceptance, committed with success, else released
	Ticket   *Ticket           // of the request that becomes this job: the job takes its charges and its idempotency key over
	Batch    string            // the batch that the job belongs to; set by a BatchWriter
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
	return outbox.Owe(tx, r.ring(l.cfg.Clock.Now().Add(l.cfg.RingAgain)))
}
