package command

import (
	"bytes"
	"context"

	"github.com/einvoiced/einvoiced/core/operation"
)

// renderCommand is einvoiced render.
type renderCommand struct {
	File     string `arg:"" help:"Document, XML or a PDF with an invoice inside, or - for standard input."`
	Output   string `short:"o" default:"-" placeholder:"FILE" help:"Where the PDF goes; standard output by default."`
	Language string `placeholder:"LANGUAGE" help:"Language of the reader, e.g. en; that of the document's country by default."`
	JSON     bool   `name:"json" help:"Give the whole answer of the API as JSON instead of the PDF alone."`
	operationFlags
}

// Run writes a PDF to look at. Warnings go to standard error.
func (c *renderCommand) Run(m *Main, ctx context.Context) error {
	service, err := c.service(nil)
	if err != nil {
		return err
	}
	document, err := m.read(ctx, c.File)
	if err != nil {
		return err
	}
	a, err := service.Render(ctx, operation.RenderRequest{Document: document, Language: c.Language})
	if err != nil {
		return err
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
