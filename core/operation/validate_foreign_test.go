package operation

import (
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
)

// TestValidate_DocumentOfAnotherCustomisation ensures that a route never calls a document valid by the rules of another customisation
// than its own: an XRechnung that keeps all of its rules is none of these.
func TestValidate_DocumentOfAnotherCustomisation(t *testing.T) {
	s := fullService(t)
	xrechnung := document(t, "../xrechnung-ubl/minimal.xml")
	if a, err := s.Validate(t.Context(), ValidateRequest{Country: "DE", Format: "xrechnung", Document: xrechnung}); err != nil || !a.Valid {
		t.Fatalf("as what it is: %v %+v", err, a)
	}
	for _, c := range []struct{ country, format, book string }{
		{"HR", "hr-fisk", "hr-cius"}, {"RO", "ubl", "cius-ro"}, {"RO", "efactura", "cius-ro"}, {"AE", "ubl", "pint-ae"}, {"JP", "ubl", "pint-jp"},
		{"PL", "peppol-ubl", "peppol-bis"}, {"PT", "ubl", "cius-pt"},
	} {
		a, err := s.Validate(t.Context(), ValidateRequest{Country: c.country, Format: c.format, Document: xrechnung})
		if err != nil {
			t.Fatal(err)
		}
		judged := len(a.Rulebooks) > 0 && a.Rulebooks[len(a.Rulebooks)-1].ID == c.book
		if a.Valid || len(a.Errors) == 0 || !judged {
			t.Errorf("%s/%s: valid %v by %v: %+v", c.country, c.format, a.Valid, a.Rulebooks, a.Errors)
		}
	}
}

// TestValidate_FormatsWithoutRulebook ensures that a document of a version whose rules do not ship was not judged, and says so under the
// reason missing.
func TestValidate_FormatsWithoutRulebook(t *testing.T) {
	const faktura = `<Faktura xmlns="http://crd.gov.pl/wzor/2025/06/25/13775/"/>`
	const older = `<Faktura xmlns="http://crd.gov.pl/wzor/2023/06/29/12648/"/>`
	a, err := fullService(t).Validate(t.Context(), ValidateRequest{Country: "PL", Format: "ksef", Document: []byte(older)})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Results) != 1 || a.Results[0].Valid != nil || a.Valid || len(a.Results[0].Errors) != 1 || a.Results[0].Errors[0].Message[:len("missing: ")] != "missing: " {
		t.Errorf("%+v", a.Results)
	}
	_, err = fullService(t).Validate(t.Context(), ValidateRequest{Country: "SE", Format: "ubl", Document: []byte(faktura)})
	if refusal, ok := err.(*finding.Refusal); !ok || refusal.Kind != finding.BadRequest {
		t.Errorf("in Sweden, where ubl is no FA(3): %v", err)
	}
}
