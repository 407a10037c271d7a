// Package markup writes the XML of rulebooks: an element a line, indented, with attributes that stay readable.
package markup

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
)

// Writer collects the lines of a file in UTF-8.
type Writer struct {
	out   bytes.Buffer
	depth int
}

// NewWriter begins a file with the XML declaration and, unless it is empty, a comment for people.
func NewWriter(comment string) *Writer {
	w := &Writer{}
	w.Line(`<?xml version="1.0" encoding="UTF-8"?>`)
	w.Comment(comment)
	return w
}

// Bytes gives the file.
func (w *Writer) Bytes() []byte { return w.out.Bytes() }

// Line writes a line as it is.
func (w *Writer) Line(s string) {
	w.out.WriteString(strings.Repeat("  ", w.depth))
	w.out.WriteString(s)
	w.out.WriteByte('\n')
}

// Comment writes a comment, unless it is empty. It must not hold two hyphens in a row.
func (w *Writer) Comment(s string) {
	if s != "" {
		w.Line("<!-- " + s + " -->")
	}
}

// Empty writes an element without content. Attributes come as names and values; those whose value is empty are left out.
func (w *Writer) Empty(name string, attributes ...string) { w.Line(start(name, attributes) + "/>") }

// Open writes a start tag; the lines that follow are inside, until Close.
func (w *Writer) Open(name string, attributes ...string) {
	w.Line(start(name, attributes) + ">")
	w.depth++
}

// Close writes the end tag of the element that Open began.
func (w *Writer) Close(name string) {
	w.depth--
	w.Line("</" + name + ">")
}

// Around writes an element with content that is markup already.
func (w *Writer) Around(content, name string, attributes ...string) {
	w.Line(start(name, attributes) + ">" + content + "</" + name + ">")
}

// Element gives an element without content, as Empty writes it.
func Element(name string, attributes ...string) string { return start(name, attributes) + "/>" }

// start gives a start tag without its end.
func start(name string, attributes []string) string {
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

// Text escapes text between tags.
func Text(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder does not fail
	return strings.NewReplacer("&#39;", "'", "&#34;", `"`).Replace(b.String())
}
