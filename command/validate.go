package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/operation"
)

// validateCommand is einvoiced validate.
type validateCommand struct {
	Files []string `arg:"" name:"file" help:"Documents, folders with documents, or - for standard input."`
	formatFlags
	AsOf           string `placeholder:"DATE" help:"Day whose rules judge, such as 2027-01-01; by default today."`
	EnforcePending bool   `help:"Count rules in their warning phase as errors."`
	JSON           bool   `name:"json" xor:"output" help:"Print one line of JSON for each file."`
	SARIF          bool   `name:"sarif" xor:"output" help:"Print a SARIF 2.1.0 report of all files."`
	JUnit          bool   `name:"junit" xor:"output" help:"Print a JUnit XML report of all files."`
	judgingFlags
}

// validated is what came of one file.
type validated struct {
	file   string
	answer *operation.ValidateAnswer
	err    error
}

// fileReport is a report of all files that is written after the last one.
type fileReport interface {
	add(v validated)
	write(w io.Writer) error
}

// Run judges the files on all cores and prints the results in the order of the files.
func (c *validateCommand) Run(m *Main, ctx context.Context) error {
	if err := c.check(); err != nil {
		return err
	}
	service, err := c.open(ctx)
	if err != nil {
		return err
	}
	report := c.report()
	if err := suggest(ctx, service, c.Country, c.Format); err != nil {
		return err
	}
	files, err := documents(c.Files)
	if err != nil {
		return err
	}
	tally := validateTally{total: len(files)}
	err = withProgress(ctx, m, files,
		func(ctx context.Context, file string) validated { return c.judge(ctx, m, service, file) },
		func(v validated) error {
			tally.count(v)
			if report == nil {
				return m.report(c.JSON, v.file, v.err, v)
			}
			report.add(v)
			return nil
		})
	if err == nil && report != nil {
		err = report.write(m.Stdout)
	}
	return errors.Join(err, tally.end(m))
}

// report is nil where each file is printed as soon as it is judged.
func (c *validateCommand) report() fileReport {
	switch {
	case c.SARIF:
		return newSarifReport()
	case c.JUnit:
		return &junitReport{}
	}
	return nil
}

// anyCountry stands for the country of documents that are judged as what they say they are: it chooses nothing then.
const anyCountry = "de"

// judge judges one file.
func (c *validateCommand) judge(ctx context.Context, m *Main, service *operation.Service, file string) validated {
	document, err := m.read(ctx, file)
	if err != nil {
		return validated{file: file, err: err}
	}
	a, err := service.Validate(ctx, operation.ValidateRequest{
		Country: cmp.Or(c.Country, anyCountry), Format: c.Format, Filename: file, Document: document, AsOf: c.AsOf, EnforcePending: c.EnforcePending, Details: c.JSON,
	})
	return validated{file, a, err}
}

// line is the result as one object: the file, then the answer of the API.
func (v validated) line() any {
	return struct {
		File string `json:"file"`
		*operation.ValidateAnswer
	}{v.file, v.answer}
}

// text is the result for people: a line about the document and one for each thing to know.
func (v validated) text(s style) string {
	var books, lines strings.Builder
	for i, b := range v.answer.Rulebooks {
		books.WriteString(map[bool]string{true: ", judged by ", false: " and "}[i == 0] + b.ID + " " + b.Version)
	}
	fmt.Fprintf(&lines, "%s: %s, %s%s; errors: %d, warnings: %d\n", v.file, s.in(v.colour(), v.verdict()), v.format(), &books, len(v.answer.Errors), len(v.answer.Warnings))
	for _, f := range v.answer.Errors {
		fmt.Fprintf(&lines, "  %s: %s: %s\n", s.in(red, "error"), s.in(bold, ruleOf(f)), f.Message)
	}
	for _, f := range v.answer.Warnings {
		fmt.Fprintf(&lines, "  %s: %s: %s\n", s.in(yellow, "warning"), s.in(bold, ruleOf(f)), f.Message)
	}
	return lines.String()
}

// verdict is the result in words.
func (v validated) verdict() string {
	switch {
	case v.answer.Valid:
		return "valid"
	case v.unchecked():
		return "not checked in full"
	}
	return "not valid"
}

// colour is that of the verdict.
func (v validated) colour() string {
	switch {
	case v.answer.Valid:
		return green
	case v.unchecked():
		return yellow
	}
	return red
}

// unchecked tells whether all that speaks against the document is that it could not be checked.
func (v validated) unchecked() bool {
	for _, f := range v.answer.Errors {
		if f.Code != finding.ValidationNotRun {
			return false
		}
	}
	return true
}

// format is the detected format, else "unknown format".
func (v validated) format() string {
	if d := v.answer.Detection; d != nil && d.Format != "" {
		return d.Format
	}
	return "unknown format"
}

// ruleOf names the rule of a finding, else its code.
func ruleOf(f finding.Finding) string { return cmp.Or(f.Rule, f.Code) }

// notRead is the code of files that could not be read at all.
const notRead = "NOT_READ"

// refusalFinding is why a file has no verdict, as a finding.
func refusalFinding(err error) finding.Finding {
	r, ok := errors.AsType[*finding.Refusal](err)
	switch {
	case !ok:
		return finding.Finding{Code: notRead, Message: err.Error()}
	case len(r.Errors) > 0:
		return r.Errors[0]
	}
	return finding.Finding{Code: cmp.Or(r.Code, r.Word, notRead), Message: r.Message, Field: r.Field}
}
