package kinds

import (
	"cmp"
	"context"
	"strings"

	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/answers"
)

// RenderParameters are the parameters of render. The body is the document.
type RenderParameters struct {
	Filename string           `json:"filename,omitzero"`
	Language string           `json:"language,omitzero"` // as in operation.RenderRequest
	Style    operation.Style  `json:"style,omitzero"`    // the same
	Infos    []operation.Info `json:"infos,omitzero"`    // the same
}

// FillParameters are the parameters of fill. The body is that of the request: JSON with a template and its data.
type FillParameters struct {
	Style operation.Style  `json:"style,omitzero"` // as in operation.FillRequest
	Infos []operation.Info `json:"infos,omitzero"` // the same
}

// PreviewParameters are the parameters of preview. The body is that of the request: JSON with an invoice or data.
type PreviewParameters struct {
	Style operation.Style  `json:"style,omitzero"` // as in operation.PreviewRequest
	Infos []operation.Info `json:"infos,omitzero"` // the same
}

// pdfEntitlement is what making a PDF takes; the country is in lower case, or *.
func pdfEntitlement(country, _ string) string { return job.CreateEntitlement(country, "pdf") }

// bareAlways gives the PDF in place of any answer that has one: pages are to be looked at.
func bareAlways([]byte) (map[string]string, bool) { return nil, true }

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

// Fill is the kind of jobs that fill a template with data.
func Fill(ops Operations) job.Kind {
	return job.Kind{
		Name:        "fill",
		Parameters:  func() any { return new(FillParameters) },
		Entitlement: pdfEntitlement,
		Charge:      func(context.Context, *job.Order) string { return pdfEntitlement("*", "") },
		Bare:        bareAlways, Unasked: true,
		Run: func(ctx context.Context, _ job.Run, o *job.Order) (*job.Outcome, error) {
			p := o.Parameters.(*FillParameters)
			return pagesOutcome(ops.Fill(ctx, operation.FillRequest{Body: o.Body, Style: p.Style, Infos: p.Infos}))
		},
		Inline: true, Isolation: job.Large,
	}
}

// Preview is the kind of jobs that fill a saved template to look at it. They are free. The country is that of the invoice; orders with other
// data have none.
func Preview(ops Operations) job.Kind {
	return job.Kind{
		Name:        "preview",
		Parameters:  func() any { return new(PreviewParameters) },
		Entitlement: pdfEntitlement,
		Open: func(_ context.Context, o *job.Order) []string {
			return []string{pdfEntitlement(cmp.Or(o.Country, "*"), o.Format)}
		},
		Bare: bareAlways, Unasked: true,
		Run: func(ctx context.Context, _ job.Run, o *job.Order) (*job.Outcome, error) {
			p := o.Parameters.(*PreviewParameters)
			return pagesOutcome(ops.Preview(ctx, operation.PreviewRequest{Country: o.Country, Body: o.Body, Style: p.Style, Infos: p.Infos}))
		},
		Inline: true, Isolation: job.Large,
	}
}

func pagesOutcome(a *operation.PagesAnswer, err error) (*job.Outcome, error) {
	if err != nil {
		return nil, err
	}
	document := &job.Document{Filename: a.Filename, MimeType: a.MimeType, Hash: a.Hash, Data: a.Data}
	return &job.Outcome{Answer: answers.JSON(a), Document: document, Clean: len(a.Warnings) == 0}, nil
}
