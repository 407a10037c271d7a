package job

import (
	"context"
	"fmt"
	"net/http"

	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/job/answers"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// Local does runs in this process: it gets kind and input as they were accepted, and gives what the synchronous call would have
// answered. It is safe for concurrent use.
type Local struct {
	kinds      Kinds
	rulebooks  *rulebook.Registry
	processors *Processors
}

// NewLocal prepares a Local. The rulebooks are those that the kinds judge by; each run is pinned to those that are in use when it
// begins. Work that could be done inline has a processor of processors; nil where the process answers no requests beside.
func NewLocal(kinds Kinds, rulebooks *rulebook.Registry, processors *Processors) *Local {
	return &Local{kinds, rulebooks, processors}
}

// Run implements Runner.
func (l *Local) Run(ctx context.Context, run Run, request ledger.Content) (ledger.Output, error) {
	data, err := ledger.ReadAll(ctx, request)
	if err != nil {
		return ledger.Output{}, fmt.Errorf("load input: %w", err)
	}
	o, err := l.kinds.Unpack(run.Kind, data)
	if err != nil {
		return ledger.Output{}, err
	}
	ctx, pin := l.rulebooks.Pin(ctx)
	output, err := l.perform(ctx, run, &o)
	if g := pin.Used(); g != nil {
		output.Rulebooks = ledger.Rulebooks{Number: g.Number, Digest: g.Digest}
	}
	return output, err
}

func (l *Local) perform(ctx context.Context, run Run, o *Order) (ledger.Output, error) {
	if kind := l.kinds.Find(o.Operation); kind != nil && kind.Inline && l.processors != nil {
		defer l.processors.awhile(ctx, run.Account)()
	}
	out, err := l.kinds.Perform(ctx, run, o)
	if err != nil {
		return Refused(err)
	}
	output := ledger.Output{Status: http.StatusOK, Answer: ledger.Bytes(out.Answer), Events: out.Events, Registrations: out.Registrations}
	if d := out.Document; d != nil {
		output.Document = &ledger.Document{Filename: d.Filename, MimeType: d.MimeType, Content: ledger.Bytes(d.Data)}
	}
	return output, nil
}

// Refused gives a refusal as an output, and other errors as they are. A refusal is a result, with which the job is over; for
// another error it is tried again.
func Refused(err error) (ledger.Output, error) {
	r := answers.RefusalOf(err)
	if r.Status >= http.StatusInternalServerError {
		return ledger.Output{}, err
	}
	return ledger.Output{Status: r.Status, Answer: ledger.Bytes(r.Body()), Events: EventsOf(err)}, nil
}
