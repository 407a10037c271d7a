package kinds

import (
	"context"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/detect"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/answers"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// ValidateParameters are the parameters of validate. The body is that of the request, JSON with an invoice, or a document.
type ValidateParameters struct {
	Calculate      bool             `json:"calculate,omitzero"` // as in operation.ValidateRequest
	Filename       string           `json:"filename,omitzero"`
	Document       bool             `json:"document,omitzero"` // the body is a document
	AsOf           string           `json:"asOf,omitzero"`
	EnforcePending bool             `json:"enforcePending,omitzero"`
	Details        bool             `json:"details,omitzero"`  // the answer has findings
	Formats        []string         `json:"formats,omitzero"`  // that the key may create, where the path names none
	Infos          []operation.Info `json:"infos,omitzero"`    // as in operation.ValidateRequest
	MaxItems       int              `json:"maxItems,omitzero"` // lines of a document, where the plan allows fewer than the service
}

// The events of validations (contract, Events).
const (
	validated        = "invoice.validated"
	validationFailed = job.ValidationFailed
)

// Validate is the kind of jobs that judge an invoice or a document. They are free.
func Validate(ops Operations) job.Kind {
	return job.Kind{
		Name:        "validate",
		Parameters:  func() any { return new(ValidateParameters) },
		Entitlement: job.CreateEntitlement,
		Detected: func(o *job.Order, answer []byte) (string, error) {
			if o.Format != "" {
				return "", nil
			}
			d, err := detectionOf(answer)
			if err != nil || d == nil {
				return "", err
			}
			return judgedEntitlement(ops, o.Country, d), nil
		},
		Run: func(ctx context.Context, _ job.Run, o *job.Order) (*job.Outcome, error) {
			return validate(ctx, ops, o, o.Parameters.(*ValidateParameters))
		},
		Events: []string{validated, validationFailed},
		Inline: true, Isolation: job.Large,
	}
}

// judgedEntitlement is what judging a document takes that turned out to be d: creating the format in the country of the path, or
// in the one that has it alone.
func judgedEntitlement(ops Operations, country string, d *operation.Detection) string {
	if d.CountrySource == detect.FromFormat {
		country = lowerCountry(d, country)
	}
	return job.CreateEntitlement(country, tokenOf(ops, d))
}

func validate(ctx context.Context, ops Operations, o *job.Order, p *ValidateParameters) (*job.Outcome, error) {
	req := operation.ValidateRequest{Country: o.Country, Format: o.Format, Calculate: p.Calculate, Filename: p.Filename, AsOf: p.AsOf,
		EnforcePending: p.EnforcePending, Details: p.Details, MaxItems: p.MaxItems, Infos: p.Infos}
	if p.Document {
		req.Document = o.Body
	} else {
		req.Body = o.Body
	}
	if o.Format == "" {
		req.Entitled = func(format string) bool { return slices.Contains(p.Formats, format) }
	}
	a, err := ops.Validate(ctx, req)
	if err != nil {
		return nil, err
	}
	return &job.Outcome{Answer: answers.JSON(a), Events: []ledger.Event{validatedEvent(ops, o, a)}}, nil
}

// validatedObject is what invoice.validated and invoice.validation_failed tell.
type validatedObject struct {
	InvoiceNumber string            `json:"invoiceNumber"`
	CountryCode   string            `json:"countryCode"`
	Format        *string           `json:"format"` // null where an invoice was checked in several
	Valid         bool              `json:"valid"`
	Warnings      []finding.Finding `json:"warnings"`
	Errors        []finding.Finding `json:"errors,omitzero"` // of validation_failed alone
}

// validatedEvent is the event of a validation. Its format is that of the path, else what the document is.
func validatedEvent(ops Operations, o *job.Order, a *operation.ValidateAnswer) ledger.Event {
	e := ledger.Event{Type: validated}
	object := validatedObject{InvoiceNumber: a.InvoiceNumber, CountryCode: strings.ToUpper(o.Country), Format: judgedFormat(ops, o, a),
		Valid: a.Valid, Warnings: a.Warnings}
	if !a.Valid {
		e.Type = validationFailed
		object.Errors = append([]finding.Finding{}, a.Errors...)
	}
	e.Object = answers.JSON(object)
	return e
}

func judgedFormat(ops Operations, o *job.Order, a *operation.ValidateAnswer) *string {
	if o.Format != "" {
		return &o.Format
	}
	if a.Detection != nil {
		if token := ops.TokenOf(a.Detection.Format); token != "" {
			return &token
		}
	}
	return nil
}
