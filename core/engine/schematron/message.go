package schematron

import (
	"strings"
	"unicode/utf8"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// message reads the content of an assert, report or diagnostic (ISO/IEC 19757-3, 5.4.2).
func (s *schemaReader) message(e element, p *parameters) ([]Part, error) {
	var m messageBuilder
	if err := s.mixed(&m, e, p); err != nil {
		return nil, err
	}
	return m.parts(), nil
}

// mixed adds the content of e. Emphasis, spans and direction are text with a blank on either side, as the skeleton writes them.
func (s *schemaReader) mixed(m *messageBuilder, e element, p *parameters) error {
	doc := e.file.doc
	for n := range e.nodes {
		switch doc.Kind(n) {
		case xmltree.KindText:
			text, err := s.filled(e, n, p)
			if err != nil {
				return err
			}
			m.text(text)
		case xmltree.KindElement:
			if err := s.inline(m, element{e.file, n}, e, p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *schemaReader) inline(m *messageBuilder, e, parent element, p *parameters) error {
	if err := s.spend(e.place(), elementCost); err != nil {
		return err
	}
	switch {
	case e.is(schNamespace, "value-of"), e.is(xslNamespace, "value-of"):
		return s.valueIn(m, e, "select", p, "", "")
	case e.is(schNamespace, "name"):
		return s.valueIn(m, e, "path", p, "name(", ")")
	case e.is(schNamespace, "emph"), e.is(schNamespace, "span"), e.is(schNamespace, "dir"):
		m.text(" ")
		err := s.mixed(m, e, p)
		m.text(" ")
		return err
	case e.space() != schNamespace && e.space() != xslNamespace:
		return s.mixed(m, e, p)
	}
	return unexpected(e, parent, "text, value-of, name, emph, span or dir")
}

// valueIn adds the value of an expression in an attribute, by default the context node, put between before and after.
func (s *schemaReader) valueIn(m *messageBuilder, e element, attribute string, p *parameters, before, after string) error {
	value := Expression{Text: ".", Scope: s.set.Namespaces, Place: e.place()}
	if _, ok := e.attribute(attribute); ok {
		var err error
		if value, err = s.expression(e, attribute, s.set.Namespaces, p); err != nil {
			return err
		}
	}
	value.Text = before + value.Text + after
	m.value(value)
	return nil
}

// messageBuilder collects the parts of a message.
type messageBuilder struct {
	built   []Part
	pending strings.Builder // text that no value has followed yet
}

func (m *messageBuilder) text(s string) { m.pending.WriteString(s) }

func (m *messageBuilder) value(e Expression) {
	m.flush()
	m.built = append(m.built, Part{Select: e})
}

// flush ends a text: each run of white space becomes one blank.
func (m *messageBuilder) flush() {
	text := collapseInside(m.pending.String())
	m.pending.Reset()
	if text != "" {
		m.built = append(m.built, Part{Text: text})
	}
}

// parts gives the message without white space at its ends.
func (m *messageBuilder) parts() []Part {
	m.flush()
	parts := m.built
	if len(parts) > 0 && parts[0].IsText() {
		if parts[0].Text = strings.TrimLeft(parts[0].Text, " "); parts[0].Text == "" {
			parts = parts[1:]
		}
	}
	if last := len(parts) - 1; last >= 0 && parts[last].IsText() {
		if parts[last].Text = strings.TrimRight(parts[last].Text, " "); parts[last].Text == "" {
			parts = parts[:last]
		}
	}
	return parts
}

// collapseInside makes each run of white space one blank, at the ends too.
func collapseInside(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	blank := false
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if isSpace(r) {
			if !blank {
				b.WriteByte(' ')
			}
		} else {
			b.WriteString(s[i : i+size])
		}
		blank = isSpace(r)
		i += size
	}
	return b.String()
}

// isSpace tells whether r is white space of XML (XML 1.0, production 3).
func isSpace(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' }
