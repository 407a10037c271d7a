package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/core/verifactu"
)

// operationFlags are the settings of operations that serve and the commands on files share.
type operationFlags struct {
	StrictCountrySpecific bool                    `env:"EINVOICED_STRICT_COUNTRY_SPECIFIC" help:"Refuse countrySpecific without countryCode instead of taking the country of the request."`
	installed             *verifactu.Installation // that makes records of Spanish invoices; nil for none
	program               string                  // as Main.Self; what repairs PDF files
	FontFolder            string                  `type:"existingdir" env:"EINVOICED_FONT_FOLDER" placeholder:"FOLDER" help:"Folder with TrueType fonts for PDFs, which come before those that ship."`
	LargeInvoices         bool                    `env:"EINVOICED_LARGE_INVOICES" negatable:"" default:"true" help:"Take on up to 25,000 line items instead of 5,000; on by default."`
}

// service prepares the operations with the rulebooks of a registry; nil for operations that judge nothing.
func (f *operationFlags) service(books *rulebook.Registry) (*operation.Service, error) {
	c := operation.Config{Repair: repairer(f.program), StrictCountrySpecific: f.StrictCountrySpecific, SmallInvoices: !f.LargeInvoices, Now: time.Now}
	if f.FontFolder != "" {
		c.Faces = os.DirFS(f.FontFolder)
	}
	c.VeriFactu = f.installed
	if books != nil {
		c.Rulebooks = books.In
	}
	return operation.New(c)
}

// judgingFlags are the settings of commands that do one operation by themselves.
type judgingFlags struct {
	operationFlags
	rulebooksFlag
}

func (f *judgingFlags) open(ctx context.Context) (*operation.Service, error) {
	books, err := f.registryOnUse(ctx)
	if err != nil {
		return nil, err
	}
	return f.service(books)
}

// generateCommand is einvoiced generate.
type generateCommand struct {
	Country string `arg:"" complete:"country" help:"Country code, e.g. de."`
	Format  string `arg:"" complete:"format" help:"Format token, e.g. xrechnung."`
	File    string `arg:"" help:"JSON file with a generate request or a bare invoice, or - for standard input."`
	Output  string `short:"o" default:"-" placeholder:"FILE" help:"Where the document goes; standard output by default."`

	Calculate bool `help:"Fill in absent amounts by the rules of EN 16931."`
	JSON      bool `name:"json" help:"Give the whole answer of the API as JSON instead of the document alone."`
	judgingFlags
}

// Run writes the document. Warnings go to standard error.
func (c *generateCommand) Run(m *Main, ctx context.Context) error {
	service, err := c.open(ctx)
	if err != nil {
		return err
	}
	if err := suggest(ctx, service, c.Country, c.Format); err != nil {
		return err
	}
	input, err := m.read(ctx, c.File)
	if err != nil {
		return err
	}
	a, err := service.Generate(ctx, operation.GenerateRequest{
		Country: c.Country, Format: c.Format, Calculate: c.Calculate, Body: asRequest(input),
	})
	if err != nil {
		return c.refused(m, err)
	}
	m.printFindings(yellow, "warning", a.Warnings)
	if !c.JSON {
		return m.write(c.Output, a.Data)
	}
	var line bytes.Buffer
	if err := printJSON(&line, a); err != nil {
		return err
	}
	return m.write(c.Output, line.Bytes())
}

// asRequest wraps a bare invoice into a generate request. An object with a member invoice is a request already; what is no
// object at all is left for the operation to refuse.
func asRequest(input []byte) []byte {
	dec := jsontext.NewDecoder(bytes.NewBuffer(input))
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return input
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil || name.String() == "invoice" || dec.SkipValue() != nil {
			return input
		}
	}
	return append(append([]byte(`{"invoice":`), input...), '}')
}

// refused reports every finding of a refusal and leaves the rest of the error for Close, which tells all with --json.
func (c *generateCommand) refused(m *Main, err error) error {
	if r, ok := errors.AsType[*finding.Refusal](err); ok && !c.JSON && len(r.Errors) > 1 {
		m.printFindings(red, "error", r.Errors)
	}
	return err
}

func (m *Main) printFindings(colour, label string, findings []finding.Finding) {
	for _, f := range findings {
		m.printEntry(colour, label, f.Code, f.Message)
	}
}

func (m *Main) printEntry(colour, label, code, message string) {
	s := m.styleOf(m.Stderr)
	fmt.Fprintf(m.Stderr, "%s: %s: %s\n", s.in(colour, label), s.in(bold, code), message)
}
