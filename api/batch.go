package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gorilla/mux"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/queue/names"
)

// The most operations of a batch.
const (
	maxListed   = 1_000   // in an array
	maxStreamed = 100_000 // in lines of JSON or a ZIP
)

// The media types of batches that are streamed.
var (
	lineTypes    = []string{"application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines"}
	archiveTypes = []string{"application/zip", "application/x-zip-compressed"}
)

// streams tells whether the route takes bodies of any length, because it holds no more than one operation of them.
func streams(c *call) bool {
	t := mediaType(c.r.Header)
	return c.route.name == "createJobs" && (slices.Contains(lineTypes, t) || slices.Contains(archiveTypes, t))
}

// createJobs is POST /api/v1/jobs: one operation, an array of them, lines of JSON, or a ZIP of documents with an operation for
// all of them.
func (s *Server) createJobs(c *call) (*answer, error) { return s.once(c, (*Server).readBatch) }

// readBatch takes the operations of a batch. Those of an array are all looked at before any is accepted; streamed ones are kept
// in an open batch that nobody sees before all have come.
func (s *Server) readBatch(c *call, in *intake) (*task, error) {
	t := mediaType(c.r.Header)
	switch {
	case slices.Contains(lineTypes, t):
		return s.streamBatch(c, in, s.readLines)
	case slices.Contains(archiveTypes, t):
		return s.streamBatch(c, in, s.readArchive)
	case acceptJSON(c.r) != nil:
		return nil, unsupported(t, append([]string{typeJSON}, lineTypes[0], archiveTypes[0])...)
	}
	leave := s.inTurn(c, in)
	defer func() { leave() }()
	list, err := s.readList(c, in)
	if err != nil {
		return nil, err
	}
	if list.single {
		return s.oneJob(c, in, &list.orders[0], list.metadata), nil
	}
	return &task{do: func(ticket *ledger.Ticket) (*done, error) { return s.acceptList(c, in, list, ticket) }}, nil
}

// oneJob makes a job of the one operation that was sent.
func (s *Server) oneJob(c *call, in *intake, o *job.Order, metadata map[string]string) *task {
	t := &task{charges: s.charges(c, o), queued: true}
	t.do = func(ticket *ledger.Ticket) (*done, error) {
		n := s.newJob(c, o)
		n.Announce, n.Metadata = true, metadata
		return s.accept(c, n, t.charges, in, ticket, preference{async: true})
	}
	return t
}

// operations are orders on their way from a request. Each is good until the next is asked for.
type operations = iter.Seq2[*job.Order, error]

// acceptList makes jobs of the operations of an array. Each body goes when its job is stored, and the request with the last.
func (s *Server) acceptList(c *call, in *intake, list *list, ticket *ledger.Ticket) (*done, error) {
	b, err := s.openBatch(c, list.metadata)
	if err != nil {
		return nil, err
	}
	for i := range list.orders {
		if err := b.add(&list.orders[i]); err != nil {
			b.abort()
			return nil, at(i, err)
		}
		list.orders[i].Body = nil
	}
	in.close()
	return b.commit(ticket)
}

// streamBatch keeps the operations of a stream in an open batch while they come.
func (s *Server) streamBatch(c *call, in *intake, read func(*tenure, *intake, *template) operations) (*task, error) {
	tpl, err := s.templateOf(c)
	if err != nil {
		return nil, err
	}
	if err := in.receive(); err != nil {
		return nil, err
	}
	b, err := s.openBatch(c, tpl.metadata)
	if err != nil {
		return nil, err
	}
	if err := b.addAll(read(b.turn, in, tpl)); err != nil {
		b.abort()
		return nil, err
	}
	return &task{do: b.commit, undo: b.abort}, nil
}

// batch is a batch that is still open.
type batch struct {
	s      *Server
	c      *call
	writer *ledger.BatchWriter
	turn   *tenure
	meta   map[string]string
	jobs   []string
	copies int64 // bytes of the saved templates that its jobs have
}

func (s *Server) openBatch(c *call, metadata map[string]string) (*batch, error) {
	w, err := s.Jobs.AcceptBatch(c.r.Context(), ledger.NewBatch{Account: c.key.AccountID, Mode: c.key.Mode})
	return &batch{s: s, c: c, writer: w, turn: &tenure{s: s, c: c}, meta: metadata}, err
}

// count adds the template that an order has a copy of to those of the batch, and refuses more than its documents may have.
func (b *batch) count(o *job.Order) error {
	if style := styleIn(o); style != nil && style.Template != nil {
		b.copies += int64(len(style.Template.Text))
	}
	if most := b.s.cfg.MaxBatchInflated; b.copies > most {
		return badField("templateId", finding.OutOfRange, fmt.Sprintf("templateId: each job has a copy of its template, and those of the batch have more "+
			"than %d bytes together; send it in parts", most))
	}
	return nil
}

// addAll adds orders until one is refused. The refusal names its index.
func (b *batch) addAll(orders operations) error {
	defer b.turn.end()
	for o, err := range orders {
		if err == nil && len(b.jobs) == maxStreamed {
			err = tooManyOperations(maxStreamed)
		}
		if err == nil {
			err = b.add(o)
		}
		if err != nil {
			return at(len(b.jobs), err)
		}
	}
	if len(b.jobs) == 0 {
		return badField("operations", finding.MissingField, "operations: there are none")
	}
	return nil
}

// add keeps the job of an order. What the order costs may be told only by opening its body, which is work for a processor.
func (b *batch) add(o *job.Order) error {
	if err := b.count(o); err != nil {
		return err
	}
	n := b.s.newJob(b.c, o)
	n.Queue, n.Announce, n.Metadata = cmp.Or(n.Queue, names.Default), true, b.meta
	if err := b.turn.begin(); err != nil {
		return err
	}
	n.Charges = b.s.charges(b.c, o)
	if b.writer.Stores(len(o.Body)) {
		b.turn.end()
	}
	id, err := b.writer.Add(b.c.r.Context(), n)
	b.jobs = append(b.jobs, id)
	return err
}

// abort forgets the batch, also when the client has left.
func (b *batch) abort() {
	b.turn.end()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(b.c.r.Context()), settleLimit)
	defer cancel()
	if err := b.writer.Abort(ctx); err != nil {
		b.s.Log.Error("an open batch could not be removed; that is left to the scheduler", "request_id", b.c.x.id, "error", err)
	}
}

// batchView is the answer to a batch.
type batchView struct {
	ID       string   `json:"id"`
	Jobs     []string `json:"jobs"` // in the order of the operations
	Accepted int      `json:"accepted"`
}

// commit makes the jobs of the batch all at once, and keeps the answer with them.
func (b *batch) commit(ticket *ledger.Ticket) (*done, error) {
	a := jsonAnswer(http.StatusAccepted, batchView{b.writer.Batch().ID, b.jobs, len(b.jobs)})
	b.c.inform(a)
	b.turn.end()
	if _, err := b.writer.CommitFor(b.c.r.Context(), *ticket, *storedOf(a)); err != nil {
		b.abort()
		return nil, err
	}
	b.s.Accepted(b.c.key.AccountID)
	return &done{then: func() (*answer, error) { return a, nil }}, nil
}

func tooManyOperations(most int) error {
	return badField("operations", finding.InvalidValue, fmt.Sprintf("operations: at most %d are allowed", most))
}

// at says which operation of a batch was refused. What is no refusal stays as it is.
func at(i int, err error) error {
	r, ok := errors.AsType[*finding.Refusal](err)
	if p, isProblem := errors.AsType[*problem](err); isProblem {
		said := *p
		said.Refusal = placed(i, &p.Refusal)
		return &said
	}
	if !ok || r.Kind == finding.Internal {
		return err
	}
	said := placed(i, r)
	return &said
}

// placed gives the refusal of the operation with the index, in its words: a 403 has to begin with what is missing.
func placed(i int, r *finding.Refusal) finding.Refusal {
	place := fmt.Sprintf("operations[%d]", i)
	said := *r
	say := func(message, field string) (string, string) {
		switch {
		case strings.HasPrefix(field, "operations"):
			return message, field
		case r.Kind == finding.Forbidden:
			return message + " (" + place + ")", place
		case field == "":
			return place + ": " + message, place
		}
		return place + ": " + message, place + "." + field
	}
	said.Message, said.Field = say(r.Message, r.Field)
	said.Errors = slices.Clone(r.Errors)
	for j := range said.Errors {
		said.Errors[j].Message, said.Errors[j].Field = say(r.Errors[j].Message, r.Errors[j].Field)
	}
	return said
}

// resolve finds the route of an operation and asks for its entitlement, as if it had been sent alone.
func (s *Server) resolve(c *call, method, path string) (*call, error) {
	u, err := url.Parse(path)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(path, "/") {
		return nil, badField("path", finding.InvalidValue, "path: must be the path of an operation, with its query, such as /api/v1/invoice/de/xrechnung/generate")
	}
	r := (&http.Request{Method: method, URL: u, Host: c.r.Host, Header: http.Header{"Content-Type": {typeJSON}}}).WithContext(c.r.Context())
	var match mux.RouteMatch
	if !s.router.Match(r, &match) || match.MatchErr != nil || match.Route == nil {
		return nil, badField("path", finding.InvalidValue, "path: there is no operation "+clip(method+" "+u.Path))
	}
	rt := s.byName[match.Route.GetName()]
	if rt == nil || orderings[rt.name].read == nil {
		return nil, badField("path", finding.InvalidValue, "path: "+clip(method+" "+u.Path)+" cannot be a job")
	}
	op := &call{w: c.w, r: mux.SetURLVars(r, match.Vars), x: c.x, route: rt, key: c.key}
	if err := s.resolvePath(op); err != nil {
		return nil, err
	}
	return op, s.authorise(op)
}

// orderFrom is the order that an operation with a body of JSON is.
func (s *Server) orderFrom(op *call, body []byte) (*job.Order, error) {
	o, err := s.orderOf(op)
	if err != nil {
		return nil, err
	}
	in := s.given(body)
	if err := orderings[op.route.name].read(s, op, in, &o); err != nil {
		return nil, in.cause(err)
	}
	return &o, s.openJob(op, &o)
}

// openJob is openOrder for an order that becomes a job, which opens its body anew.
func (s *Server) openJob(op *call, o *job.Order) error {
	defer o.Release()
	return s.openOrder(op, o)
}

// template is what the query of a streamed batch tells of all its operations.
type template struct {
	op       *call // nil: each line brings its own
	metadata map[string]string
}

// metadataPrefix begins the names of query parameters that are pairs of metadata.
const metadataPrefix = "metadata."

// templateOf reads operation (a path with its query, encoded as a value) and metadata.{name}.
func (s *Server) templateOf(c *call) (*template, error) {
	tpl, query := &template{metadata: map[string]string{}}, c.r.URL.Query()
	for name, values := range query {
		if name, ok := strings.CutPrefix(name, metadataPrefix); ok {
			tpl.metadata[name] = values[0]
		}
	}
	if err := checkMetadata(tpl.metadata); err != nil {
		return nil, err
	}
	path := query.Get("operation")
	if path == "" {
		if slices.Contains(archiveTypes, mediaType(c.r.Header)) {
			return nil, badField("operation", finding.MissingField, "operation: the query must name the operation for the documents of the ZIP, such as "+
				"operation=/api/v1/invoice/parse, with its own query encoded")
		}
		return tpl, nil
	}
	op, err := s.resolve(c, http.MethodPost, path)
	if r, ok := errors.AsType[*finding.Refusal](err); ok && r.Field == "path" {
		return nil, badField("operation", finding.InvalidValue, "operation: "+strings.TrimPrefix(r.Message, "path: "))
	}
	tpl.op = op
	return tpl, err
}

// checkMetadata refuses metadata that no job may have.
func checkMetadata(pairs map[string]string) error {
	if len(pairs) > ledger.MostPairs {
		return badField("metadata", finding.InvalidValue, fmt.Sprintf("metadata: has %d pairs; at most %d are allowed", len(pairs), ledger.MostPairs))
	}
	if ledger.CheckMetadata(pairs) != nil {
		return badField("metadata", finding.InvalidValue,
			fmt.Sprintf("metadata: names have 1 to %d characters, values up to %d", ledger.MostKey, ledger.MostValue))
	}
	return nil
}
