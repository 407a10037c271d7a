package schematron

import (
	"maps"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// skeletonPrefixes are the prefixes that every stylesheet of the skeleton declares; rule sets use some without declaring
// them. A schema may declare each of them anew, for the same namespace or another.
var skeletonPrefixes = map[string]string{
	"xs":     "http://www.w3.org/2001/XMLSchema",
	"xsd":    "http://www.w3.org/2001/XMLSchema",
	"xsl":    xslNamespace,
	"iso":    schNamespace,
	"schold": oldNamespace,
	"xhtml":  "http://www.w3.org/1999/xhtml",
	"saxon":  "http://saxon.sf.net/",
}

// schemaReader builds a Ruleset from a schema.
type schemaReader struct {
	*reader
	set         *Ruleset
	patterns    []element          // all of them, in the order of the source
	abstract    map[string]element // abstract patterns by id
	diagnostics map[string]element // by id
	rules       map[string]element // rules of all patterns by id, made when the first is asked for
}

// readSchema reads a schema in two rounds, because what it declares may stand anywhere in it.
func (r *reader) readSchema(root element) (*Ruleset, error) {
	if binding := root.token("queryBinding"); !strings.EqualFold(binding, "xslt2") {
		return nil, root.fault("the query binding is %q: expected queryBinding=\"xslt2\"", binding)
	}
	s := &schemaReader{
		reader:      r,
		set:         &Ruleset{Default: root.token("defaultPhase"), Namespaces: &Scope{Prefixes: maps.Clone(skeletonPrefixes)}},
		abstract:    map[string]element{},
		diagnostics: map[string]element{},
	}
	children, err := r.children(root)
	if err != nil {
		return nil, err
	}
	for _, child := range children {
		if err := s.declare(child); err != nil {
			return nil, err
		}
	}
	for _, child := range children {
		if err := s.build(child); err != nil {
			return nil, err
		}
	}
	return s.set, nil
}

// declare takes in what must be known before expressions are read.
func (s *schemaReader) declare(e element) error {
	switch {
	case e.is(schNamespace, "ns"):
		return s.declareNamespace(e)
	case e.is(schNamespace, "pattern"):
		s.patterns = append(s.patterns, e)
		return s.declareAbstract(e)
	case e.is(schNamespace, "diagnostics"):
		return s.declareDiagnostics(e)
	}
	return nil
}

func (s *schemaReader) declareNamespace(e element) error {
	prefix, err := e.required("prefix")
	if err != nil {
		return err
	}
	uri, err := e.required("uri")
	if err != nil {
		return err
	}
	known, declared := s.set.Namespaces.Prefixes[prefix]
	if _, free := skeletonPrefixes[prefix]; declared && !free && known != uri {
		return e.fault("prefix %s stands for %s already: expected the same namespace, not %s", prefix, known, uri)
	}
	s.set.Namespaces.Prefixes[prefix] = uri
	return nil
}

func (s *schemaReader) declareAbstract(e element) error {
	if !isAbstract(e) {
		return nil
	}
	id, err := e.required("id")
	if err != nil {
		return err
	}
	if other, known := s.abstract[id]; known {
		return e.fault("the abstract pattern %s is at %s already: expected another id", id, other.place())
	}
	s.abstract[id] = e
	return nil
}

// declareDiagnostics notes the diagnostics by their ids, before any pattern is built: they usually stand behind those that
// name them.
func (s *schemaReader) declareDiagnostics(e element) error {
	children, err := s.children(e)
	if err != nil {
		return err
	}
	for _, child := range children {
		if !child.is(schNamespace, "diagnostic") {
			if err := unexpected(child, e, "diagnostic"); err != nil {
				return err
			}
			continue
		}
		id, err := child.required("id")
		if err != nil {
			return err
		}
		if other, known := s.diagnostics[id]; known {
			return child.fault("the diagnostic %s is at %s already: expected another id", id, other.place())
		}
		s.diagnostics[id] = child
	}
	return nil
}

// build takes in everything else.
func (s *schemaReader) build(e element) error {
	switch {
	case e.is(xslNamespace, "function"):
		f, err := s.function(e, s.set.Namespaces)
		if err != nil {
			return err
		}
		s.set.Functions = append(s.set.Functions, f)
		return nil
	case e.space() != schNamespace:
		return unexpected(e, element{}, "xsl:function")
	}
	switch e.local() {
	case "let":
		return s.let(e, &s.set.Lets, nil)
	case "phase":
		return s.phase(e)
	case "pattern":
		if isAbstract(e) {
			return nil
		}
		return s.pattern(e)
	case "title":
		s.set.Title = collapse(e.file.doc.String(e.node))
		return nil
	case "ns", "diagnostics", "p", "properties":
		return nil
	}
	return e.fault("%s stands in the schema: expected ns, let, phase, pattern, diagnostics, title or p", e.name())
}

func (s *schemaReader) phase(e element) error {
	id, err := e.required("id")
	if err != nil {
		return err
	}
	children, err := s.children(e)
	if err != nil {
		return err
	}
	phase := Phase{ID: id}
	for _, child := range children {
		switch {
		case child.is(schNamespace, "active"):
			pattern, err := child.required("pattern")
			if err != nil {
				return err
			}
			phase.Active = append(phase.Active, pattern)
		case child.is(schNamespace, "let"):
			if err := s.let(child, &phase.Lets, nil); err != nil {
				return err
			}
		case child.is(schNamespace, "p"), child.is(schNamespace, "title"):
		default:
			if err := unexpected(child, e, "active"); err != nil {
				return err
			}
		}
	}
	s.set.Phases = append(s.set.Phases, phase)
	return nil
}

// let appends the variable that e declares.
func (s *schemaReader) let(e element, lets *[]Let, p *parameters) error {
	name, err := e.required("name")
	if err != nil {
		return err
	}
	if _, ok := e.attribute("value"); !ok {
		return e.fault("the variable %s has no attribute value: expected an expression; values as content are not supported", name)
	}
	value, err := s.expression(e, "value", s.set.Namespaces, p)
	if err != nil {
		return err
	}
	*lets = append(*lets, Let{Name: name, As: e.token("as"), Value: value})
	return nil
}

// expression reads an attribute that holds an expression, with the parameters of an abstract pattern filled in.
func (r *reader) expression(e element, attribute string, scope *Scope, p *parameters) (Expression, error) {
	n, ok := e.attribute(attribute)
	if !ok {
		return Expression{}, e.fault("%s has no attribute %s: expected an expression", e.name(), attribute)
	}
	text, err := r.filled(e, n, p)
	if err != nil {
		return Expression{}, err
	}
	if text = trim(text); text == "" {
		return Expression{}, e.fault("the attribute %s of %s is empty: expected an expression", attribute, e.name())
	}
	return Expression{Text: text, Scope: scope, Place: e.placeOf(n)}, nil
}

// filled gives the value of a node with the parameters of an abstract pattern filled in, and counts it.
func (r *reader) filled(e element, n xmltree.Node, p *parameters) (string, error) {
	text, ok := p.fill(e.file.doc.String(n), r.limits.Text-r.text)
	if !ok {
		return "", e.placeOf(n).fault("the rule set has more than %d bytes when parameters are filled in", r.limits.Text)
	}
	return text, r.spend(e.placeOf(n), len(text))
}

// unexpected refuses an element that does not belong into its parent. Foreign elements are let pass where the standard lets
// them (ISO/IEC 19757-3, 5.2), except those of XSLT: they were meant to do something.
func unexpected(e, parent element, expected string) error {
	switch {
	case e.is(xslNamespace, "key"):
		return e.fault("%s: keys are not supported: expected a rule set without xsl:key", e.name())
	case e.space() == xslNamespace:
		return e.fault("%s is not supported here: expected %s", e.name(), expected)
	case e.space() == schNamespace:
		return e.fault("%s stands in %s: expected %s", e.name(), parent.name(), expected)
	}
	return nil
}

func isAbstract(e element) bool { return e.token("abstract") == "true" }

// rulesByID lists the rules of patterns that have an id; of several with one id the first counts.
func (s *schemaReader) rulesByID(patterns ...element) (map[string]element, error) {
	rules := map[string]element{}
	for _, pattern := range patterns {
		children, err := s.children(pattern)
		if err != nil {
			return nil, err
		}
		for _, child := range children {
			id := child.token("id")
			if _, known := rules[id]; !known && id != "" && child.is(schNamespace, "rule") {
				rules[id] = child
			}
		}
	}
	return rules, nil
}

// trim leaves out white space of XML at the ends.
func trim(s string) string { return strings.Trim(s, " \t\r\n") }

// collapse makes each run of white space one blank and leaves none at the ends.
func collapse(s string) string { return strings.Join(strings.Fields(s), " ") }
