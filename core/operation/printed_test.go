package operation

import (
	"encoding/json"
	"maps"
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
	for i, of := range countryFacts(t).All() {
		if leftOut(i) {
			continue
		}
		for _, language := range of.Languages {
			with, without := sampleOf(t, of.Code), sampleOf(t, of.Code)
			with.CountrySpecific, without.CountrySpecific = &invoice.CountrySpecific{}, nil
			for n, k := range of.Keys {
				giveKey(with.CountrySpecific, k, n)
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
	if tried < 60 && !testing.Short() {
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
	for i, of := range countryFacts(t).All() {
		if leftOut(i) {
			continue
		}
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
	if tried < 250 && !testing.Short() {
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

// offPaper are the keys of countrySpecific (supplement §3) that no page tells of, each list with what tells of them.
var offPaper = map[string]map[string]string{
	"AE": {"the terms of PINT AE": "transactionType sellerLegalIdType buyerLegalIdType authorityName passportCountry principalId beneficiaryId", "nothing, as they are deprecated": "peppolEndpointId"},
	"AT": {"ebInterface": "orderReference supplierNumber accountingArea govtSubOrganization cancelsReferencedInvoice"},
	"AU": {"PINT A-NZ": "gstRegistered", "nothing, as they are deprecated": "peppolEndpointId"},
	"BE": {"nothing, as they are deprecated": "peppolEndpointId"},
	"CH": {"the kind of the reference in the QR-bill": "referenceType"},
	"CZ": {"ISDOC": "vatPayer exchangeRateUnits reverseChargeCode uuid"},
	"DE": {"the code of the payment means": "paymentMeansCode"},
	"ES": {"Facturae": "personType residenceType dir3 correctionReasonCode correctionMethod withholdingRate", "the record of VeriFactu": "verifactu invoiceType regimeKey operationQualifier"},
	"FR": {"Chorus Pro": "serviceCode engagementNumber"},
	"GR": {"myDATA": "branch mydataInvoiceType exchangeRate national"},
	"HR": {"the fiscal message": "operatorOib businessProcess"},
	"HU": {"NAV": "customerVatStatus invoiceCategory invoiceAppearance smallBusiness modificationIndex modifyWithoutMaster lineOffset cancelsReferencedInvoice national"},
	"IT": {"FatturaPA": "pec taxRegime documentType progressiveNumber vatCollectability paymentMethodCode withholding pensionFund rea"},
	"LI": {"the kind of the reference in the QR-bill": "referenceType"},
	"NZ": {"PINT A-NZ": "gstRegistered", "nothing, as they are deprecated": "peppolEndpointId"},
	"OM": {"PINT OM": "transactionType"},
	"PL": {"KSeF": "systemInfo correctionType isJst isVatGroupMember exemptionBasis documentType national"},
	"PT": {"the code of the Autoridade Tributária": "taxRegion"},
	"RO": {"CIUS-RO": "county"},
}

// given are values of keys for which no text, number or list of texts stands.
var given = map[string][]string{
	"operationCategory": {`"goods"`}, "notes": {`{"PMT":"X7","PMD":"X8","AAB":"X9"}`}, "fik": {`{"cardType":"71","creditorNumber":"12345678","paymentId":"000000000000012"}`},
	"marginScheme": {`"art"`}, "national": {`{"a":"X7"}`}, "dir3": {`{"accountingOffice":"X7"}`}, "rea": {`{"office":"X7"}`}, "withholding": {`[{"type":"RT01"}]`}, "pensionFund": {`[{"type":"TC01"}]`},
}

// TestPages_SayEachKeyOrAnotherDocumentDoes goes through all members of countrySpecific that the countries have, and ensures that the pages change
// with each, but for those which are listed with what tells of them; a member that is in no list has to be on the page.
func TestPages_SayEachKeyOrAnotherDocumentDoes(t *testing.T) {
	s, shown := newService(t), 0
	for i, of := range countryFacts(t).All() {
		if leftOut(i) {
			continue
		}
		without := sampleOf(t, of.Code)
		without.CountrySpecific, without.BuyerReference = &invoice.CountrySpecific{}, "" // which wins over its twins
		plain, listed := onPage(t, s, &of, "", without), strings.Fields(strings.Join(slices.Collect(maps.Values(offPaper[of.Code])), " "))
		for _, k := range of.Keys {
			with := sampleOf(t, of.Code)
			with.CountrySpecific, with.BuyerReference = &invoice.CountrySpecific{}, ""
			give(t, with, "countrySpecific."+k.Name, append(slices.Clone(given[k.Name]), "true", `"X7Z9"`, "7", "7.5", `["X7"]`)...)
			told := onPage(t, s, &of, "", with) != plain
			switch left := slices.Contains(listed, k.Name); {
			case !told && !left:
				t.Errorf("%s: nothing on the page tells of %s", of.Code, k.Name)
			case told && left:
				t.Errorf("%s: the page tells of %s, which is listed as told elsewhere", of.Code, k.Name)
			case told:
				shown++
			}
			listed = slices.DeleteFunc(listed, func(name string) bool { return name == k.Name })
		}
		if len(listed) > 0 {
			t.Errorf("%s has no %q", of.Code, listed)
		}
	}
	if shown < 75 && !testing.Short() {
		t.Errorf("only %d keys are on pages", shown)
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
