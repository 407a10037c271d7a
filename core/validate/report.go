// Package validate judges documents: schema first, then the rules of each rulebook. By the plan that rulebooks have for a document it
// makes a Report, whose findings become the entries of the API with the member of the invoice that each is about; by a Set of rules it
// makes a Verdict, one entry for each rule, which can be printed and compared with the verdicts of the official processors.
//
// Both come from one pass (pass.go): it asks the schemas until one is for the document element, then the programs of
// Schematron, and keeps what they said. Judge makes a Report of it, in which rules have the severity and the warning phase
// that the plan gives them on that day. Report.Entries makes the answer, for which a Placer names the member of the invoice,
// or the place in the document.
package validate

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/schematron"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xsd"
	"github.com/einvoiced/einvoiced/core/finding"
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
	More     int      // further nodes at which the rule fired and that are not listed, at the last one that is
	lacking  []string // of the schema: elements that may come at the place of the node, or in it
	within   bool     // they may come in the node
	key      string   // of the assertion: that of rules without id differs from Rule; empty for the schema
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
	j := &judging{plan: plan, now: now.UTC().Truncate(24 * time.Hour), report: &Report{Books: plan.Books}}
	p := &pass{doc: doc}
	for _, book := range plan.Books {
		p.sources = append(p.sources, book)
	}
	if err := p.askSchemas(ctx); err != nil {
		return j.report, err
	}
	if !p.refused() {
		if err := p.askRules(ctx, schematron.EvaluateOptions{Now: j.now, Nodes: nodesListed}); err != nil {
			return nil, err
		}
	}
	j.take(p)
	return j.report, j.announced(ctx, doc)
}

// judging makes the report of one pass.
type judging struct {
	plan   *rulebook.Plan
	now    time.Time
	report *Report
}

// take takes up what a pass found.
func (j *judging) take(p *pass) {
	said := p.schemaSaid()
	for _, v := range said.violations {
		book := j.plan.Books[said.source]
		j.report.Findings = append(j.report.Findings, Finding{Book: book, Rule: SchemaRule, House: j.house(book, SchemaRule), Severity: finding.Fatal, Node: v.Node, Message: shortened(v.Message),
			lacking: v.Expected, within: v.Kind == xsd.KindMissingChild})
	}
	for _, fired := range p.fired {
		j.fired(j.plan.Books[fired.source], fired.Fired)
	}
	for _, g := range p.gaps {
		book := j.plan.Books[g.source]
		if g.broken != nil {
			j.broken(book, g.broken)
			continue
		}
		j.report.NotRun = append(j.report.NotRun, NotRun{Reason: rulebook.TransformFailed,
			What: "rule " + g.rule.Assertion.Key + " of rulebook " + book.Name(), Why: shortened(g.rule.Reason)})
	}
}

func (j *judging) broken(book *rulebook.Book, err error) {
	why := err
	if known, ok := errors.AsType[*rulebook.Error](err); ok {
		why = known.Cause
	}
	j.report.NotRun = append(j.report.NotRun, NotRun{Reason: rulebook.ReasonOf(err), What: "rulebook " + book.Name(), Why: shortened(why.Error())})
}

// fired takes up an assertion that fired, unless it only informs.
func (j *judging) fired(book *rulebook.Book, fired schematron.Fired) {
	standing := j.plan.Standing(book, fired.Assertion.Key, fired.Assertion.Severity(), j.now.Format(time.DateOnly))
	if standing.Severity == finding.Information {
		return
	}
	f := Finding{Book: book, Rule: idOf(fired.Assertion), Severity: standing.Severity, key: fired.Assertion.Key}
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

// Enforce makes errors of the warnings of some rules.
func (r *Report) Enforce(rules []string) {
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Severity == finding.Warning && slices.Contains(rules, f.Rule) {
			f.Severity = finding.Fatal
		}
	}
}

// Arrange puts the findings in the order of the turns of their rules, which may have a first business term that they are about; those of the
// same turn stay as they are.
func (r *Report) Arrange(turn func(rule, term string) int) {
	at := func(f *Finding) int {
		s := f.subject()
		if terms := slices.Concat(s.Terms, s.Named); len(terms) > 0 {
			return turn(f.Rule, strings.TrimLeft(terms[0], "+-"))
		}
		return turn(f.Rule, "")
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return at(&a) - at(&b) })
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
