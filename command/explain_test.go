package command

import (
	"strings"
	"testing"
)

// TestExplain ensures what is told of codes, rules, house codes and business terms.
func TestExplain(t *testing.T) {
	t.Parallel()
	for what, want := range map[string][]string{
		"FIELD_TOO_LONG": {"FIELD_TOO_LONG (warning): The text is longer"},
		"missing_field":  {"MISSING_FIELD (error): A required member"},
		"BR-CO-10":       {"BR-CO-10 (fatal) of a-few 1: The sum of the lines", "of a-few 2", "house code: DE_SUM_001", "BT-106: subtotal", "/Invoice/cac:LegalMonetaryTotal/cbc:LineExtensionAmount (1..1)"},
		"DE_UNIT_001":    {"BR-CL-23 (fatal)", "BT-130: items[].unit", "/CreditNote/cac:CreditNoteLine/cbc:CreditedQuantity/@unitCode\n"},
		"T-PENDING":      {"a warning until it is enforced from 2027-06-01"},
		"T-LOWERED":      {"T-LOWERED (warning)"},
		"bt-31":          {"BT-31: seller.vatId"},
		"BG-25":          {"BG-25: items[]\n  /Invoice/cac:InvoiceLine (1..n)"},
	} {
		stdout, stderr, code := run(t, "", append([]string{"explain", what}, fewRules...)...)
		if code != exitOK || stderr != "" {
			t.Errorf("%s: exit code %d: %s", what, code, stderr)
		}
		for _, text := range want {
			if !strings.Contains(stdout, text) {
				t.Errorf("%s: no %q in\n%s", what, text, stdout)
			}
		}
	}
	if stdout, stderr, code := run(t, "", append([]string{"explain", "BT-1", "X-99"}, fewRules...)...); code != exitInvalid || !strings.HasPrefix(stdout, "BT-1: invoiceNumber") || !strings.Contains(stderr, "X-99 is no code") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
}
