package operation

import (
	"errors"
	"slices"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
)

// TestFindings_CausesStandFirst ensures that rules about one member stand before those about amounts that fail because of it, and these
// in the order in which the amounts are computed.
func TestFindings_CausesStandFirst(t *testing.T) {
	s := shippedService(t, "2026-11-01")
	const category = `"taxRate": 19,
        "taxCategoryCode": "S"`
	for _, c := range []struct {
		name, format string
		edits, want  []string
	}{
		{"a category that is none", "xrechnung", []string{category, `"taxRate": 19, "taxCategoryCode": "Q"`}, []string{"BR-CL-18", "BR-S-01", "BR-S-08"}},
		{"no VAT breakdown", "xrechnung", []string{`{ "taxRate": 19, "taxCategoryCode": "S", "netAmount": 100.00, "taxAmount": 19.00 }`, ""},
			[]string{"BR-CO-18", "PEPPOL-EN16931-R053", "BR-S-01", "BR-CO-15"}},
		{"a gross taxable base", "xrechnung", []string{`"S", "netAmount": 100.00`, `"S", "netAmount": 119.00`}, []string{"BR-S-08", "BR-S-09", "BR-CO-17"}},
		{"another line", "xrechnung", []string{`"netAmount": 100.00,
        "taxAmount"`, `"netAmount": 99.00, "taxAmount"`}, []string{"BR-CO-10", "BR-S-08"}},
		{"another net total", "xrechnung", []string{`"subtotal": 100.00`, `"subtotal": 101.00`}, []string{"BR-CO-10", "BR-CO-15"}},
		{"another rule book", "zugferd", []string{category, `"taxRate": 19, "taxCategoryCode": "Q"`, `"invoice":`, `"formatOptions": {"output": "xml"}, "invoice":`},
			[]string{"FX-SCH-A-000179", "FX-SCH-A-000198"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := s.Generate(t.Context(), GenerateRequest{Country: "de", Format: c.format, Body: example(t, c.edits...)})
			refusal, ok := errors.AsType[*finding.Refusal](err)
			if !ok {
				t.Fatalf("%v", err)
			}
			var got []string
			for _, e := range refusal.Errors {
				got = append(got, e.Code)
			}
			if !slices.Equal(got, c.want) || refusal.Message != refusal.Errors[0].Message {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}
