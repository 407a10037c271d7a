package subprocess

import (
	"context"
	"fmt"

	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// order is what a process is asked for. The request lies on its shared file.
type order struct {
	Run       job.Run
	Request   request
	Rulebooks ledger.Rulebooks // to judge by
}

// request says how a request lies on the shared file.
type request struct {
	Size int64        // bytes on the file
	Form *ledger.Form // that the process is to read it in; nil where it lies there as it is
}

// content is the request that lies on the shared file.
func (r request) content(s sharedFile) ledger.Content {
	lies := part{s, 0, r.Size}
	if r.Form == nil {
		return lies
	}
	return ledger.Unpacked(lies, *r.Form)
}

// message is what a process says while it does an order: how far it is, and at last what came of it.
type message struct {
	Percent int
	Reply   *reply
}

// reply is what came of an order. Of an output it has all but the contents, which lie on the shared file: the answer, and behind it the document.
type reply struct {
	Status    int
	Answer    int64 // bytes
	Document  *document
	Rulebooks ledger.Rulebooks
	Events    []ledger.Event

	Registrations []ledger.Registration

	Fault   string // why the run has failed inside the service
	Corrupt bool   // because the request is damaged
	Unfit   string // why the process cannot do the order
}

// document is a ledger.Document without its content.
type document struct {
	Filename, MimeType string
	Size               int64
}

// outcome is the reply as Run gives it, with the contents from the shared file.
func (r *reply) outcome(s sharedFile) (ledger.Output, error) {
	switch {
	case r.Unfit != "":
		return ledger.Output{}, fmt.Errorf("%w: %s", errUnfit, r.Unfit)
	case r.Corrupt:
		return ledger.Output{}, fmt.Errorf("run in a subprocess: %s: %w", r.Fault, ledger.ErrCorrupt)
	case r.Fault != "":
		return ledger.Output{}, fmt.Errorf("run in a subprocess: %s", r.Fault)
	}
	output := ledger.Output{Status: r.Status, Answer: part{s, 0, r.Answer}, Rulebooks: r.Rulebooks, Events: r.Events, Registrations: r.Registrations}
	if d := r.Document; d != nil {
		output.Document = &ledger.Document{Filename: d.Filename, MimeType: d.MimeType, Content: part{s, r.Answer, d.Size}}
	}
	return output, nil
}

// replyTo writes the contents of an output to the shared file and gives the rest.
func replyTo(ctx context.Context, output ledger.Output, s sharedFile) (*reply, error) {
	r := &reply{Status: output.Status, Answer: output.Answer.Size(), Rulebooks: output.Rulebooks, Events: output.Events, Registrations: output.Registrations}
	contents := []ledger.Content{output.Answer}
	if d := output.Document; d != nil {
		r.Document = &document{d.Filename, d.MimeType, d.Content.Size()}
		contents = append(contents, d.Content)
	}
	return r, s.fill(ctx, contents...)
}
