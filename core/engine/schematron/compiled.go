package schematron

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// compiledReader builds a Ruleset from a stylesheet of the ISO Schematron skeleton for XSLT 2.0.
//
// The skeleton makes a mode of each pattern and a template of each rule, with priorities that fall in the order of the source.
// The template for the document node applies the modes in the order of the patterns. Variables of the schema become global
// parameters; those of a pattern become global variables among its templates; functions are copied.
//
// Whatever is not of this form is refused: a stylesheet that was changed by hand may mean something that the model cannot
// say.
type compiledReader struct {
	*reader
	set     *Ruleset
	modes   map[string]*mode
	pending []Let // global variables since the last template of a mode
}

// mode is what belongs to one pattern.
type mode struct {
	lets         []Let
	rules        []template
	elementsOnly bool // is Pattern.ElementsOnly
}

// template is the template of one rule.
type template struct {
	element
	priority float64
}

// ownGlobals are the global parameters and variables that the skeleton itself declares.
var ownGlobals = []string{"archiveDirParameter", "archiveNameParameter", "fileNameParameter", "fileDirParameter", "document-uri"}

// ownModes are the modes of the skeleton's own templates.
var ownModes = []string{
	"schematron-select-full-path", "schematron-get-full-path", "schematron-get-full-path-2", "schematron-get-full-path-3",
	"generate-id-from-path", "generate-id-2",
}

// patternMode is the name that the skeleton gives the mode of a pattern.
var patternMode = regexp.MustCompile(`^M[0-9]+$`)

// readCompiled reads a stylesheet. The template for the document node comes last, wherever it stands: it tells in which order
// the patterns are applied, which have to be known then.
func (r *reader) readCompiled(root element) (*Ruleset, error) {
	if v := root.token("version"); v != "2.0" {
		return nil, root.fault("the stylesheet has version %q: expected 2.0", v)
	}
	scope := r.scopeOf(root, &Scope{Prefixes: map[string]string{}})
	c := &compiledReader{reader: r, set: &Ruleset{Compiled: true, Namespaces: scope}, modes: map[string]*mode{}}
	var setup element
	for e := range root.elements {
		if e.is(xslNamespace, "template") && e.token("match") == "/" && e.token("mode") == "" {
			setup = e
		} else if err := c.top(e); err != nil {
			return nil, err
		}
	}
	if setup.file == nil {
		return nil, root.fault("there is no template for the document node: expected a stylesheet made by the ISO Schematron skeleton")
	}
	if len(c.pending) > 0 {
		at := c.pending[0].Value.Place
		return nil, at.fault("the variable %s stands after all patterns: expected it among the templates of one", c.pending[0].Name)
	}
	return c.set, c.setup(setup)
}

// top takes in one child of the stylesheet other than the template for the document node.
func (c *compiledReader) top(e element) error {
	switch {
	case e.is(xslNamespace, "template"):
		return c.template(e)
	case e.is(xslNamespace, "param"):
		return c.global(e, &c.set.Lets)
	case e.is(xslNamespace, "variable"):
		return c.global(e, &c.pending)
	case e.is(xslNamespace, "function"):
		f, err := c.function(e, c.set.Namespaces)
		if err != nil {
			return err
		}
		c.set.Functions = append(c.set.Functions, f)
		return nil
	case e.is(xslNamespace, "output"), e.space() != xslNamespace:
		return nil
	}
	return unexpected(e, element{}, "xsl:template, param, variable, function or output")
}

// global takes in a global variable or parameter that is not the skeleton's own.
func (c *compiledReader) global(e element, lets *[]Let) error {
	if slices.Contains(ownGlobals, e.token("name")) {
		return nil
	}
	return c.letFrom(e, lets)
}

func (c *compiledReader) letFrom(e element, lets *[]Let) error {
	if err := e.only("name", "select", "as"); err != nil {
		return err
	}
	name, err := e.required("name")
	if err != nil {
		return err
	}
	value, err := c.expression(e, "select", c.set.Namespaces.inner(e), nil)
	if err != nil {
		return err
	}
	*lets = append(*lets, Let{Name: name, As: e.token("as"), Value: value})
	return nil
}

// template sorts a template into its mode.
func (c *compiledReader) template(e element) error {
	name := e.token("mode")
	switch {
	case slices.Contains(ownModes, name), name == "" && e.token("match") == "text()":
		return nil
	case !patternMode.MatchString(name):
		return e.fault("the template has mode %q and match %q: expected a mode M1, M2 … of a pattern, or one of the skeleton's own", name, e.attr("match"))
	}
	m := c.modes[name]
	if m == nil {
		m = &mode{}
		c.modes[name] = m
	}
	m.lets = append(m.lets, c.pending...)
	c.pending = nil
	priority, err := strconv.ParseFloat(e.token("priority"), 64)
	if err != nil || math.IsNaN(priority) {
		return e.fault("the template has priority %q: expected a number", e.attr("priority"))
	}
	if priority < 0 { // what the skeleton adds for nodes that no rule matches
		return m.unmatched(e, name)
	}
	m.rules = append(m.rules, template{e, priority})
	return nil
}

// unmatched reads the template for nodes that no rule matches; the one for texts is empty.
func (m *mode) unmatched(e element, mode string) (err error) {
	for child := range e.elements {
		if child.is(xslNamespace, "apply-templates") {
			if m.elementsOnly, err = onward(child, mode); err != nil {
				return err
			}
		}
	}
	return nil
}

// setup reads the template for the document node: title, phase and the order of the patterns.
func (c *compiledReader) setup(e element) error {
	output, ok := e.find(func(x element) bool { return x.is(svrlNamespace, "schematron-output") })
	if !ok {
		return e.fault("the template for the document node writes no svrl:schematron-output: expected a stylesheet made by the ISO Schematron skeleton")
	}
	c.set.Title = collapse(output.attr("title"))
	var active element
	for child := range output.elements {
		switch {
		case child.is(svrlNamespace, "active-pattern"):
			active = child
		case child.is(xslNamespace, "apply-templates"):
			if err := c.apply(child, active); err != nil {
				return err
			}
			active = element{}
		case child.is(xslNamespace, "attribute"), child.is(xslNamespace, "comment"), child.space() != xslNamespace:
		default:
			return child.fault("%s stands in %s: expected svrl:active-pattern and xsl:apply-templates for each pattern", child.name(), output.name())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.modes)) { // so that the same stylesheet has the same fault
		m := c.modes[name]
		if len(m.rules) > 0 || len(m.lets) > 0 {
			return m.place().fault("the mode %s is never applied: expected an xsl:apply-templates in the template for the document node", name)
		}
	}
	return nil
}

// place is where something of the mode stands, which has something.
func (m *mode) place() Place {
	if len(m.rules) > 0 {
		return m.rules[0].place()
	}
	return m.lets[0].Value.Place
}

// apply adds the pattern whose mode is applied.
func (c *compiledReader) apply(e, active element) error {
	name := e.token("mode")
	if e.token("select") != "/" || !patternMode.MatchString(name) || active.file == nil {
		return e.fault("%s has select %q and mode %q: expected / and the mode of a pattern, after svrl:active-pattern", e.name(), e.attr("select"), name)
	}
	id, err := attributeOf(active, "id")
	if err != nil {
		return err
	}
	p := &Pattern{ID: id, Place: active.place()}
	if m := c.modes[name]; m != nil {
		delete(c.modes, name)
		p.Lets, p.ElementsOnly = m.lets, m.elementsOnly
		// Of two templates that match, the one with the higher priority counts, and of equal ones the last (XSLT 2.0, 6.4).
		slices.Reverse(m.rules)
		slices.SortStableFunc(m.rules, func(a, b template) int { return cmp.Compare(b.priority, a.priority) })
		for _, t := range m.rules {
			if err := c.rule(p, t, name); err != nil {
				return err
			}
		}
	}
	c.set.Patterns = append(c.set.Patterns, p)
	return nil
}

// attributeOf gives the value of an attribute that a literal result element has, written on it or by xsl:attribute. Computed
// values are refused.
func attributeOf(e element, name string) (string, error) {
	value := e.attr(name)
	for child := range e.elements {
		if child.is(xslNamespace, "attribute") && child.token("name") == name {
			for n := range child.nodes {
				if child.file.doc.Kind(n) != xmltree.KindText {
					return "", child.fault("the attribute %s is computed: expected text", name)
				}
			}
			return trim(child.file.doc.String(child.node)), nil
		}
	}
	value, ok := literal(value)
	if !ok {
		return "", e.fault("the attribute %s of %s is computed: expected text without braces", name, e.name())
	}
	return trim(value), nil
}

// literal gives the text of an attribute value template that computes nothing: braces stand doubled (XSLT 2.0, 5.6).
func literal(s string) (string, bool) {
	if strings.ContainsAny(strings.NewReplacer("{{", "", "}}", "").Replace(s), "{}") {
		return "", false
	}
	return strings.NewReplacer("{{", "{", "}}", "}").Replace(s), true
}
