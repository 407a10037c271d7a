package operation

import (
	"encoding/json"
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
			if keptNational(r) {
				folder := "../../testdata/ubl/" + r.Case
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

// keptNational tells whether the document of a request is a golden: those of what countries differ in, and one of each other case.
func keptNational(r testdata.NationalRequest) bool {
	if strings.Contains(r.Case, "-") {
		return r.Scenario == "invoice"
	}
	return slices.Contains([]string{"invoice", "credit-note", "exempt", "export", "foreign-currency", "document-allowances", "line-allowances", "prepaid", "zero-decimals"}, r.Scenario)
}

// TestGenerate_NationalUBLAgain ensures that what is parsed of a document gives the same document again: nothing that a country adds is lost
// on the way back, and nothing is added twice.
func TestGenerate_NationalUBLAgain(t *testing.T) {
	requests, err := testdata.NationalUBL()
	if err != nil {
		t.Fatal(err)
	}
	s := newService(t)
	for i, r := range requests {
		if r.Format != "ubl" || leftOut(i) {
			continue
		}
		first, err := s.Generate(t.Context(), GenerateRequest{Country: r.Country, Format: r.Format, Body: r.Body, Calculate: true})
		if err != nil {
			t.Fatalf("%s/%s: %s", r.Case, r.Scenario, refusalOf(err))
		}
		parsed, err := s.Parse(t.Context(), ParseRequest{Document: first.Data})
		if err != nil {
			t.Fatalf("%s/%s: %s", r.Case, r.Scenario, refusalOf(err))
		}
		if len(parsed.Warnings) > 0 {
			t.Errorf("%s/%s is read with %v", r.Case, r.Scenario, parsed.Warnings)
		}
		body, err := json.Marshal(map[string]any{"invoice": parsed.Invoice})
		if err != nil {
			t.Fatal(err)
		}
		again, err := s.Generate(t.Context(), GenerateRequest{Country: r.Country, Format: r.Format, Body: body})
		if err != nil {
			t.Errorf("%s/%s: %s", r.Case, r.Scenario, refusalOf(err))
		} else if diff := cmp.Diff(string(first.Data), string(again.Data)); diff != "" {
			t.Errorf("%s/%s: %s", r.Case, r.Scenario, diff)
		}
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

// TestValidate_HRFISKWithoutKeys ensures that what the caller does not say makes its rule fire: no time of issue comes from the clock.
func TestValidate_HRFISKWithoutKeys(t *testing.T) {
	s := fullService(t)
	for key, rule := range map[string]string{"issueTime": "HR-BR-2", "operatorOib": "HR-BR-9", "operatorName": "HR-BR-37", "businessProcess": "HR-BR-34", "oib": "BR-S-02"} {
		body := nationalBody(t, "hr", `{"countrySpecific":{"`+key+`":null}}`)
		answer, err := s.Validate(t.Context(), ValidateRequest{Country: "hr", Format: "hr-fisk", Body: body, Calculate: true})
		if err != nil {
			t.Fatal(refusalOf(err))
		}
		if answer.Valid || !slices.ContainsFunc(answer.Errors, func(f finding.Finding) bool { return f.Code == rule || f.Rule == rule }) {
			t.Errorf("without %s: %v %+v", key, answer.Valid, answer.Errors)
		}
	}
}

// TestGenerate_HRFISK ensures that HR-FISK is judged and not given out.
func TestGenerate_HRFISK(t *testing.T) {
	s := newService(t)
	_, err := s.Generate(t.Context(), GenerateRequest{Country: "hr", Format: "hr-fisk", Body: nationalBody(t, "hr", `{}`), Calculate: true})
	var refusal *finding.Refusal
	if !errors.As(err, &refusal) || refusal.Kind != finding.BadRequest || !strings.Contains(refusal.Message, "/hr/hr-fisk/validate") {
		t.Errorf("%v", err)
	}
	country, err := s.Country(t.Context(), "hr")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range country.Formats {
		if f.ID == "hr-fisk" && f.Generate {
			t.Errorf("%+v", f)
		}
	}
}

// nationalBody is the body of a case's first scenario, with a JSON merge patch on its invoice.
func nationalBody(t *testing.T, name, patch string) []byte {
	t.Helper()
	requests, err := testdata.NationalUBL()
	if err != nil {
		t.Fatal(err)
	}
	r := requests[slices.IndexFunc(requests, func(r testdata.NationalRequest) bool { return r.Case == name })]
	body, err := testdata.Patched(r.Body, []byte(`{"invoice":`+patch+`}`))
	if err != nil {
		t.Fatal(err)
	}
	return body
}
