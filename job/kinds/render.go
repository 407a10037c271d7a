package kinds

import (
	"context"
	"strings"

	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/job"
)

// RenderParameters are the parameters of render. The body is the document.
type RenderParameters struct {
	Filename string           `json:"filename,omitzero"`
	Language string           `json:"language,omitzero"` // as in operation.RenderRequest
	Style    operation.Style  `json:"style,omitzero"`    // the same
	Infos    []operation.Info `json:"infos,omitzero"`    // the same
}

// Render is the kind of jobs that make a PDF to look at of a document. They are free.
func Render(ops Operations) job.Kind {
	return job.Kind{
		Name:        "render",
		Parameters:  func() any { return new(RenderParameters) },
		Entitlement: pdfEntitlement,
		Open:        func(ctx context.Context, o *job.Order) []string { return openRendering(ctx, ops, o) },
		Bare:        bareAlways, Unasked: true,
		Run: func(ctx context.Context, _ job.Run, o *job.Order) (*job.Outcome, error) {
			defer o.Release()
			p := o.Parameters.(*RenderParameters)
			req := operation.RenderRequest{Document: o.Body, Language: p.Language, Style: p.Style, Infos: p.Infos}
			req.Opened, _ = o.Prepared.(*operation.Opened)
			return pagesOutcome(ops.Render(ctx, req))
		},
		Inline: true, Isolation: job.Large,
	}
}

// openRendering opens the document, which tells the country that it takes the entitlement of. The run reads on. What cannot be told takes that of
// all: it will be refused, or has a seller elsewhere.
func openRendering(ctx context.Context, ops Operations, o *job.Order) []string {
	opened := ops.OpenRendering(ctx, o.Body)
	o.Prepared = opened
	if opened.Err != nil {
		return nil
	}
	if d := opened.Detection; d.CountryCode != nil {
		o.Country, o.Format = strings.ToLower(*d.CountryCode), "pdf"
		return []string{pdfEntitlement(o.Country, o.Format)}
	}
	return []string{pdfEntitlement("*", "")}
}
