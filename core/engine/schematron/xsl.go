package schematron

import (
	"maps"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// function reads an xsl:function. base holds the prefixes that the rule set declares for its expressions; those that the XML
// declares come on top.
func (r *reader) function(e element, base *Scope) (*Function, error) {
	if err := e.only("name", "as", "override", "xpath-default-namespace"); err != nil {
		return nil, err
	}
	lexical, err := e.required("name")
	if err != nil {
		return nil, err
	}
	f := &Function{As: e.token("as"), Scope: r.scopeOf(e, base), Place: e.place()}
	name, ok := f.Scope.expand(lexical)
	if !ok || name.Space == "" {
		return nil, e.fault("the function %q has no known namespace: expected a prefix that is declared", lexical)
	}
	f.Name = name
	f.Body, err = r.body(e, f.Scope, f)
	return f, err
}

// scopeOf gives the scope at e: base, and what e and its ancestors declare.
func (r *reader) scopeOf(e element, base *Scope) *Scope {
	scope := &Scope{Prefixes: maps.Clone(base.Prefixes), DefaultElement: base.DefaultElement}
	doc := e.file.doc
	var chain []xmltree.Node
	for n := e.node; n != xmltree.None; n = doc.Parent(n) {
		chain = append(chain, n)
	}
	for i := len(chain) - 1; i >= 0; i-- {
		if doc.Kind(chain[i]) == xmltree.KindElement {
			scope.declare(element{e.file, chain[i]})
		}
	}
	return scope
}

// declare adds what one element declares. The default namespace of the XML says nothing about expressions. Names without
// prefix in them are in the namespace that xpath-default-namespace says, or in none (XSLT 2.0, 5.2).
func (s *Scope) declare(e element) {
	for prefix, uri := range e.file.doc.Declarations(e.node) {
		if prefix != "" {
			s.Prefixes[prefix] = uri
		}
	}
	if n, ok := e.attribute("xpath-default-namespace"); ok && e.space() == xslNamespace {
		s.DefaultElement = e.file.doc.String(n)
	}
}

// inner gives the scope of a child element: the same, unless it declares something. Scopes are shared as far as possible:
// equal expressions are compiled once only where their scope is the same one.
func (s *Scope) inner(e element) *Scope {
	for range e.file.doc.Declarations(e.node) {
		scope := &Scope{Prefixes: maps.Clone(s.Prefixes), DefaultElement: s.DefaultElement}
		scope.declare(e)
		return scope
	}
	return s
}

// body reads the instructions in e. Parameters go to f, which is nil where none may stand.
func (r *reader) body(e element, scope *Scope, f *Function) ([]Instruction, error) {
	var body []Instruction
	for n := range e.nodes {
		switch e.file.doc.Kind(n) {
		case xmltree.KindText:
			if text := e.file.doc.String(n); trim(text) != "" {
				body = append(body, &Text{Value: text})
			}
		case xmltree.KindElement:
			child := element{e.file, n}
			if f != nil && child.is(xslNamespace, "param") {
				if err := f.param(child, len(body)); err != nil {
					return nil, err
				}
				continue
			}
			instruction, err := r.instruction(child, scope.inner(child))
			if err != nil {
				return nil, err
			}
			body = append(body, instruction)
		}
	}
	return body, nil
}

// param takes in an xsl:param of the function; before is the number of instructions above it.
func (f *Function) param(e element, before int) error {
	if err := e.only("name", "as"); err != nil {
		return err
	}
	name, err := e.required("name")
	if err != nil {
		return err
	}
	if before > 0 {
		return e.fault("%s stands after an instruction: expected it before all others", e.name())
	}
	f.Params = append(f.Params, Param{Name: name, As: e.token("as")})
	return nil
}

// instruction reads one element of a body.
func (r *reader) instruction(e element, scope *Scope) (Instruction, error) {
	if e.space() == xslNamespace {
		switch e.local() {
		case "variable":
			return r.variable(e, scope)
		case "sequence":
			return r.sequence(e, scope)
		case "value-of":
			return r.valueOf(e, scope)
		case "choose":
			return r.choose(e, scope)
		case "if":
			return r.branch(e, scope)
		case "text":
			return &Text{Value: e.file.doc.String(e.node)}, e.only("disable-output-escaping")
		}
	}
	return nil, e.fault("%s stands in the body of a function: expected xsl:param, variable, sequence, value-of, choose, if or text", e.name())
}

func (r *reader) variable(e element, scope *Scope) (Instruction, error) {
	if err := e.only("name", "as", "select"); err != nil {
		return nil, err
	}
	name, err := e.required("name")
	if err != nil {
		return nil, err
	}
	v := &Variable{Name: name, As: e.token("as"), Scope: scope, Place: e.place()}
	if v.Body, err = r.body(e, scope, nil); err != nil {
		return nil, err
	}
	if _, ok := e.attribute("select"); !ok {
		return v, nil
	}
	if len(v.Body) > 0 {
		return nil, e.fault("the variable %s has both an attribute select and content: expected one of them", name)
	}
	value, err := r.expression(e, "select", scope, nil)
	v.Select = &value
	return v, err
}

func (r *reader) sequence(e element, scope *Scope) (Instruction, error) {
	if err := e.only("select"); err != nil {
		return nil, err
	}
	value, err := r.expression(e, "select", scope, nil)
	return &Sequence{Select: value}, err
}

func (r *reader) valueOf(e element, scope *Scope) (Instruction, error) {
	if err := e.only("select", "separator", "disable-output-escaping"); err != nil {
		return nil, err
	}
	value, err := r.expression(e, "select", scope, nil)
	if err != nil {
		return nil, err
	}
	v := &ValueOf{Select: value, Separator: " "} // XSLT 2.0, 11.4.3
	if n, ok := e.attribute("separator"); ok {
		if v.Separator, ok = literal(e.file.doc.String(n)); !ok {
			return nil, e.fault("the separator is computed: expected text without braces")
		}
	}
	return v, nil
}

func (r *reader) choose(e element, scope *Scope) (Instruction, error) {
	if err := e.only(); err != nil {
		return nil, err
	}
	c, ended := &Choose{}, false
	for child := range e.elements {
		inner := scope.inner(child)
		switch {
		case ended:
			return nil, child.fault("%s stands after xsl:otherwise: expected nothing", child.name())
		case child.is(xslNamespace, "when"):
			one, err := r.branch(child, inner)
			if err != nil {
				return nil, err
			}
			c.When = append(c.When, one.When...)
		case child.is(xslNamespace, "otherwise"):
			body, err := r.body(child, inner, nil)
			if err != nil {
				return nil, err
			}
			c.Otherwise, ended = body, true
		default:
			return nil, child.fault("%s stands in %s: expected xsl:when or xsl:otherwise", child.name(), e.name())
		}
	}
	if len(c.When) == 0 {
		return nil, e.fault("%s has no xsl:when: expected one at least", e.name())
	}
	return c, nil
}

// branch reads an xsl:when or xsl:if.
func (r *reader) branch(e element, scope *Scope) (*Choose, error) {
	if err := e.only("test"); err != nil {
		return nil, err
	}
	test, err := r.expression(e, "test", scope, nil)
	if err != nil {
		return nil, err
	}
	body, err := r.body(e, scope, nil)
	return &Choose{When: []When{{Test: test, Body: body}}}, err
}
