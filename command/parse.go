package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/operation"
)

// parseCommand is einvoiced parse.
type parseCommand struct {
	Files []string `arg:"" name:"file" help:"Documents, folders with documents, or - for standard input."`
	formatFlags
	JSON bool `name:"json" help:"Print one line of JSON for each file."`
	operationFlags
}

// formatFlags say what documents are.
type formatFlags struct {
	Country string `complete:"country" help:"Country of the documents; detected by default." placeholder:"CODE"`
	Format  string `help:"Format of the documents; detected by default." placeholder:"TOKEN"`
}

func (f *formatFlags) check() error {
	if (f.Country == "") != (f.Format == "") {
		return &failure{code: exitUsage, cause: errors.New("--country and --format belong together"), hint: "give both, or none to have them detected"}
	}
	return nil
}

// outcome is what came of one file.
type outcome struct {
	file   string
	answer *operation.ParseAnswer
	err    error
}

// Run reads the files on all cores and prints the results in the order of the files.
func (c *parseCommand) Run(m *Main, ctx context.Context) error {
	service, err := c.service(nil)
	if err != nil {
		return err
	}
	if err := c.check(); err != nil {
		return err
	}
	if err := suggest(ctx, service, c.Country, c.Format); err != nil {
		return err
	}
	files, err := documents(c.Files)
	if err != nil {
		return err
	}
	tally := tally{total: len(files), done: "parsed"}
	err = withProgress(ctx, m, files,
		func(ctx context.Context, file string) outcome { return c.read(ctx, m, service, file) },
		func(o outcome) error {
			tally.count(o.err)
			return c.print(m, o)
		})
	return errors.Join(err, tally.err())
}

// read parses one file.
func (c *parseCommand) read(ctx context.Context, m *Main, service *operation.Service, file string) outcome {
	document, err := m.read(ctx, file)
	if err != nil {
		return outcome{file: file, err: err}
	}
	a, err := service.Parse(ctx, operation.ParseRequest{Country: c.Country, Format: c.Format, Filename: file, Document: document})
	return outcome{file, a, err}
}

// print reports one outcome.
func (c *parseCommand) print(m *Main, o outcome) error {
	return m.report(c.JSON, o.file, o.err, o, finding.Extra{Name: "success", Value: false})
}

// line is the outcome as one object: the file, then the answer of the API.
func (o outcome) line() any {
	return struct {
		File string `json:"file"`
		*operation.ParseAnswer
	}{o.file, o.answer}
}

// text is the outcome for people: a line about the document and one for each thing to know.
func (o outcome) text(s style) string {
	inv := o.answer.Invoice
	seller, buyer := "?", "?"
	if inv.Seller != nil {
		seller = inv.Seller.Name
	}
	if inv.Buyer != nil {
		buyer = inv.Buyer.Name
	}
	total, _ := json.Marshal(inv.Total)
	text := fmt.Sprintf("%s: %s %s %s of %s, %s to %s, %s %s, lines: %d\n", o.file, o.answer.Format, inv.Type, inv.InvoiceNumber,
		inv.IssueDate, seller, buyer, total, inv.Currency, len(inv.Items))
	for _, w := range o.answer.Warnings {
		text += fmt.Sprintf("  %s: %s: %s\n", s.in(yellow, "warning"), s.in(bold, w.Code), w.Message)
	}
	return text
}

// tally counts the files that failed and by whose fault.
type tally struct {
	total, failed, code int
	done                string // what is done with files
}

func (t *tally) count(err error) {
	if err != nil {
		t.failed++
		t.code = max(t.code, failureOf(err).code)
	}
}

// err is the failure of the whole run, already told file by file.
func (t *tally) err() error {
	if t.failed == 0 {
		return nil
	}
	f := &failure{code: t.code, cause: fmt.Errorf("%d of %d files could not be %s", t.failed, t.total, t.done), told: t.total == 1, listed: true}
	return f
}
