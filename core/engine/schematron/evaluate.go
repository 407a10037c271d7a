package schematron

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xpath"
)

// EvaluateOptions of Evaluate. The zero value is the default.
type EvaluateOptions struct {
	Now   time.Time // the clock of fn:current-dateTime. Default: 1970-01-01T00:00:00Z
	Nodes int       // nodes kept for each assertion that fired, with their messages; all are counted. Default: 100
	Steps int       // work on the document, as in xpath.Config. Default: the same as there
}

// Verdict is what a rule set says of a document.
type Verdict struct {
	Fired  []Fired  // in the order of the rule set
	NotRun []NotRun // assertions that could not be evaluated, at the first node where that came out
	Steps  int      // work on the document, of which EvaluateOptions.Steps is the bound
}

// Fired is an assertion that fired.
type Fired struct {
	Assertion *Assertion
	Count     int            // nodes at which it fired
	Nodes     []xmltree.Node // the first of them
	Messages  []string       // for each of Nodes
}

// NotRun is an assertion that could not be evaluated.
type NotRun struct {
	Assertion *Assertion
	Code      string // of the error, e.g. FORG0001; empty where it is none of the language
	Reason    string
	Node      xmltree.Node // None when it cannot be evaluated anywhere
}

// Evaluate judges a document. Assertions that cannot be evaluated are listed in the verdict; the error is that of the context,
// or an option out of range. After an error the working memory is not kept for the next document: it holds what the
// unfinished run has counted.
func (p *Program) Evaluate(ctx context.Context, doc *xmltree.Document, opt EvaluateOptions) (*Verdict, error) {
	r, err := p.take(opt)
	if err != nil {
		return nil, err
	}
	r.machine.Start(ctx, doc)
	r.doc = doc
	clear(r.matched)
	if err := p.selector.Each(r.machine, r.fire); err != nil {
		return nil, fmt.Errorf("evaluate rules: %w", err)
	}
	verdict := r.verdict()
	verdict.Steps = r.machine.Spent()
	r.machine.Finish()
	r.doc = nil
	p.idle.Put(r)
	return verdict, nil
}

// run is the working memory of one evaluation at a time.
type run struct {
	program  *Program
	machine  *xpath.Machine
	doc      *xmltree.Document
	opt      EvaluateOptions
	matched  []matched // by pattern: the element matched last
	outcomes []xpath.Outcome
	fired    []*tally  // by number of the assertion
	failed   []*NotRun // the same
	touched  []int     // numbers of the assertions that have any of the two
}

// matched is a node that a rule matched; the zero value is none. One for each pattern will do: attributes follow their
// element in document order, so that it is the last one matched.
type matched struct {
	node xmltree.Node
	rule *ruleProgram
}

// take gives working memory: used memory when the clock is the same. A machine has its clock and its bound of steps for life.
func (p *Program) take(opt EvaluateOptions) (*run, error) {
	if opt.Nodes == 0 {
		opt.Nodes = 100
	}
	if r, ok := p.idle.Get().(*run); ok && r.opt.Now.Equal(opt.Now) && r.opt.Steps == opt.Steps {
		r.opt = opt
		return r, nil
	}
	machine, err := p.xpath.NewMachine(xpath.Config{Now: opt.Now, Steps: opt.Steps, Load: p.files.load})
	if err != nil {
		return nil, fmt.Errorf("prepare evaluation: %w", err)
	}
	return &run{program: p, machine: machine, opt: opt, matched: make([]matched, len(p.patterns)),
		fired: make([]*tally, p.count), failed: make([]*NotRun, p.count)}, nil
}

// fire runs of each pattern the first rule that matches the node. A context that cannot be evaluated does not match: that is
// what processors make of an error in a match pattern (XSLT 2.0, 5.5.4), and official verdicts rest on it.
func (r *run) fire(n xmltree.Node, matches []xpath.Match) error {
	attribute := r.doc.Kind(n) == xmltree.KindAttribute
	for _, match := range matches {
		if match.Err != nil || attribute && r.leavesOut(match.Group, n) {
			continue
		}
		rule := r.program.patterns[match.Group].rules[match.Index]
		if !attribute {
			r.matched[match.Group] = matched{n, rule}
		}
		if err := r.rule(rule, n); err != nil {
			return err
		}
	}
	return nil
}

// leavesOut tells whether a pattern does not come to an attribute.
func (r *run) leavesOut(pattern int, attribute xmltree.Node) bool {
	if last := r.matched[pattern]; last.rule != nil && last.node == r.doc.Parent(attribute) {
		return last.rule.rule.ElementsOnly
	}
	return r.program.patterns[pattern].elementsOnly
}

// rule makes the tests of a rule.
func (r *run) rule(rule *ruleProgram, n xmltree.Node) error {
	var err error
	r.outcomes, err = rule.group.Run(r.machine, n, r.outcomes[:0])
	if err != nil {
		return err
	}
	for _, o := range r.outcomes {
		a := rule.tests[o.Index]
		if o.Err != nil {
			r.fail(a, n, o.Err)
			continue
		}
		r.hit(a, n)
	}
	return nil
}

// fail notes that an assertion could not be evaluated. Its first error is kept; the others are mostly the same at other
// nodes.
func (r *run) fail(a *assertionProgram, n xmltree.Node, err error) {
	if r.failed[a.number] == nil {
		r.touched = append(r.touched, a.number)
		r.failed[a.number] = &NotRun{Assertion: a.assertion, Code: xpath.Code(err), Reason: err.Error(), Node: n}
	}
}

// tally is a Fired with room for one node, which is what most have.
type tally struct {
	Fired
	node    [1]xmltree.Node
	message [1]string
}

func newTally(a *Assertion) *tally {
	f := &tally{Fired: Fired{Assertion: a}}
	f.Nodes, f.Messages = f.node[:0], f.message[:0]
	return f
}

// hit counts a firing and keeps the first nodes with their messages.
func (r *run) hit(a *assertionProgram, n xmltree.Node) {
	f := r.fired[a.number]
	if f == nil {
		f = newTally(a.assertion)
		r.touched = append(r.touched, a.number)
		r.fired[a.number] = f
	}
	f.Count++
	if len(f.Nodes) < r.opt.Nodes {
		f.Nodes = append(f.Nodes, n)
		f.Messages = append(f.Messages, r.message(a, n))
	}
}

// message composes the text at a node. A value that cannot be evaluated is left out, and the assertion counts as not run, too:
// official processors give no verdict then.
func (r *run) message(a *assertionProgram, n xmltree.Node) string {
	if len(a.message) == 0 {
		return a.text
	}
	var text strings.Builder
	value := 0
	for _, part := range a.assertion.Message {
		if part.IsText() {
			text.WriteString(part.Text)
			continue
		}
		if e := a.message[value]; e != nil {
			s, err := e.Text(r.machine, n)
			if err != nil {
				r.fail(a, n, err)
			}
			text.WriteString(s)
		}
		value++
	}
	return text.String()
}

// verdict collects the outcome and clears the memory for the next evaluation. Numbers are given in the order of the rule
// set. One that stands twice among the touched, for an assertion that fired here and failed there, has nothing left the
// second time.
func (r *run) verdict() *Verdict {
	v := &Verdict{NotRun: slices.Clone(r.program.broken)}
	slices.Sort(r.touched)
	v.Fired = make([]Fired, 0, len(r.touched))
	for _, number := range r.touched {
		if f := r.fired[number]; f != nil {
			v.Fired = append(v.Fired, f.Fired)
			r.fired[number] = nil
		}
		if f := r.failed[number]; f != nil {
			v.NotRun = append(v.NotRun, *f)
			r.failed[number] = nil
		}
	}
	r.touched = r.touched[:0]
	return v
}
