// Package country has the facts about invoices of each country: languages, currencies, how days and numbers are written, what documents
// are called, what the law wants an invoice to say, and the members of countrySpecific. Printed invoices and the pages of the countries
// in docs/countries are made of them.
//
// The facts are data: a file for each country in facts, one for each union of countries whose laws are alike, and one for the words of the
// languages. Each says where it stands in the law.
package country

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/einvoiced/einvoiced/core/invoice"
)

//go:embed facts
var facts embed.FS

// Country is what is known about the invoices of one country.
type Country struct {
	Code        string                             `yaml:"code"`      // ISO 3166-1 alpha-2, upper case
	Union       string                             `yaml:"union"`     // union whose requirements and mentions it has; empty for none
	Languages   []string                           `yaml:"languages"` // ISO 639-1, in which invoices are usual; derived sentences are in the first
	Bilingual   bool                               `yaml:"bilingual"` // invoices are in the first two languages at once
	Layout      string                             `yaml:"layout"`    // how a printed invoice begins: left, right, parties or centred. Default: left
	Address     []string                           `yaml:"address"`   // members of a place in the order in which they are written. Default: postalCode, city
	Currency    string                             `yaml:"currency"`  // ISO 4217
	TaxCurrency string                             `yaml:"-"`         // article by which the tax is stated in Currency too; empty where none is known
	Law         string                             `yaml:"law"`       // articles that list what an invoice must contain
	Formats     map[string]Format                  `yaml:"formats"`   // by language
	Tax         map[string]Tax                     `yaml:"tax"`       // by language
	Titles      map[string]map[invoice.Type]string `yaml:"titles"`    // by language: what the document is called; those of the language besides
	Required    []Requirement                      `yaml:"required"`  // those of the union first
	Mentions    []Mention                          `yaml:"mentions"`  // those of the union first
	Keys        []Key                              `yaml:"keys"`      // members of countrySpecific beside invoiceTypeCode
}

// Tax is how a language of a country calls its tax.
type Tax struct {
	Name   string `yaml:"name"`   // short, such as USt
	Number string `yaml:"number"` // label of seller.vatId
	Other  string `yaml:"other"`  // label of seller.taxId; empty where there is no such number
}

// Requirement is what every invoice, or one that meets a condition, must contain.
type Requirement struct {
	Field  string    `yaml:"field"` // member of the invoice
	When   Condition `yaml:"when"`
	Note   string    `yaml:"note"` // of whom, where that is not told by the invoice; empty for all
	Source string    `yaml:"source"`
}

// Mention is a sentence that an invoice must contain where it meets a condition.
type Mention struct {
	ID     string            `yaml:"id"` // e.g. reverse-charge
	When   Condition         `yaml:"when"`
	Text   map[string]string `yaml:"text"`   // by language; where the law gives no words, those that say it
	Source string            `yaml:"source"` // article
}

// Key is a member of countrySpecific.
type Key struct {
	Name string `yaml:"name"`
	Use  string `yaml:"use"`
	// Place is where a printed invoice says it: at AtReference, AtPayment or AtEnd. Default: with the numbers of the seller.
	Place string `yaml:"place"`
	// Print is how a printed invoice says it, by language, with {value} where the value stands; nil where it is not printed.
	Print map[string]string `yaml:"print"`
}

// The places of members of countrySpecific on printed invoices, beside the numbers of the seller.
const (
	AtSeller    = ""
	AtReference = "reference" // with the numbers and dates of the invoice
	AtPayment   = "payment"   // with what a payment needs
	AtEnd       = "end"       // below all else
)

// language is what the countries of a language share.
type language struct {
	Name     string                  `yaml:"name"` // in English
	Titles   map[invoice.Type]string `yaml:"titles"`
	Mentions map[string]string       `yaml:"mentions"` // by id
}

// union is what the countries of a union share.
type union struct {
	Name        string        `yaml:"name"`
	TaxCurrency string        `yaml:"taxCurrencySource"` // article
	Required    []Requirement `yaml:"required"`
	Mentions    []Mention     `yaml:"mentions"`
}

// Set is the facts of all countries. It is immutable and safe for concurrent use.
type Set struct {
	list      []Country
	languages map[string]language
}

// New reads the facts that ship. The error names the file that is wrong.
func New() (*Set, error) {
	root, err := fs.Sub(facts, "facts")
	if err != nil {
		return nil, fmt.Errorf("read the facts of the countries: %w", err)
	}
	return read(root)
}

func read(root fs.FS) (*Set, error) {
	set := &Set{}
	unions := map[string]union{}
	if err := errors.Join(decode(root, "languages.yaml", &set.languages), decode(root, "unions.yaml", &unions)); err != nil {
		return nil, err
	}
	names, err := fs.Glob(root, "??.yaml")
	if err != nil {
		return nil, fmt.Errorf("list the facts of the countries: %w", err)
	}
	for _, name := range names {
		var c Country
		if err := decode(root, name, &c); err != nil {
			return nil, err
		}
		if strings.ToLower(c.Code)+".yaml" != name {
			return nil, fmt.Errorf("facts of countries: %s is about %q", name, c.Code)
		}
		if err := set.complete(&c, unions); err != nil {
			return nil, fmt.Errorf("facts of countries: %s: %w", name, err)
		}
		set.list = append(set.list, c)
	}
	return set, nil
}

// decode reads a file strictly: keys that are not known are errors.
func decode(root fs.FS, name string, into any) error {
	data, err := fs.ReadFile(root, name)
	if err != nil {
		return fmt.Errorf("read facts of countries: %w", err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("read facts of countries, %s: %w", name, err)
	}
	return nil
}

// complete adds what the country has of its union and its languages.
func (s *Set) complete(c *Country, unions map[string]union) error {
	u, known := unions[c.Union]
	if c.Union != "" && !known {
		return fmt.Errorf("there is no union %q", c.Union)
	}
	c.TaxCurrency = u.TaxCurrency
	if err := c.settle(); err != nil {
		return err
	}
	c.Required = slices.Concat(u.Required, c.Required)
	c.Mentions = merged(u.Mentions, c.Mentions)
	titles := map[string]map[invoice.Type]string{}
	for _, code := range c.Languages {
		l, known := s.languages[code]
		if !known {
			return fmt.Errorf("there is no language %q", code)
		}
		titles[code] = maps.Clone(l.Titles)
		maps.Copy(titles[code], c.Titles[code])
		for i := range c.Mentions {
			c.Mentions[i].say(code, l)
		}
	}
	c.Titles = titles
	return nil
}

// settle gives the layout and the addresses of the country their defaults, and refuses what they cannot be.
func (c *Country) settle() error {
	c.Layout = cmp.Or(c.Layout, "left")
	if !slices.Contains([]string{"left", "right", "parties", "centred"}, c.Layout) {
		return fmt.Errorf("there is no layout %q", c.Layout)
	}
	for _, k := range c.Keys {
		if !slices.Contains([]string{AtSeller, AtReference, AtPayment, AtEnd}, k.Place) {
			return fmt.Errorf("%s: there is no place %q", k.Name, k.Place)
		}
	}
	for _, member := range c.Address {
		if !slices.Contains([]string{"city", "state", "postalCode"}, member) {
			return fmt.Errorf("%q is no member of an address", member)
		}
	}
	if c.Address == nil {
		c.Address = []string{"postalCode", "city"}
	}
	return nil
}

// merged are the mentions of a union with those of a country, which change a mention of the same id where they say something.
func merged(shared, own []Mention) []Mention {
	all := slices.Clone(shared)
	for i := range all {
		all[i].Text = maps.Clone(all[i].Text)
	}
	for _, m := range own {
		at := slices.IndexFunc(all, func(other Mention) bool { return other.ID == m.ID })
		if at < 0 {
			all = append(all, m)
			continue
		}
		if m.When != (Condition{}) {
			all[at].When = m.When
		}
		if m.Source != "" {
			all[at].Source = m.Source
		}
		if m.Text != nil {
			all[at].Text = m.Text
		}
	}
	return all
}

// say gives the mention the words of a language, where the country has no words of its own.
func (m *Mention) say(code string, l language) {
	if words := l.Mentions[m.ID]; words != "" && m.Text[code] == "" {
		if m.Text == nil {
			m.Text = map[string]string{}
		}
		m.Text[code] = words
	}
}

// All lists the countries in the order of their codes.
func (s *Set) All() []Country { return slices.Clone(s.list) }

// Country gives one by its code in any case.
func (s *Set) Country(code string) (Country, bool) {
	for _, c := range s.list {
		if strings.EqualFold(c.Code, code) {
			return c, true
		}
	}
	return Country{}, false
}

// Language gives the English name of a language by its ISO 639-1 code; empty for one that no country has.
func (s *Set) Language(code string) string { return s.languages[code].Name }

// Title is what a document of a type is called in a language of the country, else in its first; where it has no name of its own it is
// called as an invoice.
func (c *Country) Title(language string, kind invoice.Type) string {
	titles, ok := c.Titles[language]
	if !ok {
		titles = c.Titles[c.Languages[0]]
	}
	if title := titles[kind]; title != "" {
		return title
	}
	return titles[invoice.TypeInvoice]
}
