package command

import (
	"bytes"
	"cmp"
	"context"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/einvoiced/einvoiced/core/operation"
)

// embedCommand is einvoiced embed.
type embedCommand struct {
	Carrier string `arg:"" help:"PDF that is to carry the invoice."`
	File    string `arg:"" help:"JSON file with an embed request or a bare invoice, or - for standard input."`
	Format  string `required:"" placeholder:"TOKEN" complete:"format" help:"Format token: zugferd or facturx."`
	Country string `placeholder:"CODE" complete:"country" help:"Country code. Default: that of the seller, where it has the format, else the first that has it."`
	Output  string `short:"o" default:"-" placeholder:"FILE" help:"Where the PDF goes; standard output by default."`

	Calculate bool `help:"Fill in absent amounts by the rules of EN 16931."`
	Validate  bool `negatable:"" default:"true" help:"Judge the invoice before it is embedded; on by default."`
	JSON      bool `name:"json" help:"Give the whole answer of the API as JSON instead of the PDF alone."`
	judgingFlags
}

// Run writes the PDF with the invoice inside. Warnings go to standard error.
func (c *embedCommand) Run(m *Main, ctx context.Context) error {
	c.program = m.Self
	service, err := c.open(ctx)
	if err != nil {
		return err
	}
	carrier, err := m.read(ctx, c.Carrier)
	if err != nil {
		return err
	}
	input, err := m.read(ctx, c.File)
	if err != nil {
		return err
	}
	country := cmp.Or(c.Country, countryOf(ctx, service, c.Format, input))
	if err := suggest(ctx, service, country, c.Format); err != nil {
		return err
	}
	a, err := service.Embed(ctx, operation.EmbedRequest{Country: country, Format: c.Format, Calculate: c.Calculate, Carrier: carrier,
		Body: asRequest(input), Validate: c.Validate})
	if err != nil {
		return (&generateCommand{JSON: c.JSON}).refused(m, err)
	}
	return c.print(m, a)
}

// print gives the result, and its warnings.
func (c *embedCommand) print(m *Main, a *operation.EmbedAnswer) error {
	m.printFindings(yellow, "warning", a.Warnings)
	for _, w := range a.Carrier.Warnings {
		m.printEntry(yellow, "warning", w.Code, w.Message)
	}
	if !c.JSON {
		return m.write(c.Output, a.Data)
	}
	var line bytes.Buffer
	if err := printJSON(&line, a); err != nil {
		return err
	}
	return m.write(c.Output, line.Bytes())
}

// countryOf is the country whose format is meant where none is named: that of the seller where it has the format, else the first that has
// it; empty where none has.
func countryOf(ctx context.Context, service *operation.Service, format string, input []byte) string {
	var said struct {
		Invoice struct {
			Seller struct {
				CountryCode string `json:"countryCode"`
			} `json:"seller"`
		} `json:"invoice"`
	}
	_ = json.Unmarshal(asRequest(input), &said) // the operation says what is wrong with it
	first := ""
	for _, country := range service.Countries(ctx) {
		for _, f := range country.Formats {
			if !strings.EqualFold(f.ID, format) {
				continue
			}
			if strings.EqualFold(country.Code, said.Invoice.Seller.CountryCode) {
				return strings.ToLower(country.Code)
			}
			first = cmp.Or(first, strings.ToLower(country.Code))
		}
	}
	return first
}
