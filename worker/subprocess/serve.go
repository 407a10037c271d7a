package subprocess

import (
	"bufio"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/einvoiced/einvoiced/core/progress"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// Doer is what a subprocess does.
type Doer struct {
	Runner job.Runner

	// Follow puts the rulebooks of the worker in use; the error says why it cannot. A process is asked before each run.
	Follow func(ctx context.Context, rulebooks ledger.Rulebooks) error
}

// Files are the open files, beside standard input for the orders, that a subprocess begins with: it replies in the first, since standard
// output is for whoever prints, and shares the second with its worker for what is large.
func Files() (replies, shared *os.File) {
	return os.NewFile(3, "replies"), os.NewFile(4, "shared")
}

// Serve does what comes in on orders, one after the other, until that ends or ctx does: then at once, since there is nobody left to
// tell. Orders and replies are gob messages of a program to itself, and change with it; requests and outputs lie in the shared file.
func Serve(ctx context.Context, d Doer, orders io.Reader, replies io.Writer, shared *os.File) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	incoming := make(chan order)
	go func() { end(read(ctx, orders, incoming)) }()
	out := &replying{encode: gob.NewEncoder(replies)}
	if err := out.encode.Encode(true); err != nil { // ready
		return fmt.Errorf("say ready: %w", err)
	}
	telling := progress.With(ctx, out.tell)
	for {
		answer, err := next(telling, d, incoming, sharedFile{shared})
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := out.reply(answer); err != nil {
			return fmt.Errorf("write reply: %w", err)
		}
	}
}

// replying writes messages: what a run tells of itself, and after it the reply.
type replying struct {
	encode *gob.Encoder
	told   int
}

// tell says how far the order is. An error shows with the reply, too.
func (r *replying) tell(percent int) {
	if percent > r.told {
		r.told = percent
		_ = r.encode.Encode(message{Percent: percent})
	}
}

func (r *replying) reply(answer *reply) error {
	r.told = 0
	return r.encode.Encode(message{Reply: answer})
}

// read hands on what comes in, and notices its end also during a run.
func read(ctx context.Context, orders io.Reader, incoming chan<- order) error {
	decode := gob.NewDecoder(bufio.NewReader(orders))
	for {
		var o order
		if err := decode.Decode(&o); err != nil {
			return fmt.Errorf("read order: %w", err)
		}
		select {
		case incoming <- o:
		case <-ctx.Done():
			return nil
		}
	}
}

// next waits for an order and does it. The error is the end of ctx.
func next(ctx context.Context, d Doer, incoming <-chan order, s sharedFile) (*reply, error) {
	var o order
	select {
	case o = <-incoming:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	done := make(chan *reply, 1)
	go func() { done <- d.do(ctx, o, s) }()
	select {
	case answer := <-done:
		return answer, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// do does an order; a panic becomes a fault.
func (d Doer) do(ctx context.Context, o order, s sharedFile) (answer *reply) {
	defer func() {
		if p := recover(); p != nil {
			answer = &reply{Fault: fmt.Sprintf("panic in a run: %v\n%s", p, debug.Stack())}
		}
	}()
	if err := d.Follow(ctx, o.Rulebooks); err != nil {
		return &reply{Unfit: err.Error()}
	}
	answer, err := d.run(ctx, o, s)
	if err != nil {
		return &reply{Fault: err.Error(), Corrupt: errors.Is(err, ledger.ErrCorrupt)}
	}
	return answer
}

// run does the run of an order. The request is in memory before the shared file is written to.
func (d Doer) run(ctx context.Context, o order, s sharedFile) (*reply, error) {
	request, err := ledger.ReadAll(ctx, o.Request.content(s))
	if err != nil {
		return nil, fmt.Errorf("load input: %w", err)
	}
	output, err := d.Runner.Run(ctx, o.Run, ledger.Bytes(request))
	if err != nil {
		return nil, err
	}
	answer, err := replyTo(ctx, output, s)
	if err != nil {
		return nil, fmt.Errorf("write shared file: %w", err)
	}
	return answer, nil
}
