// Package sch writes ISO Schematron (ISO/IEC 19757-3, query binding xslt2): the form in which tables of rules become rulebooks.
package sch

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
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

// Bytes gives the schema as a file: UTF-8, an element a line.
func (s *Schema) Bytes() []byte {
	w := &writer{}
	w.line(`<?xml version="1.0" encoding="UTF-8"?>`)
	w.comment(s.Comment)
	w.line(`<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">`)
	w.depth++
	if s.Title != "" {
		w.line("<title>" + text(s.Title) + "</title>")
	}
	for _, n := range s.Namespaces {
		w.line(element("ns", "prefix", n.Prefix, "uri", n.URI) + "/>")
	}
	w.lets("let", "value", s.Lets)
	for _, href := range s.Includes {
		w.line(element("include", "href", href) + "/>")
	}
	for i := range s.Patterns {
		w.pattern(&s.Patterns[i], "")
	}
	w.depth--
	w.line("</schema>")
	return w.out.Bytes()
}

// Bytes gives the pattern as a file of its own, to be included.
func (p *Pattern) Bytes(comment string) []byte {
	w := &writer{}
	w.line(`<?xml version="1.0" encoding="UTF-8"?>`)
	w.comment(comment)
	w.pattern(p, "http://purl.oclc.org/dsdl/schematron")
	return w.out.Bytes()
}

// writer collects lines.
type writer struct {
	out   bytes.Buffer
	depth int
}

func (w *writer) line(s string) {
	w.out.WriteString(strings.Repeat("  ", w.depth))
	w.out.WriteString(s)
	w.out.WriteByte('\n')
}

func (w *writer) comment(s string) {
	if s != "" {
		w.line("<!-- " + s + " -->")
	}
}

func (w *writer) lets(name, value string, lets []Let) {
	for _, l := range lets {
		w.line(element(name, "name", l.Name, value, l.Value) + "/>")
	}
}

func (w *writer) pattern(p *Pattern, namespace string) {
	abstract := ""
	if p.Abstract {
		abstract = "true"
	}
	start := element("pattern", "xmlns", namespace, "abstract", abstract, "is-a", p.IsA, "id", p.ID)
	if len(p.Parameters)+len(p.Lets)+len(p.Rules) == 0 {
		w.line(start + "/>")
		return
	}
	w.line(start + ">")
	w.depth++
	w.lets("param", "value", p.Parameters)
	w.lets("let", "value", p.Lets)
	for i := range p.Rules {
		w.rule(&p.Rules[i])
	}
	w.depth--
	w.line("</pattern>")
}

func (w *writer) rule(r *Rule) {
	w.comment(r.Comment)
	w.line(element("rule", "context", r.Context) + ">")
	w.depth++
	w.lets("let", "value", r.Lets)
	for _, a := range r.Assertions {
		name := "assert"
		if a.Report {
			name = "report"
		}
		w.line(element(name, "id", a.ID, "flag", a.Flag, "test", a.Test) + ">" + message(a.Text) + "</" + name + ">")
	}
	w.depth--
	w.line("</rule>")
}

// element gives a start tag without its end; attributes come as names and values, those that are empty are left out.
func element(name string, attributes ...string) string {
	var b strings.Builder
	b.WriteString("<" + name)
	for i := 0; i < len(attributes); i += 2 {
		if attributes[i+1] != "" {
			fmt.Fprintf(&b, ` %s="%s"`, attributes[i], attribute(attributes[i+1]))
		}
	}
	return b.String()
}

var attributeText = strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&quot;", "\n", "&#10;", "\t", "&#9;")

// attribute escapes an attribute's value and leaves the apostrophes and > of expressions readable.
func attribute(s string) string { return attributeText.Replace(s) }

func text(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder does not fail
	return strings.NewReplacer("&#39;", "'", "&#34;", `"`).Replace(b.String())
}

// message turns {expression} into value-of.
func message(s string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "{")
		b.WriteString(text(before))
		if !found {
			return b.String()
		}
		var expression string
		expression, s, _ = strings.Cut(rest, "}")
		b.WriteString(element("value-of", "select", expression) + "/>")
	}
}
