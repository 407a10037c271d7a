package validate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/schematron"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/rulebook"
)

// Set is what documents are judged by. It is safe for concurrent use as long as it is not changed.
type Set struct {
	Schemas []rulebook.Schema     // the first one for the document element judges
	Rules   []*schematron.Program // judge in this order, each on its own, whatever the schema says
}

// Verdict is what a Set says of a document.
type Verdict struct {
	XSD        *Validity     `json:"xsd,omitzero"` // nil where the set has no schema
	Schematron []FiredRule   `json:"schematron"`   // in the order of the rule sets, then of their rules
	NotRun     []SkippedRule `json:"notRun"`       // in the same order
}

// FiredRule is a rule that fired. Assertions of one rule set that share id, flag and role are one rule.
type FiredRule struct {
	ID       string `json:"id"`       // schematron.Assertion.Key: assertions without id have one that begins with ~
	Flag     string `json:"flag"`     // as the rule set words it
	Role     string `json:"role"`     // the same
	Location string `json:"location"` // XPath of the first node, as xmltree.Locator gives it
	Message  string `json:"message"`  // at the first node
	Count    int    `json:"count"`    // nodes at which it fired

	Severity finding.Severity `json:"-"` // rank of flag and role
	node     xmltree.Node
}

// Level is the flag, else the role, else empty.
func (f *FiredRule) Level() string {
	if f.Flag != "" {
		return f.Flag
	}
	return f.Role
}

// SkippedRule is a rule that could not be evaluated.
type SkippedRule struct {
	ID     string `json:"id"`     // as in FiredRule; Everything when the document could not be read
	Code   string `json:"code"`   // of the error: of XPath and XSLT, such as FORG0001, or of xmltree; empty where there is none
	Reason string `json:"reason"` // for people
}

// Everything stands for the id of each schema and rule.
const Everything = "*"

// Valid tells whether nothing speaks against the document: the schema
// accepts it, there is no fatal finding, and every rule was evaluated.
func (v *Verdict) Valid() bool {
	for _, f := range v.Schematron {
		if f.Severity == finding.Fatal {
			return false
		}
	}
	return len(v.NotRun) == 0 && (v.XSD == nil || v.XSD.Valid)
}

// Judge judges a document as it came, at a time that only rules about the current date see. A document that is no
// well-formed XML, or beyond the parser's limits, has the verdict that nothing was run. The error is that of the context.
func (s *Set) Judge(ctx context.Context, parser *xmltree.Parser, source []byte, now time.Time) (*Verdict, error) {
	doc, err := parser.Parse(source)
	if err != nil {
		return s.Unread(err), nil
	}
	v, err := s.Document(ctx, doc, now)
	doc.Release()
	return v, err
}

// Unread is the verdict on a document that the parser refused.
func (s *Set) Unread(err error) *Verdict {
	n := SkippedRule{ID: Everything, Reason: err.Error()}
	fault, ok := errors.AsType[*xmltree.Error](err)
	if ok {
		n.Code = string(fault.Code)
	} else {
		fault = &xmltree.Error{Message: err.Error()}
	}
	v := &Verdict{Schematron: []FiredRule{}, NotRun: []SkippedRule{n}}
	if len(s.Schemas) > 0 {
		v.XSD = &Validity{Errors: []Violation{{Kind: kindNotWellFormed, Line: fault.Line, Column: fault.Column, Message: fault.Message}}}
	}
	return v
}

// loose is a Set as a source of a pass.
type loose struct{ set *Set }

// Schemas gives those of the set.
func (l loose) Schemas() ([]rulebook.Schema, error) { return l.set.Schemas, nil }

// Programs gives the rules of the set.
func (l loose) Programs() ([]*schematron.Program, error) { return l.set.Rules, nil }

// Document judges a parsed document, as Judge does. The verdict holds nothing of the document.
func (s *Set) Document(ctx context.Context, doc *xmltree.Document, now time.Time) (*Verdict, error) {
	p := &pass{sources: []source{loose{s}}, doc: doc}
	if err := p.askSchemas(ctx); err != nil {
		return nil, fmt.Errorf("judge: %w", err)
	}
	if err := p.askRules(ctx, schematron.EvaluateOptions{Now: now}); err != nil {
		return nil, fmt.Errorf("judge: %w", err)
	}
	return p.verdict(), nil
}

// verdict gives what was found in the form of a Verdict.
func (p *pass) verdict() *Verdict {
	v := &Verdict{XSD: p.validity(), Schematron: slices.Grow([]FiredRule{}, len(p.fired)), NotRun: []SkippedRule{}}
	from, ruleSet := 0, 0
	for _, fired := range p.fired {
		if fired.ruleSet != ruleSet {
			from, ruleSet = len(v.Schematron), fired.ruleSet
		}
		v.rule(from, fired.Assertion).merge(fired.Fired)
	}
	locator := xmltree.NewLocator(p.doc)
	for i := range v.Schematron {
		v.Schematron[i].Location = locator.Path(v.Schematron[i].node)
	}
	for _, g := range p.gaps {
		v.NotRun = append(v.NotRun, SkippedRule{ID: g.rule.Assertion.Key, Code: g.rule.Code, Reason: strings.TrimPrefix(g.rule.Reason, g.rule.Code+": ")})
	}
	return v
}

// rule gives the finding of the rule of an assertion among those from the given one on, a new one if there is none: few rules fire
// on one document.
func (v *Verdict) rule(from int, a *schematron.Assertion) *FiredRule {
	for i := from; i < len(v.Schematron); i++ {
		if f := &v.Schematron[i]; f.ID == a.Key && f.Flag == a.Flag && f.Role == a.Role {
			return f
		}
	}
	v.Schematron = append(v.Schematron, FiredRule{ID: a.Key, Flag: a.Flag, Role: a.Role, Severity: a.Severity(), node: xmltree.None})
	return &v.Schematron[len(v.Schematron)-1]
}

// merge counts an assertion; the one that fired first in the document gives place and message. A rule without a place yet has
// None, which lies behind every node.
func (f *FiredRule) merge(fired schematron.Fired) {
	f.Count += fired.Count
	if node := fired.Nodes[0]; node < f.node {
		f.node, f.Message = node, fired.Messages[0]
	}
}
