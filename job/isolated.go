package job

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"

	"github.com/einvoiced/einvoiced/job/answers"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// PerformBy does an order that has no job by a runner, such as one that does it in a process of its own, and gives what Kinds.Perform
// would have given here.
func PerformBy(ctx context.Context, r Runner, run Run, o *Order) (*Outcome, error) {
	o.Release() // another process cannot use it
	output, err := r.Run(ctx, run, packed{o.head(), o.Body})
	if output.Release != nil {
		defer output.Release()
	}
	if err != nil {
		return nil, err
	}
	answer, err := ledger.ReadAll(ctx, output.Answer)
	if err != nil {
		return nil, fmt.Errorf("load answer: %w", err)
	}
	if output.Status != http.StatusOK {
		return nil, toldBy(answers.Read(output.Status, answer), output.Events)
	}
	outcome := &Outcome{Answer: answer, Events: output.Events, Registrations: output.Registrations}
	if d := output.Document; d != nil {
		data, err := ledger.ReadAll(ctx, d.Content)
		if err != nil {
			return nil, fmt.Errorf("load document: %w", err)
		}
		hash := sha256.Sum256(data)
		outcome.Document = &Document{Filename: d.Filename, MimeType: d.MimeType, Hash: hex.EncodeToString(hash[:]), Data: data}
		outcome.Clean = Clean(answer)
	}
	return outcome, nil
}

// toldBy adds the events of a refusal to it.
func toldBy(refusal error, events []ledger.Event) error {
	if len(events) == 0 {
		return refusal
	}
	return &Told{Err: refusal, Events: events}
}

// packed is an order as the content that its job would have.
type packed struct{ head, body []byte }

// Size implements ledger.Content.
func (p packed) Size() int64 { return int64(len(p.head) + len(p.body)) }

// Open implements ledger.Content.
func (p packed) Open(context.Context) (io.ReadCloser, error) {
	return io.NopCloser(io.MultiReader(bytes.NewReader(p.head), bytes.NewReader(p.body))), nil
}
