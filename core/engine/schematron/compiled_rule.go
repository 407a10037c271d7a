package schematron

import (
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// rule adds the rule that a template was made from.
func (c *compiledReader) rule(p *Pattern, t template, mode string) error {
	if err := t.only("match", "mode", "priority"); err != nil {
		return err
	}
	context, err := c.expression(t.element, "match", c.set.Namespaces.inner(t.element), nil)
	if err != nil {
		return err
	}
	rule := &Rule{Context: context}
	for child := range t.elements {
		if err := c.step(rule, child, mode); err != nil {
			return err
		}
	}
	p.Rules = append(p.Rules, rule)
	return nil
}

// step takes in one child of the template of a rule.
func (c *compiledReader) step(rule *Rule, e element, mode string) error {
	switch {
	case e.is(svrlNamespace, "fired-rule"):
		return rule.fired(e)
	case e.is(xslNamespace, "variable"):
		return c.letFrom(e, &rule.Lets)
	case e.is(xslNamespace, "choose"):
		return c.assert(rule, e)
	case e.is(xslNamespace, "if"):
		return c.report(rule, e)
	case e.is(xslNamespace, "apply-templates"):
		elementsOnly, err := onward(e, mode)
		rule.ElementsOnly = elementsOnly
		return err
	}
	return e.fault("%s stands in the template of a rule: expected svrl:fired-rule, xsl:variable, choose, if or apply-templates", e.name())
}

func (rule *Rule) fired(e element) (err error) {
	for name, to := range map[string]*string{"id": &rule.ID, "flag": &rule.Flag, "role": &rule.Role} {
		if *to, err = attributeOf(e, name); err != nil {
			return err
		}
	}
	return nil
}

// onward checks that the template goes on to the nodes below in its own mode, and tells whether it leaves out the attributes. The
// skeleton leaves out kinds of nodes where it is told so, or takes it that no context of the rule set matches them.
func onward(e element, mode string) (elementsOnly bool, err error) {
	if e.token("mode") != mode {
		return false, e.fault("%s has mode %q: expected %s, the mode of the rule", e.name(), e.attr("mode"), mode)
	}
	elementsOnly = true
	for _, step := range strings.Split(e.attr("select"), "|") {
		switch trim(step) {
		case "@*":
			elementsOnly = false
		case "*", "comment()", "processing-instruction()":
		default:
			return false, e.fault("%s selects %q: expected @*, *, comment() or processing-instruction()", e.name(), e.attr("select"))
		}
	}
	return elementsOnly, nil
}

// assert reads <xsl:choose><xsl:when test="…"/><xsl:otherwise><svrl:failed-assert>…
func (c *compiledReader) assert(rule *Rule, e element) error {
	var parts []element
	for child := range e.elements {
		parts = append(parts, child)
	}
	if len(parts) != 2 || !parts[0].is(xslNamespace, "when") || !parts[1].is(xslNamespace, "otherwise") {
		return e.fault("%s is no assert: expected an empty xsl:when and an xsl:otherwise", e.name())
	}
	for child := range parts[0].elements {
		return child.fault("%s stands in %s: expected nothing", child.name(), parts[0].name())
	}
	return c.assertion(rule, parts[0], parts[1], "failed-assert")
}

// report reads <xsl:if test="…"><svrl:successful-report>…
func (c *compiledReader) report(rule *Rule, e element) error {
	return c.assertion(rule, e, e, "successful-report")
}

// assertion adds an assertion from the element that has its test and the one that holds what is written when it fires.
func (c *compiledReader) assertion(rule *Rule, test, body element, want string) error {
	if err := test.only("test"); err != nil {
		return err
	}
	expression, err := c.expression(test, "test", c.set.Namespaces.inner(test), nil)
	if err != nil {
		return err
	}
	a := &Assertion{Report: want == "successful-report", Test: expression, Scope: len(rule.Lets)}
	count := 0
	for written := range body.elements {
		if count++; count > 1 || !written.is(svrlNamespace, want) {
			return written.fault("%s stands in %s: expected one svrl:%s", written.name(), body.name(), want)
		}
		if err := c.written(a, written); err != nil {
			return err
		}
	}
	if count == 0 {
		return body.fault("%s is empty: expected svrl:%s", body.name(), want)
	}
	rule.add(a)
	return nil
}

// written reads svrl:failed-assert or svrl:successful-report.
func (c *compiledReader) written(a *Assertion, e element) (err error) {
	for name, to := range map[string]*string{"id": &a.ID, "flag": &a.Flag, "role": &a.Role} {
		if *to, err = attributeOf(e, name); err != nil {
			return err
		}
	}
	for child := range e.elements {
		switch {
		case child.is(svrlNamespace, "text"):
			a.Message, err = c.message(child)
		case child.is(svrlNamespace, "diagnostic-reference"):
			d := Diagnostic{ID: child.token("diagnostic")}
			d.Message, err = c.message(child)
			a.Diagnostics = append(a.Diagnostics, d)
		case child.is(xslNamespace, "attribute"), child.is(svrlNamespace, "property-reference"):
		default:
			err = child.fault("%s stands in %s: expected xsl:attribute, svrl:text or svrl:diagnostic-reference", child.name(), e.name())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// message reads the text that is written when an assertion fires.
func (c *compiledReader) message(e element) ([]Part, error) {
	var m messageBuilder
	if err := c.mixed(&m, e); err != nil {
		return nil, err
	}
	return m.parts(), nil
}

func (c *compiledReader) mixed(m *messageBuilder, e element) error {
	doc := e.file.doc
	for n := range e.nodes {
		switch doc.Kind(n) {
		case xmltree.KindText:
			// Text of nothing but white space is no part of a stylesheet (XSLT 2.0, 4.2).
			if text := doc.String(n); trim(text) != "" {
				m.text(text)
			}
		case xmltree.KindElement:
			if err := c.inline(m, element{e.file, n}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *compiledReader) inline(m *messageBuilder, e element) error {
	switch {
	case e.is(xslNamespace, "text"):
		m.text(e.file.doc.String(e.node))
	case e.is(xslNamespace, "value-of"):
		value, err := c.expression(e, "select", c.set.Namespaces.inner(e), nil)
		if err != nil {
			return err
		}
		m.value(value)
	case e.is(xslNamespace, "attribute"):
	case e.is(svrlNamespace, "text"), e.space() != xslNamespace:
		return c.mixed(m, e)
	default:
		return e.fault("%s stands in a message: expected text, xsl:text or xsl:value-of", e.name())
	}
	return nil
}
