package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/operation"
)

// convertCommand is einvoiced convert.
type convertCommand struct {
	Files  []string `arg:"" name:"file" help:"Documents, folders with documents, or - for standard input."`
	To     string   `required:"" complete:"format" placeholder:"TOKEN" help:"Format of the results, e.g. xrechnung."`
	Output string   `short:"o" placeholder:"PATH" help:"Where the result goes: a file, or a folder, which several need; standard output by default."`
	conversionFlags
	JSON bool `name:"json" help:"Print one line of JSON for each file, with the result in it."`
	judgingFlags
}

// conversionFlags are the options of a conversion, as the API has them.
type conversionFlags struct {
	Country       string `complete:"country" placeholder:"CODE" help:"Country of the results; by default the only one that has the format, else the seller's."`
	SourceCountry string `complete:"country" placeholder:"CODE" help:"Country of the documents; detected by default."`
	SourceFormat  string `complete:"format" placeholder:"TOKEN" help:"Format of the documents; detected by default."`
	Syntax        string `placeholder:"SYNTAX" help:"Syntax of the results where the format has several: ubl or cii."`
	Profile       string `placeholder:"PROFILE" help:"Profile of the results where the format has several, e.g. BASIC."`
	FormatVersion string `placeholder:"VERSION" help:"Version of the format of the results, e.g. 2.4."`
	XML           bool   `name:"xml" help:"Give the invoice of a format that is a PDF with an invoice in it alone."`
	Validate      bool   `negatable:"" default:"true" help:"Judge the results by the rules of their format; on by default."`
	AttachSource  bool   `help:"Carry the source along as an attachment, where the format allows it."`
}

// body are the options as the body of a request has them.
func (f *conversionFlags) body(target string) invoice.ConvertBody {
	body := invoice.ConvertBody{SourceCountry: f.SourceCountry, SourceFormat: f.SourceFormat, TargetCountry: f.Country, TargetFormat: target,
		FormatOptions: &invoice.FormatOptions{Profile: f.Profile, Version: f.FormatVersion, Syntax: f.Syntax},
		Validate:      &f.Validate, AttachSource: &f.AttachSource}
	if f.XML {
		body.FormatOptions.Output = "xml"
	}
	return body
}

// converted is what came of one file.
type converted struct {
	file   string
	to     string // file of the result; empty where it goes nowhere
	answer *operation.ConvertAnswer
	err    error
}

// Run converts the files on all cores, and writes and prints the results in the order of the files.
func (c *convertCommand) Run(m *Main, ctx context.Context) error {
	service, err := c.open(ctx)
	if err != nil {
		return err
	}
	if err := suggest(ctx, service, c.Country, c.To); err != nil {
		return err
	}
	files, err := documents(c.Files)
	if err != nil {
		return err
	}
	out, err := c.outlet(m, len(files) > 1 || files[0] != c.Files[0])
	if err != nil {
		return err
	}
	tally := tally{total: len(files), done: "converted"}
	err = withProgress(ctx, m, files,
		func(ctx context.Context, file string) converted { return c.convert(ctx, m, service, file) },
		func(v converted) error {
			if v.err == nil {
				v.to, v.err = out.put(v)
			}
			tally.count(v.err)
			return c.print(m, v)
		})
	return errors.Join(err, tally.err())
}

// convert converts one file.
func (c *convertCommand) convert(ctx context.Context, m *Main, service *operation.Service, file string) converted {
	document, err := m.read(ctx, file)
	if err != nil {
		return converted{file: file, err: err}
	}
	req := operation.ConvertRequest{Document: document, Options: c.body(c.To)}
	if file != "-" {
		req.Filename = filepath.Base(file)
	}
	a, err := service.Convert(ctx, req)
	return converted{file: file, answer: a, err: err}
}

// print reports one outcome. Where the result itself is on standard output, what there is to know goes to standard error.
func (c *convertCommand) print(m *Main, v converted) error {
	if v.err == nil && !c.JSON && c.Output == "" {
		m.printFindings(yellow, "warning", v.answer.Warnings)
		m.printFindings(yellow, "not carried", v.answer.ConversionWarnings)
		return nil
	}
	if r, ok := errors.AsType[*finding.Refusal](v.err); ok && !c.JSON && len(r.Errors) > 1 {
		m.printFindings(red, "error", r.Errors)
	}
	return m.report(c.JSON, v.file, v.err, v)
}

// line is the outcome as one object: the file, then the answer of the API.
func (v converted) line() any {
	return struct {
		File string `json:"file"`
		*operation.ConvertAnswer
	}{v.file, v.answer}
}

// text is the outcome for people: a line about the result and one for each thing to know.
func (v converted) text(s style) string {
	a := v.answer
	text := fmt.Sprintf("%s: %s to %s, %s; warnings: %d, not carried: %d\n", v.file, a.Detection.Format, a.TargetFormat, v.to, len(a.Warnings), len(a.ConversionWarnings))
	for i, list := range [][]finding.Finding{a.Warnings, a.ConversionWarnings} {
		for _, w := range list {
			text += fmt.Sprintf("  %s: %s: %s\n", s.in(yellow, []string{"warning", "not carried"}[i]), s.in(bold, w.Code), w.Message)
		}
	}
	return text
}

// outlet is where results go.
type outlet struct {
	m      *Main
	file   string // - for standard output; empty for none, or for a folder
	folder string
	taken  map[string]bool // names in the folder
}

// outlet finds out where results go, and makes the folder for several.
func (c *convertCommand) outlet(m *Main, several bool) (*outlet, error) {
	info, err := os.Stat(c.Output)
	isFolder := err == nil && info.IsDir()
	switch {
	case c.Output == "" && c.JSON:
		return &outlet{}, nil
	case c.Output == "" && several:
		return nil, &failure{code: exitUsage, cause: errors.New("several results need a folder"), hint: "name one with --output, or take all in lines of JSON with --json"}
	case c.Output == "":
		return &outlet{m: m, file: "-"}, nil
	case !several && !isFolder:
		return &outlet{m: m, file: c.Output}, nil
	}
	if err := os.MkdirAll(c.Output, 0o755); err != nil {
		return nil, &failure{code: exitUsage, cause: fmt.Errorf("make the folder for the results: %w", err), hint: "check its name and its permissions"}
	}
	return &outlet{m: m, folder: c.Output, taken: map[string]bool{}}, nil
}

// put writes a result and gives the file that it is in. In a folder results are called after their sources, because invoice numbers
// need not be unique.
func (o *outlet) put(v converted) (string, error) {
	switch {
	case o.file == "" && o.folder == "":
		return "", nil
	case o.folder == "":
		return o.file, o.m.write(o.file, v.answer.Data)
	}
	source := strings.TrimSuffix(filepath.Base(v.file), filepath.Ext(v.file))
	if v.file == "-" {
		source = "stdin"
	}
	name, extension := source+"-"+v.answer.TargetFormat, filepath.Ext(v.answer.Filename)
	for i := 2; o.taken[name]; i++ {
		name = fmt.Sprintf("%s-%s-%d", source, v.answer.TargetFormat, i)
	}
	o.taken[name] = true
	file := filepath.Join(o.folder, name+extension)
	return file, o.m.write(file, v.answer.Data)
}
