package profile

import (
	"testing"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// TestSpecificationFollowsTheProfile has BT-24 as KoSIT prescribes it for XRechnung 3.0 and its extension.
func TestSpecificationFollowsTheProfile(t *testing.T) {
	const cius = "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0"
	cases := map[invoice.Profile]string{
		"":                                cius,
		invoice.ProfileXRechnung:          cius,
		invoice.ProfileXRechnungExtension: cius + "#conformant#urn:xeinkauf.de:kosit:extension:xrechnung_3.0",
	}
	for profile, want := range cases {
		if got := XRechnung().SpecificationOf(&invoice.Invoice{Profile: profile}); got != want {
			t.Errorf("profile %q: %s", profile, got)
		}
	}
	plain := &Profile{Specification: "urn:plain"}
	if got := plain.SpecificationOf(&invoice.Invoice{Profile: invoice.ProfileXRechnungExtension}); got != "urn:plain" {
		t.Errorf("a profile without extension: %s", got)
	}
}
