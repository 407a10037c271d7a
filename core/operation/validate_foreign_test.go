package operation

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/core/catalogue"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/rulebook"
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

// TestValidate_TokensJudgeByTheirOwnRules ensures which rulebook judges what a token takes: its own where the country generates it, also
// documents that name no customisation; that of the document where the token is only read, or takes several.
func TestValidate_TokensJudgeByTheirOwnRules(t *testing.T) {
	s := fullService(t)
	const ofXRechnung = "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0"
	xrechnung := string(document(t, "../xrechnung-ubl/minimal.xml"))
	core := strings.Replace(xrechnung, ofXRechnung, "urn:cen.eu:en16931:2017", 1)
	peppol := strings.Replace(xrechnung, ofXRechnung, "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0", 1)
	reformed := regexp.MustCompile(`<cbc:ProfileID>[^<]*`).ReplaceAllString(core, "<cbc:ProfileID>S1")
	cii := string(document(t, "../cii/xrechnung-cii/minimal.xml"))
	for _, c := range []struct{ country, format, document, book string }{
		{"SE", "ubl", core, "peppol-bis"}, {"FR", "ubl", core, "peppol-bis"}, {"NL", "ubl", core, "nl-ubl"}, {"PL", "ubl", core, "peppol-bis"},
		{"DE", "ubl", core, "en16931-ubl"}, {"DE", "ubl", xrechnung, "xrechnung-ubl"}, {"IT", "ubl", peppol, "peppol-bis"}, {"IT", "ubl", core, "en16931-ubl"},
		{"FR", "ubl", reformed, "fr-br-ubl"}, {"SE", "ubl", reformed, "peppol-bis"},
		{"FR", "cii", cii, "xrechnung-cii"}, {"FR", "cii", strings.Replace(cii, ofXRechnung, "urn:cen.eu:en16931:2017", 1), "en16931-cii"},
		{"PL", "ubl", string(document(t, "../ksef/01-invoice.xml")), "ksef-fa3"}, {"PL", "ubl", peppol, "peppol-bis"}, {"PL", "ksef", string(document(t, "../ksef/01-invoice.xml")), "ksef-fa3"},
	} {
		a, err := s.Validate(t.Context(), ValidateRequest{Country: c.country, Format: c.format, Document: []byte(c.document)})
		if err != nil {
			t.Fatalf("%s/%s: %v", c.country, c.format, err)
		}
		if n := len(a.Rulebooks); n == 0 || a.Rulebooks[n-1].ID != c.book {
			t.Errorf("%s/%s: judged by %v, want %s", c.country, c.format, a.Rulebooks, c.book)
		}
	}
}

// TestFormats_ValidateWhereARulebookShips ensures that formats promises validation where rules for it are there, and nowhere else.
func TestFormats_ValidateWhereARulebookShips(t *testing.T) {
	with, without := fullService(t), newService(t)
	for i, country := range with.Countries(t.Context()) {
		for j, f := range country.Formats {
			if want := f.ID != pdfToken; f.Validate != want {
				t.Errorf("%s/%s with rulebooks: %v", country.Code, f.ID, f.Validate)
			}
			if without.Countries(t.Context())[i].Formats[j].Validate {
				t.Errorf("%s/%s is validated without rulebooks", country.Code, f.ID)
			}
		}
	}
}

// TestFormats_FollowRulebooksAndDay ensures that what formats promises is that of the rulebooks in use and of today, whatever was asked before.
func TestFormats_FollowRulebooksAndDay(t *testing.T) {
	registry, now, used := registryOf(t, shipped), day(t, "2026-11-01"), true
	s := must(New(Config{
		Now: func() time.Time { return now },
		Rulebooks: func(ctx context.Context) *rulebook.Generation {
			if !used {
				return nil
			}
			return registry.In(ctx)
		},
	}))(t)
	judged := func(code, token string) (validate bool) {
		country, err := s.Country(t.Context(), code)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range country.Formats {
			validate = validate || f.ID == token && f.Validate
		}
		return validate
	}
	if !judged("de", "xrechnung") {
		t.Error("nothing judges XRechnung")
	}
	now = day(t, "1999-12-31")
	if judged("de", "xrechnung") {
		t.Error("judged before any rules were in force")
	}
	now, used = day(t, "2026-11-01"), false
	if judged("de", "xrechnung") {
		t.Error("judged without rulebooks")
	}
	if used = true; !judged("de", "xrechnung") {
		t.Error("nothing judges XRechnung any more")
	}
}

func day(t *testing.T, date string) time.Time {
	t.Helper()
	return must(time.Parse(time.DateOnly, date))(t)
}

// BenchmarkFormats measures what it takes to tell what works in all countries.
func BenchmarkFormats(b *testing.B) {
	s := fullService(b)
	for b.Loop() {
		if len(s.Countries(b.Context())) == 0 {
			b.Fatal("no country")
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

// TestFrameworks_AreThoseOfTheRulebook ensures that the catalogue lets those documents keep the rules of the French reform which the rulebook judges.
func TestFrameworks_AreThoseOfTheRulebook(t *testing.T) {
	country, _ := must(catalogue.New())(t).Country("FR")
	for _, id := range []string{"fr-br-ubl", "fr-br-cii"} {
		book, err := registryOf(t, shipped).Current().Find(id, "", today)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, b := range book.Manifest.Bindings {
			if b.Specification == format.CoreSpecification {
				found = true
				if !slices.Equal(b.Processes, country.Frameworks) {
					t.Errorf("%s: %v, the catalogue has %v", id, b.Processes, country.Frameworks)
				}
			}
		}
		if !found {
			t.Errorf("%s judges no document of EN 16931 itself", id)
		}
	}
}
