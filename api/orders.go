package api

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// ordering is how a request orders an operation: it gives the body of a request to an order whose parameters are there.
type ordering struct {
	operation string
	read      func(s *Server, c *call, in *intake, o *Order) error
}

// orderings are the routes that order operations, by name. What they do can be a job: it is asked for by Prefer, becomes one
// where the work is large, and may stand in a batch.
var orderings = map[string]ordering{
	"generate":        {opGenerate, (*Server).readInvoice},
	"parse":           {opParse, (*Server).readUpload},
	"parseAuto":       {opParse, (*Server).readUpload},
	"validate":        {opValidate, (*Server).readSubject},
	"validateCountry": {opValidate, (*Server).readSubject},
}

// order is the handler of every route that orders an operation.
func (s *Server) order(c *call) (*answer, error) { return s.once(c, (*Server).readOrder) }

// readOrder takes the order that a request brings.
func (s *Server) readOrder(c *call, in *intake) (*task, error) {
	o, err := s.orderOf(c)
	if err != nil {
		return nil, err
	}
	if err := orderings[c.route.name].read(s, c, in, &o); err != nil {
		return nil, in.cause(err)
	}
	if mediaType(c.r.Header) == "multipart/form-data" {
		in.means(&o)
	}
	if err := in.lease.work(); err != nil {
		return nil, err
	}
	t := &task{charges: s.charges(c, &o)}
	if p := preferred(c.r.Header); p.async || s.large(&o, in) {
		t.do = func(ticket *ledger.Ticket) (*done, error) { return s.enqueue(c, t, &o, p, in, ticket) }
		t.queued = true
		return t, nil
	}
	t.do = func(*ledger.Ticket) (*done, error) { return s.perform(c, &o) }
	return t, nil
}

// orderOf is what path, query and key tell of an order: all but its body.
func (s *Server) orderOf(c *call) (Order, error) {
	query := c.r.URL.Query()
	o := Order{Operation: orderings[c.route.name].operation, Country: c.country, Format: c.format}
	switch o.Operation {
	case opGenerate:
		o.Calculate = isTrue(query.Get("calculate"))
	case opValidate:
		o.Calculate, o.AsOf, o.EnforcePending = isTrue(query.Get("calculate")), query.Get("asOf"), isTrue(query.Get("enforcePending"))
		if limit := s.planOf(c).Lines; limit > 0 {
			o.MaxItems = limit
		}
	}
	if o.Operation == opValidate && o.Format == "" {
		var err error
		o.Formats, err = s.creatable(c.r.Context(), c.country, c.key)
		return o, err
	}
	return o, nil
}

// creatable lists the formats of a country that a key may create.
func (s *Server) creatable(ctx context.Context, code string, key *account.Key) ([]string, error) {
	country, err := s.Operations.Country(ctx, code)
	if err != nil {
		return nil, err
	}
	var formats []string
	for _, f := range country.Formats {
		if account.Entitled(key.Entitlements, createEntitlement(code, f.ID)) {
			formats = append(formats, f.ID)
		}
	}
	return formats, nil
}

// scanner counts the lines of an invoice against what the account's plan and the service allow.
func (s *Server) scanner(c *call) *invoice.Scanner {
	limits := s.cfg.Lines
	if most := s.planOf(c).Lines; most > 0 && (limits.MaxItems == 0 || most < limits.MaxItems) {
		limits.MaxItems = most
	}
	return invoice.NewScanner(limits)
}

// large tells whether the work is for a worker: by the lines of the invoice, by the size of the request.
func (s *Server) large(o *Order, in *intake) bool {
	if o.Operation == opParse || o.Document {
		o.lines = documentLines(o.Body, s.cfg.InlineMaxLines)
	}
	return in.n > s.cfg.InlineMaxBytes || o.lines > s.cfg.InlineMaxLines
}

// lineEnds end an invoice line in UBL and CII, whatever the prefix.
var lineEnds = [][]byte{[]byte("InvoiceLine>"), []byte("CreditNoteLine>"), []byte("IncludedSupplyChainTradeLineItem>")}

// documentLines counts the lines of an XML document, roughly and fast: start and end tags by their names. A document too short
// to have more than few lines is not looked at.
func documentLines(document []byte, few int) int {
	const shortest = 64 // bytes that a line has at least
	if len(document) < few*shortest || bytes.HasPrefix(document, []byte("%PDF-")) {
		return 0
	}
	lines := 0
	for _, end := range lineEnds {
		lines += bytes.Count(document, end) / 2
	}
	return lines
}

// charges are what an order costs when it succeeds. Test keys use no quota; validation is free.
func (s *Server) charges(c *call, o *Order) []ledger.Charge {
	if c.key.Mode != account.Live || o.Operation == opValidate {
		return nil
	}
	entitlement := o.needs()
	if entitlement == "" {
		// What an automatic parse costs is told by the document. One that cannot be told costs nothing: it will be refused.
		d, err := s.Operations.Detect(c.r.Context(), o.Body)
		if err != nil {
			return nil
		}
		entitlement = detectedEntitlement(s.Operations, d)
	}
	return []ledger.Charge{{Entitlement: entitlement, Units: 1}}
}

// perform does an order now.
func (s *Server) perform(c *call, o *Order) (*done, error) {
	out, err := Perform(c.r.Context(), s.Operations, *o)
	s.Metrics.document(o, statusOf(err))
	if err != nil {
		return nil, err
	}
	if err := o.allow(s.Operations, c.key, out.Answer); err != nil {
		return nil, err
	}
	d := &done{answer: &answer{status: http.StatusOK, contentType: typeJSON, body: out.Answer}, events: out.Events}
	if made := out.Document; made != nil && out.Clean && wants(c.r.Header, made.MimeType) {
		d.answer = documentAnswer(made.Filename, made.MimeType, made.Hash, made.Data)
	}
	return d, nil
}

// enqueue makes a job of an order. Where the client asked for one, the answer is the job, or what the synchronous call would
// have answered when the job ends within the time that the client waits; otherwise it is that, however long it takes.
func (s *Server) enqueue(c *call, t *task, o *Order, p preference, in *intake, ticket *ledger.Ticket) (*done, error) {
	n := s.newJob(c, o)
	n.Announce = p.async
	d, err := s.accept(c, n, t.charges, in, ticket, p)
	o.Body = nil
	return d, err
}

// accept takes a job over, with what the ticket holds, and gives the memory of the request back.
func (s *Server) accept(c *call, n ledger.NewJob, charges []ledger.Charge, in *intake, ticket *ledger.Ticket, p preference) (*done, error) {
	n.Queue, n.Ticket = ledger.Interactive, ticket
	if p.async && p.wait == 0 {
		n.Queue = ledger.Default
	}
	if ticket == nil {
		n.Charges = charges
	}
	job, err := s.Jobs.Accept(c.r.Context(), n)
	if err != nil {
		return nil, err
	}
	in.lease.release()
	return &done{then: func() (*answer, error) { return s.follow(c, job, p) }}, nil
}

// newJob is the job of an order.
func (s *Server) newJob(c *call, o *Order) ledger.NewJob {
	return ledger.NewJob{
		Account: c.key.AccountID, Mode: c.key.Mode, KeyID: c.key.ID, RequestID: c.x.id, Kind: o.Kind(), Request: o.pack(),
	}
}

// means makes the fingerprint of a request that of its order, for bodies that differ from one sending to the next though they
// mean the same: the boundary of a multipart body is made anew.
func (in *intake) means(o *Order) {
	if in.sum == nil {
		return
	}
	in.sum.Reset()
	fmt.Fprintf(in.sum, "%s\n%s\n", in.request, o.Operation)
	_, _ = io.Copy(in.sum, o.pack()) // neither fails
}
