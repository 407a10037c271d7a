package operation

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/testdata"
)

// TestGenerate_UBLInEveryCountry ensures that every scenario is written in every country, accepted by the rules that ship, with no warning
// but those that are expected.
func TestGenerate_UBLInEveryCountry(t *testing.T) {
	requests, err := testdata.UBL()
	if err != nil {
		t.Fatal(err)
	}
	s := fullService(t)
	for _, r := range requests {
		t.Run(r.Country+"/"+r.Scenario, func(t *testing.T) {
			t.Parallel()
			answer, err := s.Generate(t.Context(), GenerateRequest{Country: r.Country, Format: r.Format, Body: r.Body, Calculate: true})
			if err != nil {
				t.Fatalf("%s\n%s", refusalOf(err), r.Body)
			}
			if diff := cmp.Diff(slices.Sorted(slices.Values(r.Warnings)), houseWarnings(answer.Warnings)); diff != "" {
				t.Errorf("%s\n%s", diff, refusalOf(&finding.Refusal{Errors: slices.DeleteFunc(answer.Warnings, func(w finding.Finding) bool { return w.Code == finding.ValueCalculated })}))
			}
			if len(answer.Rulebooks) == 0 || answer.AppliedFormatOptions != (AppliedFormatOptions{}) {
				t.Errorf("%v %+v", answer.Rulebooks, answer.AppliedFormatOptions)
			}
			if golden(r) {
				folder := "../../testdata/ubl/" + strings.ToLower(r.Country)
				if *update {
					if err := os.MkdirAll(folder, 0o755); err != nil {
						t.Fatal(err)
					}
				}
				compareGolden(t, filepath.Join(folder, r.Scenario+".xml"), answer.Data)
			}
		})
	}
}

// golden tells whether the document of a request is kept: all of one country, and that of the first scenario of each.
func golden(r testdata.Request) bool { return r.Country == "BE" || r.Scenario == "invoice" }

// refusalOf lists what a refusal says.
func refusalOf(err error) string {
	var refusal *finding.Refusal
	if !errors.As(err, &refusal) {
		return err.Error()
	}
	text := refusal.Message
	for _, e := range refusal.Errors {
		text += "\n" + e.Code + " " + e.Field + ": " + e.Message
	}
	return text
}

// houseWarnings are the codes of warnings that are no rule's and not of calculated values.
func houseWarnings(warnings []finding.Finding) []string {
	var codes []string
	for _, w := range warnings {
		if w.Code != finding.ValueCalculated && w.Rule == "" && !standardRule.MatchString(w.Code) {
			codes = append(codes, w.Code)
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}
