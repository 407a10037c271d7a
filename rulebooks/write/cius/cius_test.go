package cius

import "testing"

// TestPeppolID ensures that the German rules get the ids of Peppol BIS Billing, and that no other id changes.
func TestPeppolID(t *testing.T) {
	for id, want := range map[string]string{
		"BR-DE-1": "DE-R-001", "BR-DE-15": "DE-R-015", "BR-DE-23-a": "DE-R-023-1", "BR-DE-25-b": "DE-R-025-2", "BR-TMP-2": "DE-R-T02",
		"PEPPOL-EN16931-R001": "PEPPOL-EN16931-R001", "BR-DE-CVD-01": "BR-DE-CVD-01", "DK-R-001": "DK-R-001",
	} {
		if got := peppolID(id); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
}
