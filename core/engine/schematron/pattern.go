package schematron

import "strings"

// pattern builds a pattern that is not abstract.
func (s *schemaReader) pattern(e element) error {
	if _, ok := e.attribute("documents"); ok {
		return e.fault("the pattern looks at other documents (attribute documents), which is not supported")
	}
	body, p := e, (*parameters)(nil)
	if name := e.token("is-a"); name != "" {
		var known bool
		if body, known = s.abstract[name]; !known {
			return e.fault("the pattern is-a %q: expected the id of an abstract pattern", name)
		}
		var err error
		if p, err = s.parametersOf(e); err != nil {
			return err
		}
	}
	b := &patternBuilder{schemaReader: s, body: body, parameters: p, pattern: &Pattern{ID: e.token("id"), Place: e.place()}}
	if err := b.build(); err != nil {
		return err
	}
	s.set.Patterns = append(s.set.Patterns, b.pattern)
	return nil
}

// patternBuilder builds one pattern from its body, which is another element where the pattern is made from an abstract one.
type patternBuilder struct {
	*schemaReader
	body       element
	parameters *parameters
	pattern    *Pattern
	own        map[string]element // rules of the body by id, made when the first is asked for
}

func (b *patternBuilder) build() error {
	children, err := b.children(b.body)
	if err != nil {
		return err
	}
	for _, child := range children {
		switch {
		case child.is(schNamespace, "let"):
			err = b.let(child, &b.pattern.Lets, b.parameters)
		case child.is(schNamespace, "rule"):
			err = b.rule(child)
		case child.is(schNamespace, "title"), child.is(schNamespace, "p"):
		default:
			err = unexpected(child, b.body, "let, rule, title or p")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rule adds a rule that is not abstract.
func (b *patternBuilder) rule(e element) error {
	if isAbstract(e) {
		return nil
	}
	context, err := b.expression(e, "context", b.set.Namespaces, b.parameters)
	if err != nil {
		return err
	}
	rule := &Rule{Context: context, ID: e.token("id"), Flag: e.token("flag"), Role: e.token("role")}
	if err := b.fill(rule, e, 0); err != nil {
		return err
	}
	b.pattern.Rules = append(b.pattern.Rules, rule)
	return nil
}

// fill adds the content of e to a rule; e is the rule itself or one that it extends, depth extensions away.
func (b *patternBuilder) fill(rule *Rule, e element, depth int) error {
	children, err := b.children(e)
	if err != nil {
		return err
	}
	for _, child := range children {
		switch {
		case child.is(schNamespace, "let"):
			err = b.let(child, &rule.Lets, b.parameters)
		case child.is(schNamespace, "assert"), child.is(schNamespace, "report"):
			err = b.assertion(rule, child)
		case child.is(schNamespace, "extends"):
			err = b.extend(rule, child, depth+1)
		case child.is(schNamespace, "title"), child.is(schNamespace, "p"):
		default:
			err = unexpected(child, e, "let, assert, report or extends")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// extend adds the content of another rule in the place of an element extends (ISO/IEC 19757-3, 5.4.3).
func (b *patternBuilder) extend(rule *Rule, e element, depth int) error {
	if err := b.descend(e, depth); err != nil {
		return err
	}
	if _, ok := e.attribute("href"); ok {
		target, err := b.refer(e)
		if err != nil {
			return err
		}
		if !target.is(schNamespace, "rule") {
			return e.fault("%s refers to %s: expected a rule", e.name(), target.name())
		}
		return b.fill(rule, target, depth)
	}
	id, err := e.required("rule")
	if err != nil {
		return err
	}
	target, ok, err := b.ruleNamed(id)
	if err != nil {
		return err
	}
	if !ok {
		return e.fault("%s names the rule %q: expected the id of an abstract rule", e.name(), id)
	}
	return b.fill(rule, target, depth)
}

// ruleNamed finds the rule with an id, in the same pattern first and then, as the skeleton does, in all patterns.
func (b *patternBuilder) ruleNamed(id string) (rule element, ok bool, err error) {
	if b.own == nil {
		if b.own, err = b.rulesByID(b.body); err != nil {
			return element{}, false, err
		}
	}
	if rule, ok = b.own[id]; ok {
		return rule, true, nil
	}
	if b.rules == nil {
		if b.rules, err = b.rulesByID(b.patterns...); err != nil {
			return element{}, false, err
		}
	}
	rule, ok = b.rules[id]
	return rule, ok, nil
}

func (b *patternBuilder) assertion(rule *Rule, e element) error {
	test, err := b.expression(e, "test", b.set.Namespaces, b.parameters)
	if err != nil {
		return err
	}
	a := &Assertion{
		ID: e.token("id"), Flag: e.token("flag"), Role: e.token("role"),
		Report: e.local() == "report", Test: test, Scope: len(rule.Lets),
	}
	if a.Message, err = b.message(e, b.parameters); err != nil {
		return err
	}
	for _, id := range strings.Fields(e.attr("diagnostics")) {
		diagnostic, known := b.diagnostics[id]
		if !known {
			return e.fault("%s names the diagnostic %q: expected the id of one", e.name(), id)
		}
		message, err := b.message(diagnostic, nil)
		if err != nil {
			return err
		}
		a.Diagnostics = append(a.Diagnostics, Diagnostic{ID: id, Message: message})
	}
	rule.add(a)
	return nil
}

// add appends an assertion and gives it its key.
func (rule *Rule) add(a *Assertion) {
	if a.Key = a.ID; a.Key == "" {
		a.Key = AnonymousID(rule.Context.Text, a.Test.Text)
	}
	rule.Assertions = append(rule.Assertions, a)
}
