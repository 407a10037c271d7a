package kinds

import (
	"cmp"
	"context"

	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/job"
)

// PreviewParameters are the parameters of preview. The body is that of the request: JSON with an invoice or data.
type PreviewParameters struct {
	Style operation.Style  `json:"style,omitzero"` // as in operation.PreviewRequest
	Infos []operation.Info `json:"infos,omitzero"` // the same
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
