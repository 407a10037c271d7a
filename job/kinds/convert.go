package kinds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/answers"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// ConvertParameters are the parameters of convert. The body is the document.
type ConvertParameters struct {
	Filename string              `json:"filename,omitzero"`
	Options  invoice.ConvertBody `json:"options,omitzero"`
	Infos    []operation.Info    `json:"infos,omitzero"`    // as in operation.ConvertRequest
	Style    operation.Style     `json:"style,omitzero"`    // the same
	MaxItems int                 `json:"maxItems,omitzero"` // lines of the document, where the plan allows fewer than the service
}

// The events of conversions (contract, Events).
const (
	conversionCompleted = "conversion.completed"
	conversionFailed    = "conversion.failed"
)

// Convert is the kind of jobs that write a document in another format. Country and format of an order are those of the target.
func Convert(ops Operations) job.Kind {
	return job.Kind{
		Name:        "convert",
		Parameters:  func() any { return new(ConvertParameters) },
		Entitlement: job.CreateEntitlement,
		Open:        func(ctx context.Context, o *job.Order) []string { return openConversion(ctx, ops, o) },
		Detected: func(o *job.Order, answer []byte) (string, error) {
			if o.Parameters != nil { // Open has told
				return "", nil
			}
			return sourceEntitlement(answer)
		},
		Charge: func(_ context.Context, o *job.Order) string {
			if o.Country == "" {
				return ""
			}
			return job.CreateEntitlement(o.Country, o.Format)
		},
		Run: func(ctx context.Context, _ job.Run, o *job.Order) (*job.Outcome, error) {
			return convert(ctx, ops, o)
		},
		Events: []string{conversionCompleted, conversionFailed},
		Inline: true, Isolation: job.Large,
	}
}

// openConversion opens the source, which tells what the conversion is from and where to, as far as the request leaves that open. The
// run reads on.
func openConversion(ctx context.Context, ops Operations, o *job.Order) []string {
	c := ops.OpenConversion(ctx, conversionOf(o))
	o.Prepared = c
	o.Country, o.Format = c.Target.Country, c.Target.Format
	var needed []string
	if o.Country != "" {
		needed = append(needed, job.CreateEntitlement(o.Country, o.Format))
	}
	if c.Source.Format != "" {
		needed = append(needed, job.ParseEntitlement(cmp.Or(c.Source.Country, "*"), c.Source.Format))
	}
	return needed
}

// sourceEntitlement is what an answer of a job takes beside the entitlement of the target: parsing the source, where its country is known.
func sourceEntitlement(answer []byte) (string, error) {
	var said struct {
		SourceFormat string               `json:"sourceFormat"`
		Detection    *operation.Detection `json:"detection"`
	}
	if err := json.Unmarshal(answer, &said); err != nil {
		return "", fmt.Errorf("read source of conversion from answer: %w", err)
	}
	if said.SourceFormat == "" || said.Detection == nil || said.Detection.CountryCode == nil {
		return "", nil
	}
	return job.ParseEntitlement(strings.ToLower(*said.Detection.CountryCode), said.SourceFormat), nil
}

// conversionOf is what an order asks for.
func conversionOf(o *job.Order) operation.ConvertRequest {
	p := o.Parameters.(*ConvertParameters)
	return operation.ConvertRequest{Document: o.Body, Filename: p.Filename, Options: p.Options, MaxItems: p.MaxItems, Style: p.Style, Infos: p.Infos}
}

func convert(ctx context.Context, ops Operations, o *job.Order) (*job.Outcome, error) {
	defer o.Release()
	req := conversionOf(o)
	req.Opened, _ = o.Prepared.(*operation.Conversion)
	a, err := ops.Convert(ctx, req)
	if err != nil {
		return nil, conversionRefused(err)
	}
	document := &job.Document{Filename: a.Filename, MimeType: a.MimeType, Hash: a.Hash, Data: a.Data}
	event := ledger.Event{Type: conversionCompleted, Object: answers.JSON(completedObject{a.SourceFormat, a.TargetFormat, a.Filename, a.MimeType, a.Hash})}
	return &job.Outcome{Answer: answers.JSON(a), Document: document, Clean: len(a.Warnings)+len(a.ConversionWarnings) == 0, Events: []ledger.Event{event}}, nil
}

// completedObject is what conversion.completed tells (supplement §2, event payloads).
type completedObject struct {
	SourceFormat string `json:"sourceFormat"`
	TargetFormat string `json:"targetFormat"`
	Filename     string `json:"filename"`
	MimeType     string `json:"mimeType"`
	Hash         string `json:"hash"`
}

// failedObject is what conversion.failed tells (supplement §2, event payloads).
type failedObject struct {
	Error            string            `json:"error"`
	Message          string            `json:"message"`
	ComplianceErrors []finding.Finding `json:"complianceErrors"`
}

// failures are the codes of documents that could not be converted; other refusals are about requests.
var failures = []string{finding.ConversionFailed, finding.ParseFailed, finding.FormatNotDetected}

// conversionRefused adds the event to the refusal of a document.
func conversionRefused(err error) error {
	r, ok := errors.AsType[*finding.Refusal](err)
	if !ok || !slices.Contains(failures, cmp.Or(r.Code, r.Word)) {
		return err
	}
	object := failedObject{Error: r.Word, Message: r.Message, ComplianceErrors: []finding.Finding{}}
	for _, e := range r.Extra {
		if list, ok := e.Value.([]finding.Finding); ok && e.Name == "complianceErrors" {
			object.ComplianceErrors = list
		}
	}
	return &job.Told{Err: err, Events: []ledger.Event{{Type: conversionFailed, Object: answers.JSON(object)}}}
}
