package command

import (
	"context"
	"fmt"

	"github.com/einvoiced/einvoiced/core/operation"
)

// extractCommand is einvoiced extract.
type extractCommand struct {
	File   string `arg:"" help:"PDF with an invoice inside, or - for standard input."`
	Output string `short:"o" default:"-" placeholder:"FILE" help:"Where the XML goes; standard output by default."`
}

// Run writes the XML that a PDF carries, byte for byte. Its name inside the PDF goes to standard error.
func (c *extractCommand) Run(m *Main, ctx context.Context) error {
	document, err := m.read(ctx, c.File)
	if err != nil {
		return err
	}
	inside, err := operation.Extract(ctx, document)
	if err != nil {
		return err
	}
	fmt.Fprintf(m.Stderr, "%s, %d bytes\n", inside.Name, len(inside.XML))
	return m.write(c.Output, inside.XML)
}
