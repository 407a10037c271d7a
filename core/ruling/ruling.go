// Package ruling judges one document by the plan that rulebooks have for it, and says what came of it in the entries of the
// API: schema first, then the rules of each rulebook, each finding with the member of the invoice that it is about.
package ruling

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/schematron"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xsd"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/progress"
	"github.com/einvoiced/einvoiced/core/rulebook"
)

// The ids of findings that have none of their own (contract, embedded findings).
const (
	SchemaRule      = finding.SchemaViolation // an offence against the XML Schema
	AnonymousAssert = finding.AssertWithoutID // an assert without id
	AnonymousReport = finding.ReportWithoutID // a report without id
)

// Report is what the rulebooks of a plan say of one document.
type Report struct {
	Findings []Finding // fatal ones and warnings: of the schema, or else of the rulebooks in their order
	NotRun   []NotRun
	Books    []*rulebook.Book // those of the plan
}

// Finding is a rule that fired at one node.
type Finding struct {
	Book     *rulebook.Book
	Rule     string // id of the rule
	House    string // stable code of the API for it
	Severity finding.Severity
	Pending  *Pending // of a fatal rule that only warns yet
	Node     xmltree.Node
	Message  string
	More     int // further nodes at which the rule fired and that are not listed, at the last one that is
}

// NotRun is a rule that could not be evaluated, or a rulebook that could not be applied.
type NotRun struct {
	Reason rulebook.Reason
	What   string // names rulebook and rule
	Why    string
}

// nodesListed is how many nodes of one assertion are listed.
const nodesListed = 100

// Judge judges a document by a plan on a day: the rules see its midnight in UTC as the current time. A document that its
// schema refuses is not given to the rules. The error is that of the context.
func Judge(ctx context.Context, plan *rulebook.Plan, doc *xmltree.Document, now time.Time) (*Report, error) {
	j := &judging{plan: plan, doc: doc, now: now.UTC().Truncate(24 * time.Hour), report: &Report{Books: plan.Books}}
	refused, err := j.schemas(ctx)
	if err != nil || refused {
		return j.report, err
	}
	const ofSchemas = 30 // percent
	for i, book := range plan.Books {
		progress.Note(ctx, ofSchemas+(100-ofSchemas)*i/len(plan.Books))
		if err := j.rules(ctx, book); err != nil {
			return nil, err
		}
	}
	progress.Note(ctx, 100)
	return j.report, nil
}

// judging is one run of Judge.
type judging struct {
	plan   *rulebook.Plan
	doc    *xmltree.Document
	now    time.Time
	report *Report
}

func (j *judging) broken(book *rulebook.Book, err error) {
	why := err
	if known, ok := errors.AsType[*rulebook.Error](err); ok {
		why = known.Cause
	}
	j.report.NotRun = append(j.report.NotRun, NotRun{Reason: rulebook.ReasonOf(err), What: "rulebook " + book.Name(), Why: shortened(why.Error())})
}

// schemas asks the first schema that declares the document element; where none does, the first one says so.
func (j *judging) schemas(ctx context.Context) (refused bool, err error) {
	var stranger []Finding
	for _, book := range j.plan.Books {
		schemas, err := book.Schemas()
		if err != nil {
			j.broken(book, err)
			continue
		}
		for _, schema := range schemas {
			findings, applies, err := j.schema(ctx, book, schema)
			if err != nil || applies {
				j.report.Findings = append(j.report.Findings, findings...)
				return len(findings) > 0, err
			}
			if stranger == nil {
				stranger = findings
			}
		}
	}
	j.report.Findings = append(j.report.Findings, stranger...)
	return len(stranger) > 0, nil
}

// schema asks one schema, and tells whether it is for documents with this document element.
func (j *judging) schema(ctx context.Context, book *rulebook.Book, schema rulebook.Schema) (findings []Finding, applies bool, err error) {
	root := j.doc.Root()
	if name := (xmltree.Name{Space: j.doc.Namespace(root), Local: j.doc.Local(root)}); schema.Root != (xmltree.Name{}) && schema.Root != name {
		return nil, false, nil
	}
	violations, err := schema.Validate(ctx, j.doc)
	if err != nil {
		return nil, false, fmt.Errorf("validate by %s: %w", book.Name(), err)
	}
	for _, v := range violations {
		findings = append(findings, Finding{Book: book, Rule: SchemaRule, House: j.house(book, SchemaRule), Severity: finding.Fatal, Node: v.Node, Message: shortened(v.Message)})
	}
	return findings, len(violations) == 0 || violations[0].Kind != xsd.KindRoot, nil
}

// rules asks the rule sets of a rulebook.
func (j *judging) rules(ctx context.Context, book *rulebook.Book) error {
	programs, err := book.Programs()
	if err != nil {
		j.broken(book, err)
		return nil
	}
	for _, program := range programs {
		said, err := program.Evaluate(ctx, j.doc, schematron.EvaluateOptions{Now: j.now, Nodes: nodesListed})
		if err != nil {
			return fmt.Errorf("judge by %s: %w", book.Name(), err)
		}
		for _, fired := range said.Fired {
			j.fired(book, fired)
		}
		for _, n := range said.NotRun {
			j.report.NotRun = append(j.report.NotRun, NotRun{Reason: rulebook.TransformFailed,
				What: "rule " + n.Assertion.Key + " of rulebook " + book.Name(), Why: shortened(n.Reason)})
		}
	}
	return nil
}

// fired takes up an assertion that fired, unless it only informs.
func (j *judging) fired(book *rulebook.Book, fired schematron.Fired) {
	standing := j.plan.Standing(book, fired.Assertion.Key, fired.Assertion.Severity(), j.now.Format(time.DateOnly))
	if standing.Severity == finding.Information {
		return
	}
	f := Finding{Book: book, Rule: idOf(fired.Assertion), Severity: standing.Severity}
	f.House = j.house(book, f.Rule)
	if p := standing.Pending; p != nil {
		f.Pending = &Pending{From: p.Date, Key: book.Manifest.ID + ":" + fired.Assertion.Key, Spec: p.Spec}
	}
	for i, node := range fired.Nodes {
		f.Node, f.Message = node, shortened(fired.Messages[i])
		if i == len(fired.Nodes)-1 {
			f.More = fired.Count - len(fired.Nodes)
		}
		j.report.Findings = append(j.report.Findings, f)
	}
}

// house is the code of the rulebook that the documents are bound to, which knows the country, else that of the rule's own.
func (j *judging) house(book *rulebook.Book, rule string) string {
	bound := j.plan.Books[len(j.plan.Books)-1]
	return cmp.Or(bound.Manifest.HouseCodes[rule], book.HouseCode(rule))
}

// shortened is the beginning of a message, which may hold any value of the document.
func shortened(message string) string {
	const most = 1_000
	if len(message) <= most {
		return message
	}
	return strings.ToValidUTF8(message[:most], "") + "…"
}

func idOf(a *schematron.Assertion) string {
	switch {
	case a.ID != "":
		return a.ID
	case a.Report:
		return AnonymousReport
	}
	return AnonymousAssert
}

// Pending is the warning phase of a rule.
type Pending struct {
	From string // first day on which the rule is enforced, YYYY-MM-DD
	Key  string // names the rule and the rulebook that announces it
	Spec string // id of the publication that announces it; may be empty
}

// enforced tells whether the finding is an error.
func (f *Finding) enforced(pending bool) bool {
	return f.Severity == finding.Fatal && (f.Pending == nil || pending)
}

// Fires tells whether a rule fired.
func (r *Report) Fires(rule string) bool {
	for i := range r.Findings {
		if r.Findings[i].Rule == rule {
			return true
		}
	}
	return false
}
