package operation

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/einvoiced/einvoiced/core/finding"
)

// isdocInputs are the inputs for ISDOC by name.
func isdocInputs(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("../../testdata/isdoc/*.json")
	if err != nil || len(paths) < 12 {
		t.Fatal(len(paths), err)
	}
	inputs := map[string][]byte{}
	for _, path := range paths {
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		inputs[strings.TrimSuffix(filepath.Base(path), ".json")] = body
	}
	return inputs
}

// TestISDOC_InputsGiveTheirGoldens ensures the document of each input, and that schema and rules have nothing against it.
func TestISDOC_InputsGiveTheirGoldens(t *testing.T) {
	s := shippedService(t, today)
	told := map[string][]string{}
	for name, body := range isdocInputs(t) {
		t.Run(name, func(t *testing.T) {
			answer, err := s.Generate(t.Context(), GenerateRequest{Country: "CZ", Format: "isdoc", Body: body})
			if err != nil {
				t.Fatal(refusalOf(err))
			}
			var warnings []string
			for _, w := range answer.Warnings {
				warnings = append(warnings, w.Code+" "+w.Field)
			}
			if !slices.Equal(warnings, told[name]) {
				t.Errorf("%q", warnings)
			}
			if len(answer.Rulebooks) != 1 || answer.Rulebooks[0].ID != "isdoc" {
				t.Errorf("judged by %v", answer.Rulebooks)
			}
			compareGolden(t, "../../testdata/isdoc/"+name+".xml", answer.Data)
		})
	}
}

// TestISDOC_InputsComeBack ensures that a written document is read without a rest, and that its invoice gives the same document again.
func TestISDOC_InputsComeBack(t *testing.T) {
	s := shippedService(t, today)
	for name, body := range isdocInputs(t) {
		t.Run(name, func(t *testing.T) {
			answer, err := s.Generate(t.Context(), GenerateRequest{Country: "CZ", Format: "isdoc", Body: body})
			if err != nil {
				t.Fatal(refusalOf(err))
			}
			parsed, err := s.Parse(t.Context(), ParseRequest{Document: answer.Data})
			if err != nil || parsed.Format != "ISDOC" || len(parsed.Warnings) > 0 || parsed.Detection.Confidence < 90 || *parsed.Detection.FormatVersion != "6.0.2" {
				t.Fatalf("%v %+v", err, parsed)
			}
			again, err := s.Generate(t.Context(), GenerateRequest{Country: "CZ", Format: "isdoc", Body: generateBody(t, parsed.Invoice)})
			if err != nil {
				t.Fatal(refusalOf(err))
			}
			if diff := cmp.Diff(string(answer.Data), string(again.Data)); diff != "" {
				t.Error(diff)
			}
			reparsed, err := s.Parse(t.Context(), ParseRequest{Document: again.Data})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(parsed.Invoice, reparsed.Invoice, byDecimal, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// isdocBody is the first input with a JSON merge patch.
func isdocBody(t testing.TB, patch string) []byte {
	t.Helper()
	return patched(t, isdocInputs(t)["01-invoice"], patch)
}

// TestISDOC_Keys has every key for Czechia as a merge patch, with the part of the document where it lands.
func TestISDOC_Keys(t *testing.T) {
	s := shippedService(t, today)
	for patch, want := range map[string]string{
		`{"countrySpecific":{"ico":"27074358"}}`:                         "<ID>27074358</ID>",
		`{"seller":{"vatId":""},"countrySpecific":{"dic":"CZ27074358"}}`: "<PartyTaxScheme><CompanyID>CZ27074358</CompanyID><TaxScheme>VAT</TaxScheme></PartyTaxScheme>",
		`{"seller":{"vatId":"","registrationNumber":"12345679"},"countrySpecific":{"dic":"CZ7001011234","vatPayer":false},"taxSummary":[{"taxCategoryCode":"O","netAmount":100,"taxAmount":0}],` +
			`"items":[{"description":"A","quantity":1,"unit":"C62","unitPrice":100,"taxCategoryCode":"O","netAmount":100,"taxAmount":0}],"subtotal":100,"total":100}`: "<TaxScheme>TIN</TaxScheme>",
		`{"countrySpecific":{"vatPayer":true}}`:         "<VATApplicable>true</VATApplicable>",
		`{"countrySpecific":{"variableSymbol":"4711"}}`: "<VariableSymbol>4711</VariableSymbol>",
		`{}`: "<VariableSymbol>20260001</VariableSymbol>",
		`{"countrySpecific":{"constantSymbol":"0308"}}`:                                     "<ConstantSymbol>0308</ConstantSymbol>",
		`{"countrySpecific":{"specificSymbol":"99"}}`:                                       "<SpecificSymbol>99</SpecificSymbol>",
		`{"currency":"EUR","countrySpecific":{"exchangeRate":25.10}}`:                       "<CurrRate>25.10</CurrRate><RefCurrRate>1</RefCurrRate>",
		`{"currency":"HUF","countrySpecific":{"exchangeRate":6.2,"exchangeRateUnits":100}}`: "<CurrRate>6.2</CurrRate><RefCurrRate>100</RefCurrRate>",
		`{"countrySpecific":{"uuid":"7B4C5BE0-288C-11D2-8E62-004095452B84"}}`:               "<UUID>7B4C5BE0-288C-11D2-8E62-004095452B84</UUID>",
		`{"countrySpecific":{"national":{"IssuingSystem":"ERP 3"}}}`:                        "<IssuingSystem>ERP 3</IssuingSystem>",
	} {
		answer, err := s.Generate(t.Context(), GenerateRequest{Country: "cz", Format: "isdoc", Body: isdocBody(t, patch)})
		if err != nil {
			t.Errorf("%s: %v", patch, refusalOf(err))
			continue
		}
		if got := squeezedXML(answer.Data); !strings.Contains(got, want) {
			t.Errorf("%s: no %s in %s", patch, want, got)
		}
		if slices.ContainsFunc(answer.Warnings, func(w finding.Finding) bool { return w.Code == finding.FieldNotWritten }) {
			t.Errorf("%s: %+v", patch, answer.Warnings)
		}
	}
}
