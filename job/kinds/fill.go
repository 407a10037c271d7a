package kinds

import (
	"context"

	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/job"
)

// FillParameters are the parameters of fill. The body is that of the request: JSON with a template and its data.
type FillParameters struct {
	Style operation.Style  `json:"style,omitzero"` // as in operation.FillRequest
	Infos []operation.Info `json:"infos,omitzero"` // the same
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
