// Package schematron reads ISO Schematron rule sets (ISO/IEC 19757-3, query binding xslt2) into one model, from their sources
// or from the XSLT 2.0 that the ISO Schematron skeleton made of them.
//
// A Ruleset is what is left when includes, abstract patterns, abstract rules and parameters are resolved. Expressions are kept
// as text, each with the prefixes it may use and the place it comes from. Rule sets come from outside: reading stays inside one
// file system, obeys limits, and refuses what it does not know, naming file, line and what was expected.
package schematron

import (
	"fmt"
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/finding"
)

// A Ruleset is one rule set. It is not changed after Read and may be shared.
//
// What evaluates it follows the skeleton: each pattern goes through the document node, all elements and all attributes of a
// document, in document order, and each of these nodes fires the first rule of the pattern whose context matches it. Text,
// comments and processing instructions fire nothing. A stylesheet may leave out attributes: see Pattern.ElementsOnly.
type Ruleset struct {
	Title      string
	Compiled   bool        // read from XSLT, which holds the patterns of one phase and no names of phases
	Files      []string    // the files read, the entry file first
	Lets       []Let       // seen everywhere, functions included; evaluated at the document node
	Functions  []*Function // functions that expressions may call
	Patterns   []*Pattern  // in the order of the source, abstract ones resolved; see Active
	Phases     []Phase
	Default    string // the phase that holds unless another is asked for; empty for all patterns
	Namespaces *Scope // what expressions outside functions may use
	Ambiguous  []Ambiguous
}

// Ambiguous is a parameter to which a pattern gives a further value that differs from the one before: Options.LastParameter decides
// which of them counts.
type Ambiguous struct {
	Name string
	Place
}

// AllPatterns is the name of the phase that holds all patterns (ISO/IEC 19757-3, 5.4.12).
const AllPatterns = "#ALL"

// Active gives the patterns of a phase in the order of the source, and the variables that the phase declares. The empty name
// stands for the rule set's own choice. The error says which phases there are.
func (r *Ruleset) Active(phase string) ([]*Pattern, []Let, error) {
	if phase == "" {
		phase = r.Default
	}
	if phase == "" || phase == AllPatterns {
		return r.Patterns, nil, nil
	}
	at := slices.IndexFunc(r.Phases, func(p Phase) bool { return p.ID == phase })
	if at < 0 {
		return nil, nil, fmt.Errorf("choose phase %q: the rule set has the phases %q", phase, r.phaseNames())
	}
	var active []*Pattern
	for _, p := range r.Patterns {
		if p.ID != "" && slices.Contains(r.Phases[at].Active, p.ID) {
			active = append(active, p)
		}
	}
	return active, r.Phases[at].Lets, nil
}

func (r *Ruleset) phaseNames() []string {
	names := make([]string, 0, len(r.Phases)+1)
	for _, p := range r.Phases {
		names = append(names, p.ID)
	}
	return append(names, AllPatterns)
}

// Phase is a selection of patterns (ISO/IEC 19757-3, 5.4.12). It may name patterns that are not there.
type Phase struct {
	ID     string
	Active []string // ids of patterns
	Lets   []Let
}

// Pattern is a group of rules.
type Pattern struct {
	ID string // empty when it has none
	// Lets are evaluated at the document node. By the standard they are seen in the pattern only (ISO/IEC 19757-3, 5.4.6); the
	// skeleton makes global variables of them, and rule sets lean on that: XRechnung has a pattern of nothing but variables.
	Lets  []Let
	Rules []*Rule // in the order in which they are tried
	// ElementsOnly leaves out the attributes of elements that no rule matches: some stylesheets do not go on to them, so that rules
	// with attributes as context never run. No schema says so.
	ElementsOnly bool
	Place
}

// Rule holds assertions on the nodes that match its context.
type Rule struct {
	Context    Expression // matched from any node upwards, as a pattern of XSLT is
	ID         string
	Flag       string // says nothing on the assertions: the skeleton does not hand it down
	Role       string // the same
	Lets       []Let  // evaluated at the node; each sees those before it
	Assertions []*Assertion
	// ElementsOnly leaves out the attributes of elements that the rule matches, as Pattern.ElementsOnly does.
	ElementsOnly bool
}

// Assertion is an assert, which fires when its test is false, or a report, which fires when its test is true.
type Assertion struct {
	Key         string // ID, or what AnonymousID gives for assertions without
	ID          string // empty when it has none; several assertions may share one
	Flag        string
	Role        string
	Report      bool
	Test        Expression
	Message     []Part
	Diagnostics []Diagnostic
	Scope       int // how many of the rule's Lets the assertion sees: those above it
}

// Level is the severity as the rule set words it: the flag, else the role, else empty.
func (a *Assertion) Level() string {
	if a.Flag != "" {
		return a.Flag
	}
	return a.Role
}

// levels are the words for severities below fatal that the official rule sets and their forerunners use.
var levels = map[string]finding.Severity{
	"warning": finding.Warning, "warn": finding.Warning,
	"information": finding.Information, "info": finding.Information,
}

// Severity ranks the assertion: Level as a severity, fatal for words that are not known and where there is none.
func (a *Assertion) Severity() finding.Severity {
	if s, known := levels[a.Level()]; known {
		return s
	}
	return finding.Fatal
}

// Diagnostic is a further text for an assertion that fired.
type Diagnostic struct {
	ID      string
	Message []Part
}

// Part is a piece of a message: Text, or where Select has a text, the value of that expression. The white space of texts is
// collapsed; the ends of a message have none.
type Part struct {
	Text   string
	Select Expression
}

// IsText tells whether the part is literal text.
func (p Part) IsText() bool { return p.Select.Text == "" }

// Let declares a variable.
type Let struct {
	Name  string
	As    string // sequence type; empty for any value
	Value Expression
}

// Expression is an XPath 2.0 expression as text.
type Expression struct {
	Text  string
	Scope *Scope
	Place // File is also the base of relative references such as document('codes.xml')
}

// Place is where something stands in the source.
type Place struct {
	File string // path within the file system given to Read
	Line int    // from 1
}

// String gives the place as file:line.
func (p Place) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// Scope holds the namespaces that expressions at one place may use.
type Scope struct {
	Prefixes       map[string]string // prefix to namespace name
	DefaultElement string            // namespace of names of elements without prefix; empty for none
}

// expand gives the expanded name for a lexical name; ok is false for an undeclared prefix and for no name at all.
func (s *Scope) expand(name string) (expanded xmltree.Name, ok bool) {
	prefix, local, qualified := cutName(name)
	if !qualified {
		return xmltree.Name{Local: name}, name != ""
	}
	uri, ok := s.Prefixes[prefix]
	return xmltree.Name{Space: uri, Local: local}, ok && local != ""
}
