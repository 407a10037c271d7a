package operation

import (
	"errors"
	"slices"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/testdata"
)

// TestGenerate_CIIInEveryCountry ensures that every scenario is written as CII for each hybrid, in each of its countries, versions and profiles,
// and accepted by the rules that ship, except for the rounding that BASIC has no term for (BT-114), which the rule of the amount due refuses.
func TestGenerate_CIIInEveryCountry(t *testing.T) {
	requests, err := testdata.Hybrids()
	if err != nil {
		t.Fatal(err)
	}
	s := fullService(t)
	counts := map[string]int{}
	for i, r := range requests {
		if leftOut(i) {
			continue
		}
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: r.Country, Format: r.Format, Body: r.Body, Calculate: true})
		var refusal *finding.Refusal
		switch {
		case r.Scenario == "rounding" && r.Profile == "BASIC":
			if !errors.As(err, &refusal) || !slices.Contains([]string{"BR-CO-16", "FX-SCH-A-000122"}, refusal.Errors[0].Code) {
				t.Errorf("%s %s %s: %v", r.Country, r.Name(), r.Scenario, err)
			}
			continue
		case err != nil:
			t.Errorf("%s %s %s: %s", r.Country, r.Name(), r.Scenario, refusalOf(err))
			continue
		case len(answer.Rulebooks) == 0 || answer.AppliedFormatOptions != (AppliedFormatOptions{Version: r.Version, Profile: r.Profile}):
			t.Errorf("%s %s %s: %v %+v", r.Country, r.Name(), r.Scenario, answer.Rulebooks, answer.AppliedFormatOptions)
		}
		counts[r.Country+" "+r.Name()]++
	}
	if testing.Short() {
		return
	}
	if len(counts) != 42 {
		t.Errorf("documents of %d countries, versions and profiles: %v", len(counts), counts)
	}
	for name, n := range counts {
		if n < 20 {
			t.Errorf("%s: %d documents are too few", name, n)
		}
	}
}
