package api

import (
	"context"
	"testing"

	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// judging are operations of which generate asks for the rulebooks, while others are put in their place.
type judging struct {
	fakeOperations
	rulebooks *rulebook.Registry
}

func (j judging) Generate(ctx context.Context, req operation.GenerateRequest) (*operation.GenerateAnswer, error) {
	before := j.rulebooks.In(ctx)
	j.rulebooks.Renumber(before.Number + 1)
	if j.rulebooks.In(ctx) != before {
		panic("the rulebooks change under the operation")
	}
	return j.fakeOperations.Generate(ctx, req)
}

// TestRunner_TellsWhichRulebooksJudged ensures that the output of a job names the generation that its run began with, also when it
// was refused, and none where none was asked.
func TestRunner_TellsWhichRulebooksJudged(t *testing.T) {
	registry := noRulebooks(t)
	registry.Renumber(7)
	runner := NewRunner(judging{rulebooks: registry}, registry)
	for _, test := range []struct {
		kind, body string
		status     int
		number     int64
	}{
		{"generate:de:xrechnung", "{}", 200, 7},
		{"generate:de:xrechnung", "SPELL-REFUSE", 422, 8},
		{"parse", "<x/>", 200, 0},
	} {
		o := Order{Body: []byte(test.body)}
		out, err := runner.Run(t.Context(), test.kind, packed(t, &o))
		want := ledger.Rulebooks{}
		if test.number > 0 {
			want = ledger.Rulebooks{Number: test.number, Digest: registry.Current().Digest}
		}
		if err != nil || out.Status != test.status || out.Rulebooks != want {
			t.Errorf("%+v: status %d, rulebooks %+v, error %v", test, out.Status, out.Rulebooks, err)
		}
	}
}
