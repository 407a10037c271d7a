package operation

import (
	"cmp"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/einvoiced/einvoiced/core/country"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/pdf/inspect"
)

// onPage is the text of the pages of an invoice in a country and a language, without white space.
func onPage(t *testing.T, s *Service, of *country.Country, language string, inv *invoice.Invoice) string {
	t.Helper()
	out, err := s.layOut(t.Context(), format.Country{Code: of.Code}, inv, look{language: language, builtIn: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	report, err := inspect.Inspect(t.Context(), out.PDF)
	if err != nil {
		t.Fatal(err)
	}
	return squeezed(report.Text)
}

// squeezed is a text without white space and marks of direction.
func squeezed(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, text)
}

// says tells whether a page has a line. The inspection gives letters in the order in which they stand, so Arabic words are turned.
func says(page, line string) bool {
	if !strings.ContainsFunc(line, func(r rune) bool { return unicode.Is(unicode.Arabic, r) }) {
		return strings.Contains(page, squeezed(line))
	}
	for word := range strings.FieldsSeq(line) {
		letters := []rune(strings.Trim(word, ":"))
		if unicode.Is(unicode.Arabic, letters[0]) {
			slices.Reverse(letters)
		}
		if !strings.Contains(page, squeezed(string(letters))) {
			return false
		}
	}
	return true
}

func sampleOf(t *testing.T, code string) *invoice.Invoice {
	t.Helper()
	data, err := os.ReadFile("../../testdata/countries/" + strings.ToLower(code) + ".json")
	if err != nil {
		t.Fatal(err)
	}
	body, faults, err := invoice.Decode(data, invoice.Options{})
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	return body.Invoice
}

// TestPages_SayTheMembersOfTheCountry ensures of each member of countrySpecific that a printed invoice has to say, in each language of the country,
// that its line is on the page with it, and not without.
func TestPages_SayTheMembersOfTheCountry(t *testing.T) {
	s, tried := newService(t), 0
	for _, of := range countryFacts(t).All() {
		for _, language := range of.Languages {
			with, without := sampleOf(t, of.Code), sampleOf(t, of.Code)
			with.CountrySpecific, without.CountrySpecific = &invoice.CountrySpecific{}, nil
			for i, k := range of.Keys {
				giveKey(with.CountrySpecific, k, i)
			}
			there, missing := onPage(t, s, &of, language, with), onPage(t, s, &of, language, without)
			for _, p := range of.PrintedOf(with, language) {
				tried++
				if !says(there, p.Line) || says(missing, p.Line) {
					t.Errorf("%s %s: %q is not on the page with its member alone: %s", of.Code, language, p.Line, there)
				}
			}
		}
	}
	if tried < 60 {
		t.Errorf("only %d members", tried)
	}
}

// giveKey gives a member that is printed a value of its own.
func giveKey(cs *invoice.CountrySpecific, k country.Key, i int) {
	if k.Print == nil {
		return
	}
	number := string(rune('A'+i)) + "7"
	for _, value := range []string{`"` + number + `"`, `12.5` + number[1:], `["` + number + `"]`} {
		if json.Unmarshal([]byte(`{"`+k.Name+`":`+value+`}`), cs) == nil {
			return
		}
	}
}

// TestPages_SayTheMentions ensures of each sentence that the law asks for, in each language of the country, that it is on the page where its condition
// holds, and not on that of an ordinary invoice unless it has none.
func TestPages_SayTheMentions(t *testing.T) {
	s, tried := newService(t), 0
	for _, of := range countryFacts(t).All() {
		for _, language := range of.Languages {
			plain := sampleOf(t, of.Code)
			ordinary := onPage(t, s, &of, language, plain)
			said := map[string]bool{}
			for _, words := range of.MentionsOf(plain, language) {
				said[words] = true
			}
			for _, group := range together(of.Mentions) {
				inv := sampleOf(t, of.Code)
				for _, m := range group {
					meet(t, inv, m.When)
				}
				page := onPage(t, s, &of, language, inv)
				for _, m := range group {
					words := m.Words(&of, language)
					tried++
					if !says(page, words) {
						t.Errorf("%s %s: %q is not on the page where %v", of.Code, language, words, m.When)
					}
					if !said[words] && says(ordinary, words) {
						t.Errorf("%s %s: %q is on an ordinary page", of.Code, language, words)
					}
				}
			}
		}
	}
	if tried < 250 {
		t.Errorf("only %d mentions", tried)
	}
}

// together groups mentions whose conditions one invoice can meet: those of members with values are apart.
func together(mentions []country.Mention) (groups [][]country.Mention) {
	groups = [][]country.Mention{nil}
	for _, m := range mentions {
		if m.When.Kind == country.OfValue {
			groups = append(groups, []country.Mention{m})
			continue
		}
		groups[0] = append(groups[0], m)
	}
	return groups
}

// meet makes the invoice meet a condition too.
func meet(t *testing.T, inv *invoice.Invoice, when country.Condition) {
	t.Helper()
	if inv.CountrySpecific == nil {
		inv.CountrySpecific = &invoice.CountrySpecific{}
	}
	path, value, _ := strings.Cut(when.Value, " ")
	switch when.Kind {
	case country.OfCategory:
		inv.TaxSummary = append(inv.TaxSummary, invoice.TaxSummary{TaxCategoryCode: when.Value})
	case country.OfExemption:
		inv.TaxSummary = append(inv.TaxSummary, invoice.TaxSummary{TaxCategoryCode: "E", ExemptionReasonCode: when.Value})
	case country.OfType:
		inv.Type = invoice.Type(when.Value)
	case country.OfValue:
		give(t, inv, path, `"`+value+`"`)
	case country.OfField:
		give(t, inv, path, "true", "2", `"X"`)
	}
}

// give sets a member to the first of the values that it takes.
func give(t *testing.T, inv *invoice.Invoice, path string, values ...string) {
	t.Helper()
	names := strings.Split(path, ".")
	for _, value := range values {
		for i := len(names) - 1; i >= 0; i-- {
			value = `{"` + names[i] + `":` + value + `}`
		}
		if json.Unmarshal([]byte(value), inv) == nil {
			return
		}
	}
	t.Fatalf("nothing that %s takes", path)
}

// TestPages_SayWhatStandsOnPaperAlone lists the members whose basis is the page, a code on it or the text of a law (supplement §3), and ensures that the
// pages change with each.
func TestPages_SayWhatStandsOnPaperAlone(t *testing.T) {
	s, facts := newService(t), countryFacts(t)
	for code, members := range map[string]string{
		"BG": "eik issuedBy", "GB": "companyNumber", "PT": "nif series atcud seriesValidationCode documentHash certificateNumber", "FR": "siren siret rcs legalForm shareCapital operationCategory vatOnDebits",
		"CH": "uid", "LI": "uid", "DE": "isKleinunternehmer", "NO": "orgnr foretaksregisteret", "SE": "orgnr fSkatt", "GR": "afm taxOffice series mark uid qrUrl correlatedMarks", "HR": "oib operatorCode operatorName issueTime",
		"JP": "qualifiedInvoiceNumber exchangeRate", "PL": "nip splitPayment selfBilling cashMethod placeOfIssue correctionReason ksefNumber exchangeRate", "IT": "recipientCode sellerFiscalCode buyerFiscalCode cig cup stampDuty",
		"BE": "enterpriseNumber structuredCommunication", "AU": "abn", "NZ": "nzbn", "CY": "heNumber", "CZ": "ico dic variableSymbol constantSymbol specificSymbol exchangeRate", "DK": "cvr giroAccount",
		"EE": "registryCode", "ES": "nif invoiceSeries", "FI": "businessId", "HU": "taxNumber groupTaxNumber exchangeRate cashAccounting", "IE": "croNumber", "IS": "kennitala", "LT": "companyCode", "LU": "rcsNumber",
		"LV": "registrationNumber", "MT": "companyNumber", "NL": "kvk oin", "RO": "cui tradeRegister", "SI": "registrationNumber", "SK": "ico dic icDph", "AE": "exchangeRate",
	} {
		of, _ := facts.Country(code)
		without := sampleOf(t, code)
		without.CountrySpecific = &invoice.CountrySpecific{}
		plain := onPage(t, s, &of, "", without)
		for member := range strings.FieldsSeq(members) {
			with := sampleOf(t, code)
			with.CountrySpecific = &invoice.CountrySpecific{}
			text := map[string]string{"operationCategory": `"goods"`}[member]
			give(t, with, "countrySpecific."+member, "true", cmp.Or(text, `"X7Z9"`), "7.5", `["X7"]`)
			if onPage(t, s, &of, "", with) == plain {
				t.Errorf("%s: nothing on the page tells of %s", code, member)
			}
		}
	}
}

// BenchmarkPages lays out invoices of one page and of 5,000 lines by the template of the country.
func BenchmarkPages(b *testing.B) {
	s, err := New(Config{})
	if err != nil {
		b.Fatal(err)
	}
	data, err := os.ReadFile("../../testdata/countries/pl.json")
	if err != nil {
		b.Fatal(err)
	}
	body, _, err := invoice.Decode(data, invoice.Options{})
	if err != nil {
		b.Fatal(err)
	}
	many := *body.Invoice
	many.Items = slices.Repeat(many.Items, maxPrinted)
	for name, inv := range map[string]*invoice.Invoice{"one page": body.Invoice, "5000 lines": &many} {
		b.Run(name, func(b *testing.B) {
			steady(b, func() {
				if _, err := s.layOut(b.Context(), format.Country{Code: "PL"}, inv, look{builtIn: true}, nil); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}
