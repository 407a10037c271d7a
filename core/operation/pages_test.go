package operation

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/country"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// TestCountryPages holds the pages of the countries against the catalogue, what works, and the facts. The samples on them are those that
// TestMatrix executes.
func TestCountryPages(t *testing.T) {
	s, facts := fullService(t), countryFacts(t)
	index := []string{countriesHead}
	for _, c := range s.formats.Countries() {
		f, ok := facts.Country(c.Code)
		if !ok {
			t.Errorf("there are no facts of %s", c.Code)
			continue
		}
		p := &countryPage{s: s, t: t, country: c, facts: f, set: facts}
		compareDocument(t, "docs/countries/"+strings.ToLower(c.Code)+".md", p.text())
		index = append(index, fmt.Sprintf("| [%s](countries/%s.md) | %s | %s | %s |", c.Name, strings.ToLower(c.Code), c.Code, tokens(c.Tokens), p.languages()))
	}
	compareDocument(t, "docs/countries.md", strings.Join(index, "\n")+"\n")
}

// TestSamplesOfCountriesAreInvoices ensures that the sample of each country, whether it is written already or not, is an invoice that the
// service takes, in the country's currency, with every field that its law asks for in an ordinary invoice.
func TestSamplesOfCountriesAreInvoices(t *testing.T) {
	facts := countryFacts(t)
	for _, c := range facts.All() {
		data, err := os.ReadFile(filepath.Join(repositoryRoot, samples, strings.ToLower(c.Code)+".json"))
		if err != nil {
			t.Error(err)
			continue
		}
		body, faults, err := invoice.Decode(data, invoice.Options{})
		if err != nil || len(faults) > 0 {
			t.Errorf("%s: %v %v", c.Code, err, faults)
			continue
		}
		inv := body.Invoice
		if report := invoice.Check(inv, invoice.CheckOptions{Country: c.Code}); len(report.Errors) > 0 {
			t.Errorf("%s: %v", c.Code, report.Errors)
		}
		if inv.Seller.CountryCode != c.Code || inv.Buyer.CountryCode != c.Code || inv.Currency != c.Currency {
			t.Errorf("%s: the sample is of %s to %s in %s", c.Code, inv.Seller.CountryCode, inv.Buyer.CountryCode, inv.Currency)
		}
		for _, r := range c.Required {
			if r.Note == "" && r.When.Holds(&c, inv) && !r.Met(inv) {
				t.Errorf("%s: the sample has no %s (%s)", c.Code, r.Field, r.Source)
			}
		}
	}
}

func countryFacts(t *testing.T) *country.Set {
	t.Helper()
	facts, err := country.New()
	if err != nil {
		t.Fatal(err)
	}
	return facts
}

const countriesHead = `# Countries

<!-- Written by go test ./core/operation -run TestCountryPages -update. -->

A page for each country: formats, what its law wants on an invoice, how days and numbers are written there, what documents are called, the
members of ` + "`countrySpecific`" + `, and a sample. [The matrix](matrix.md) says what works today, cell by cell.

| Country | Code | Formats | Languages |
|---|---|---|---|`

// countryPage writes the page of one country.
type countryPage struct {
	s       *Service
	t       *testing.T
	country format.Country
	facts   country.Country
	set     *country.Set
	b       strings.Builder
}

func (p *countryPage) line(format string, args ...any) { fmt.Fprintf(&p.b, format+"\n", args...) }

func (p *countryPage) text() string {
	p.line("# %s\n\n<!-- Written by go test ./core/operation -run TestCountryPages -update, from the catalogue and core/country/facts/%s.yaml. -->\n", p.country.Name, strings.ToLower(p.country.Code))
	p.formats()
	p.page()
	p.required()
	p.mentions()
	p.keys()
	p.derived()
	p.sample()
	return p.b.String()
}

func (p *countryPage) formats() {
	p.line("Routes begin with `/api/v1/invoice/%s/`. [All countries](../countries.md)\n\n## Formats\n\n| Format | What it is | Versions | Profiles | Today |\n|---|---|---|---|---|", strings.ToLower(p.country.Code))
	for _, f := range p.s.describe(p.country, p.s.session(p.t.Context(), "", false)).Formats {
		p.line("| `%s` | %s | %s | %s | %s |", f.ID, f.Description, commas(f.Versions), commas(f.Profiles), worksToday(f, p.xmlAlone(f.ID)))
	}
	p.line("\n[The matrix](../matrix.md) leads from each cell to its case.")
}

// xmlAlone tells whether a format is written without the PDF that carries it.
func (p *countryPage) xmlAlone(token string) bool {
	t, _ := p.s.formats.Token(token)
	return p.s.formats.Written(p.country, token, format.Options{Profile: t.Profile}) != nil
}

// when is a word that only stands where something works.
func when(works bool, word string) string {
	if works {
		return word
	}
	return ""
}

func worksToday(f Format, alone bool) string {
	generate := when(f.Generate, "generate")
	if !f.Generate && alone {
		generate = "generate the XML"
	}
	words := slices.DeleteFunc([]string{generate, when(f.Parse, "parse"), when(f.Validate, "validate")}, func(s string) bool { return s == "" })
	if len(words) == 0 {
		return "nothing yet"
	}
	return strings.Join(words, ", ")
}

func (p *countryPage) languages() string {
	var names []string
	for _, code := range p.facts.Languages {
		names = append(names, p.set.Language(code))
	}
	return strings.Join(names, ", ")
}

// page says how printed invoices look: languages, days, numbers, and what documents are called.
func (p *countryPage) page() {
	p.line("\n## On the page\n\n%s Currency: %s.%s", layouts[p.facts.Layout], p.facts.Currency, p.bilingual())
	if p.facts.TaxCurrency != "" {
		p.line("The tax of invoices in other currencies is stated in %s too (%s).", p.facts.Currency, p.facts.TaxCurrency)
	}
	p.line("\n| Language | Day | Amount | Tax | VAT number |%s\n|---|---|---|---|---|%s", column(p.other(), " Other number |"), column(p.other(), "---|"))
	for _, code := range p.facts.Languages {
		f, tax := p.facts.Formats[code], p.facts.Tax[code]
		p.line("| %s | %s | %s | %s | %s |%s", p.set.Language(code), f.Day("2026-03-05"), f.Number("1234567.80"), tax.Name, tax.Number, column(p.other(), " "+tax.Other+" |"))
	}
	p.line("\n| Type |%s\n|---|%s", p.each(func(code string) string { return p.set.Language(code) }), strings.Repeat("---|", len(p.facts.Languages)))
	for _, kind := range documentTypes {
		p.line("| `%s` |%s", kind, p.each(func(code string) string { return p.facts.Title(code, kind) }))
	}
}

// layouts say how an invoice begins.
var layouts = map[string]string{
	"left": "The buyer stands at the left, in the window of an envelope.", "right": "The buyer stands at the right, in the window of an envelope.",
	"parties": "Seller and buyer stand beside each other.", "centred": "The title stands in the middle, and the amount to be paid above the lines.",
}

var documentTypes = []invoice.Type{invoice.TypeInvoice, invoice.TypeCreditNote, invoice.TypeCorrection, invoice.TypeProforma, invoice.TypePartial,
	invoice.TypePartialConstruction, invoice.TypePartialFinalConstruction, invoice.TypeFinalConstruction, invoice.TypeSelfBilled}

func (p *countryPage) bilingual() string {
	if p.facts.Bilingual {
		return " Printed invoices are in the first two languages at once."
	}
	return ""
}

// other is the label of the other number in the first language that has one.
func (p *countryPage) other() string {
	for _, code := range p.facts.Languages {
		if label := p.facts.Tax[code].Other; label != "" {
			return label
		}
	}
	return ""
}

// column is a column that is only there where it has something.
func column(something, text string) string {
	if something == "" {
		return ""
	}
	return text
}

// each is a cell for each language.
func (p *countryPage) each(cell func(code string) string) string {
	var b strings.Builder
	for _, code := range p.facts.Languages {
		b.WriteString(" " + cell(code) + " |")
	}
	return b.String()
}

func (p *countryPage) required() {
	p.line("\n## What an invoice must say\n\nThe law: %s.%s", p.facts.Law, column(p.facts.Union, " The VAT Directive is 2006/112/EC."))
	if len(p.facts.Required) == 0 {
		return
	}
	p.line("\n| Fields | When | Source |\n|---|---|---|")
	for list := p.facts.Required; len(list) > 0; {
		of, fields := list[0], []string{}
		for len(list) > 0 && list[0].When == of.When && list[0].Note == of.Note && list[0].Source == of.Source {
			fields, list = append(fields, list[0].Field), list[1:]
		}
		p.line("| %s | %s | %s |", tokens(fields), strings.Trim(conditionText(of.When)+", "+of.Note, ", "), of.Source)
	}
}

func (p *countryPage) mentions() {
	if len(p.facts.Mentions) == 0 {
		return
	}
	p.line("\n## Mandatory mentions\n\n| When |%s Source |\n|---|%s---|", p.each(func(code string) string { return p.set.Language(code) }), strings.Repeat("---|", len(p.facts.Languages)))
	for _, m := range p.facts.Mentions {
		p.line("| %s |%s %s |", conditionText(m.When), p.each(func(code string) string { return m.Text[code] }), m.Source)
	}
}

// conditionText says a condition in words.
func conditionText(c country.Condition) string {
	switch c.Kind {
	case country.OfCategory:
		return "VAT category " + c.Value
	case country.OfExemption:
		return "exemption `" + c.Value + "`"
	case country.OfType:
		return "type `" + c.Value + "`"
	case country.OfCurrency:
		return "foreign currency"
	case country.OfDelivery:
		return "delivered on another day than that of issue"
	case country.OfField:
		return "`" + c.Value + "` is given"
	}
	return "always"
}

func (p *countryPage) keys() {
	p.line("\n## Members of countrySpecific\n\nBeside `countryCode` and `invoiceTypeCode`. All are optional.\n\n| Member | Use | On the page |\n|---|---|---|")
	for _, k := range p.facts.Keys {
		var printed []string
		for _, code := range p.facts.Languages {
			if words := k.Print[code]; words != "" && !slices.Contains(printed, words) {
				printed = append(printed, words)
			}
		}
		p.line("| `%s` | %s | %s |", k.Name, k.Use, strings.ReplaceAll(strings.Join(printed, "; "), "{value}", "…"))
	}
}

// derived lists the steps by which an invoice becomes a document, of each format that is written.
func (p *countryPage) derived() {
	p.line("\n## What is derived\n")
	var said []string
	for _, id := range p.country.Tokens {
		token, _ := p.s.formats.Token(id)
		if row := p.s.formats.Written(p.country, id, format.Options{Profile: token.Profile}); row != nil {
			var names []string
			for _, step := range row.Steps.Steps {
				names = append(names, step.Name)
			}
			said = append(said, fmt.Sprintf("- `%s`: %s.", id, strings.Join(names, ", ")))
		}
	}
	if len(said) == 0 {
		p.line("No format of the country is written yet.")
		return
	}
	p.line("Steps between the invoice and the document, in their order:\n\n%s", strings.Join(said, "\n"))
}

func (p *countryPage) sample() {
	file := samples + strings.ToLower(p.country.Code) + ".json"
	data, err := os.ReadFile(filepath.Join(repositoryRoot, file))
	if err != nil {
		p.t.Error(err)
	}
	p.line("\n## A sample\n\n[%s](../../%s) is the body of a request to generate:\n\n```json\n%s```", filepath.Base(file), file, data)
}

func tokens(list []string) string { return "`" + strings.Join(list, "` `") + "`" }

// commas is a list in a cell.
func commas(list []string) string { return strings.Join(list, ", ") }
