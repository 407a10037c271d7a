package api

import (
	"bytes"
	"context"
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// Inline counts what requests use, and knows answers again; *ledger.Ledger does.
type Inline interface {
	Begin(ctx context.Context, r ledger.Request) (ledger.Ticket, error)
	Settle(ctx context.Context, t ledger.Ticket, s ledger.Settlement) error
	SettleAlong(tx *db.Tx, t ledger.Ticket, s ledger.Settlement) error
	Drop(ctx context.Context, t ledger.Ticket) error
}

var _ Inline = (*ledger.Ledger)(nil)

// task is a POST whose body has come: what it costs, and what is to be done.
type task struct {
	charges []ledger.Charge
	queued  bool // do makes a job, which reserves the charges itself where there is no ticket

	// do does it. Its ticket is nil where the task is queued and needs none. A job takes the ticket over.
	do     func(ticket *ledger.Ticket) (*done, error)
	undo   func() // takes back what the reading of the body has begun, where it is not done; may be nil
	forget func() // gives the memory of the request back
}

// done is what came of a task.
type done struct {
	answer *answer
	events []ledger.Event
	then   func() (*answer, error) // gives the answer, in place of answer: a job or a batch has taken the ticket over
}

// once does what a POST asks for, one time for each idempotency key. read takes the body of the request; whatever it does
// besides has to be undone by the task. A body that is refused with 400 or 422 is an answer like any other.
func (s *Server) once(c *call, read func(*Server, *call, *intake) (*task, error)) (*answer, error) {
	key, err := idempotencyKey(c.r.Header)
	if err != nil {
		return nil, err
	}
	in, err := s.take(c)
	if err != nil {
		return nil, err
	}
	defer in.lease.release()
	t, err := read(s, c, in)
	if err != nil {
		if err = in.cause(err); key == "" || !ledger.Replayable(problemOf(err).status) {
			return nil, err
		}
		refusal := err
		t = &task{do: func(*ledger.Ticket) (*done, error) { return nil, refusal }}
	}
	t.forget = in.lease.release
	if key == "" {
		return s.fulfil(c, t, nil)
	}
	if err := in.rest(); err != nil {
		t.abandon()
		return nil, err
	}
	return s.fulfil(c, t, &ledger.Idempotency{Key: key, Fingerprint: hex.EncodeToString(in.sum.Sum(nil))})
}

// abandon takes back what was begun, and lets go what is held of the request.
func (t *task) abandon() {
	if t.undo != nil {
		t.undo()
	}
	if t.forget != nil {
		t.forget()
	}
	*t = task{}
}

// idempotencyKey reads the Idempotency-Key field: 1 to 255 characters, none of them a control. Without the field it is "".
func idempotencyKey(h http.Header) (string, error) {
	fields := h.Values("Idempotency-Key")
	if len(fields) == 0 {
		return "", nil
	}
	key := strings.TrimSpace(fields[0])
	if len(fields) > 1 || key == "" || len(key) > ledger.MaxIdempotencyKey || !utf8.ValidString(key) || strings.ContainsFunc(key, unicode.IsControl) {
		return "", badField("Idempotency-Key", finding.InvalidValue, "Idempotency-Key: must be one header field of 1 to 255 characters")
	}
	return key, nil
}

// fulfil does a task under its idempotency key, or gives the answer that there is already.
func (s *Server) fulfil(c *call, t *task, key *ledger.Idempotency) (a *answer, err error) {
	if key == nil && t.queued {
		d, err := t.do(nil)
		if err != nil {
			t.abandon()
			return nil, err
		}
		return d.then()
	}
	ticket, err := s.begin(c, ledger.Request{
		Account: c.key.AccountID, Mode: c.key.Mode, KeyID: c.key.ID, RequestID: c.x.id, Charges: t.charges, Idempotency: key,
	})
	switch {
	case err != nil:
		t.abandon()
		return nil, err
	case ticket.Stored != nil:
		t.abandon()
		return replay(ticket.Stored), nil
	case ticket.JobID != "":
		t.abandon()
		return s.join(c, ticket.JobID)
	}
	return s.settle(c, t, ticket, key != nil)
}

// Pauses between two questions about a request that is answered elsewhere.
const (
	firstAsk = 20 * time.Millisecond
	lastAsk  = 500 * time.Millisecond
)

// begin gets a ticket. While the same request is answered elsewhere, it waits for what comes of that.
func (s *Server) begin(c *call, r ledger.Request) (ledger.Ticket, error) {
	ctx := c.r.Context()
	deadline := time.NewTimer(s.cfg.MaxRelay)
	defer deadline.Stop()
	for pause := firstAsk; ; pause = min(2*pause, lastAsk) {
		ticket, err := s.Inline.Begin(ctx, r)
		if err != nil || !ticket.Elsewhere {
			return ticket, err
		}
		select {
		case <-ctx.Done():
			return ticket, errClientGone
		case <-s.draining:
			return ticket, errElsewhere
		case <-deadline.C:
			return ticket, errElsewhere
		case <-time.After(pause):
		}
	}
}

// errElsewhere says that another request with the same key is still being answered.
var errElsewhere = &finding.Refusal{Kind: finding.Unavailable,
	Message: "A request with this Idempotency-Key is still being answered; send it again to get its answer"}

// settle does the task and gives the ticket back, whatever happens. Work that cannot be counted is not handed out.
func (s *Server) settle(c *call, t *task, ticket ledger.Ticket, keyed bool) (*answer, error) {
	held := true
	defer func() {
		if held {
			s.drop(c, ticket)
		}
	}()
	d, err := t.do(&ticket)
	if err == nil && d.then != nil {
		held = false
		return d.then()
	}
	if err == nil && c.kept {
		held = false
		return d.answer, nil
	}
	settlement, worth := settlementOf(d, err, keyed)
	if !worth {
		return nil, err
	}
	failed := s.conclude(c, ticket, settlement)
	held = failed != nil
	if err != nil {
		return nil, err
	}
	return d.answer, failed
}

// settlementOf is how a request ends that was answered so; false where nothing of it is to be written down.
func settlementOf(d *done, err error, keyed bool) (s ledger.Settlement, worth bool) {
	var a *answer
	switch {
	case err == nil:
		a, s.Success, s.Events = d.answer, true, d.events
	case keyed && ledger.Replayable(problemOf(err).status):
		a = refusalAnswer(problemOf(err))
	default:
		return s, false
	}
	if keyed {
		s.Stored = storedOf(a)
	}
	return s, true
}

// settleLimit is how long writing down what came of a request may take.
const settleLimit = 10 * time.Second

// conclude writes down how a request has ended, also when its client has left.
func (s *Server) conclude(c *call, ticket ledger.Ticket, settlement ledger.Settlement) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.r.Context()), settleLimit)
	defer cancel()
	err := s.Inline.Settle(ctx, ticket, settlement)
	if err != nil {
		s.Log.Error("what came of a request could not be written down", "request_id", c.x.id, "error", err)
	}
	return err
}

// drop releases what a request holds.
func (s *Server) drop(c *call, ticket ledger.Ticket) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.r.Context()), settleLimit)
	defer cancel()
	if err := s.Inline.Drop(ctx, ticket); err != nil {
		s.Log.Error("what a request holds could not be released", "request_id", c.x.id, "error", err)
	}
}

// replayed marks an answer that was given before.
const replayed = "Idempotent-Replayed"

// storedOf is an answer as it is kept.
func storedOf(a *answer) *ledger.Stored {
	kept := &ledger.Stored{Status: a.status, ContentType: a.contentType, Body: a.body}
	if len(a.header) > 0 {
		kept.Header = map[string]string{}
	}
	for name := range a.header {
		kept.Header[name] = a.header.Get(name)
	}
	return kept
}

// replay gives an answer again.
func replay(kept *ledger.Stored) *answer {
	a := &answer{status: kept.Status, contentType: kept.ContentType, body: kept.Body}
	for name, value := range kept.Header {
		a.with(name, value)
	}
	return a.with(replayed, "true")
}

// plainBody is the most that a request brings which orders no operation.
const plainBody = 1 << 20

// readPlain takes the body of a request that orders no operation, whole, and leaves it to the handler of the route.
func (s *Server) readPlain(c *call, in *intake) (*task, error) {
	in.limit = min(in.limit, plainBody)
	body, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	c.r.Body, c.r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return &task{do: func(ticket *ledger.Ticket) (*done, error) {
		c.ticket = ticket
		a, err := c.route.handle(s, c)
		return &done{answer: a}, err
	}}, nil
}

// keep keeps the answer to a request under its idempotency key, in the transaction that writes what it tells: whoever asks again is
// told of the same, also after the process has died in between. The handler must not do anything afterwards that can fail.
func (s *Server) keep(c *call, tx *db.Tx, a *answer) error {
	c.kept = true
	return s.Inline.SettleAlong(tx, *c.ticket, ledger.Settlement{Success: true, Stored: storedOf(a)})
}
