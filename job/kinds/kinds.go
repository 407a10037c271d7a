// Package kinds has the kinds of jobs that ship, a file each: their parameters, their entitlements, how they run and what events come
// of them. A new kind is a new file here and its line in All.
package kinds

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/job"
)

// Operations is what the kinds ask of the core; *operation.Service does it.
type Operations interface {
	Generate(ctx context.Context, req operation.GenerateRequest) (*operation.GenerateAnswer, error)
	CheckRequest(ctx context.Context, req operation.GenerateRequest) error
	Parse(ctx context.Context, req operation.ParseRequest) (*operation.ParseAnswer, error)
	Convert(ctx context.Context, req operation.ConvertRequest) (*operation.ConvertAnswer, error)
	Validate(ctx context.Context, req operation.ValidateRequest) (*operation.ValidateAnswer, error)
	Embed(ctx context.Context, req operation.EmbedRequest) (*operation.EmbedAnswer, error)
	Open(ctx context.Context, document []byte) *operation.Opened
	OpenConversion(ctx context.Context, req operation.ConvertRequest) *operation.Conversion
	TokenOf(detection string) string
	OpenRendering(ctx context.Context, document []byte) *operation.Opened
	Render(ctx context.Context, req operation.RenderRequest) (*operation.PagesAnswer, error)
	Fill(ctx context.Context, req operation.FillRequest) (*operation.PagesAnswer, error)
	Preview(ctx context.Context, req operation.PreviewRequest) (*operation.PagesAnswer, error)
}

var _ Operations = (*operation.Service)(nil)

// All are the kinds that ship.
func All(ops Operations) job.Kinds {
	return job.Kinds{Generate(ops), Parse(ops), Convert(ops), Validate(ops), Embed(ops), Render(ops), Fill(ops), Preview(ops), Prepare(ops)}
}

// detectionOf reads what an answer tells of a document; nil where it tells nothing.
func detectionOf(answer []byte) (*operation.Detection, error) {
	var said struct {
		Detection *operation.Detection `json:"detection"`
	}
	if err := json.Unmarshal(answer, &said); err != nil {
		return nil, fmt.Errorf("read detection from answer: %w", err)
	}
	return said.Detection, nil
}

// lowerCountry is the country of a detection in lower case, or instead where it tells none.
func lowerCountry(d *operation.Detection, instead string) string {
	if d.CountryCode == nil {
		return instead
	}
	return strings.ToLower(*d.CountryCode)
}

// tokenOf is the path token of what was detected, or * where it has none.
func tokenOf(ops Operations, d *operation.Detection) string {
	return cmp.Or(ops.TokenOf(d.Format), "*")
}
