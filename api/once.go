package api

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/job"
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
	do    func(ticket *ledger.Ticket) (*done, error)
	check func() error // the refusal of what is no such request at all, where the quota does not allow the task; may be nil
	undo  func()       // takes back what the reading of the body has begun, where it is not done; may be nil
}

// done is what came of a task.
type done struct {
	answer *answer
	events []ledger.Event

	registrations []ledger.Registration

	then func() (*answer, error) // gives the answer, in place of answer: a job or a batch has taken the ticket over
}

// reader takes the body of a request; whatever it does besides has to be undone by the task.
type reader func(*Server, *call, *intake) (*task, error)

// execution is a POST on its way: its body is read, a ticket is taken, the task is done, and what came of it is written down.
// close gives back what it holds, wherever it has ended.
type execution struct {
	s      *Server
	c      *call
	in     *intake
	key    string // idempotency key; empty without one
	task   *task  // nil before the body is read
	ticket *ledger.Ticket
	begun  bool // the task was begun, and is not taken back any more
	held   bool // the ticket is this request's to give back
}

// once does what a POST asks for, one time for each idempotency key. A body that is refused with 400 or 422 is an answer like any
// other.
func (s *Server) once(c *call, read reader) (*answer, error) {
	key, err := idempotencyKey(c.r.Header)
	if err != nil {
		return nil, err
	}
	in, err := s.take(c)
	if err != nil {
		return nil, err
	}
	e := &execution{s: s, c: c, in: in, key: key}
	defer e.close()
	if err := e.read(read); err != nil {
		return nil, err
	}
	a, err := e.run()
	if _, exhausted := errors.AsType[*ledger.QuotaError](err); exhausted && e.refuse() {
		return e.run()
	}
	return a, err
}

// run does the task, or gives the answer that there is already.
func (e *execution) run() (*answer, error) {
	if e.key == "" && e.task.queued {
		return e.enqueue()
	}
	if known, err := e.begin(); known != nil || err != nil {
		return known, err
	}
	return e.settle()
}

// refuse makes a refusal of a task that the quota does not allow, where it would have been refused with 400 all the same.
func (e *execution) refuse() bool {
	if e.task.check == nil {
		return false
	}
	err := e.task.check()
	if err == nil || problemOf(err).status != http.StatusBadRequest {
		return false
	}
	if e.task.undo != nil {
		e.task.undo()
	}
	e.task = refusedTask(err)
	return true
}

// refusedTask is the task of a request that is refused; it costs nothing.
func refusedTask(err error) *task {
	return &task{do: func(*ledger.Ticket) (*done, error) { return nil, err }}
}

// close takes back what was read and not begun, and gives back the memory and the ticket.
func (e *execution) close() {
	if e.task != nil && !e.begun && e.task.undo != nil {
		e.task.undo()
	}
	e.in.close()
	if e.held {
		e.drop()
	}
}

// read reads the body. A refusal that is kept under an idempotency key is a task of its own. With a key the body is read to
// its end whatever came of it, since the fingerprint is of all of it.
func (e *execution) read(read reader) error {
	t, err := read(e.s, e.c, e.in)
	if err != nil {
		if err = e.in.cause(err); e.key == "" || !ledger.Replayable(problemOf(err).status) {
			return err
		}
		t = refusedTask(err)
	}
	e.task = t
	if e.key == "" {
		return nil
	}
	return e.in.rest()
}

// enqueue does a task that needs no ticket, because its job keeps the charges.
func (e *execution) enqueue() (*answer, error) {
	d, err := e.task.do(nil)
	if err != nil {
		return nil, err
	}
	e.begun = true
	return d.then()
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

// begin gets a ticket, or the answer that there is already.
func (e *execution) begin() (known *answer, err error) {
	r := ledger.Request{
		Account: e.c.key.AccountID, Mode: e.c.key.Mode, KeyID: e.c.key.ID, RequestID: e.c.x.id, Charges: e.task.charges,
	}
	if e.key != "" {
		r.Idempotency = &ledger.Idempotency{Key: e.key, Fingerprint: hex.EncodeToString(e.in.sum.Sum(nil))}
	}
	ticket, err := e.wait(r)
	switch {
	case err != nil:
		return nil, err
	case ticket.Stored != nil:
		return replay(ticket.Stored), nil
	case ticket.JobID != "":
		return e.join(ticket.JobID)
	}
	e.ticket, e.held = &ticket, true
	return nil, nil
}

// join gives the answer of the job that was made of the same request; what was read of this one is given back before.
func (e *execution) join(jobID string) (*answer, error) {
	if e.task.undo != nil {
		e.task.undo()
	}
	e.begun = true
	e.task = &task{}
	e.in.close()
	return e.s.join(e.c, jobID)
}

// Pauses between two questions about a request that is answered elsewhere.
const (
	firstAsk = 20 * time.Millisecond
	lastAsk  = 500 * time.Millisecond
)

// wait gets a ticket. While the same request is answered elsewhere, it waits for what comes of that.
func (e *execution) wait(r ledger.Request) (ledger.Ticket, error) {
	ctx := e.c.r.Context()
	deadline := time.NewTimer(e.s.cfg.MaxRelay)
	defer deadline.Stop()
	for pause := firstAsk; ; pause = min(2*pause, lastAsk) {
		ticket, err := e.s.Inline.Begin(ctx, r)
		if err != nil || !ticket.Elsewhere {
			return ticket, err
		}
		select {
		case <-ctx.Done():
			return ticket, errClientGone
		case <-e.s.draining:
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

// settle does the task and writes down how it has ended. Work that cannot be counted is not handed out.
func (e *execution) settle() (*answer, error) {
	e.begun = true
	d, err := e.task.do(e.ticket)
	if err == nil && d.then != nil {
		e.held = false
		return d.then()
	}
	if err == nil && e.c.kept {
		e.held = false
		return d.answer, nil
	}
	settlement, worth := settlementOf(d, err, e.key != "")
	if !worth {
		return nil, err
	}
	failed := e.conclude(settlement)
	e.held = failed != nil
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
		a, s.Success, s.Events, s.Registrations = d.answer, true, d.events, d.registrations
	case keyed && ledger.Replayable(problemOf(err).status):
		a, s.Events = refusalAnswer(problemOf(err)), job.EventsOf(err)
	default:
		s.Events = job.EventsOf(err)
		return s, len(s.Events) > 0
	}
	if keyed {
		s.Stored = storedOf(a)
	}
	return s, true
}

// settleLimit is how long writing down what came of a request may take.
const settleLimit = 10 * time.Second

// lasting is the context of what is written down also when the client has left.
func (e *execution) lasting() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(e.c.r.Context()), settleLimit)
}

// conclude writes down how a request has ended.
func (e *execution) conclude(settlement ledger.Settlement) error {
	ctx, cancel := e.lasting()
	defer cancel()
	err := e.s.Inline.Settle(ctx, *e.ticket, settlement)
	if _, refused := errors.AsType[*finding.Refusal](err); err != nil && !refused {
		e.s.Log.Error("what came of a request could not be written down", "request_id", e.c.x.id, "error", err)
	}
	return err
}

// drop releases what a request holds.
func (e *execution) drop() {
	ctx, cancel := e.lasting()
	defer cancel()
	if err := e.s.Inline.Drop(ctx, *e.ticket); err != nil {
		e.s.Log.Error("what a request holds could not be released", "request_id", e.c.x.id, "error", err)
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

// plain takes the body of a request that orders no operation, whole.
func (s *Server) plain(c *call, in *intake) ([]byte, error) {
	in.turn = func() error { return gone(c.r.Context(), in.load(c.r.Context())) }
	return in.bytes()
}

// readPlain takes the body of a request that orders no operation, and leaves it to the handler of the route.
func (s *Server) readPlain(c *call, in *intake) (*task, error) {
	in.limit = min(in.limit, plainBody)
	body, err := s.plain(c, in)
	if err != nil {
		return nil, err
	}
	c.r.Body, c.r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return &task{do: func(ticket *ledger.Ticket) (*done, error) {
		c.ticket = ticket
		a, err := c.route.handle(s, c)
		if err == nil {
			c.inform(a)
		}
		return &done{answer: a}, err
	}}, nil
}

// keep keeps the answer to a request under its idempotency key, in the transaction that writes what it tells: whoever asks again is
// told of the same, also after the process has died in between. The handler must not do anything afterwards that can fail.
func (s *Server) keep(c *call, tx *db.Tx, a *answer) error {
	c.kept = true
	c.inform(a)
	return s.Inline.SettleAlong(tx, *c.ticket, ledger.Settlement{Success: true, Stored: storedOf(a)})
}
