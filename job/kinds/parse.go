package kinds

import (
	"context"
	"errors"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/answers"
)

// ParseParameters are the parameters of parse. The body is the document.
type ParseParameters struct {
	Filename string           `json:"filename,omitzero"`
	Infos    []operation.Info `json:"infos,omitzero"` // as in operation.ParseRequest
}

// Parse is the kind of jobs that read a document; without country and format its format is detected.
func Parse(ops Operations) job.Kind {
	return job.Kind{
		Name:        "parse",
		Parameters:  func() any { return new(ParseParameters) },
		Entitlement: job.ParseEntitlement,
		Detected: func(o *job.Order, answer []byte) (string, error) {
			if o.Country != "" {
				return "", nil
			}
			d, err := detectionOf(answer)
			if err != nil || d == nil {
				return "", err
			}
			return detectedEntitlement(ops, d), nil
		},
		Charge: func(ctx context.Context, o *job.Order) string { return parseCharge(ctx, ops, o) },
		Check: func(ctx context.Context, o *job.Order) error {
			_, err := parse(ctx, ops, o, o.Parameters.(*ParseParameters))
			return err
		},
		Run: func(ctx context.Context, _ job.Run, o *job.Order) (*job.Outcome, error) {
			return parse(ctx, ops, o, o.Parameters.(*ParseParameters))
		},
		Inline: true, Isolation: job.Large,
	}
}

// parseCharge is the entitlement that an order uses. What an automatic parse uses is told by the document, which is opened once: the run
// reads on. A document that cannot be told costs nothing: it will be refused.
func parseCharge(ctx context.Context, ops Operations, o *job.Order) string {
	if o.Country != "" {
		return job.ParseEntitlement(o.Country, o.Format)
	}
	opened := ops.Open(ctx, o.Body)
	o.Prepared = opened
	if opened.Err != nil {
		return ""
	}
	return detectedEntitlement(ops, opened.Detection)
}

// detectedEntitlement is what parsing a document takes that turned out to be d.
func detectedEntitlement(ops Operations, d *operation.Detection) string {
	return job.ParseEntitlement(lowerCountry(d, "*"), tokenOf(ops, d))
}

func parse(ctx context.Context, ops Operations, o *job.Order, p *ParseParameters) (*job.Outcome, error) {
	defer o.Release()
	req := operation.ParseRequest{Country: o.Country, Format: o.Format, Filename: p.Filename, Document: o.Body, Infos: p.Infos}
	req.Opened, _ = o.Prepared.(*operation.Opened)
	a, err := ops.Parse(ctx, req)
	if r, ok := errors.AsType[*finding.Refusal](err); ok && o.Country == "" && r.Kind != finding.Internal {
		return nil, unsuccessful(r)
	}
	if err != nil {
		return nil, err
	}
	return &job.Outcome{Answer: answers.JSON(a)}, nil
}

// unsuccessful adds success: false, which a failed automatic parse has to say.
func unsuccessful(r *finding.Refusal) *finding.Refusal {
	said := *r
	said.Extra = append([]finding.Extra{{Name: "success", Value: false}}, r.Extra...)
	return &said
}
