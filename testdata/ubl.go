package testdata

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// scenarios are what invoices in UBL are about, and the parties of each country.
//
//go:embed ubl/countries.json ubl/scenarios.json
var scenarios embed.FS

// A Request asks for the invoice of a scenario, between parties of one country.
type Request struct {
	Country  string // upper case
	Format   string // path token
	Scenario string
	Body     []byte   // of POST …/generate?calculate=true
	Warnings []string // codes of warnings that the answer has, apart from those of rules and calculated values
}

type country struct {
	Format, Currency string
	Rate, Reduced    json.Number
	Seller, Buyer    map[string]any
	CountrySpecific  map[string]any
}

type scenario struct {
	Name, About string
	Edit        map[string]any      // a JSON merge patch (RFC 7396) on the invoice of the country
	Warnings    map[string][]string // by country, * for all others
	Except      []string            // countries that do not have it; About says why
}

// UBL gives every scenario in every country, by country and in the order of the scenarios. The error is that of a file that is not as it
// should be.
func UBL() ([]Request, error) {
	var countries map[string]country
	var list struct {
		Base      map[string]any
		Scenarios []scenario
	}
	if err := read("ubl/countries.json", &countries); err != nil {
		return nil, err
	}
	if err := read("ubl/scenarios.json", &list); err != nil {
		return nil, err
	}
	var requests []Request
	for _, code := range slices.Sorted(maps.Keys(countries)) {
		for _, s := range list.Scenarios {
			if slices.Contains(s.Except, code) {
				continue
			}
			body, err := countries[code].request(code, list.Base, s)
			if err != nil {
				return nil, fmt.Errorf("make scenario %s of %s: %w", s.Name, code, err)
			}
			warnings, own := s.Warnings[code]
			if !own {
				warnings = s.Warnings["*"]
			}
			requests = append(requests, Request{Country: code, Format: countries[code].Format, Scenario: s.Name, Body: body, Warnings: warnings})
		}
	}
	return requests, nil
}

func read(name string, into any) error { return readFrom(scenarios, name, into) }

// readFrom decodes a file, with numbers as they stand.
func readFrom(files embed.FS, name string, into any) error {
	data, err := files.ReadFile(name)
	if err != nil {
		return fmt.Errorf("read the scenarios: %w", err)
	}
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("decode %s: %w", name, err)
	}
	return nil
}

// request is the body of a scenario in a country: the base with the country's parties, changed, with the words that begin with $ replaced.
func (c country) request(code string, base map[string]any, s scenario) ([]byte, error) {
	inv := merge(map[string]any{"seller": c.Seller, "buyer": c.Buyer}, base)
	if c.CountrySpecific != nil {
		inv["countrySpecific"] = c.CountrySpecific
	}
	words := map[string]any{"$country": code, "$currency": c.Currency, "$rate": c.Rate, "$reduced": c.Reduced, "$trading": c.Seller["name"], "$vat": code + "123456789"}
	return json.Marshal(map[string]any{"invoice": replaced(merge(inv, s.Edit), words)})
}

// merge applies a JSON merge patch (RFC 7396); both stay as they are.
func merge(target, patch map[string]any) map[string]any {
	merged := maps.Clone(target)
	if merged == nil {
		merged = map[string]any{}
	}
	for name, value := range patch {
		inner, object := value.(map[string]any)
		switch {
		case value == nil:
			delete(merged, name)
		case object:
			old, _ := merged[name].(map[string]any)
			merged[name] = merge(old, inner)
		default:
			merged[name] = value
		}
	}
	return merged
}

// replaced puts values in the place of words.
func replaced(value any, words map[string]any) any {
	switch v := value.(type) {
	case string:
		if word, ok := words[v]; ok {
			return word
		}
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = replaced(v[i], words)
		}
		return list
	case map[string]any:
		object := map[string]any{}
		for name := range v {
			object[name] = replaced(v[name], words)
		}
		return object
	}
	return value
}
