// Package model makes the business rules of EN 16931 for UBL and CII. Each rule stands once in rules.txt, with its condition in
// business terms and its message; ubl.txt and cii.txt say where it is judged and where the business terms stand there, and give
// the conditions that differ. The rules of the VAT categories are a table in each of them.
package model

import (
	"embed"
	"fmt"
	"strings"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
)

//go:embed *.txt
var texts embed.FS

// books are the rulebooks and the texts that say where their rules are judged.
var books = map[string]string{"en16931-ubl-1.3.16": "ubl.txt", "en16931-cii-1.3.16": "cii.txt"}

// Pattern makes the business rules of EN 16931 1.3.16 on a syntax, ubl or cii, for rule sets that hold an edited copy of them.
func Pattern(syntax string) (*sch.Pattern, error) {
	rules, err := readRules()
	if err != nil {
		return nil, err
	}
	return patternOf(rules, syntax+".txt")
}

// Files makes the pattern of business rules for each rulebook, by path below the folder rulebooks.
func Files() (map[string][]byte, error) {
	rules, err := readRules()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for book, name := range books {
		pattern, err := patternOf(rules, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		files["books/"+book+"/model.sch"] = pattern.Bytes("made by rulebooks/write/model: business rules of EN 16931")
	}
	return files, nil
}

// patternOf makes the pattern for the layout of one syntax.
func patternOf(rules *rulebook, name string) (*sch.Pattern, error) {
	l, err := readLayout(name)
	if err != nil {
		return nil, err
	}
	p := &sch.Pattern{ID: "model"}
	x := &expander{rules: rules, layout: l, place: &place{}}
	if p.Lets = x.lets(l.lets); x.err != nil {
		return nil, x.err
	}
	for at := 0; at < len(l.places); at++ {
		if !l.places[at].each {
			if err := addRule(p, rules, l, l.places[at], nil); err != nil {
				return nil, err
			}
			continue
		}
		first := at
		for at+1 < len(l.places) && l.places[at+1].each {
			at++
		}
		if err := addCategories(p, rules, l, l.places[first:at+1]); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// addCategories adds the rules of the places for each VAT category in turn.
func addCategories(p *sch.Pattern, rules *rulebook, l *layout, places []*place) error {
	for i := range l.categories {
		for _, place := range places {
			if place.at != "" && place.at != l.categories[i].columns["at"] {
				continue
			}
			if err := addRule(p, rules, l, place, &l.categories[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// addRule adds the rule of a place; c is nil where it is for no VAT category alone.
func addRule(p *sch.Pattern, rules *rulebook, l *layout, at *place, c *category) error {
	x := &expander{rules: rules, layout: l, place: at, category: c}
	rule := sch.Rule{Comment: x.expand(at.name), Context: x.expand(at.context), Lets: x.lets(at.lets)}
	for _, ref := range at.rules {
		assertions, err := x.assertions(ref)
		if err != nil {
			return fmt.Errorf("place %s: %w", at.name, err)
		}
		rule.Assertions = append(rule.Assertions, assertions...)
	}
	if x.err != nil {
		return fmt.Errorf("place %s: %w", at.name, x.err)
	}
	p.Rules = append(p.Rules, rule)
	return nil
}

// lets gives the XPath of variables.
func (x *expander) lets(of []sch.Let) []sch.Let {
	var all []sch.Let
	for _, let := range of {
		all = append(all, sch.Let{Name: let.Name, Value: x.expand(let.Value)})
	}
	return all
}

// assertions makes the assertion of a rule, or one for each category.
func (x *expander) assertions(ref reference) ([]sch.Assertion, error) {
	if !strings.HasPrefix(ref.id, "-") {
		a, err := x.assertion(ref.id, ref.id, "", ref.level)
		return []sch.Assertion{a}, err
	}
	categories := x.layout.categories
	if x.category != nil {
		categories = []category{*x.category}
	}
	var all []sch.Assertion
	for i := range categories {
		inner := *x
		inner.category = &categories[i]
		a, err := inner.assertion("BR-"+categories[i].family+ref.id, ref.id, categories[i].columns[columns[ref.id]], ref.level)
		if err == nil {
			err = inner.err
		}
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

// columns names the column of the table of VAT categories that has the variant of a rule.
var columns = map[string]string{
	"-01": "used", "-02": "parties", "-03": "parties", "-04": "parties", "-05": "rate", "-06": "rate", "-07": "rate",
	"-08": "base", "-09": "tax", "-10": "reason",
}

// assertion makes one assertion. Its condition is that of the place, else the one that all syntaxes share; a variant such as
// any/S is like any in what is not said of it.
func (x *expander) assertion(id, rule, variant, level string) (sch.Assertion, error) {
	test, text := "", ""
	general, _, _ := strings.Cut(variant, "/")
	for _, v := range []string{variant, general} {
		for _, key := range x.rules.keys(rule, v) {
			if test == "" {
				x.arg, test = key.arg, x.place.conditions[key.name]
			}
		}
	}
	for _, key := range x.rules.keys(rule, general) {
		shared := x.rules.byKey[key.name]
		x.arg = key.arg
		if test == "" {
			test = shared.test
		}
		if text == "" {
			text = shared.text
		}
	}
	if test == "" || text == "" {
		return sch.Assertion{}, fmt.Errorf("%s has no condition or no message (variant %q)", id, variant)
	}
	return sch.Assertion{ID: id, Flag: level, Test: x.expand(test), Text: x.message(text)}, nil
}
