package api

import (
	"context"
	"net/http"

	"einvoiced/core/rulebook"
	"einvoiced/storage/ledger"
)

// Runner does the orders of jobs: a worker hands it kind and input as they were accepted, and gets what the synchronous call
// would have answered. It is safe for concurrent use.
type Runner struct {
	operations Operations
	metrics    *Metrics
	rulebooks  *rulebook.Registry
}

// NewRunner prepares a Runner. The metrics are those of the Server, so that a document counts once, wherever it is made. The
// rulebooks are those that the operations judge by; each job is pinned to those that are in use when its run begins.
func NewRunner(operations Operations, metrics *Metrics, rulebooks *rulebook.Registry) *Runner {
	return &Runner{operations, metrics, rulebooks}
}

// Run does one order. A refusal is an output with its status; an error is the service's own.
func (r *Runner) Run(ctx context.Context, kind string, request []byte) (ledger.Output, error) {
	o, err := unpack(kind, request)
	if err != nil {
		return ledger.Output{}, err
	}
	ctx, pin := r.rulebooks.Pin(ctx)
	output, err := r.perform(ctx, o)
	if g := pin.Used(); g != nil {
		output.Rulebooks = ledger.Rulebooks{Number: g.Number, Digest: g.Digest}
	}
	return output, err
}

func (r *Runner) perform(ctx context.Context, o Order) (ledger.Output, error) {
	out, err := Perform(ctx, r.operations, o)
	r.metrics.document(&o, err)
	if err != nil {
		return refused(err)
	}
	output := ledger.Output{Status: http.StatusOK, Answer: out.Answer, Events: out.Events}
	if d := out.Document; d != nil {
		output.Document = &ledger.Document{Filename: d.Filename, MimeType: d.MimeType, Bytes: d.Data}
	}
	return output, nil
}

// refused gives a refusal as an output, and other errors as they are.
func refused(err error) (ledger.Output, error) {
	p := problemOf(err)
	if p.status >= http.StatusInternalServerError || p.status == statusClientGone {
		return ledger.Output{}, err
	}
	return ledger.Output{Status: p.status, Answer: p.body()}, nil
}
