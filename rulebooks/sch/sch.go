// Package sch writes ISO Schematron (ISO/IEC 19757-3, query binding xslt2): the form in which tables of rules become rulebooks.
package sch

import (
	"strings"

	"github.com/einvoiced/einvoiced/rulebooks/markup"
)

// Schema is a Schematron schema.
type Schema struct {
	Comment    string // first lines of the file, for people
	Title      string
	Namespaces []Namespace
	Lets       []Let
	Includes   []string // href of files that hold a pattern each
	Patterns   []Pattern
}

// Namespace binds a prefix for the expressions of the schema.
type Namespace struct{ Prefix, URI string }

// Let is a variable: an XPath expression, evaluated when first asked for.
type Let struct{ Name, Value string }

// CodeList is a variable with codes. A value is looked up in it as in a set where an expression asks whether it = the variable.
// Codes hold neither blanks nor apostrophes.
func CodeList(name string, codes []string) Let {
	return Let{name, "tokenize('" + strings.Join(codes, " ") + "', ' ')"}
}

// Pattern is a pattern: of its rules the first one whose context matches a node judges it.
type Pattern struct {
	ID         string
	Abstract   bool   // to be used through IsA
	IsA        string // id of the abstract pattern that this one makes concrete with Parameters
	Parameters []Let
	Lets       []Let
	Rules      []Rule
}

// Rule is a context with its assertions.
type Rule struct {
	Comment    string // for people
	Context    string // XPath pattern
	Lets       []Let
	Assertions []Assertion
}

// Assertion is an assert, or a report.
type Assertion struct {
	ID     string
	Flag   string // fatal, warning, information; empty: none
	Report bool   // fires when Test is true
	Test   string // XPath expression
	Text   string // message; {expression} in it is a value-of. Literal braces do not occur.
}

// namespace is that of ISO Schematron.
const namespace = "http://purl.oclc.org/dsdl/schematron"

// Bytes gives the schema as a file: UTF-8, an element a line.
func (s *Schema) Bytes() []byte {
	w := markup.NewWriter(s.Comment)
	w.Open("schema", "xmlns", namespace, "queryBinding", "xslt2")
	if s.Title != "" {
		w.Around(markup.Text(s.Title), "title")
	}
	for _, n := range s.Namespaces {
		w.Empty("ns", "prefix", n.Prefix, "uri", n.URI)
	}
	lets(w, "let", s.Lets)
	for _, href := range s.Includes {
		w.Empty("include", "href", href)
	}
	for i := range s.Patterns {
		s.Patterns[i].write(w, "")
	}
	w.Close("schema")
	return w.Bytes()
}

// Bytes gives the pattern as a file of its own, to be included.
func (p *Pattern) Bytes(comment string) []byte {
	w := markup.NewWriter(comment)
	p.write(w, namespace)
	return w.Bytes()
}

func lets(w *markup.Writer, name string, lets []Let) {
	for _, l := range lets {
		w.Empty(name, "name", l.Name, "value", l.Value)
	}
}

func (p *Pattern) write(w *markup.Writer, namespace string) {
	abstract := ""
	if p.Abstract {
		abstract = "true"
	}
	attributes := []string{"xmlns", namespace, "abstract", abstract, "is-a", p.IsA, "id", p.ID}
	if len(p.Parameters)+len(p.Lets)+len(p.Rules) == 0 {
		w.Empty("pattern", attributes...)
		return
	}
	w.Open("pattern", attributes...)
	lets(w, "param", p.Parameters)
	lets(w, "let", p.Lets)
	for i := range p.Rules {
		p.Rules[i].write(w)
	}
	w.Close("pattern")
}

func (r *Rule) write(w *markup.Writer) {
	w.Comment(r.Comment)
	w.Open("rule", "context", r.Context)
	lets(w, "let", r.Lets)
	for _, a := range r.Assertions {
		name := "assert"
		if a.Report {
			name = "report"
		}
		w.Around(message(a.Text), name, "id", a.ID, "flag", a.Flag, "test", a.Test)
	}
	w.Close("rule")
}

// message turns {expression} into value-of.
func message(s string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "{")
		b.WriteString(markup.Text(before))
		if !found {
			return b.String()
		}
		var expression string
		expression, s, _ = strings.Cut(rest, "}")
		b.WriteString(markup.Element("value-of", "select", expression))
	}
}
