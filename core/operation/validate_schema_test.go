package operation

import (
	"errors"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
)

// TestGenerate_SchemaFaultsNameMembers ensures that what the schema finds missing in a document of our own is told as the member of the
// invoice, and not by the element that stands there instead.
func TestGenerate_SchemaFaultsNameMembers(t *testing.T) {
	s := shippedService(t, "2026-11-01")
	const groups = `[
      { "taxRate": 19, "taxCategoryCode": "S", "netAmount": 100.00, "taxAmount": 19.00 }
    ]`
	for _, c := range []struct {
		name, field string
		edits       []string
	}{
		{"no group of the VAT breakdown", "taxSummary", []string{groups, "[]"}},
		{"the same, before other elements", "taxSummary", []string{groups, "[]", `"currency"`, `"servicePeriod": {"start": "2026-02-01"}, "currency"`}},
		{"a delivery without country", "delivery.address.countryCode", []string{`"currency"`, `"delivery": {"address": {"city": "Kiel", "state": "SH"}}, "currency"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := string(example(t, c.edits...))
			body = strings.Replace(body, `"invoice":`, `"formatOptions": {"output": "xml"}, "invoice":`, 1)
			_, err := s.Generate(t.Context(), GenerateRequest{Country: "de", Format: "zugferd", Body: []byte(body)})
			refusal, ok := errors.AsType[*finding.Refusal](err)
			if !ok || refusal.Errors[0].Code != finding.SchemaViolation {
				t.Fatalf("%v", err)
			}
			if e := refusal.Errors[0]; e.Field != c.field || !strings.HasPrefix(e.Message, c.field+" is missing") || len(refusal.Errors) != 1 {
				t.Errorf("%+v", refusal.Errors)
			}
		})
	}
}
