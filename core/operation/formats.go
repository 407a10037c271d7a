package operation

import (
	"fmt"
	"strings"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
)

// Countries lists the 37 countries in the order of their codes.
func (s *Service) Countries() []Country {
	var list []Country
	for _, c := range format.Countries() {
		list = append(list, describe(c))
	}
	return list
}

// Country gives one country by its code in any case; the Refusal is 400 "Country XY is not supported".
func (s *Service) Country(code string) (*Country, error) {
	c, ok := format.Find(code)
	if !ok {
		return nil, unsupportedCountry(code)
	}
	described := describe(c)
	return &described, nil
}

func describe(c format.Country) Country {
	country := Country{Code: c.Code, Name: c.Name, Formats: []Format{}}
	for _, id := range c.Tokens {
		t, _ := format.FindToken(id)
		country.Formats = append(country.Formats, Format{ID: t.ID, Name: t.Name, Description: t.Description, MimeType: t.MimeType,
			Extension: t.Extension, Versions: orEmpty(t.Versions), Profiles: orEmpty(t.Profiles), Generate: t.Writes, Parse: t.Reads, Validate: t.Validates})
	}
	return country
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// resolve finds country and format of a route. The Refusal (400) names what the country has.
func resolve(country, token string) (format.Country, format.Token, error) {
	c, ok := format.Find(country)
	if !ok {
		return c, format.Token{}, unsupportedCountry(country)
	}
	for _, id := range c.Tokens {
		if strings.EqualFold(id, token) {
			t, _ := format.FindToken(id)
			return c, t, nil
		}
	}
	return c, format.Token{}, badRequest("format", "format %q is not one of %s has: %s", clip(token), c.Name, strings.Join(c.Tokens, ", "))
}

func unsupportedCountry(code string) error {
	return badRequest("countryCode", "Country %s is not supported", strings.ToUpper(clip(code)))
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
