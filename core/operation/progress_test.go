package operation

import (
	"context"
	"slices"
	"testing"

	"github.com/einvoiced/einvoiced/core/progress"
)

// TestOperationsTellHowFarTheyAre ensures that each operation notes steps on its way, in their order.
func TestOperationsTellHowFarTheyAre(t *testing.T) {
	s := judgingService(t, today)
	generate := func(ctx context.Context) (*GenerateAnswer, error) {
		return s.Generate(ctx, GenerateRequest{Country: "de", Format: "xrechnung", Body: example(t)})
	}
	made, err := generate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, do := range map[string]func(context.Context) error{
		"generate": func(ctx context.Context) error { _, err := generate(ctx); return err },
		"parse":    func(ctx context.Context) error { _, err := s.Parse(ctx, ParseRequest{Document: made.Data}); return err },
		"validate a document": func(ctx context.Context) error {
			_, err := s.Validate(ctx, ValidateRequest{Country: "de", Document: made.Data})
			return err
		},
		"validate an invoice in each format": func(ctx context.Context) error {
			_, err := s.Validate(ctx, ValidateRequest{Country: "de", Body: example(t)})
			return err
		},
	} {
		var told []int
		if err := do(progress.With(t.Context(), func(percent int) { told = append(told, percent) })); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(told) < 2 || !slices.IsSorted(told) || told[0] < 10 || told[len(told)-1] < 80 {
			t.Errorf("%s told %d", name, told)
		}
	}
}
