package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/blob"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/id"
	"github.com/einvoiced/einvoiced/storage/volume"
)

// ErrBatchFull says that a batch has as many jobs as one may have.
var ErrBatchFull = errors.New("the batch is full")

// MostBatchJobs is how many jobs a batch may have.
const MostBatchJobs = 100_000

const (
	batchLimit   = 30 * time.Minute // how long a batch may be open: less than sweepAge, so that its inputs are not swept
	soonEnqueued = 1024             // jobs that are enqueued with the commit; the reconciler enqueues the others
)

// How many jobs of a batch a transaction adds or moves, and how many bytes of their input wait in memory for it: what takes some milliseconds, and where other
// accounts have written lately, and so may wait, less than one or two.
const (
	chunkJobs, chunkBytes = 256, 1 << 20
	besideOthers          = 8 // so many times less
)

// chunk gives these, as they are now for an account.
func (l *Ledger) chunk(accountID string) (jobs, bytes int) {
	if l.db.Others(accountID) {
		return chunkJobs / besideOthers, chunkBytes / besideOthers
	}
	return chunkJobs, chunkBytes
}

// NewBatch is what a batch is made of, beside its jobs.
type NewBatch struct {
	Account string
	Mode    account.Mode
}

// Batch is a set of jobs that were accepted together.
type Batch struct {
	ID      string // bat_…
	Account string
	Mode    account.Mode
	Created time.Time
	Jobs    int
}

// BatchWriter takes the jobs of a batch over, one after the other. It is for one goroutine.
//
// The jobs of an open batch stand in a table of their own: in one transaction their number would hold up all other writers,
// and in the table of jobs those written first would be seen and run before the batch is whole.
type BatchWriter struct {
	ledger   *Ledger
	batch    Batch
	places   map[string]int64 // how many jobs each queue gets
	pending  []newEntry       // jobs that are not written yet
	bytes    int              // of their input
	messages []entry          // the first jobs, to be enqueued with the commit
	large    bool             // some input is a blob
	ended    bool
}

// entry is a row of the table batch_jobs: a job of an open batch, which nobody sees.
type entry struct {
	row
	Position int64  `db:"position"` // in the batch
	Place    int64  `db:"place"`    // among its jobs of the same queue
	JobID    string `db:"job_id"`
}

// newEntry is a job on its way there.
type newEntry struct {
	entry
	input   datum
	charges []Charge
}

// AcceptBatch opens a batch. Its jobs are seen and run by nobody until Commit; without one, nothing of them is left: call Abort
// in any case. What a process that dies leaves open is removed by ReapBatches, and so is a batch that is open for half an hour.
func (l *Ledger) AcceptBatch(ctx context.Context, n NewBatch) (*BatchWriter, error) {
	if n.Account == "" {
		return nil, fmt.Errorf("accept batch: a batch needs an account: %w", ErrInvalid)
	}
	if err := l.ensureHolder(ctx); err != nil { // so that nobody takes the writer for dead from the beginning
		return nil, fmt.Errorf("accept batch: %w", err)
	}
	now := l.cfg.Clock.Now()
	b := Batch{ID: id.New("bat", now), Account: n.Account, Mode: n.Mode, Created: clock.Time(clock.Millis(now))}
	err := l.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec("INSERT INTO batches (id, account_id, mode, process, created) VALUES (?, ?, ?, ?, ?)",
			b.ID, b.Account, b.Mode, l.cfg.Process, clock.Millis(now))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("accept batch: %w", err)
	}
	return &BatchWriter{ledger: l, batch: b, places: map[string]int64{}}, nil
}

// Batch tells of the batch as it is now.
func (w *BatchWriter) Batch() Batch { return w.batch }

// Add takes a job over and gives its id; account, mode and batch are the batch's. The error is ErrInvalid, ErrBatchFull or a *volume.ExceededError, after
// which the batch is as before; or ErrLost where the batch was given up because its process was taken for dead.
func (w *BatchWriter) Add(ctx context.Context, n NewJob) (jobID string, err error) {
	n.Account, n.Mode, n.Batch = w.batch.Account, w.batch.Mode, w.batch.ID
	if n, err = n.withDefaults(w.ledger.cfg); err == nil && n.Ticket != nil {
		err = fmt.Errorf("a job of a batch has no ticket of its own: %w", ErrInvalid)
	}
	if w.batch.Jobs >= MostBatchJobs {
		err = ErrBatchFull
	}
	if err != nil {
		return "", fmt.Errorf("add to batch: %w", err)
	}
	jobID = id.New("job", w.ledger.cfg.Clock.Now())
	input, err := w.ledger.takeWithin(ctx, n.Account, jobID, n.Request, 0)
	if err != nil {
		return "", fmt.Errorf("add to batch: store input: %w", err)
	}
	w.append(n, jobID, input)
	if jobs, bytes := w.ledger.chunk(n.Account); len(w.pending) >= jobs || w.bytes >= bytes {
		return jobID, w.flush(ctx)
	}
	return jobID, nil
}

// Stores tells whether Add stores something, and not only keeps it in memory, for a job of so many bytes: with it, what waits is written, or it becomes a blob.
func (w *BatchWriter) Stores(size int) bool {
	jobs, bytes := w.ledger.chunk(w.batch.Account)
	return size > w.ledger.cfg.SmallBytes || len(w.pending)+1 >= jobs || w.bytes+size >= bytes
}

func (w *BatchWriter) append(n NewJob, jobID string, input datum) {
	e := entry{n.row(jobID, clock.Millis(w.batch.Created), input), int64(w.batch.Jobs), w.places[n.Queue], jobID}
	w.pending = append(w.pending, newEntry{e, input, n.Charges})
	w.bytes += len(input.bytes)
	w.large = w.large || input.bytes == nil
	w.places[n.Queue]++
	w.batch.Jobs++
	if len(w.messages) < soonEnqueued {
		w.messages = append(w.messages, e)
	}
}

const insertEntry = `INSERT INTO batch_jobs (batch_id, position, place, job_id, key_id, request_id, kind, queue, time_limit, metadata, announce,
	holds, input_size, input_sha256) VALUES (:batch_id, :position, :place, :job_id, :key_id, :request_id, :kind, :queue, :time_limit, :metadata,
	:announce, :holds, :input_size, :input_sha256)`

// flush writes the jobs that wait in memory.
func (w *BatchWriter) flush(ctx context.Context) error {
	if err := w.ledger.ensureHolder(ctx); err != nil {
		return fmt.Errorf("add to batch %s: %w", w.batch.ID, err)
	}
	err := w.ledger.db.Write(ctx, func(tx *db.Tx) error {
		if err := w.open(tx); err != nil {
			return err
		}
		var bytes int64
		for _, e := range w.pending {
			bytes += e.InputSize
			if err := tx.LaterNamed(insertEntry, e.entry); err != nil {
				return err
			}
			if err := insertData(tx, e.JobID, e.input); err != nil {
				return err
			}
			if err := w.ledger.stage(tx, w.batch.ID, e.JobID, w.batch.Account, w.batch.Mode, e.charges); err != nil {
				return err
			}
		}
		return volume.Count(tx, w.batch.Account, bytes)
	})
	if err != nil {
		return fmt.Errorf("add to batch %s: %w", w.batch.ID, err)
	}
	w.pending, w.bytes = nil, 0
	return nil
}

// open gives ErrLost where the batch is no longer the writer's, and keeps others from taking it while the transaction lasts.
func (w *BatchWriter) open(tx *db.Tx) error {
	l := w.ledger
	n, err := tx.Exec("UPDATE batches SET jobs = ? WHERE id = ? AND process = ? AND committed IS NULL AND created > ?",
		w.batch.Jobs, w.batch.ID, l.cfg.Process, clock.Millis(l.cfg.Clock.Now().Add(-batchLimit)))
	if err == nil && n == 0 {
		err = ErrLost
	}
	return err
}

// Abort removes what was added, unless the batch was committed. It may be called more than once.
func (w *BatchWriter) Abort(ctx context.Context) error {
	if w.ended {
		return nil
	}
	w.ended = true
	for _, e := range w.pending {
		if e.input.bytes == nil {
			if err := w.ledger.blobs.Delete(ctx, blob.Key(e.Account, e.JobID, 0, inputName)); err != nil {
				return fmt.Errorf("abort batch: %w", err)
			}
		}
	}
	if err := w.ledger.removeBatch(ctx, w.batch.ID); err != nil {
		return fmt.Errorf("abort batch: %w", err)
	}
	return nil
}
