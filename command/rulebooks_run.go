package command

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/validate"
)

// rulebooksRun is einvoiced rulebooks run.
type rulebooksRun struct {
	Documents  []string `arg:"" name:"doc" help:"Documents, or - for standard input."`
	Schematron []string `placeholder:"FILE" sep:"none" help:"Entry file of Schematron rules, a source or an XSLT made of one. May be repeated."`
	XSD        []string `name:"xsd" placeholder:"FILE" sep:"none" help:"Entry file of an XML Schema. May be repeated; the first one that declares the document element judges."`
	JSON       bool     `name:"json" help:"Print one line of JSON for each document."`
	clockFlag
}

// judged is what came of one document.
type judged struct {
	file    string
	verdict *validate.Verdict
	err     error
}

// Run judges the documents on all cores and prints the verdicts in the order of the documents.
func (c *rulebooksRun) Run(m *Main, ctx context.Context) error {
	rules := &ruleFiles{}
	defer rules.close()
	if err := c.load(rules); err != nil {
		return err
	}
	parser, err := xmltree.NewParser(xmltree.Options{})
	if err != nil {
		return err
	}
	now := c.time()
	tally := verdictTally{total: len(c.Documents)}
	err = withProgress(ctx, m, c.Documents,
		func(ctx context.Context, file string) judged { return m.judge(ctx, parser, &rules.set, file, now) },
		func(j judged) error {
			tally.count(j.err, j.err == nil && j.verdict.Valid())
			return c.print(m, j)
		})
	return errors.Join(err, tally.err())
}

func (c *rulebooksRun) load(rules *ruleFiles) error {
	if len(c.Schematron)+len(c.XSD) == 0 {
		return &failure{code: exitUsage, cause: errors.New("there are no rules"), hint: "name rules with --schematron, a schema with --xsd"}
	}
	for _, name := range c.XSD {
		if err := rules.addSchema(name); err != nil {
			return err
		}
	}
	for _, name := range c.Schematron {
		if err := rules.addRules(name); err != nil {
			return err
		}
	}
	return nil
}

// judge reads and judges one document.
func (m *Main) judge(ctx context.Context, parser *xmltree.Parser, set *validate.Set, file string, now time.Time) judged {
	document, err := m.read(ctx, file)
	if err != nil {
		return judged{file: file, err: err}
	}
	v, err := set.Judge(ctx, parser, document, now)
	return judged{file, v, err}
}

// print reports one verdict.
func (c *rulebooksRun) print(m *Main, j judged) error { return m.report(c.JSON, j.file, j.err, j) }

// line is the verdict as one object: the file, then the verdict.
func (j judged) line() any {
	return struct {
		File string `json:"file"`
		*validate.Verdict
	}{j.file, j.verdict}
}

// severityNames are the severities for people.
var severityNames = map[finding.Severity]string{finding.Fatal: "fatal", finding.Warning: "warning", finding.Information: "information"}

// text is the verdict for people: a line about the document and one for each thing to know.
func (j judged) text(style) string {
	counts := map[finding.Severity]int{}
	for _, f := range j.verdict.Schematron {
		counts[f.Severity]++
	}
	valid, schema := map[bool]string{true: "valid", false: "not valid"}[j.verdict.Valid()], ""
	if x := j.verdict.XSD; x != nil {
		schema = fmt.Sprintf(" against the schema: %d,", len(x.Errors))
	}
	return fmt.Sprintf("%s: %s,%s fatal: %d, warnings: %d, information: %d, not run: %d\n%s", j.file, valid, schema,
		counts[finding.Fatal], counts[finding.Warning], counts[finding.Information], len(j.verdict.NotRun), j.details())
}

// details has a line for each thing to know.
func (j judged) details() string {
	var lines strings.Builder
	if j.verdict.XSD != nil {
		for _, x := range j.verdict.XSD.Errors {
			fmt.Fprintf(&lines, "  schema: %s at %s (line %d, column %d): %s\n", x.Kind, x.Location, x.Line, x.Column, x.Message)
		}
	}
	for _, f := range j.verdict.Schematron {
		times := ""
		if f.Count > 1 {
			times = fmt.Sprintf(" (first of %d)", f.Count)
		}
		fmt.Fprintf(&lines, "  %s: %s at %s%s: %s\n", severityNames[f.Severity], f.ID, f.Location, times, f.Message)
	}
	for _, n := range j.verdict.NotRun {
		fmt.Fprintf(&lines, "  not run: %s: %s\n", n.ID, strings.TrimSpace(n.Code+" "+n.Reason))
	}
	return lines.String()
}

// verdictTally counts the documents that are not valid, and those without a verdict.
type verdictTally struct{ total, invalid, failed, code int }

func (t *verdictTally) count(err error, valid bool) {
	switch {
	case err != nil:
		t.failed++
		t.code = max(t.code, failureOf(err).code)
	case !valid:
		t.invalid++
		t.code = max(t.code, exitInvalid)
	}
}

// err is the failure of the whole run, already told document by document.
func (t *verdictTally) err() error {
	switch {
	case t.failed > 0:
		return &failure{code: t.code, cause: fmt.Errorf("%d of %d documents could not be judged", t.failed, t.total), told: t.total == 1, listed: true}
	case t.invalid > 0:
		return &failure{code: t.code, cause: fmt.Errorf("%d of %d documents are not valid", t.invalid, t.total), told: t.total == 1, listed: true}
	}
	return nil
}
