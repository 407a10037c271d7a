// Package standard has the templates of the countries, which documents have that ask for no other: an invoice as it is laid out there, in the
// language of the country, with what its law wants it to say.
package standard

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/einvoiced/einvoiced/core/country"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/pdf/block"
	"github.com/einvoiced/einvoiced/core/pdf/locale"
)

// Layout lays out invoices. It is safe for concurrent use, and reads nothing before it is first used.
type Layout struct {
	once      sync.Once
	err       error
	templates map[string]*block.Template // by country.Country.Layout
	facts     *country.Set
	words     words
}

func (l *Layout) load() error {
	l.once.Do(func() {
		l.words = readWords(wordList)
		if l.templates, l.err = assemble(); l.err == nil {
			l.facts, l.err = country.New()
		}
		if l.err != nil {
			l.err = fmt.Errorf("prepare the templates of the countries: %w", l.err)
		}
	})
	return l.err
}

// Template gives the template of a country; the generic one where it is unknown.
func (l *Layout) Template(code string) (*block.Template, error) {
	if err := l.load(); err != nil {
		return nil, err
	}
	of, _ := l.facts.Country(code)
	return l.templates[cmp.Or(of.Layout, generic)], nil
}

// Fill gives the input for an invoice of a country: its members, and what the standard template shows besides. Language (ISO 639-1) may be
// empty for the first of the country. What documents say of themselves is in it; the library of faces and what is attached is not.
func (l *Layout) Fill(inv *invoice.Invoice, code, language string) (block.Input, error) {
	if err := l.load(); err != nil {
		return block.Input{}, err
	}
	of, known := l.facts.Country(code)
	if !known {
		of = country.Country{Code: code, Languages: []string{"en"}, Currency: inv.Currency, Layout: generic}
	}
	if language == "" {
		language = of.Languages[0]
	}
	d := &data{inv: inv, of: &of, facts: l.facts, main: language}
	d.labels = l.words.of(d.languages())
	d.locale = localeOf(&of, language)
	d.nameTax()
	var err error
	if d.root, err = Value(inv); err != nil {
		return block.Input{}, err
	}
	d.fill()
	in := block.Input{Data: d.root, Language: language, Locale: d.locale, Currency: inv.Currency, Title: d.title() + " " + inv.InvoiceNumber,
		Words: block.Words{Code: d.labels["code"]}}
	if inv.Seller != nil {
		in.Author = inv.Seller.Name
	}
	in.Created, _ = time.Parse(time.DateOnly, string(inv.IssueDate)) // a date that is none is told by the checks
	return in, nil
}

// localeOf is that of the country in a language, with the marks that its facts have.
func localeOf(of *country.Country, language string) locale.Locale {
	l, _ := locale.Of(language + "-" + of.Code)
	if f, ok := of.Formats[language]; ok {
		return l.Written(f.Decimal, f.Group, f.Date)
	}
	return l
}

// Speaks tells whether there are words for a language (ISO 639-1), and gives those that there are.
func (l *Layout) Speaks(language string) (bool, []string) {
	if l.load() != nil {
		return false, nil
	}
	var all []string
	for code := range l.words {
		all = append(all, code)
	}
	slices.Sort(all)
	return l.words[strings.ToLower(language)] != nil || alike[language] != "", all
}
