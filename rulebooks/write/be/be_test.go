package be

import (
	"strings"
	"testing"
)

// TestFiles ensures that the rulebook holds the rules of EN 16931 with the publisher's ids, conditions and lists, and those of others.
func TestFiles(t *testing.T) {
	files, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	text := string(files["books/be-1.31/rules.sch"])
	for part, times := range map[string]int{
		`id="UBL-CR-003"`: 0, `id="ubl-CR-003"`: 1, `id="UBL-CR-002"`: 1, `id="BR-AF-01"`: 0, `id="BR-IG-01"`: 1, `id="BR-IP-04"`: 1,
		`id="BR-CO-10"`: 0, `id="UBL-SR-06"`: 1, `id="PEPPOL-EN16931-R120"`: 0, `id="PEPPOL-EN16931-R121"`: 1, `id="ubl-BE-15"`: 1,
		`<rule context="cac:PaymentMeans/cac:CardAccount">`: 1, `in EN 16931. Give one`: 0, `contains('AD AE AF`: 1,
	} {
		if got := strings.Count(text, part); got != times {
			t.Errorf("%s stands there %d times, want %d", part, got, times)
		}
	}
}
