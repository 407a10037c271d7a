package api

import (
	"strings"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// The events that operations and jobs bring about (contract, Events).
const (
	eventCreated          = "invoice.created"
	eventValidated        = "invoice.validated"
	eventValidationFailed = "invoice.validation_failed"
	eventJobSucceeded     = "job.succeeded"
	eventJobFailed        = "job.failed"
)

// created is the event of a document that was generated. The contract names its members.
func created(a *operation.GenerateAnswer) ledger.Event {
	s := &a.Summary
	taxes := s.TaxSummary
	if taxes == nil {
		taxes = []invoice.TaxSummary{}
	}
	return ledger.Event{Type: eventCreated, Object: encodeObject([]member{
		{"invoiceNumber", s.InvoiceNumber}, {"format", a.Format}, {"filename", a.Filename}, {"mimeType", a.MimeType}, {"hash", a.Hash},
		{"currency", s.Currency}, {"subtotal", s.Subtotal}, {"total", s.Total}, {"taxSummary", taxes},
	})}
}

// validated is the event of a validation. Its format is that of the path, else what the document is; null where an invoice was
// checked in several.
func validated(formats Operations, o *Order, a *operation.ValidateAnswer) ledger.Event {
	e := ledger.Event{Type: eventValidated}
	members := []member{
		{"invoiceNumber", a.InvoiceNumber}, {"countryCode", strings.ToUpper(o.Country)}, {"format", judgedFormat(formats, o, a)}, {"valid", a.Valid},
		{"warnings", listed(a.Warnings)},
	}
	if !a.Valid {
		e.Type = eventValidationFailed
		members = append(members, member{"errors", listed(a.Errors)})
	}
	e.Object = encodeObject(members)
	return e
}

func judgedFormat(formats Operations, o *Order, a *operation.ValidateAnswer) any {
	if o.Format != "" {
		return o.Format
	}
	if a.Detection != nil {
		if token := formats.TokenOf(a.Detection.Format); token != "" {
			return token
		}
	}
	return nil
}

// listed is the list, never null.
func listed(list []finding.Finding) []finding.Finding {
	if list == nil {
		return []finding.Finding{}
	}
	return list
}

// JobEvent tells that a job has ended: the job as GET shows it, without its result.
func JobEvent(job ledger.Job) ledger.Event {
	e := ledger.Event{Type: eventJobFailed, Object: encode(viewOf(job))}
	if job.State == ledger.Succeeded {
		e.Type = eventJobSucceeded
	}
	return e
}
