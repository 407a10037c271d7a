package testdata

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// nationals are the scenarios of PINT, CIUS-PT, CIUS-RO and HR-FISK.
//
//go:embed national-ubl/countries.json national-ubl/scenarios.json
var nationals embed.FS

// nationalCase is what the invoices of one specification have in common.
type nationalCase struct {
	Country, Format, Currency string
	Base                      map[string]any            // a JSON merge patch on the base of all
	Parts                     map[string]map[string]any // what objects with "$with" get, by name; a scenario that needs a part which is missing is not for it
	Edits                     map[string]map[string]any // further patches by scenario
	Except                    []string                  // scenarios that the specification does not have
	Warnings                  map[string][]string       // by scenario, where they are not the scenario's
}

type nationalScenario struct {
	Name, About string
	Edit        map[string]any // a JSON merge patch on the invoice
	Warnings    []string
	Only        []string // the cases that have it. Default: all
}

// A NationalRequest asks for the invoice of a scenario in a case: a specification of a country.
type NationalRequest struct {
	Case string // such as ae or jp-ntr
	Request
}

// NationalUBL gives every scenario in every case that has it. The error is that of a file that is not as it should be.
func NationalUBL() ([]NationalRequest, error) {
	var cases map[string]nationalCase
	var list struct {
		Base      map[string]any
		Scenarios []nationalScenario
	}
	if err := readFrom(nationals, "national-ubl/countries.json", &cases); err != nil {
		return nil, err
	}
	if err := readFrom(nationals, "national-ubl/scenarios.json", &list); err != nil {
		return nil, err
	}
	var requests []NationalRequest
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		for _, s := range list.Scenarios {
			if slices.Contains(c.Except, s.Name) || len(s.Only) > 0 && !slices.Contains(s.Only, name) {
				continue
			}
			inv, complete := c.invoice(list.Base, s)
			if !complete {
				continue
			}
			body, err := json.Marshal(map[string]any{"invoice": inv})
			if err != nil {
				return nil, fmt.Errorf("make scenario %s of %s: %w", s.Name, name, err)
			}
			warnings, own := c.Warnings[s.Name]
			if !own {
				warnings = s.Warnings
			}
			requests = append(requests, NationalRequest{name, Request{Country: c.Country, Format: c.Format, Scenario: s.Name, Body: body, Warnings: warnings}})
		}
	}
	return requests, nil
}

// invoice is that of a scenario; false where a part is missing.
func (c nationalCase) invoice(base map[string]any, s nationalScenario) (any, bool) {
	inv := merge(merge(merge(base, c.Base), s.Edit), c.Edits[s.Name])
	return c.with(replaced(inv, map[string]any{"$country": c.Country, "$currency": c.Currency}))
}

// with gives objects the parts that they name.
func (c nationalCase) with(value any) (any, bool) {
	complete := true
	within := func(v any) any {
		made, ok := c.with(v)
		complete = complete && ok
		return made
	}
	switch v := value.(type) {
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = within(v[i])
		}
		return list, complete
	case map[string]any:
		object := map[string]any{}
		names, _ := v["$with"].([]any)
		for _, name := range names {
			part, ok := c.Parts[fmt.Sprint(name)]
			complete = complete && ok
			maps.Copy(object, part)
		}
		for name := range v {
			if name != "$with" {
				object[name] = within(v[name])
			}
		}
		return object, complete
	}
	return value, true
}

// Patched applies a JSON merge patch (RFC 7396) to a JSON object.
func Patched(text, patch []byte) ([]byte, error) {
	var target, change map[string]any
	for from, into := range map[*[]byte]*map[string]any{&text: &target, &patch: &change} {
		d := json.NewDecoder(bytes.NewReader(*from))
		d.UseNumber()
		if err := d.Decode(into); err != nil {
			return nil, fmt.Errorf("decode %s: %w", *from, err)
		}
	}
	return json.Marshal(merge(target, change))
}
