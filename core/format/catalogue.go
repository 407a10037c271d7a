// Package format describes formats: the countries with their path tokens, the syntaxes of documents, and the customisations, a row
// each. Whatever the service says of its formats is derived from the Catalogue of these; package catalogue has the one that ships.
//
// From a request the way leads from a Country and a path Token to the Customisation in which the invoice is Written, whose
// Steps make the canonical invoice and whose Syntax has the Codec that writes it. From a document it leads from the document
// element to the Syntax, and by specification identifier, business process and country of the seller to the Customisation
// (Identify), whose rules judge it unless the route says otherwise (Judged).
package format

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// List is what a Catalogue is made of.
type List struct {
	Countries      []Country // in the order of their codes
	Tokens         []Token
	Syntaxes       []*Syntax
	Customisations []Customisation // of those of a syntax that fit a document the first counts
	Versions       []Version       // of those that fit a specification identifier the first counts
}

// Catalogue finds formats. It is immutable and safe for concurrent use.
type Catalogue struct{ list List }

// New makes a Catalogue. The error names what the rows refer to and the list does not have.
func New(list List) (*Catalogue, error) {
	c := &Catalogue{list}
	var errs []error
	for _, syntax := range list.Syntaxes {
		for _, e := range syntax.Elements {
			if c.Detected(e.Detection) == nil {
				errs = append(errs, fmt.Errorf("syntax %s: no customisation has the detection id %s of its element %s", syntax.Name, e.Detection, e.Local))
			}
		}
	}
	for _, country := range list.Countries {
		for _, token := range country.All() {
			if _, ok := c.Token(token); !ok {
				errs = append(errs, fmt.Errorf("country %s: there is no path token %s", country.Code, token))
			}
		}
	}
	for i := range list.Customisations {
		if err := c.check(&list.Customisations[i]); err != nil {
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("make the catalogue of formats: %w", err)
	}
	return c, nil
}

// check holds a row against the rest of the list.
func (c *Catalogue) check(row *Customisation) error {
	syntax, token := c.Syntax(row.Syntax), false
	if _, token = c.Token(row.Token); !token {
		return fmt.Errorf("customisation %s: there is no path token %s", row.Detection, row.Token)
	}
	switch _, country := c.Country(row.Country); {
	case syntax == nil && row.Syntax != "":
		return fmt.Errorf("customisation %s: there is no syntax %s", row.Detection, row.Syntax)
	case !country && row.Country != "":
		return fmt.Errorf("customisation %s: there is no country %s", row.Detection, row.Country)
	case row.Steps != nil && (syntax == nil || syntax.Codec == nil):
		return fmt.Errorf("customisation %s: it has steps, but its syntax cannot be written", row.Detection)
	}
	return nil
}

// Countries lists the countries in the order of their codes.
func (c *Catalogue) Countries() []Country { return slices.Clone(c.list.Countries) }

// Country gives a country by its code in any case.
func (c *Catalogue) Country(code string) (Country, bool) {
	for _, country := range c.list.Countries {
		if strings.EqualFold(country.Code, code) {
			return country, true
		}
	}
	return Country{}, false
}

// Token gives a path token by its id in any case.
func (c *Catalogue) Token(id string) (Token, bool) {
	for _, t := range c.list.Tokens {
		if strings.EqualFold(t.ID, id) {
			return t, true
		}
	}
	return Token{}, false
}

// Syntax gives a syntax by its name, nil where there is none.
func (c *Catalogue) Syntax(name string) *Syntax {
	for _, s := range c.list.Syntaxes {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Syntaxes lists the syntaxes.
func (c *Catalogue) Syntaxes() []*Syntax { return slices.Clone(c.list.Syntaxes) }

// Customisations lists those that a country has under a path token, the first of them first.
func (c *Catalogue) Customisations(country, token string) []*Customisation {
	var rows []*Customisation
	for i := range c.list.Customisations {
		if row := &c.list.Customisations[i]; row.of(country, token) {
			rows = append(rows, row)
		}
	}
	return rows
}

// Written gives the customisation that an invoice of a country is written in under a path token and options, nil where none can be
// written yet, or where the country only reads the token. Where the country has sole ones, no other is written.
func (c *Catalogue) Written(country Country, token string, options Options) *Customisation {
	if !slices.Contains(country.Tokens, token) {
		return nil
	}
	rows := c.Customisations(country.Code, token)
	sole := slices.ContainsFunc(rows, func(row *Customisation) bool { return row.Sole })
	for _, row := range rows {
		if row.Steps != nil && (row.Sole || !sole) && options.allows(row) {
			return row
		}
	}
	return nil
}

// Judged gives the customisation whose rules judge a document that a country's route takes under a path token, where found is what the
// document is: that, where the country has it under the token; else the country's sole one. What names the customisation of another
// country, or of another token, or none, is judged by the token's own, unless the country only reads the token.
func (c *Catalogue) Judged(country Country, token string, found *Customisation) *Customisation {
	var rows, sole []*Customisation
	for _, row := range c.Customisations(country.Code, token) {
		if row.Syntax == found.Syntax {
			rows = append(rows, row)
			if row.Sole {
				sole = append(sole, row)
			}
		}
	}
	allowed := rows
	if len(sole) > 0 {
		allowed = sole
	}
	isFound := func(row *Customisation) bool { return row.Detection == found.Detection }
	switch {
	case found.Named() && slices.ContainsFunc(allowed, isFound):
		return found
	case len(sole) > 0:
		return sole[0]
	case !slices.Contains(country.Tokens, token):
		return found
	}
	for _, row := range rows {
		if row.Named() && row.Carrier == "" {
			return row
		}
	}
	return found
}

// Identify gives the customisation that a specification identifier names, else the one that the business process names, for
// documents of a syntax with a seller in a country (upper case, empty where it is unknown), and what names it.
func (c *Catalogue) Identify(syntax *Syntax, specification, process, seller string) (found *Customisation, by int) {
	specification, process = strings.ToLower(specification), strings.ToLower(process)
	for i := range c.list.Customisations {
		row := &c.list.Customisations[i]
		if row.Syntax != syntax.Name || !row.sells(seller) {
			continue
		}
		switch way := row.tells(specification, process); {
		case way == BySpecification, way == ByProfile:
			return row, way
		case way == ByProcess && found == nil:
			found, by = row, way
		}
	}
	return found, by
}

// Carried gives the customisation of documents that a carrier has inside, by specification identifier and seller's country;
// nil where there is none.
func (c *Catalogue) Carried(syntax *Syntax, specification, seller, carrier string) *Customisation {
	for i := range c.list.Customisations {
		row := &c.list.Customisations[i]
		if carrier != "" && row.Carrier == carrier && row.Syntax == syntax.Name && row.Specification == specification && row.sells(seller) {
			return row
		}
	}
	return nil
}

// SyntaxesOf lists the syntaxes that documents of a path token have in a country, each once.
func (c *Catalogue) SyntaxesOf(country, token string) []*Syntax {
	if t, ok := c.Token(token); ok && t.Carries {
		return c.Syntaxes()
	}
	var syntaxes []*Syntax
	for _, row := range c.Customisations(country, token) {
		if s := c.Syntax(row.Syntax); s != nil && !slices.Contains(syntaxes, s) {
			syntaxes = append(syntaxes, s)
		}
	}
	return syntaxes
}

// Reads tells whether documents that a country has under a path token can be parsed.
func (c *Catalogue) Reads(country Country, token Token) bool {
	return !token.JudgedOnly && slices.ContainsFunc(c.SyntaxesOf(country.Code, token.ID), func(s *Syntax) bool { return s.Codec != nil })
}

// Detected gives the first customisation with a detection id, nil for an id that is none.
func (c *Catalogue) Detected(id string) *Customisation {
	for i := range c.list.Customisations {
		if row := &c.list.Customisations[i]; row.Detection == id {
			return row
		}
	}
	return nil
}
