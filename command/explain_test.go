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
		"BR-CO-10":       {"BR-CO-10 (fatal): The sum of the lines", "a-few 1", "a-few 2", "house code: DE_SUM_001", "BT-106 (Sum of Invoice line net amount): subtotal", "/Invoice/cac:LegalMonetaryTotal/cbc:LineExtensionAmount (1..1)"},
		"DE_UNIT_001":    {"BR-CL-23 (fatal)", "BT-130 (Invoiced quantity unit of measure code): items[].unit", "/CreditNote/cac:CreditNoteLine/cbc:CreditedQuantity/@unitCode\n"},
		"T-PENDING":      {"a warning until it is enforced from 2027-06-01"},
		"T-LOWERED":      {"T-LOWERED (warning)"},
		"QUOTA_EXCEEDED": {"QUOTA_EXCEEDED: The quota of the period is used up"},
		"unauthorized":   {"UNAUTHORIZED: There is no API key"},
		"CH_ADDR_004":    {"CH_ADDR_004: The postal code"},
		"DE_AC_001":      {"not used, because neither contract nor supplement"},
		"bt-31":          {"BT-31 (Seller VAT identifier): seller.vatId"},
		"BG-25":          {"BG-25 (Invoice line): items[]\n  /Invoice/cac:InvoiceLine (1..n)"},
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
	if stdout, stderr, code := run(t, "", append([]string{"explain", "BT-1", "X-99", "BT-2"}, fewRules...)...); code != exitInvalid || !strings.HasPrefix(stdout, "BT-1 (Invoice number): invoiceNumber") ||
		!strings.Contains(stdout, "\nBT-2 (Invoice issue date): issueDate") || !strings.Contains(stderr, "X-99 is no code") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
}

// TestExplain_RepeatsNothing ensures that what rulebooks and document elements have alike is told once, for every rule that ships.
func TestExplain_RepeatsNothing(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"BR-16", "BT-29"} {
		stdout, stderr, code := run(t, "", "explain", what)
		seen := map[string]bool{}
		for line := range strings.Lines(stdout) {
			if seen[line] && !strings.HasPrefix(line, "  house code:") {
				t.Errorf("%s: exit code %d: twice %s%s", what, code, line, stderr)
			}
			seen[line] = true
		}
		if len(seen) < 2 {
			t.Errorf("%s: exit code %d: %s%s", what, code, stdout, stderr)
		}
	}
}
