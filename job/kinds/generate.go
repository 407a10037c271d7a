package kinds

import (
	"context"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/answers"
	"github.com/einvoiced/einvoiced/job/registration"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// GenerateParameters are the parameters of generate. The body is that of the request: JSON with an invoice.
type GenerateParameters struct {
	Calculate bool             `json:"calculate,omitzero"` // as in operation.GenerateRequest
	Live      bool             `json:"live,omitzero"`      // the same
	Infos     []operation.Info `json:"infos,omitzero"`     // the same
	Style     operation.Style  `json:"style,omitzero"`     // the same
}

// created is the event of a document that was generated (contract, Events).
const created = "invoice.created"

// Generate is the kind of jobs that make a document of an invoice.
func Generate(ops Operations) job.Kind {
	return job.Kind{
		Name:        "generate",
		Parameters:  func() any { return new(GenerateParameters) },
		Entitlement: job.CreateEntitlement,
		Charge: func(_ context.Context, o *job.Order) string {
			return job.CreateEntitlement(o.Country, o.Format)
		},
		Check: func(ctx context.Context, o *job.Order) error { return ops.CheckRequest(ctx, generateRequest(o)) },
		Run: func(ctx context.Context, _ job.Run, o *job.Order) (*job.Outcome, error) {
			return generate(ctx, ops, generateRequest(o))
		},
		Events: []string{created},
		Inline: true, Isolation: job.Large,
	}
}

func generateRequest(o *job.Order) operation.GenerateRequest {
	p := o.Parameters.(*GenerateParameters)
	return operation.GenerateRequest{Country: o.Country, Format: o.Format, Calculate: p.Calculate, Live: p.Live, Body: o.Body, Style: p.Style, Infos: p.Infos}
}

func generate(ctx context.Context, ops Operations, req operation.GenerateRequest) (*job.Outcome, error) {
	a, err := ops.Generate(ctx, req)
	if err != nil {
		return nil, err
	}
	document := &job.Document{Filename: a.Filename, MimeType: a.MimeType, Hash: a.Hash, Data: a.Data}
	out := &job.Outcome{Answer: answers.JSON(a), Document: document, Clean: len(a.Warnings) == 0, Events: []ledger.Event{createdEvent(a)}}
	if a.Record != nil {
		out.Registrations = []ledger.Registration{registration.Of(a.Record)}
	}
	return out, nil
}

// createdObject is what invoice.created tells. The contract names its members.
type createdObject struct {
	InvoiceNumber string               `json:"invoiceNumber"`
	Format        string               `json:"format"`
	Filename      string               `json:"filename"`
	MimeType      string               `json:"mimeType"`
	Hash          string               `json:"hash"`
	Currency      string               `json:"currency"`
	Subtotal      decimal.Decimal      `json:"subtotal"`
	Total         decimal.Decimal      `json:"total"`
	TaxSummary    []invoice.TaxSummary `json:"taxSummary"`
}

func createdEvent(a *operation.GenerateAnswer) ledger.Event {
	s := &a.Summary
	return ledger.Event{Type: created, Object: answers.JSON(createdObject{
		s.InvoiceNumber, a.Format, a.Filename, a.MimeType, a.Hash, s.Currency, s.Subtotal, s.Total, s.TaxSummary,
	})}
}
