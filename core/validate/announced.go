package validate

import (
	"context"
	"slices"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/schematron"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/rulebook"
)

// announced adds what the rulebooks that are announced say of the document and those in force do not: fatal findings that warn until
// the rulebook is in force. A document that a schema refuses is not given to them. What they cannot evaluate says nothing yet.
func (j *judging) announced(ctx context.Context, doc *xmltree.Document) error {
	if slices.ContainsFunc(j.report.Findings, func(f Finding) bool { return f.Rule == SchemaRule && f.Pending == nil }) {
		return nil
	}
	for _, next := range j.plan.Next {
		found, err := j.next(ctx, next, doc)
		if err != nil {
			return err
		}
		for _, f := range found {
			if !j.known(&f) {
				j.report.Findings = append(j.report.Findings, f)
			}
		}
	}
	return nil
}

// next gives the fatal findings of one announced rulebook, as pending ones.
func (j *judging) next(ctx context.Context, next rulebook.Announced, doc *xmltree.Document) ([]Finding, error) {
	from := next.Book.Manifest.Valid.From
	day, err := time.Parse(time.DateOnly, from)
	if err != nil {
		return nil, err
	}
	then := &judging{plan: &rulebook.Plan{Binding: next.Plan.Binding, Books: []*rulebook.Book{next.Book}}, now: day, report: &Report{}}
	p := &pass{doc: doc, sources: []source{next.Book}}
	if err := p.askSchemas(ctx); err != nil {
		return nil, err
	}
	if !p.refused() {
		if err := p.askRules(ctx, schematron.EvaluateOptions{Now: j.now, Nodes: nodesListed}); err != nil {
			return nil, err
		}
	}
	then.take(p)
	var pending []Finding
	for _, f := range then.report.Findings {
		if f.Severity != finding.Fatal {
			continue
		}
		if f.Pending == nil {
			f.Pending = &Pending{From: from, Key: next.Book.Manifest.ID + ":" + keyOf(&f), Spec: next.Book.Name()}
		}
		pending = append(pending, f)
	}
	return pending, nil
}

// known tells whether the report has a fatal finding of the rule at the same place.
func (j *judging) known(f *Finding) bool {
	return slices.ContainsFunc(j.report.Findings, func(other Finding) bool {
		return other.Severity == finding.Fatal && other.Node == f.Node && keyOf(&other) == keyOf(f)
	})
}

// keyOf is the key of the assertion; that of the schema is the id of its findings.
func keyOf(f *Finding) string {
	if f.key != "" {
		return f.key
	}
	return f.Rule
}
