package model

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
	"github.com/einvoiced/einvoiced/rulebooks/write/ruletext"
)

// rulebook is what rules.txt and terms.txt say.
type rulebook struct {
	byKey   map[string]rule
	alias   map[string]alias  // rules that are like others
	names   map[string]string // of business terms and VAT categories
	defines map[string]string
}

// rule is a rule that has its own text.
type rule struct{ test, text string }

// alias says that a rule is another one with an argument.
type alias struct{ rule, arg string }

// key is a name under which a rule may be found, with its argument.
type key struct{ name, arg string }

// keys gives the names to look for, the nearest first.
func (r *rulebook) keys(id, variant string) []key {
	name := func(s string) string { return strings.TrimSpace(s + " " + variant) }
	keys := []key{{name(id), r.alias[id].arg}}
	if a, ok := r.alias[id]; ok {
		keys = append(keys, key{name(a.rule), a.arg})
	}
	return keys
}

// layout is what ubl.txt or cii.txt says.
type layout struct {
	defines    map[string]string
	lets       []sch.Let // of the pattern, evaluated once
	groups     map[string]*place
	places     []*place
	categories []category
}

// place is a context with the rules that are judged there.
type place struct {
	name, context string
	each          bool   // there is one for each VAT category
	at            string // only for those with this in the column at
	defines       map[string]string
	conditions    map[string]string // of rules, by key
	lets          []sch.Let
	rules         []reference
}

// reference names a rule to judge.
type reference struct{ id, level string }

// category is a VAT category: letters in the ids of its rules, code, and variants of its rules by column.
type category struct {
	family, code string
	columns      map[string]string
}

// lines gives the lines of a text.
func lines(name string) ([]*ruletext.Line, error) {
	text, err := texts.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return ruletext.Lines(string(text)), nil
}

func readRules() (*rulebook, error) {
	r := &rulebook{byKey: map[string]rule{}, alias: map[string]alias{}, names: map[string]string{}, defines: map[string]string{}}
	terms, err := lines("terms.txt")
	if err != nil {
		return nil, err
	}
	for _, line := range terms {
		id, name, _ := strings.Cut(line.Text, " ")
		r.names[id] = name
	}
	rules, err := lines("rules.txt")
	if err != nil {
		return nil, err
	}
	current := ""
	for _, line := range rules {
		if current, err = r.line(current, line); err != nil {
			return nil, fmt.Errorf("rules.txt, %w", err)
		}
	}
	return r, nil
}

// line takes a line of rules.txt in; it gives the key of the rule that the next line belongs to.
func (r *rulebook) line(current string, line *ruletext.Line) (string, error) {
	of := r.byKey[current]
	word, rest, _ := strings.Cut(line.Text, " ")
	name, value, equals := strings.Cut(line.Text, " = ")
	switch {
	case line.Indent > 0 && word == "test":
		of.test = rest
	case line.Indent > 0 && word == "text":
		of.text = rest
	case line.Indent > 0:
		return "", line.Fault("%q: expected test or text", line.Text)
	case word == "define":
		define(r.defines, rest)
		return "", nil
	case equals:
		template, arg, _ := strings.Cut(value, " ")
		r.alias[name] = alias{template, arg}
		return "", nil
	default:
		if _, twice := r.byKey[line.Text]; twice {
			return "", line.Fault("%s stands there twice", line.Text)
		}
		current = line.Text
	}
	r.byKey[current] = of
	return current, nil
}

func readLayout(name string) (*layout, error) {
	all, err := lines(name)
	if err != nil {
		return nil, err
	}
	l := &layout{defines: map[string]string{}, groups: map[string]*place{}}
	var current *place
	for _, line := range all {
		word, rest, _ := strings.Cut(line.Text, " ")
		switch {
		case line.Indent > 0 && current != nil:
			err = l.inner(current, word, rest)
		case word == "place" || word == "group":
			current = &place{name: rest, defines: map[string]string{}, conditions: map[string]string{}}
			if word == "place" {
				l.places = append(l.places, current)
			} else {
				l.groups[rest] = current
			}
		case word == "define":
			define(l.defines, rest)
		case word == "let":
			l.lets = append(l.lets, letOf(rest))
		case word == "category":
			l.categories = append(l.categories, categoryOf(rest))
		default:
			err = fmt.Errorf("%q: expected define, let, place, group or category", line.Text)
		}
		if err != nil {
			return nil, line.Fault("%w", err)
		}
	}
	return l, nil
}

func define(into map[string]string, line string) {
	name, value, _ := strings.Cut(line, " = ")
	into[name] = value
}

func letOf(line string) sch.Let {
	name, value, _ := strings.Cut(line, " = ")
	return sch.Let{Name: name, Value: value}
}

func categoryOf(line string) category {
	fields := strings.Fields(line)
	c := category{family: fields[0], code: fields[1], columns: map[string]string{}}
	for _, field := range fields[2:] {
		name, value, _ := strings.Cut(field, "=")
		c.columns[name] = value
	}
	return c
}

// ownCondition is a line with a condition of a rule, or of a variant.
var ownCondition = regexp.MustCompile(`^(BR-[A-Z0-9-]+|-\d\d \S+|[a-z]+ \S+): (.*)$`)

// term is a line with the place of a business term.
var term = regexp.MustCompile(`^B[TG]-\d+[a-z-]* = `)

// inner takes in a line of a place.
func (l *layout) inner(p *place, word, rest string) error {
	line := word + " " + rest
	own := ownCondition.FindStringSubmatch(line)
	switch {
	case own != nil:
		p.conditions[own[1]] = own[2]
		if strings.HasPrefix(own[1], "BR-") {
			p.refer(own[1])
		}
	case term.MatchString(line):
		define(p.defines, line)
	case word == "define":
		define(p.defines, rest)
	case word == "let":
		p.lets = append(p.lets, letOf(rest))
	case word == "context":
		p.context = rest
	case word == "rules" || word == "each":
		p.refer(strings.Fields(rest)...)
	case word == "each-category":
		p.each, p.at = true, strings.TrimPrefix(rest, "at=")
	case word == "with":
		return l.include(p, strings.Fields(rest))
	default:
		return fmt.Errorf("place %s: %q is no line of a place", p.name, line)
	}
	return nil
}

// refer adds rules, with their level where it is not fatal: BR-51:warning.
func (p *place) refer(rules ...string) {
	for _, r := range rules {
		id, level, found := strings.Cut(r, ":")
		if !found {
			level = "fatal"
		}
		p.rules = append(p.rules, reference{id, level})
	}
}

// include adds what groups say to a place.
func (l *layout) include(p *place, groups []string) error {
	for _, name := range groups {
		g, ok := l.groups[name]
		if !ok {
			return fmt.Errorf("place %s: there is no group %s", p.name, name)
		}
		for k, v := range g.defines {
			p.defines[k] = v
		}
		for k, v := range g.conditions {
			p.conditions[k] = v
		}
		p.lets = append(p.lets, g.lets...)
	}
	return nil
}
