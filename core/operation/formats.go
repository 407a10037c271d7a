package operation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/rulebook"
)

// overview is what works in each country by a generation of rulebooks on a day: looking through all rulebooks for it takes many times what telling it does.
type overview struct {
	rulebooks *rulebook.Generation
	day       string
	countries []Country
}

// Countries lists the 37 countries in the order of their codes, with what works by the rulebooks in use. The list must not be changed.
func (s *Service) Countries(ctx context.Context) []Country {
	by := s.session(ctx, "", false)
	day := by.now.Format(time.DateOnly)
	if known := s.overview.Load(); known != nil && known.rulebooks == by.rulebooks && known.day == day {
		return known.countries
	}
	made := &overview{rulebooks: by.rulebooks, day: day}
	for _, c := range s.formats.Countries() {
		made.countries = append(made.countries, s.describe(c, by))
	}
	s.overview.Store(made)
	return made.countries
}

// Country gives one country by its code in any case, as Countries does; the Refusal is 400 "Country XY is not supported".
func (s *Service) Country(ctx context.Context, code string) (*Country, error) {
	c, err := s.Lookup(code)
	if err != nil {
		return nil, err
	}
	countries := s.Countries(ctx)
	i := slices.IndexFunc(countries, func(described Country) bool { return described.Code == c.Code })
	return &countries[i], nil
}

// Lookup gives a country by its code in any case as the catalogue has it, without what works in it; the Refusal is that of Country.
func (s *Service) Lookup(code string) (format.Country, error) {
	c, ok := s.formats.Country(code)
	if !ok {
		return c, s.unsupportedCountry(code)
	}
	return c, nil
}

func (s *Service) describe(c format.Country, by session) Country {
	country, generated := Country{Code: c.Code, Name: c.Name, Formats: []Format{}}, s.generated(c)
	for _, id := range c.All() {
		t, _ := s.formats.Token(id)
		country.Formats = append(country.Formats, Format{ID: t.ID, Name: t.Name, Description: t.Description, MimeType: t.MimeType,
			Extension: t.Extension, Versions: orEmpty(t.Versions), Profiles: orEmpty(t.Profiles),
			Generate: slices.Contains(generated, id), Parse: s.formats.Reads(c, t), Validate: s.validates(c, t, by)})
	}
	return country
}

// TokenOf gives the path token under which documents of a detection id are parsed; empty for an id that is none.
func (s *Service) TokenOf(detection string) string {
	if row := s.formats.Detected(detection); row != nil {
		return row.Token
	}
	return ""
}

// validates tells whether a rulebook judges documents that a country has under a token.
func (s *Service) validates(country format.Country, token format.Token, by session) bool {
	return slices.ContainsFunc(s.formats.Customisations(country.Code, token.ID), func(row *format.Customisation) bool {
		syntax := s.formats.Syntax(row.Syntax)
		return syntax != nil && slices.ContainsFunc(syntax.Elements, func(e format.Element) bool {
			kind := rulebook.Kind{Root: xmltree.Name{Space: e.Namespace, Local: e.Local}, Specification: row.Specification,
				Format: labelOf(token, token.Version(), "")}
			_, err := by.plan(kind)
			return err == nil
		})
	})
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// resolve finds country and format of a route. The Refusal (400) names what the country has.
func (s *Service) resolve(country, token string) (format.Country, format.Token, error) {
	c, ok := s.formats.Country(country)
	if !ok {
		return c, format.Token{}, s.unsupportedCountry(country)
	}
	for _, id := range c.All() {
		if strings.EqualFold(id, token) {
			t, _ := s.formats.Token(id)
			return c, t, nil
		}
	}
	return c, format.Token{}, badRequest("format", "format %q is not one of %s has: %s", clip(token), c.Name, strings.Join(c.All(), ", "))
}

// unsupportedCountry is the contract's 400; its entry lists the countries that are served.
func (s *Service) unsupportedCountry(code string) error {
	r := badRequest("countryCode", "Country %s is not supported", strings.ToUpper(clip(code)))
	var codes []string
	for _, c := range s.formats.Countries() {
		codes = append(codes, c.Code)
	}
	r.Errors = []finding.Finding{{Code: "BAD_REQUEST", Field: r.Field, Message: r.Message + "; these are: " + strings.Join(codes, ", ")}}
	return r
}

// badRequest is a 400 with a message that names the field.
func badRequest(field, message string, args ...any) *finding.Refusal {
	return &finding.Refusal{Kind: finding.BadRequest, Word: "Bad Request", Field: field, Message: fmt.Sprintf(message, args...)}
}

// clip bounds what an answer repeats of a request.
func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}
