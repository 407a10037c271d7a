package operation

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/testdata"
)

// TestGenerate_NationalUBL ensures that every scenario is written in every specification of PINT, CIUS-PT and CIUS-RO, and accepted by the
// rules that ship, with no warning but those that are expected.
func TestGenerate_NationalUBL(t *testing.T) {
	requests, err := testdata.NationalUBL()
	if err != nil {
		t.Fatal(err)
	}
	s := fullService(t)
	for _, r := range requests {
		if r.Format != "ubl" {
			continue
		}
		t.Run(r.Case+"/"+r.Scenario, func(t *testing.T) {
			t.Parallel()
			answer, err := s.Generate(t.Context(), GenerateRequest{Country: r.Country, Format: r.Format, Body: r.Body, Calculate: true})
			if err != nil {
				t.Fatalf("%s\n%s", refusalOf(err), r.Body)
			}
			if diff := cmp.Diff(slices.Sorted(slices.Values(r.Warnings)), houseWarnings(answer.Warnings)); diff != "" {
				t.Errorf("%s\n%s", diff, refusalOf(&finding.Refusal{Errors: slices.DeleteFunc(answer.Warnings, func(w finding.Finding) bool { return w.Code == finding.ValueCalculated })}))
			}
			if len(answer.Rulebooks) == 0 {
				t.Error("no rulebook has judged it")
			}
			if dump := os.Getenv("DUMP"); dump != "" {
				os.WriteFile(filepath.Join(dump, r.Case+"-"+r.Scenario+".xml"), answer.Data, 0o644)
			}
		})
	}
}

// TestValidate_HRFISK ensures that every scenario keeps the rules of HR-FISK as an invoice, that what the caller leaves out makes its rule
// fire, and that no document is given out.
func TestValidate_HRFISK(t *testing.T) {
	requests, err := testdata.NationalUBL()
	if err != nil {
		t.Fatal(err)
	}
	s := fullService(t)
	for _, r := range requests {
		if r.Format != "hr-fisk" {
			continue
		}
		t.Run(r.Scenario, func(t *testing.T) {
			answer, err := s.Validate(t.Context(), ValidateRequest{Country: "hr", Format: "hr-fisk", Body: r.Body, Calculate: true})
			if err != nil {
				t.Fatal(refusalOf(err))
			}
			if !answer.Valid || len(answer.Rulebooks) < 2 {
				t.Errorf("%s\n%s", refusalOf(&finding.Refusal{Errors: answer.Errors}), r.Body)
			}
		})
	}
}
