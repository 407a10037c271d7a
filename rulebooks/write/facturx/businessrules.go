package facturx

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
)

// businessRules makes a pattern of each context, so that all contexts that match a node judge it.
func (m *maker) businessRules() ([]sch.Pattern, error) {
	rules := map[string]*sch.Rule{}
	var order []*sch.Rule
	missing := maps.Clone(m.ids)
	for _, c := range m.business.contexts {
		made, err := m.businessRule(c, missing)
		if err != nil {
			return nil, err
		}
		switch old := rules[made.Context]; {
		case len(made.Assertions) == 0:
		case old != nil:
			old.Lets, old.Assertions = append(old.Lets, made.Lets...), append(old.Assertions, made.Assertions...)
		default:
			rules[made.Context] = made
			order = append(order, made)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(missing)) {
		if missing[key].in.has(m.set) {
			return nil, fmt.Errorf("%s has ids and no rule", key)
		}
	}
	var patterns []sch.Pattern
	for _, r := range order {
		r.Lets = usedLets(r)
		patterns = append(patterns, sch.Pattern{Rules: []sch.Rule{*r}})
	}
	return patterns, nil
}

// businessRule makes what a context has in the set, and takes the rules from those that are missing.
func (m *maker) businessRule(c ruleContext, missing map[string]ids) (*sch.Rule, error) {
	r := &sch.Rule{Context: m.expression(c.path)}
	if !c.in.has(m.set) {
		return r, nil
	}
	for _, l := range c.lets {
		if l.in.has(m.set) {
			r.Lets = append(r.Lets, sch.Let{Name: l.name, Value: m.expression(l.value)})
		}
	}
	for _, a := range c.assertions {
		id, known := m.ids[a.key]
		if !known {
			return nil, fmt.Errorf("%s has no ids", a.key)
		}
		if !id.in.has(m.set) || !a.in.has(m.set) {
			continue
		}
		if _, first := missing[a.key]; !first {
			return nil, fmt.Errorf("%s is there twice", a.key)
		}
		delete(missing, a.key)
		ours, official, err := id.resolve(m.set)
		if err == nil {
			err = m.claim(ours, official)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.key, err)
		}
		r.Assertions = append(r.Assertions, sch.Assertion{ID: ours, Flag: id.flag, Test: m.expression(a.test), Text: qualifyMessage(m.inPlace(a.text))})
	}
	return r, nil
}

// usedLets leaves out the variables that neither the assertions nor the other variables use.
func usedLets(r *sch.Rule) []sch.Let {
	used := map[string]bool{}
	for _, a := range r.Assertions {
		note(used, a.Test)
		note(used, a.Text)
	}
	var lets []sch.Let
	for _, l := range slices.Backward(r.Lets) {
		if used[l.Name] {
			lets = append(lets, l)
			note(used, l.Value)
		}
	}
	slices.Reverse(lets)
	return lets
}

// expression gives the XPath of an expression of rules.txt.
func (m *maker) expression(text string) string { return qualify(m.inPlace(text)) }

// inPlace puts paths in the place of their names, the last ones first, as they may name those before.
func (m *maker) inPlace(text string) string {
	for _, p := range slices.Backward(m.business.paths) {
		if p.in.has(m.set) {
			text = replaceVariable(text, p.name, p.value)
		}
	}
	return text
}

// replaceVariable puts a value in the place of $name.
func replaceVariable(text, name, value string) string {
	parts := strings.Split(text, "$"+name)
	out := parts[0]
	for _, part := range parts[1:] {
		if part != "" && isNameChar(rune(part[0])) {
			out += "$" + name + part
		} else {
			out += value + part
		}
	}
	return out
}
