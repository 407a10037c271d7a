package ledger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/id"
	"github.com/einvoiced/einvoiced/storage/outbox"
	"github.com/einvoiced/einvoiced/storage/queue/names"
	"github.com/einvoiced/einvoiced/storage/volume"
)

// NewJob is what a job is made of.
type NewJob struct {
	Account   string
	Mode      account.Mode
	KeyID     string
	RequestID string
	Kind      string        // required
	Queue     string        // one of names.OfJobs; empty means names.Default
	Request   io.Reader     // read to its end; what the Runner gets
	TimeLimit time.Duration // of one run; 0 means the Config's

	Metadata map[string]string // the client's own words: at most 16 pairs, keys of 1 to 40 and values of up to 500 characters
	Announce bool              // publish job.succeeded or job.failed at its end
	Charges  []Charge          // reserved with the acceptance, committed with success, else released
	Ticket   *Ticket           // of the request that becomes this job: the job takes its charges and its idempotency key over
	Batch    string            // the batch that the job belongs to; set by a BatchWriter

	// Along writes what belongs to the job beside its row, in the transaction that accepts it; not for jobs of batches. It may be called again where
	// the transaction is. Default: there is nothing.
	Along func(tx *db.Tx, jobID string) error

	// Stored is how many bytes Along stores. They count as the input does; who removes them counts them out (volume.CountOut).
	Stored int64
}

// withDefaults gives what is to be accepted, if it can be.
func (n NewJob) withDefaults(cfg Config) (NewJob, error) {
	if n.Queue == "" {
		n.Queue = names.Default
	}
	if n.TimeLimit == 0 {
		n.TimeLimit = cfg.TimeLimit
	}
	switch {
	case n.Account == "" || n.Kind == "" || n.Request == nil:
		return n, fmt.Errorf("a job needs account, kind and request: %w", ErrInvalid)
	case !slices.Contains(names.OfJobs(), n.Queue):
		return n, fmt.Errorf("queue %q is none of interactive, default, embed: %w", n.Queue, ErrInvalid)
	case n.TimeLimit < time.Second:
		return n, fmt.Errorf("time limit %s is below a second: %w", n.TimeLimit, ErrInvalid)
	}
	return n, CheckMetadata(n.Metadata)
}

// row is the job's row without its turn.
func (n NewJob) row(jobID string, created int64, input datum) row {
	metadata := encodeMetadata(n.Metadata)
	return row{
		ID: jobID, Account: n.Account, Mode: n.Mode, KeyID: n.KeyID, RequestID: n.RequestID, Kind: n.Kind, Queue: n.Queue, State: Queued,
		TimeLimit: n.TimeLimit.Milliseconds(), Created: created, InputSize: input.Size, InputSHA256: input.SHA256,
		Metadata: metadata, Announce: n.Announce, Batch: n.Batch, Holds: n.holds(), Counted: rowBytes + int64(len(metadata)),
	}
}

// holds tells whether the job will have reservations or an idempotency key. Test keys are never counted.
func (n NewJob) holds() bool {
	if n.Ticket != nil {
		return n.Ticket.owner != "" || len(n.Ticket.charges) > 0
	}
	return n.Mode == account.Live && len(n.Charges) > 0
}

// Accept takes a job over. When it returns without an error, input and row are on the disk, and the job reaches a final
// state whatever is killed. With an error the job does not exist, except with db.ErrInDoubt, where nobody knows. The error is a
// *QuotaError where a quota does not suffice for the charges, and a *volume.ExceededError where the account has stored too much. The job is enqueued after the commit; a queue that does not take it is
// no error.
func (l *Ledger) Accept(ctx context.Context, n NewJob) (Job, error) {
	n, err := n.withDefaults(l.cfg)
	if err != nil {
		return Job{}, fmt.Errorf("accept job: %w", err)
	}
	jobID := id.New("job", l.cfg.Clock.Now())
	// The input comes first: without a row it is swept, while a row without its input would be a job that no worker can do.
	input, err := l.takeWithin(ctx, n.Account, jobID, n.Request, n.Stored)
	if err != nil {
		return Job{}, fmt.Errorf("accept job: store input: %w", err)
	}
	r := n.row(jobID, l.now(), input)
	if err := l.db.Write(ctx, func(tx *db.Tx) error { return l.insert(tx, &r, n, input) }); err != nil {
		return Job{}, errors.Join(fmt.Errorf("accept job: %w", err), l.undo(ctx, err, r, input))
	}
	// After the commit, or a worker could look before there is a row to be seen.
	l.queue.EnqueueSoon(r.Queue, r.ID, 1)
	return r.job(), nil
}

// undo removes the input of a job that was not accepted. Where that is in doubt it stays: the row may need it, and if not, it
// is swept.
func (l *Ledger) undo(ctx context.Context, cause error, r row, input datum) error {
	if input.bytes != nil || errors.Is(cause, db.ErrInDoubt) {
		return nil
	}
	return l.blobs.DeleteAll(context.WithoutCancel(ctx), r.Account+"/"+r.ID)
}

const insertStatement = `INSERT INTO jobs (id, account_id, mode, key_id, request_id, kind, queue, state, time_limit, created, input_size, input_sha256,
	turn, metadata, announce, batch_id, holds, counted) VALUES (:id, :account_id, :mode, :key_id, :request_id, :kind, :queue, :state, :time_limit, :created,
	:input_size, :input_sha256, :turn, :metadata, :announce, :batch_id, :holds, :counted)`

// insert writes all that belongs to a new job. What others may wait for, the account's usage, comes last.
func (l *Ledger) insert(tx *db.Tx, r *row, n NewJob, input datum) (err error) {
	if r.Turn, err = l.nextTurn(tx, r.Account, r.Queue); err != nil {
		return err
	}
	if err := tx.LaterNamed(insertStatement, *r); err != nil {
		return err
	}
	if err := insertData(tx, r.ID, input); err != nil {
		return err
	}
	if err := outbox.Add(tx, r.message(l.cfg.Clock.Now().Add(l.cfg.EnqueueAgain))); err != nil {
		return err
	}
	if n.Along != nil {
		if err := n.Along(tx, r.ID); err != nil {
			return err
		}
	}
	if n.Ticket != nil {
		err = l.adopt(tx, *n.Ticket, r.ID)
	} else {
		err = l.reserve(tx, r.ID, r.Account, r.Mode, n.Charges)
	}
	if err != nil {
		return err
	}
	return volume.Count(tx, r.Account, r.InputSize+r.Counted+n.Stored)
}
