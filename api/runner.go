package api

import (
	"context"
	"fmt"
	"net/http"

	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// Runner does the orders of jobs: a worker hands it kind and input as they were accepted, and gets what the synchronous call
// would have answered. It is safe for concurrent use.
type Runner struct {
	operations Operations
	rulebooks  *rulebook.Registry
}

// NewRunner prepares a Runner. The rulebooks are those that the operations judge by; each job is pinned to those that are in use when
// its run begins.
func NewRunner(operations Operations, rulebooks *rulebook.Registry) *Runner {
	return &Runner{operations, rulebooks}
}

// Run does one order. A refusal is an output with its status; an error is the service's own.
func (r *Runner) Run(ctx context.Context, kind string, request ledger.Content) (ledger.Output, error) {
	data, err := ledger.ReadAll(ctx, request)
	if err != nil {
		return ledger.Output{}, fmt.Errorf("load input: %w", err)
	}
	o, err := unpack(kind, data)
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
	if err != nil {
		return refused(err)
	}
	output := ledger.Output{Status: http.StatusOK, Answer: ledger.Bytes(out.Answer), Events: out.Events}
	if d := out.Document; d != nil {
		output.Document = &ledger.Document{Filename: d.Filename, MimeType: d.MimeType, Content: ledger.Bytes(d.Data)}
	}
	return output, nil
}

// CountingRunner counts what another runner does. The metrics are those of the Server, so that a document counts once, wherever it
// is made.
type CountingRunner struct {
	Runs interface {
		Run(ctx context.Context, kind string, request ledger.Content) (ledger.Output, error)
	}
	Metrics *Metrics
}

// Run does one order.
func (r CountingRunner) Run(ctx context.Context, kind string, request ledger.Content) (ledger.Output, error) {
	output, err := r.Runs.Run(ctx, kind, request)
	status := output.Status
	if err != nil {
		status = statusOf(err)
	}
	var o Order
	o.setKind(kind)
	r.Metrics.document(&o, status)
	return output, err
}

// refused gives a refusal as an output, and other errors as they are.
func refused(err error) (ledger.Output, error) {
	p := problemOf(err)
	if p.status >= http.StatusInternalServerError || p.status == statusClientGone {
		return ledger.Output{}, err
	}
	return ledger.Output{Status: p.status, Answer: ledger.Bytes(p.body())}, nil
}
