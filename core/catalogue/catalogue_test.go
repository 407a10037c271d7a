package catalogue

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// contract is the contract's table of formats per country, as path tokens; hr-fisk is named among the tokens. The parse-only
// tokens of the supplement §2 follow after the bar.
var contract = map[string]string{
	"AE": "ubl", "AT": "ebinterface ubl | cii", "AU": "ubl", "BE": "ubl facturx | cii", "BG": "ubl | cii", "CH": "zugferd qr-bill | ubl cii", "CY": "ubl | cii",
	"CZ": "isdoc ubl | cii", "DE": "xrechnung zugferd | ubl cii", "DK": "ubl | cii", "EE": "ubl | cii", "ES": "facturae ubl | cii", "FI": "ubl | cii", "FR": "facturx ubl | cii",
	"GB": "ubl | cii", "GR": "mydata | ubl cii", "HR": "ubl hr-fisk | cii", "HU": "nav | ubl cii", "IE": "ubl | cii", "IS": "ubl | cii", "IT": "fatturapa | ubl cii", "JP": "ubl",
	"LI": "qr-bill ubl | cii", "LT": "ubl | cii", "LU": "ubl | cii", "LV": "ubl | cii", "MT": "ubl | cii", "NL": "ubl | cii", "NO": "ubl | cii", "NZ": "ubl", "OM": "ubl",
	"PL": "ksef ubl peppol-ubl | cii", "PT": "ubl peppol-ubl | cii", "RO": "ubl peppol-ubl | efactura cii", "SE": "ubl | cii", "SI": "ubl | cii", "SK": "ubl | cii",
}

// shipped is the catalogue of what ships.
func shipped(t *testing.T) *format.Catalogue {
	t.Helper()
	c, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEveryCountryHasTheTokensOfTheContract(t *testing.T) {
	list := shipped(t).Countries()
	if len(list) != 37 || len(contract) != 37 {
		t.Errorf("%d countries, want 37", len(list))
	}
	for i, c := range list {
		want := append([]string{"pdf"}, strings.Fields(strings.ReplaceAll(contract[c.Code], "|", " "))...)
		if got := slices.Sorted(slices.Values(c.All())); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
			t.Errorf("%s has %q, want %q", c.Code, c.All(), want)
		}
		if c.Tokens[0] != "pdf" || c.Name == "" || i > 0 && list[i-1].Code >= c.Code {
			t.Errorf("%s: pdf does not come first, the name is missing or the order is wrong", c.Code)
		}
		for _, token := range c.All() {
			if _, ok := shipped(t).Token(token); !ok {
				t.Errorf("%s: the token %s is unknown", c.Code, token)
			}
		}
	}
}

// TestEveryTableCompiles ensures that no codec panics when it is first used.
func TestEveryTableCompiles(t *testing.T) {
	for _, syntax := range List().Syntaxes {
		term := "BT-1"
		if syntax.Partial {
			term = "BT-5"
		}
		if syntax.Codec != nil && len(syntax.Codec.Uses(term)) == 0 {
			t.Errorf("%s has no place for %s", syntax.Name, term)
		}
	}
}

// TestEveryProfileDerives ensures that no profile panics when it is first used, that the members which its steps move are there, and that the
// invoice it was given stays as it was.
func TestEveryProfileDerives(t *testing.T) {
	request, err := os.ReadFile("../../testdata/countries/de.json")
	if err != nil {
		t.Fatal(err)
	}
	body, errs, err := invoice.Decode(request, invoice.Options{})
	if err != nil || len(errs) > 0 {
		t.Fatal(errs, err)
	}
	given, derived := textOf(t, body.Invoice), 0
	for _, row := range List().Customisations {
		for _, country := range List().Countries {
			if row.Steps == nil || row.Country != "" && row.Country != country.Code {
				continue
			}
			if draft := row.Steps.In(country.Code).Derive(body.Invoice); draft.Original("invoiceNumber") != "invoiceNumber" {
				t.Errorf("%s %s: the number of the invoice comes from %s", country.Code, row.Detection, draft.Original("invoiceNumber"))
			}
			if textOf(t, body.Invoice) != given {
				t.Fatalf("%s %s changes the invoice that it was given", country.Code, row.Detection)
			}
			derived++
		}
	}
	if derived < 500 {
		t.Errorf("only %d profiles were tried", derived)
	}
}

// textOf is the invoice as JSON.
func textOf(t *testing.T, inv *invoice.Invoice) string {
	t.Helper()
	text, err := json.Marshal(inv)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestCountriesAreFoundInAnyCase(t *testing.T) {
	for _, code := range []string{"DE", "de", "De"} {
		if c, ok := shipped(t).Country(code); !ok || c.Code != "DE" || c.Name != "Germany" || !slices.Contains(c.Tokens, "xrechnung") {
			t.Errorf("%s: %+v", code, c)
		}
	}
	for _, code := range []string{"", "XX", "DEU", "D", "US"} {
		if _, ok := shipped(t).Country(code); ok {
			t.Errorf("%q is found", code)
		}
	}
}

// TestEveryTokenOfTheContractIsThere has the contract's table of format path tokens and the supplement's two parse-only ones.
func TestEveryTokenOfTheContractIsThere(t *testing.T) {
	want := strings.Fields("pdf ubl xrechnung zugferd ebinterface facturx fatturapa facturae isdoc nav mydata ksef peppol-ubl hr-fisk qr-bill cii efactura")
	if len(tokens) != len(want) {
		t.Errorf("%d tokens, want %d", len(tokens), len(want))
	}
	for _, id := range want {
		token, ok := shipped(t).Token(strings.ToUpper(id))
		if !ok || token.ID != id || token.Name == "" || token.Description == "" || token.MimeType == "" || token.Extension == "" {
			t.Errorf("%s: %+v", id, token)
		}
		if !slices.Contains([]string{"pdf", "xml", "json", "txt"}, token.Extension) {
			t.Errorf("%s: extension %s is none of the supplement's (§1, rule 7)", id, token.Extension)
		}
	}
	if _, ok := shipped(t).Token("csv"); ok {
		t.Error("an unknown token is found")
	}
}

func TestVersionsAreThoseOfTheContract(t *testing.T) {
	for id, want := range map[string]string{"zugferd": "2.3 2.4 2.5", "facturx": "1.0 1.07 1.08 1.09", "xrechnung": "3.0 3.0.2"} {
		if token, _ := shipped(t).Token(id); strings.Join(token.Versions, " ") != want {
			t.Errorf("%s: %q, want %q", id, token.Versions, want)
		}
	}
	for _, id := range []string{"zugferd", "facturx"} {
		if token, _ := shipped(t).Token(id); !slices.Equal(token.Profiles, []string{"BASIC", "EN16931", "EXTENDED"}) {
			t.Errorf("%s: %q", id, token.Profiles)
		}
	}
}

// TestTold ensures what identifiers tell of version and variant, and that what nobody knows of them is named.
func TestTold(t *testing.T) {
	formats := shipped(t)
	for _, c := range []struct{ syntax, specification, want string }{
		{"ubl", "urn:xeinkauf.de:kosit:xrechnung_3.0", "3.0"}, {"ubl", "urn:xoev-de:kosit:standard:xrechnung_2.3#more", "2.3"}, {"ubl", "urn:xeinkauf.de:kosit:xrechnung_", ""},
		{"ubl", billCVD, "3.0"}, {"ubl", core, ""}, {"ubl", "", ""}, {"ubl", "ZZZ", "ZZZ"}, {"ubl", core + "1", core + "1"}, {"ubl", core + "#compliant#urn:own", "urn:own"},
		{"ubl", peppolBIS, "3.0"}, {"ubl", peppolBIS + "#conformant#urn:own:1.0", "3.0 urn:own:1.0"}, {"cii", peppolBIS, "Peppol BIS 3.0"},
		{"ubl", core + "#compliant#urn:fdc:peppol.eu:2017:poacc:selfbilling:3.0", "self-billing 3.0"}, {"ubl", "urn:peppol:pint:billing-1@ae-1", "1"},
		{"ubl", "urn:peppol:pint:selfbilling-1@aunz-1", "self-billing 1"}, {"ubl", "urn:peppol:pint:nontaxinvoice-1@jp-1", "non-tax 1"},
		{"ubl", nlcius, "1.0"}, {"ubl", gAccount, "G-account 1.0"}, {"cii", nlcius, "NLCIUS 1.0"}, {"ubl", ublBE, "UBL.BE 1.0.0.20180214"}, {"ubl", extendedCTC, "EXTENDED-CTC-FR"},
		{"cii", extendedCTC, "EXTENDED-CTC-FR"}, {"ubl", ciusPT, "2.1.1"}, {"ubl", ciusPT[:len(ciusPT)-5] + "1.0.0.", "1.0.0"}, {"ubl", ciusRO, "1.0.1"}, {"ubl", hrCIUS, "1.0"},
		{"cii", specificationOf("EXTENDED"), ""}, {"cii", specificationOf("MINIMUM"), ""}, {"cii", "urn:factur-x.eu:1p0:own", "urn:factur-x.eu:1p0:own"},
		{"ubl", core + "#conformant#" + strings.Repeat("ü", 70), strings.Repeat("ü", 60) + "…"},
	} {
		row, _ := formats.Identify(formats.Syntax(c.syntax), c.specification, "", "")
		if row == nil {
			row = formats.Detected(strings.ToUpper(c.syntax))
		}
		if got := formats.Told(row, c.specification).String(); got != c.want {
			t.Errorf("%s in %s tells %q, want %q", c.specification, c.syntax, got, c.want)
		}
	}
}

// TestJudged ensures whose rules judge a document that a route of a country takes: those of what it names where the country has that
// under the token, else the token's own; tokens that are only read take every document as what it is.
func TestJudged(t *testing.T) {
	formats := shipped(t)
	syntax := formats.Syntax("ubl")
	const (
		xrechnung = "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0"
		selfBill  = "urn:peppol:pint:selfbilling-1@ae-1"
	)
	for _, c := range []struct{ country, token, specification, want string }{
		{"HR", "hr-fisk", xrechnung, hrCIUS}, {"RO", "ubl", xrechnung, ciusRO}, {"RO", "efactura", core, ciusRO}, {"AE", "ubl", xrechnung, "urn:peppol:pint:billing-1@ae-1"},
		{"JP", "ubl", xrechnung, "urn:peppol:pint:billing-1@jp-1"}, {"PL", "peppol-ubl", xrechnung, peppolBIS}, {"PL", "peppol-ubl", core, peppolBIS},
		{"NZ", "ubl", peppolBIS, "urn:peppol:pint:billing-1@aunz-1"}, {"SE", "ubl", xrechnung, peppolBIS}, {"PT", "ubl", core, ciusPT},
		{"DE", "xrechnung", peppolBIS, xrechnung},
		{"AE", "ubl", selfBill, ""}, {"RO", "ubl", ciusRO, ""}, {"NL", "ubl", nlcius, ""}, {"NL", "ubl", peppolBIS, ""}, {"SE", "ubl", core, peppolBIS}, {"FR", "ubl", core, peppolBIS}, {"DE", "ubl", core, ""}, {"IT", "ubl", core, ""}, {"DE", "ubl", nlcius, ""},
		{"DE", "xrechnung", xrechnung, ""}, {"BE", "ubl", "urn:cen.eu:en16931:2017#conformant#urn:UBL.BE:1.0.0.20180214", ""},
	} {
		country, _ := formats.Country(c.country)
		found, _ := formats.Identify(syntax, c.specification, "", "")
		if found == nil {
			found = formats.Detected("UBL")
		}
		got := formats.Judged(country, c.token, found)
		if c.want == "" && got != found || c.want != "" && (got == found || got.Specification != c.want) {
			t.Errorf("%s/%s with %s is judged by %s", c.country, c.token, c.specification, got.Specification)
		}
	}
}
