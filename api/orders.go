package api

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/kinds"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/queue/names"
)

// ordering is how a request orders an operation: it gives the body of a request to an order whose parameters are there.
type ordering struct {
	operation string
	query     []string // the parameters that it takes
	read      func(s *Server, c *call, in *intake, o *job.Order) error
}

// orderings are the routes that order operations, by name. What they do can be a job: it is asked for by Prefer, becomes one
// where the work is large, and may stand in a batch.
var orderings = map[string]ordering{
	"generate":        {"generate", []string{"calculate"}, (*Server).readInvoice},
	"parse":           {"parse", nil, (*Server).readUpload},
	"parseAuto":       {"parse", nil, (*Server).readUpload},
	"convert":         {"convert", convertQuery, (*Server).readConversion},
	"validate":        {"validate", validateQuery, (*Server).readSubject},
	"embed":           {"embed", []string{"calculate"}, (*Server).readEmbed},
	"embedUpload":     {"embed", []string{"calculate"}, (*Server).readEmbedUpload},
	"render":          {"render", []string{"language"}, (*Server).readUpload},
	"fill":            {"fill", nil, (*Server).readInvoice},
	"previewTemplate": {"preview", []string{"version"}, (*Server).readPreview},
	"validateCountry": {"validate", validateQuery, (*Server).readSubject},
}

var validateQuery = []string{"calculate", "asOf", "enforcePending", "details"}

// order is the handler of every route that orders an operation.
func (s *Server) order(c *call) (*answer, error) { return s.once(c, (*Server).readOrder) }

// readOrder takes the order that a request brings.
func (s *Server) readOrder(c *call, in *intake) (*task, error) {
	o, err := s.orderOf(c)
	if err != nil {
		return nil, err
	}
	leave := s.inTurn(c, in)
	defer func() { leave() }()
	if err := orderings[c.route.name].read(s, c, in, &o); err != nil {
		return nil, in.cause(err)
	}
	if mediaType(c.r.Header) == "multipart/form-data" {
		in.means(&o)
	}
	if err := s.openOrder(c, &o); err != nil {
		o.Release()
		return nil, err
	}
	t := &task{charges: s.charges(c, &o), check: s.checkOf(c, &o)}
	if p := preferred(c.r.Header); p.async || !s.Kinds.Find(o.Operation).Inline || s.large(c.r.Context(), &o, in) {
		o.Release() // a worker opens it anew
		t.do = func(ticket *ledger.Ticket) (*done, error) { return s.enqueue(c, t, &o, p, in, ticket) }
		t.queued = true
		return t, nil
	}
	t.do = func(ticket *ledger.Ticket) (*done, error) {
		d, err := s.perform(c, &o)
		if errors.Is(err, errInlineTime) {
			o.Release()
			return s.enqueue(c, t, &o, preferred(c.r.Header), in, ticket)
		}
		return d, err
	}
	t.undo = o.Release
	return t, nil
}

// orderOf is what path, query and key tell of an order: all but its body.
func (s *Server) orderOf(c *call) (job.Order, error) {
	o, err := s.Kinds.Order(orderings[c.route.name].operation, c.country, c.format)
	if err != nil {
		return o, err
	}
	query := c.r.URL.Query()
	if err := checkSwitches(query, orderings[c.route.name].query); err != nil {
		return o, err
	}
	infos := unknownParameters(query, orderings[c.route.name].query)
	switch p := o.Parameters.(type) {
	case *kinds.GenerateParameters:
		p.Calculate, p.Infos, p.Live = isTrue(query.Get("calculate")), infos, c.key.Mode == account.Live
	case *kinds.ParseParameters:
		p.Infos = infos
	case *kinds.ConvertParameters:
		p.Infos, p.MaxItems = infos, max(0, s.planOf(c).Lines)
		err = readConversionQuery(p, query)
	case *kinds.RenderParameters:
		p.Language, p.Infos = query.Get("language"), infos
	case *kinds.FillParameters:
		p.Infos = infos
	case *kinds.PreviewParameters:
		p.Infos = infos
	case *kinds.EmbedParameters:
		p.Calculate, p.Infos = isTrue(query.Get("calculate")), infos
	case *kinds.ValidateParameters:
		p.Calculate, p.AsOf, p.EnforcePending = isTrue(query.Get("calculate")), query.Get("asOf"), isTrue(query.Get("enforcePending"))
		p.Details, p.Infos = isTrue(query.Get("details")), infos
		p.MaxItems = max(0, s.planOf(c).Lines)
		if o.Format == "" {
			p.Formats, err = s.creatable(c.country, c.key)
		}
	}
	return o, err
}

// openOrder looks into the body of an order for what path and query do not tell, and asks for the entitlements that it takes then.
func (s *Server) openOrder(c *call, o *job.Order) error {
	if err := s.addStyle(c, o); err != nil {
		return err
	}
	kind := s.Kinds.Find(o.Operation)
	if kind == nil || kind.Open == nil {
		return nil
	}
	for _, entitlement := range kind.Open(c.r.Context(), o) {
		if err := require(c.key, entitlement); err != nil {
			return err
		}
	}
	return nil
}

// creatable lists the formats of a country that a key may create.
func (s *Server) creatable(code string, key *account.Key) ([]string, error) {
	country, err := s.Operations.Lookup(code)
	if err != nil {
		return nil, err
	}
	var formats []string
	for _, token := range country.All() {
		if account.Entitled(key.Entitlements, job.CreateEntitlement(code, token)) {
			formats = append(formats, token)
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
func (s *Server) large(ctx context.Context, o *job.Order, in *intake) bool {
	// placeEmbedding has decided it.
	if o.Queue != "" || in.here {
		return !in.here
	}
	if bringsDocument(o) && in.n <= s.cfg.InlineMaxBytes {
		document := o.Body
		if inside, err := operation.Extract(ctx, document); err == nil {
			document = inside.XML
		}
		in.lines = documentLines(document)
	}
	return in.n > s.cfg.InlineMaxBytes || in.lines > s.cfg.InlineMaxLines
}

// bringsDocument tells whether the body of an order is a document.
func bringsDocument(o *job.Order) bool {
	p, validates := o.Parameters.(*kinds.ValidateParameters)
	_, parses := o.Parameters.(*kinds.ParseParameters)
	_, converts := o.Parameters.(*kinds.ConvertParameters)
	_, renders := o.Parameters.(*kinds.RenderParameters)
	return parses || converts || renders || validates && p.Document
}

// lineElements is how many elements of a document count as a line: more than a usual line has.
const lineElements = 50

// documentLines tells how much work a document is, in invoice lines: the most elements of one name in a row, whatever they are, or
// what all elements would make. A PDF comes here only if it has no XML inside.
func documentLines(document []byte) int {
	if bytes.HasPrefix(document, []byte("%PDF-")) {
		return 0
	}
	elements, like := xmltree.Survey(document)
	return max(like, elements/lineElements)
}

// charges are what an order costs when it succeeds. Test keys use no quota. What is opened of the body on the way stays in the order.
func (s *Server) charges(c *call, o *job.Order) []ledger.Charge {
	kind := s.Kinds.Find(o.Operation)
	if c.key.Mode != account.Live || kind.Charge == nil {
		return nil
	}
	entitlement := kind.Charge(c.r.Context(), o)
	if entitlement == "" {
		return nil
	}
	return []ledger.Charge{{Entitlement: entitlement, Units: int64(kind.Cost(o))}}
}

// errInlineTime says that an order takes longer than a request may keep this process at work.
var errInlineTime = errors.New("the work takes longer than is done inline")

// perform does an order as soon as there is a processor for it. The error is errInlineTime where that takes too long.
func (s *Server) perform(c *call, o *job.Order) (*done, error) {
	leave, err := s.process(c.r.Context(), c.key.AccountID)
	if err != nil {
		return nil, gone(c.r.Context(), err)
	}
	defer leave()
	ctx, cancel := context.WithTimeoutCause(c.r.Context(), s.cfg.InlineMaxTime, errInlineTime)
	defer cancel()
	out, err := s.outcomeOf(s.Recent.Yielding(ctx, c.key.AccountID), o)
	if err != nil && context.Cause(ctx) == errInlineTime {
		return nil, errInlineTime
	}
	s.Metrics.Documents.Count(o.Kind(), job.StatusOf(err), out.Told())
	if err != nil {
		return nil, err
	}
	if err := s.allow(c.key, o, out.Answer); err != nil {
		return nil, err
	}
	if len(out.Registrations) > 0 {
		if err := s.Jobs.Admit(ctx, c.key.AccountID, 0); err != nil {
			return nil, err
		}
	}
	d := &done{answer: &answer{status: http.StatusOK, contentType: typeJSON, body: out.Answer}, events: out.Events, registrations: out.Registrations}
	if made := out.Document; made != nil && wantsDocument(c.r.Header, s.Kinds.Find(o.Operation), made.MimeType) {
		if header, alone := s.Kinds.Find(o.Operation).Alone(out.Answer); alone {
			d.answer = documentAnswer(made.Filename, made.MimeType, made.Hash, made.Data).withAll(header)
		}
	}
	return d, nil
}

// outcomeOf does an order in this process, or by one of its own where the kind asks for that.
func (s *Server) outcomeOf(ctx context.Context, o *job.Order) (*job.Outcome, error) {
	run := job.Run{Kind: o.Kind()}
	if s.Isolated != nil && s.Kinds.Isolation(run.Kind) == job.Always {
		return job.PerformBy(ctx, s.Isolated, run, o)
	}
	return s.Kinds.Perform(ctx, run, o)
}

// enqueue makes a job of an order. Where the client asked for one, the answer is the job, or what the synchronous call would
// have answered when the job ends within the time that the client waits; otherwise it is that, however long it takes.
func (s *Server) enqueue(c *call, t *task, o *job.Order, p preference, in *intake, ticket *ledger.Ticket) (*done, error) {
	n := s.newJob(c, o)
	n.Announce = p.async
	if len(o.Body) > smallBody {
		var leave func()
		n.Request, leave = s.inWork(c, n.Request)
		defer leave()
	}
	d, err := s.accept(c, n, t.charges, in, ticket, p)
	if err == nil {
		o.Body = nil
	}
	return d, err
}

// checkOf refuses an order that is no such request at all; nil where nobody can tell without doing it.
func (s *Server) checkOf(c *call, o *job.Order) func() error {
	check := s.Kinds.Find(o.Operation).Check
	if check == nil {
		return nil
	}
	return func() error {
		leave, err := s.process(c.r.Context(), c.key.AccountID)
		if err != nil {
			return gone(c.r.Context(), err)
		}
		defer leave()
		return check(c.r.Context(), o)
	}
}

// accept takes a job over, with what the ticket holds, and gives the memory of the request back.
func (s *Server) accept(c *call, n ledger.NewJob, charges []ledger.Charge, in *intake, ticket *ledger.Ticket, p preference) (*done, error) {
	urgency := names.Interactive
	if p.async && p.wait == 0 {
		urgency = names.Default
	}
	n.Queue, n.Ticket = cmp.Or(n.Queue, urgency), ticket
	// The charges of a ticket are reserved already.
	if ticket == nil {
		n.Charges = charges
	}
	job, err := s.acceptJob(c.r.Context(), n)
	if err != nil {
		return nil, err
	}
	in.close()
	return &done{then: func() (*answer, error) { return s.follow(c, job, p) }}, nil
}

// acceptJob accepts a job and tells those who run jobs.
func (s *Server) acceptJob(ctx context.Context, n ledger.NewJob) (ledger.Job, error) {
	job, err := s.Jobs.Accept(ctx, n)
	if err == nil {
		s.Accepted(n.Account)
	}
	return job, err
}

// newJob is the job of an order.
func (s *Server) newJob(c *call, o *job.Order) ledger.NewJob {
	return ledger.NewJob{
		Account: c.key.AccountID, Mode: c.key.Mode, KeyID: c.key.ID, RequestID: c.x.id, Kind: o.Kind(), Request: o.Pack(), Queue: o.Queue,
	}
}

// means makes the fingerprint of a request that of its order, for bodies that differ from one sending to the next though they
// mean the same: the boundary of a multipart body is made anew.
func (in *intake) means(o *job.Order) {
	if in.sum == nil {
		return
	}
	in.sum.Reset()
	fmt.Fprintf(in.sum, "%s\n%s\n", in.request, o.Operation)
	_, _ = io.Copy(in.sum, o.Pack()) // neither fails
}
