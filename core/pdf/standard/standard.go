// Package standard is the template that documents have which ask for no other: an invoice in the language of its country, with what the
// law of the country wants it to say.
package standard

import (
	_ "embed"
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

//go:embed template.json
var templateText []byte

// Layout lays out invoices. It is safe for concurrent use, and reads nothing before it is first used.
type Layout struct {
	once     sync.Once
	err      error
	template *block.Template
	facts    *country.Set
	words    words
}

func (l *Layout) load() error {
	l.once.Do(func() {
		l.words = readWords(wordList)
		if l.template, l.err = block.Parse(templateText); l.err == nil {
			l.facts, l.err = country.New()
		}
		if l.err != nil {
			l.err = fmt.Errorf("prepare the standard template: %w", l.err)
		}
	})
	return l.err
}

// Template gives the standard template.
func (l *Layout) Template() (*block.Template, error) { return l.template, l.load() }

// Fill gives the input for an invoice of a country: its members, and what the standard template shows besides. Language (ISO 639-1) may be
// empty for the first of the country. What documents say of themselves is in it; the library of faces and what is attached is not.
func (l *Layout) Fill(inv *invoice.Invoice, code, language string) (block.Input, error) {
	if err := l.load(); err != nil {
		return block.Input{}, err
	}
	of, known := l.facts.Country(code)
	if !known {
		of = country.Country{Code: code, Languages: []string{"en"}, Currency: inv.Currency}
	}
	if language == "" {
		language = of.Languages[0]
	}
	d := &data{inv: inv, of: &of, main: language}
	d.labels = l.words.of(d.languages())
	d.locale = localeOf(&of, language)
	for name, tax := range map[string]string{"tax": of.Tax[language].Name, "rate": of.Tax[language].Name, "vatId": of.Tax[language].Number, "taxId": of.Tax[language].Other} {
		if tax != "" && len(d.languages()) == 1 {
			d.labels[name] = tax
		}
	}
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
