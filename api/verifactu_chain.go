package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/verifactu"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/chain"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
)

// recordView is a record as the API shows it.
type recordView struct {
	Position      int             `json:"position"`
	Kind          string          `json:"kind"` // alta, anulacion
	InvoiceNumber string          `json:"invoiceNumber"`
	InvoiceDate   string          `json:"invoiceDate"`
	InvoiceType   string          `json:"invoiceType,omitzero"`
	TaxAmount     decimal.Decimal `json:"taxAmount,omitzero"`
	Total         decimal.Decimal `json:"total,omitzero"`
	Generated     string          `json:"generated"`
	PreviousHash  string          `json:"previousHash"`
	Hash          string          `json:"hash"`
	State         string          `json:"state"`
	ErrorCode     string          `json:"errorCode,omitzero"`    // of the tax office
	ErrorMessage  string          `json:"errorMessage,omitzero"` // in its words
	CSV           string          `json:"csv,omitzero"`          // its code for the submission
	Answered      time.Time       `json:"answered,omitzero"`
}

func viewOfRecord(position int64, l verifactu.Link) recordView {
	v := recordView{Position: int(position), Kind: "alta", InvoiceNumber: l.Invoice.Number, InvoiceDate: l.Invoice.Date, InvoiceType: l.Type, Generated: l.Generated,
		PreviousHash: l.Previous, Hash: l.Hash, State: verifactu.Pending}
	if l.Cancels {
		v.Kind = "anulacion"
		return v
	}
	v.TaxAmount, _ = decimal.Parse(l.Tax) // written by this service
	v.Total, _ = decimal.Parse(l.Total)
	return v
}

// sent says what the tax office has made of the record.
func (v recordView) sent(o chain.Outcome) recordView {
	v.State, v.ErrorCode, v.ErrorMessage, v.CSV, v.Answered = o.State, o.Code, o.Message, o.CSV, clock.Time(o.Answered)
	return v
}

// cancelRequest names an invoice that was registered.
type cancelRequest struct {
	SellerNIF     string `json:"sellerNif"`
	InvoiceSeries string `json:"invoiceSeries"`
	InvoiceNumber string `json:"invoiceNumber"`
	InvoiceDate   string `json:"invoiceDate"`
}

func (r *cancelRequest) id() (verifactu.InvoiceID, error) {
	id := verifactu.InvoiceID{Issuer: verifactu.NIF(r.SellerNIF), Number: r.InvoiceSeries + r.InvoiceNumber, Date: r.InvoiceDate}
	if _, err := time.Parse("02-01-2006", r.InvoiceDate); err != nil {
		return id, badField("invoiceDate", finding.InvalidDate, "invoiceDate: must be a date DD-MM-YYYY")
	}
	switch {
	case id.Issuer == "":
		return id, badField("sellerNif", finding.InvalidValue, "sellerNif: must be a Spanish NIF")
	case r.InvoiceNumber == "":
		return id, badField("invoiceNumber", finding.MissingField, "invoiceNumber: is missing")
	}
	return id, nil
}

// canceledView is the answer to a cancellation.
type canceledView struct {
	VATID    string            `json:"vatId"`
	Record   recordView        `json:"record"`
	Warnings []finding.Finding `json:"warnings"`
}

// verifactuCancel is POST /api/v1/verifactu/cancel.
func (s *Server) verifactuCancel(c *call) (a *answer, err error) {
	var body cancelRequest
	if err := s.readMembers(c, &body); err != nil {
		return nil, err
	}
	id, err := body.id()
	if err != nil {
		return nil, err
	}
	if err := s.Jobs.Admit(c.r.Context(), c.key.AccountID, 0); err != nil {
		return nil, err
	}
	err = s.Registrar.Cancel(c.r.Context(), c.key.AccountID, c.key.Mode, id, func(tx *db.Tx, record chain.Record, _ bool) error {
		a = jsonAnswer(http.StatusOK, canceledView{id.Issuer, viewOfRecord(record.Position, linkOf(id.Issuer, &record)), s.unsent(c.key.Mode)})
		return s.keep(c, tx, a)
	})
	if err != nil {
		return nil, err
	}
	return a, nil
}

// unsent warns that live records stay here.
func (s *Server) unsent(mode account.Mode) []finding.Finding {
	if mode != account.Live || s.Registrar.Installation.Sends(true) {
		return []finding.Finding{}
	}
	return []finding.Finding{{Code: finding.VeriFactuNotSent,
		Message: "the record stands in the chain as pending: this service does not send records to the tax office"}}
}

// linkOf is a record of the store as the chain has it.
func linkOf(issuer string, r *chain.Record) verifactu.Link {
	return verifactu.Link{Cancels: r.Cancels, Invoice: verifactu.InvoiceID{Issuer: issuer, Number: r.Number, Date: r.Day}, Type: r.Type, Tax: r.Tax, Total: r.Total,
		Previous: r.Previous, Generated: r.Generated, Hash: r.Hash}
}

// exporting is an export of a chain.
type exporting struct {
	owner  chain.Owner
	period chain.Period
	after  int64 // position of the last record before the page
	most   int   // records of the page
	xml    bool
	query  url.Values
	checks *chainChecks
	next   func() error // lets others have the processor between two pieces of the chain
}

// verifactuExport is GET /api/v1/verifactu/chain/{vatId}/export.
func (s *Server) verifactuExport(c *call) (*answer, error) {
	e, err := s.exporting(c)
	if err != nil {
		return nil, err
	}
	found, err := s.Registrar.Chains.Find(c.r.Context(), e.owner)
	if errors.Is(err, chain.ErrNotFound) {
		return nil, &finding.Refusal{Kind: finding.NotFound, Field: "vatId", Message: "There is no VeriFactu chain of " + e.owner.Issuer}
	}
	if err != nil {
		return nil, err
	}
	c.doneReading() // the processor that it waits for is for the rest, too
	leave, err := s.process(c.r.Context(), c.key.AccountID)
	if err != nil {
		return nil, gone(c.r.Context(), err)
	}
	defer func() { leave() }()
	e.next = func() (err error) {
		leave()
		leave, err = s.process(c.r.Context(), c.key.AccountID)
		return gone(c.r.Context(), err)
	}
	within, err := found.Within(c.r.Context(), e.period)
	if err != nil {
		return nil, err
	}
	records, more, err := e.page(c.r.Context(), &found, within)
	if err != nil {
		return nil, err
	}
	if e.xml {
		return e.batch(c, &found, records, more)
	}
	whole, err := e.check(c.r.Context(), &found, within)
	if err != nil {
		return nil, err
	}
	return e.list(c.r.Context(), &found, whole, s.Registrar.Installation.Sends(c.key.Mode == account.Live), records, more)
}

// page reads the records of the page, and tells whether there are more behind it.
func (e *exporting) page(ctx context.Context, found *chain.Chain, within chain.Range) (records []chain.Record, more bool, err error) {
	within.After, within.Most, within.Documents = max(within.After, e.after), e.most+1, e.xml
	if records, err = found.Read(ctx, within); len(records) > e.most {
		return records[:e.most], true, err
	}
	return records, false, err
}

// exporting reads what is asked for.
func (s *Server) exporting(c *call) (e exporting, err error) {
	vatID, _ := c.variable("vatId")
	e.query, e.checks = c.r.URL.Query(), s.checks
	e.owner = chain.Owner{Account: c.key.AccountID, Mode: c.key.Mode, Issuer: verifactu.NIF(vatID), Installation: e.query.Get("installation")}
	if e.owner.Issuer == "" {
		return e, badField("vatId", finding.InvalidValue, "vatId: must be a Spanish NIF, with or without ES")
	}
	if installed := s.Registrar.Installation; e.owner.Installation == "" && installed != nil {
		e.owner.Installation = installed.Installation
	}
	switch format := e.query.Get("format"); format {
	case "", "json":
	case "xml":
		e.xml = true
	default:
		return e, badField("format", finding.InvalidValue, "format: must be json or xml")
	}
	return e, e.readRange()
}

// readRange reads the period and the page.
func (e *exporting) readRange() error {
	for field, into := range map[string]*time.Time{"from": &e.period.From, "to": &e.period.To} {
		text := e.query.Get(field)
		if text == "" {
			continue
		}
		at, err := verifactu.StartOf(text)
		if err != nil {
			return badField(field, finding.InvalidDate, field+": must be a date YYYY-MM-DD")
		}
		if field == "to" { // its day is a part of the period
			next, _ := time.Parse(time.DateOnly, text)
			at, _ = verifactu.StartOf(next.AddDate(0, 0, 1).Format(time.DateOnly))
		}
		*into = at
	}
	after, err := e.number("starting_after", 0, 1<<53, 0)
	if err != nil {
		return err
	}
	e.after = int64(after)
	e.most, err = e.number("limit", 1, verifactu.MostRecords, verifactu.MostRecords)
	return err
}

// number reads a whole number of the query.
func (e *exporting) number(field string, least, most, absent int) (int, error) {
	text := e.query.Get(field)
	if text == "" {
		return absent, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, badField(field, finding.InvalidValue, fmt.Sprintf("%s: must be a whole number from %d to %d", field, least, most))
	}
	return n, nil
}

// batch is the answer of format=xml: one submission of the page.
func (e *exporting) batch(c *call, found *chain.Chain, records []chain.Record, more bool) (*answer, error) {
	if len(records) == 0 {
		return nil, &finding.Refusal{Kind: finding.NotFound, Message: "The chain has no further records in this period"}
	}
	first, err := found.Read(c.r.Context(), chain.Range{Most: 1, Documents: true}) // which is no cancellation, and so names the issuer
	if err != nil {
		return nil, err
	}
	b := verifactu.Batch{Issuer: verifactu.Party{NIF: e.owner.Issuer}}
	for i, r := range append(first, records...) {
		read, err := readRecord(&r)
		if err != nil {
			return nil, err
		}
		b.Issuer.Name = cmp.Or(read.IssuerName, b.Issuer.Name)
		if i > 0 {
			b.Records = append(b.Records, read)
		}
	}
	document, err := b.XML()
	if err != nil {
		return nil, err
	}
	a := &answer{status: http.StatusOK, contentType: "application/xml", body: document}
	a.with("Content-Disposition", fmt.Sprintf("attachment; filename=%s-%d.xml", e.owner.Issuer, records[0].Position))
	outcomes, err := outcomesOf(c.r.Context(), found, records)
	if err != nil {
		return nil, err
	}
	a.with("X-Pending-Records", strconv.Itoa(len(records)-len(outcomes)))
	if more {
		e.query.Set("starting_after", strconv.FormatInt(records[len(records)-1].Position, 10))
		a.with("Link", "<"+c.r.URL.Path+"?"+e.query.Encode()+`>; rel="next"`)
	}
	return a, nil
}

// readRecord reads the document of a record.
func readRecord(r *chain.Record) (*verifactu.Record, error) {
	read, err := verifactu.Read(r.Document)
	if err != nil {
		return nil, fmt.Errorf("read record %d of the chain: %w", r.Position, err)
	}
	return read.Records[0], nil
}

// manifestView is what a period of a chain holds, with all that speaks against it.
type manifestView struct {
	Count         int                `json:"count"`
	Invoices      int                `json:"invoices"`
	Cancellations int                `json:"cancellations"`
	TaxAmount     decimal.Decimal    `json:"taxAmount"`
	Total         decimal.Decimal    `json:"total"`
	FirstHash     string             `json:"firstHash"`
	LastHash      string             `json:"lastHash"`
	Broken        []verifactu.Broken `json:"broken"`
	BrokenCount   int                `json:"brokenCount"`
}

// exportView is the answer of format=json.
type exportView struct {
	VATID        string       `json:"vatId"`
	Installation string       `json:"installation"`
	Count        int          `json:"count"`
	FirstHash    string       `json:"firstHash"`
	LastHash     string       `json:"lastHash"`
	Valid        bool         `json:"valid"`
	Sending      bool         `json:"sending"`
	Fault        string       `json:"fault,omitzero"` // why the last submission got no answer
	Manifest     manifestView `json:"manifest"`
	Records      []recordView `json:"records"`
	HasMore      bool         `json:"has_more"`
}

func (e *exporting) list(ctx context.Context, found *chain.Chain, whole verifactu.Chain, sending bool, records []chain.Record, more bool) (_ *answer, err error) {
	zero := decimal.New(0, 2)
	m := manifestView{whole.Count, whole.Invoices, whole.Cancellations, zero.Add(whole.Tax), zero.Add(whole.Total), whole.First, whole.Last, append([]verifactu.Broken{}, whole.Broken...), whole.BrokenCount}
	view := exportView{VATID: e.owner.Issuer, Installation: found.Installation, Count: m.Count, FirstHash: m.FirstHash, LastHash: m.LastHash, Valid: m.BrokenCount == 0,
		Sending: sending, Manifest: m, Records: []recordView{}, HasMore: more}
	if view.Fault, err = found.Fault(ctx); err != nil {
		return nil, err
	}
	outcomes, err := outcomesOf(ctx, found, records)
	if err != nil {
		return nil, err
	}
	for i := range records {
		v := viewOfRecord(records[i].Position, linkOf(e.owner.Issuer, &records[i]))
		if o, known := outcomes[records[i].Position]; known {
			v = v.sent(o)
		}
		view.Records = append(view.Records, v)
	}
	return jsonAnswer(http.StatusOK, view), nil
}

// outcomesOf gives the outcomes of records that follow each other, by position.
func outcomesOf(ctx context.Context, found *chain.Chain, records []chain.Record) (map[int64]chain.Outcome, error) {
	if len(records) == 0 {
		return nil, nil
	}
	return found.Outcomes(ctx, records[0].Position, records[len(records)-1].Position)
}
