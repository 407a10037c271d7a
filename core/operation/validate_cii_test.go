package operation

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestValidate_Hybrids ensures which profiles an invoice is judged in: every one on the route of the format, the one that is asked for,
// and the default one where the path names no format. The rules are those of the version.
func TestValidate_Hybrids(t *testing.T) {
	s := fullService(t)
	for _, c := range []struct{ country, format, options, labels, books string }{
		{"de", "zugferd", `{}`, "zugferd-2.4-basic zugferd-2.4-en16931 zugferd-2.4-extended", "fx-2.4-basic fx-2.4-en16931 fx-2.4-extended"},
		{"de", "zugferd", `{"version":"2.3"}`, "zugferd-2.3-basic zugferd-2.3-en16931 zugferd-2.3-extended", "fx-2.3.3-basic fx-2.3.3-en16931 fx-2.3.3-extended"},
		{"de", "zugferd", `{"profile":"EXTENDED","version":"2.5"}`, "zugferd-2.5-extended", "fx-2.5.2-extended"},
		{"de", "zugferd", `{"zugferdProfile":"BASIC","output":"xml"}`, "zugferd-2.4-basic", "fx-2.4-basic"},
		{"fr", "facturx", `{"profile":"EN16931","version":"1.0"}`, "facturx-1.0-en16931", "fx-2.3.3-en16931"},
		{"be", "facturx", `{"profile":"EN16931","version":"1.09"}`, "facturx-1.09-en16931", "fx-2.5.2-en16931"},
		{"de", "", `{}`, "xrechnung-3.0.2 zugferd-2.4-en16931", "ubl-invoice en16931-ubl xrechnung-ubl fx-2.4-en16931"},
		{"de", "", `{"profile":"BASIC"}`, "xrechnung-3.0.2 zugferd-2.4-basic", "ubl-invoice en16931-ubl xrechnung-ubl fx-2.4-basic"},
		{"de", "xrechnung", `{"syntax":"cii"}`, "xrechnung-3.0.2", "cii-d16b en16931-cii xrechnung-cii"},
	} {
		a, err := s.Validate(t.Context(), ValidateRequest{Country: c.country, Format: c.format, Body: withOptions(t, inputs, "goods", c.options)})
		if err != nil {
			t.Errorf("%s %s: %v", c.format, c.options, err)
			continue
		}
		var labels, books []string
		for _, r := range a.Results {
			labels = append(labels, r.Format)
			if r.Valid == nil || !*r.Valid {
				t.Errorf("%s: %+v", r.Format, r.Errors)
			}
		}
		for _, b := range a.Rulebooks {
			books = append(books, b.ID)
		}
		if diff := cmp.Diff([]string{c.labels, c.books}, []string{strings.Join(labels, " "), strings.Join(books, " ")}); diff != "" || !a.Valid {
			t.Errorf("%s %s %s: %s", c.country, c.format, c.options, diff)
		}
	}
}

// TestValidate_HybridsNameTheMember ensures that a rule of Factur-X names the member of the invoice.
func TestValidate_HybridsNameTheMember(t *testing.T) {
	s := fullService(t)
	body := strings.Replace(string(withOptions(t, inputs, "goods", `{"profile":"BASIC"}`)), `"currency":"EUR"`, `"currency":"XYZ"`, 1)
	a, err := s.Validate(t.Context(), ValidateRequest{Country: "de", Format: "zugferd", Body: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	if a.Valid || len(a.Errors) == 0 || a.Errors[0].Field != "currency" || !strings.Contains(a.Errors[0].Message, "XYZ") {
		t.Errorf("%+v", a.Errors)
	}
}

// TestFormats_Hybrids ensures that hybrids are called generated, parsed and judged, and CII alone only read.
func TestFormats_Hybrids(t *testing.T) {
	for country, id := range map[string]string{"de": "zugferd", "ch": "zugferd", "fr": "facturx", "be": "facturx"} {
		c, err := fullService(t).Country(t.Context(), country)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range c.Formats {
			if f.ID == id && (!f.Generate || !f.Parse || !f.Validate || len(f.Profiles) != 3) {
				t.Errorf("%s: %+v", country, f)
			}
			if f.ID == "cii" && (f.Generate || !f.Parse || !f.Validate) {
				t.Errorf("%s: %+v", country, f)
			}
		}
	}
}
