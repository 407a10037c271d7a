// Package job is the frame of what the service does for a request, at once or in a job: an order says what is asked for, a kind
// says how orders of it are packed, what entitlement they take and how they are done, and a runner does a run of a job. Package
// kinds has the kinds that ship, a file each.
//
// The API makes an order of a request, and does it or accepts a job of it; a worker unpacks the order and does it. Both ways lead
// through Kinds.Perform, so both give the same answer, byte for byte.
package job

import (
	"context"
	"strings"

	"github.com/einvoiced/einvoiced/storage/ledger"
)

// Run names one run of a job. The zero ID and Number belong to an order that is done at once and has no job.
type Run struct {
	ID     string // of the job, the same in all its runs: what is made of it, such as the id of a message, stays the same when it is tried again
	Number int64  // of the run, counted from 1; a higher number replaces all lower ones
	Kind   string // of the job, see Order.Kind

	Account string // whose job it is; empty for an order that has no job
}

// RunOf names the run that a job was claimed for.
func RunOf(j ledger.Job) Run { return Run{ID: j.ID, Number: j.Run, Kind: j.Kind, Account: j.Account} }

// Runner does runs of jobs.
type Runner interface {
	// Run does what the request orders that was accepted. What the caller is to blame for is no error but an Output with the status
	// and body of the synchronous refusal; an error is the service's, and the job is tried again. Run must return soon after its
	// context has ended. How far it is, it may tell by progress.Note.
	Run(ctx context.Context, run Run, request ledger.Content) (ledger.Output, error)
}

// SplitKind gives the parts of the kind of a job: the operation, and country and format where they were told.
func SplitKind(kind string) (operation, country, format string) {
	operation, rest, _ := strings.Cut(kind, ":")
	country, format, _ = strings.Cut(rest, ":")
	return operation, country, format
}
