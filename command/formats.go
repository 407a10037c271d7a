package command

import (
	"context"
	"iter"
	"strings"

	"github.com/einvoiced/einvoiced/core/operation"
)

// formatsCommand is einvoiced formats.
type formatsCommand struct {
	Country string `arg:"" optional:"" complete:"country" help:"Country code, e.g. de; by default all countries."`
	JSON    bool   `name:"json" help:"Print one line of JSON for each country, as the API answers it."`
	judgingFlags
}

// Run lists what works, a format in a line.
func (c *formatsCommand) Run(m *Main, ctx context.Context) error {
	service, err := c.open(ctx)
	if err != nil {
		return err
	}
	countries := service.Countries(ctx)
	if c.Country != "" {
		one, err := service.Country(ctx, c.Country)
		if err != nil {
			return err
		}
		countries = []operation.Country{*one}
	}
	if c.JSON {
		for _, country := range countries {
			if err := printJSON(m.Stdout, country); err != nil {
				return err
			}
		}
		return nil
	}
	return formatColumns.print(m.Stdout, false, formatLines(countries))
}

// countryFormat is a format of a country.
type countryFormat struct {
	country operation.Country
	format  operation.Format
}

var formatColumns = columns[countryFormat]{
	head: []string{"COUNTRY", "FORMAT", "WORKS", "NAME"},
	cells: func(f countryFormat) []string {
		return []string{strings.ToLower(f.country.Code), f.format.ID, works(f.format), f.format.Name}
	},
}

// works names the operations that a format has.
func works(f operation.Format) string {
	var verbs []string
	for _, verb := range []struct {
		does bool
		name string
	}{{f.Generate, "generate"}, {f.Parse, "parse"}, {f.Validate, "validate"}} {
		if verb.does {
			verbs = append(verbs, verb.name)
		}
	}
	if len(verbs) == 0 {
		return "not yet"
	}
	return strings.Join(verbs, " ")
}

func formatLines(countries []operation.Country) iter.Seq[countryFormat] {
	return func(yield func(countryFormat) bool) {
		for _, country := range countries {
			for _, format := range country.Formats {
				if !yield(countryFormat{country, format}) {
					return
				}
			}
		}
	}
}
