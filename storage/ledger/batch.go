package ledger

import (
	"context"
	"errors"
	"time"

	"einvoiced/storage/account"
)

// ErrBatchFull says that a batch has as many jobs as one may have.
var ErrBatchFull = errors.New("the batch is full")

// MostBatchJobs is how many jobs a batch may have.
const MostBatchJobs = 100_000

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
type BatchWriter struct {
	batch Batch
}

// AcceptBatch opens a batch. Its jobs are seen and run by nobody until Commit; without one, nothing of them is left: call Abort
// in any case. What a process that dies leaves open is removed by ReapBatches.
func (l *Ledger) AcceptBatch(ctx context.Context, n NewBatch) (*BatchWriter, error) {
	return &BatchWriter{}, ctx.Err()
}

// Add takes a job over and gives its id; account, mode and batch are the batch's. The error is ErrInvalid or ErrBatchFull.
func (w *BatchWriter) Add(ctx context.Context, n NewJob) (jobID string, err error) {
	return "", ctx.Err()
}

// Commit accepts all jobs in one transaction, or none: the error is a *QuotaError where a quota does not suffice for all.
func (w *BatchWriter) Commit(ctx context.Context) (Batch, error) { return w.batch, ctx.Err() }

// Abort removes what was added, unless the batch was committed.
func (w *BatchWriter) Abort(ctx context.Context) error { return ctx.Err() }

// ReapBatches removes the batches that dead processes have left open and gives their number.
func (l *Ledger) ReapBatches(ctx context.Context) (int, error) { return 0, ctx.Err() }
