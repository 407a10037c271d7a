package country

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
)

func shipped(t *testing.T) *Set {
	t.Helper()
	set, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestEveryCountryIsWhole ensures that each of the 37 countries says what pages and printed invoices need, in each of its languages.
func TestEveryCountryIsWhole(t *testing.T) {
	list := shipped(t).All()
	if len(list) != 37 {
		t.Errorf("%d countries", len(list))
	}
	for _, c := range list {
		if len(c.Languages) == 0 || len(c.Currency) != 3 || c.Law == "" || len(c.Keys) == 0 && c.Code != "EE" {
			t.Errorf("%s: %+v", c.Code, c)
		}
		for _, language := range c.Languages {
			f := c.Formats[language]
			if f.Date == "" || f.Decimal == "" || f.Group == "" || f.Decimal == f.Group || c.Tax[language].Name == "" || c.Tax[language].Number == "" {
				t.Errorf("%s: formats or tax in %s: %+v %+v", c.Code, language, f, c.Tax[language])
			}
			if c.Titles[language][invoice.TypeInvoice] == "" || c.Titles[language][invoice.TypeCreditNote] == "" {
				t.Errorf("%s: titles in %s", c.Code, language)
			}
		}
		if len(c.Formats) != len(c.Languages) || len(c.Tax) != len(c.Languages) {
			t.Errorf("%s: formats or tax of a language that it does not have", c.Code)
		}
		checkMentions(t, &c)
	}
}

func checkMentions(t *testing.T, c *Country) {
	t.Helper()
	ids := map[string]bool{}
	for _, m := range c.Mentions {
		if ids[m.ID] || m.ID == "" || m.Source == "" {
			t.Errorf("%s: the mention %q is there twice, or has no source", c.Code, m.ID)
		}
		ids[m.ID] = true
		for language := range m.Text {
			if _, ok := c.Titles[language]; !ok {
				t.Errorf("%s: %s has words in %s", c.Code, m.ID, language)
			}
		}
	}
	for _, r := range c.Required {
		if r.Source == "" || !isMember(strings.ReplaceAll(r.Field, "[]", "")) {
			t.Errorf("%s: %s has no source, or is no member of the invoice", c.Code, r.Field)
		}
	}
	for _, k := range c.Keys {
		if k.Use == "" || !isMember("countrySpecific."+k.Name) {
			t.Errorf("%s: countrySpecific has no member %s", c.Code, k.Name)
		}
		for language, words := range k.Print {
			if _, ok := c.Titles[language]; !ok || strings.Count(words, "{value}") != 1 {
				t.Errorf("%s: %s is printed as %q in %s", c.Code, k.Name, words, language)
			}
		}
	}
}

// isMember tells whether a path of JSON names leads to a member of the invoice.
func isMember(path string) bool {
	at := reflect.TypeFor[invoice.Invoice]()
	for name := range strings.SplitSeq(path, ".") {
		for at.Kind() == reflect.Pointer || at.Kind() == reflect.Slice {
			at = at.Elem()
		}
		found := false
		for i := range at.NumField() {
			tag, _, _ := strings.Cut(at.Field(i).Tag.Get("json"), ",")
			if found = tag == name; found {
				at = at.Field(i).Type
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// TestMentionsAppearAndDisappear ensures of each mention of each country that an invoice which meets its condition has it, and that one
// which does not has it not.
func TestMentionsAppearAndDisappear(t *testing.T) {
	tried := 0
	for _, c := range shipped(t).All() {
		for _, m := range c.Mentions {
			for _, language := range c.Languages {
				words := m.Words(&c, language)
				if words == "" {
					continue
				}
				tried++
				if !contains(c.MentionsOf(meeting(t, &c, m.When), language), words) {
					t.Errorf("%s %s: %q is missing where %v", c.Code, language, words, m.When)
				}
				plain := &invoice.Invoice{Currency: c.Currency, Type: invoice.TypeInvoice, CountrySpecific: &invoice.CountrySpecific{}}
				if m.When != (Condition{}) && contains(c.MentionsOf(plain, language), words) {
					t.Errorf("%s %s: %q stands on an invoice without %v", c.Code, language, words, m.When)
				}
			}
		}
	}
	if tried < 200 {
		t.Errorf("only %d mentions", tried)
	}
}

func contains(list []string, words string) bool {
	for _, s := range list {
		if s == words {
			return true
		}
	}
	return false
}

// meeting is an invoice that meets a condition, and no other.
func meeting(t *testing.T, c *Country, when Condition) *invoice.Invoice {
	t.Helper()
	inv := &invoice.Invoice{Currency: c.Currency, Type: invoice.TypeInvoice}
	switch when.Kind {
	case OfCategory:
		inv.TaxSummary = []invoice.TaxSummary{{TaxCategoryCode: when.Value}}
	case OfExemption:
		inv.TaxSummary = []invoice.TaxSummary{{TaxCategoryCode: "E", ExemptionReasonCode: when.Value}}
	case OfType:
		inv.Type = invoice.Type(when.Value)
	case OfField:
		setMember(t, inv, when.Value)
	case OfValue:
		path, text, _ := strings.Cut(when.Value, " ")
		inv.CountrySpecific = &invoice.CountrySpecific{}
		if err := json.Unmarshal([]byte(`{"`+strings.TrimPrefix(path, "countrySpecific.")+`":"`+text+`"}`), inv.CountrySpecific); err != nil {
			t.Fatal(err)
		}
	}
	return inv
}

func setMember(t *testing.T, inv *invoice.Invoice, path string) {
	t.Helper()
	value := "true"
	if path == "cashDiscountPercent" {
		value = "2"
	}
	names := strings.Split(path, ".")
	for i := len(names) - 1; i >= 0; i-- {
		value = `{"` + names[i] + `":` + value + `}`
	}
	if err := json.Unmarshal([]byte(value), inv); err != nil {
		if err := json.Unmarshal([]byte(strings.Replace(value, "true", `"X"`, 1)), inv); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPrintedMembers ensures of each member of countrySpecific that is printed that its line appears with it, and only then.
func TestPrintedMembers(t *testing.T) {
	tried := 0
	for _, c := range shipped(t).All() {
		for _, k := range c.Keys {
			if k.Print == nil {
				continue
			}
			tried++
			inv := &invoice.Invoice{}
			for _, value := range []string{`"X1"`, `12.50`, `["X1"]`} {
				if json.Unmarshal([]byte(`{"countrySpecific":{"`+k.Name+`":`+value+`}}`), inv) == nil {
					break
				}
			}
			for language, words := range k.Print {
				if lines := c.PrintedOf(inv, language); len(lines) != 1 || !strings.HasPrefix(lines[0].Line, words[:strings.Index(words, "{")]) || !strings.ContainsAny(lines[0].Line, "X1") || lines[0].Place != k.Place {
					t.Errorf("%s: %s is printed as %v in %s", c.Code, k.Name, lines, language)
				}
			}
			if lines := c.PrintedOf(&invoice.Invoice{CountrySpecific: &invoice.CountrySpecific{}}, ""); len(lines) > 0 {
				t.Errorf("%s: %v without members", c.Code, lines)
			}
		}
	}
	if tried < 40 {
		t.Errorf("only %d members", tried)
	}
}

// TestConditions has a row for each kind of condition.
func TestConditions(t *testing.T) {
	de, _ := shipped(t).Country("de")
	inv := &invoice.Invoice{Type: invoice.TypeSelfBilled, Currency: "USD", IssueDate: "2026-03-05", DeliveryDate: "2026-03-04", CashDiscountPercent: decimal.MustParse("2"),
		TaxSummary: []invoice.TaxSummary{{TaxCategoryCode: "AE", ExemptionReasonCode: "vatex-eu-ae"}}}
	for text, want := range map[string]bool{"category AE": true, "category K": false, "exemption VATEX-EU-AE": true, "exemption VATEX-EU-D": false, "type self_billed": true,
		"type invoice": false, "currency foreign": true, "delivery other-day": true, "field cashDiscountPercent": true, "field buyer.vatId": false, "field dueDate": false, "value type self_billed": true, "value type invoice": false} {
		var c Condition
		if err := c.UnmarshalText([]byte(text)); err != nil || c.Holds(&de, inv) != want {
			t.Errorf("%s: %v, error %v", text, !want, err)
		}
	}
	at := *inv
	at.Currency, at.Delivery = "EUR", &invoice.Delivery{Date: "2026-03-05"}
	for _, c := range []Condition{{OfCurrency, "foreign"}, {OfDelivery, "other-day"}} {
		if c.Holds(&de, &at) {
			t.Errorf("%v holds", c)
		}
	}
	for _, wrong := range []string{"", "always", "category", "colour red", "currency EUR", "delivery late"} {
		if err := new(Condition).UnmarshalText([]byte(wrong)); err == nil {
			t.Errorf("%q is a condition", wrong)
		}
	}
}

// TestFormats ensures how days and numbers are written.
func TestFormats(t *testing.T) {
	set := shipped(t)
	for _, c := range []struct{ country, language, day, number string }{
		{"DE", "de", "05.03.2026", "-1.234.567,80"}, {"CH", "de", "05.03.2026", "-1’234’567.80"}, {"FR", "fr", "05/03/2026", "-1\u202f234\u202f567,80"},
		{"NL", "nl", "05-03-2026", "-1.234.567,80"}, {"SE", "sv", "2026-03-05", "-1\u00a0234\u00a0567,80"}, {"FI", "fi", "5.3.2026", "-1\u00a0234\u00a0567,80"},
		{"HU", "hu", "2026.03.05.", "-1\u00a0234\u00a0567,80"}, {"BG", "bg", "05.03.2026 г.", "-1\u00a0234\u00a0567,80"}, {"SK", "sk", "5. 3. 2026", "-1\u00a0234\u00a0567,80"},
		{"JP", "ja", "2026/03/05", "-1,234,567.80"}, {"GB", "en", "05/03/2026", "-1,234,567.80"},
	} {
		of, _ := set.Country(c.country)
		f := of.Formats[c.language]
		if day, number := f.Day("2026-03-05"), f.Number("-1234567.80"); day != c.day || number != c.number {
			t.Errorf("%s: %q %q", c.country, day, number)
		}
		if f.Day("soon") != "soon" || f.Number("123") != "123" || f.Number("0.5") != "0"+f.Decimal+"5" {
			t.Errorf("%s: %q %q", c.country, f.Number("123"), f.Number("0.5"))
		}
	}
}

// TestTitles ensures what documents are called: by the country, by the language, else as an invoice.
func TestTitles(t *testing.T) {
	set := shipped(t)
	for _, c := range []struct {
		country, language string
		kind              invoice.Type
		want              string
	}{
		{"DE", "de", invoice.TypeCreditNote, "Rechnungskorrektur"}, {"AT", "de", invoice.TypeCreditNote, "Gutschrift"}, {"FR", "fr", invoice.TypeCreditNote, "Avoir"},
		{"BE", "fr", invoice.TypeCreditNote, "Note de crédit"}, {"BE", "xx", invoice.TypeInvoice, "Factuur"}, {"IS", "is", invoice.TypeProforma, "Reikningur"},
		{"AE", "en", invoice.TypeInvoice, "Tax Invoice"},
	} {
		of, ok := set.Country(c.country)
		if got := of.Title(c.language, c.kind); !ok || got != c.want {
			t.Errorf("%s %s %s: %q", c.country, c.language, c.kind, got)
		}
	}
	if _, ok := set.Country("US"); ok || set.Language("de") != "German" || set.Language("xx") != "" {
		t.Error("a country or a language that is not there")
	}
}

// TestBrokenFactsAreAnError has a row for each way in which facts can be wrong.
func TestBrokenFactsAreAnError(t *testing.T) {
	for name, country := range map[string]string{"unknown key": "code: AA\nlanguages: [aa]\ncolour: red", "another country": "code: BB\nlanguages: [aa]", "unknown language": "code: AA\nlanguages: [bb]",
		"unknown union": "code: AA\nunion: ab\nlanguages: [aa]", "wrong condition": "code: AA\nlanguages: [aa]\nmentions: [{id: a, when: never}]"} {
		_, err := read(fstest.MapFS{"languages.yaml": {Data: []byte("aa: {name: A, titles: {invoice: I}}")}, "unions.yaml": {Data: []byte("eu: {name: E}")}, "aa.yaml": {Data: []byte(country)}})
		if err == nil || !strings.Contains(err.Error(), "aa.yaml") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := read(fstest.MapFS{}); err == nil {
		t.Error("no files")
	}
}
