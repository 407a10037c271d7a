// Package ruletext reads rules from plain texts: one with the contexts and conditions of a syntax, and one with the levels and
// messages, which several syntaxes share. It is the form for new rule sets.
//
// The text of conditions has a line for each thing; a line that is indented by four blanks or more goes on with the one before:
//
//	# a remark
//	define header = /a:invoice/a:header        {header} stands for this in what follows
//	define code = @code = '%'                  {code(7)} stands for this with 7 in the place of each %
//	let $currency = {header}/a:currency        variable of the schema
//	pattern charges                            begins a pattern
//	let $limit = 3                             variable of the pattern
//	rule a:charge                              begins a rule, with its context
//	  let $sum = sum(a:part)                   variable of the rule
//	  $sum le $limit                      assertion
//
// The text of messages has a paragraph for each rule, the level after its id:
//
//	R-1 fatal: BT-99 (charge) is {$sum}. It must be 3 at most.
package ruletext

import (
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
)

// Message is what a rule says when it fires.
type Message struct {
	Flag string // fatal, warning or information
	Text string // {expression} in it gives a value
}

// Messages reads levels and messages by the id of their rule.
func Messages(text string) (map[string]Message, error) {
	all := map[string]Message{}
	for _, l := range Lines(text) {
		head, message, found := strings.Cut(l.Text, ": ")
		id, flag, both := strings.Cut(head, " ")
		if !found || !both || !slices.Contains([]string{"fatal", "warning", "information"}, flag) {
			return nil, l.Fault("expected ID LEVEL: TEXT")
		}
		if _, twice := all[id]; twice {
			return nil, l.Fault("%s has a message already", id)
		}
		all[id] = Message{flag, message}
	}
	return all, nil
}

// Source is where texts come from.
type Source struct {
	Files       fs.FS
	Messages    map[string]Message
	Definitions map[string]string // as if each text had them
}

// Read adds the variables and patterns of texts of conditions to a schema. What one text defines, those after it know. Each rule
// needs its message.
func (s *Source) Read(into *sch.Schema, names ...string) error {
	r := &reader{schema: into, messages: s.Messages, macros: maps.Clone(s.Definitions)}
	if r.macros == nil {
		r.macros = map[string]string{}
	}
	for _, name := range names {
		text, err := fs.ReadFile(s.Files, name)
		if err != nil {
			return err
		}
		r.pattern, r.rule = nil, nil
		for _, l := range Lines(string(text)) {
			if err := r.line(l); err != nil {
				return fmt.Errorf("%s, %w", name, err)
			}
		}
	}
	return nil
}

// reader builds a schema.
type reader struct {
	schema   *sch.Schema
	pattern  *sch.Pattern // nil before the first
	rule     *sch.Rule    // nil before the first of a pattern
	messages map[string]Message
	macros   map[string]string
}

func (r *reader) line(l *Line) error {
	word, rest, _ := strings.Cut(l.Text, " ")
	rest, err := r.expand(rest)
	switch {
	case err != nil:
		return l.Fault("%w", err)
	case l.Indent > 0 && r.rule == nil:
		return l.Fault("%s stands in no rule", word)
	case word == "define" || word == "let":
		return r.name(l, word, rest)
	case l.Indent > 0:
		return r.assertion(l, word, rest)
	case word == "pattern":
		r.schema.Patterns = append(r.schema.Patterns, sch.Pattern{ID: rest})
		r.pattern, r.rule = &r.schema.Patterns[len(r.schema.Patterns)-1], nil
	case word == "rule" && r.pattern != nil:
		r.pattern.Rules = append(r.pattern.Rules, sch.Rule{Context: rest})
		r.rule = &r.pattern.Rules[len(r.pattern.Rules)-1]
	default:
		return l.Fault("%q: expected define, let, pattern, or rule in a pattern", word)
	}
	return nil
}

// name takes a definition or variable.
func (r *reader) name(l *Line, word, rest string) error {
	name, value, found := strings.Cut(rest, " = ")
	if !found || value == "" {
		return l.Fault("expected %s NAME = VALUE", word)
	}
	if word == "define" {
		r.macros[name] = value
		return nil
	}
	variable := sch.Let{Name: strings.TrimPrefix(name, "$"), Value: value}
	switch {
	case l.Indent > 0:
		r.rule.Lets = append(r.rule.Lets, variable)
	case r.pattern != nil && r.rule == nil:
		r.pattern.Lets = append(r.pattern.Lets, variable)
	case r.pattern == nil:
		r.schema.Lets = append(r.schema.Lets, variable)
	default:
		return l.Fault("the variable %s comes after a rule", name)
	}
	return nil
}

func (r *reader) assertion(l *Line, word, test string) error {
	id, colon := strings.CutSuffix(word, ":")
	m, known := r.messages[id]
	if !colon || !known || test == "" {
		return l.Fault("%q: expected the id of a rule that has a message, a colon and a condition", word)
	}
	r.rule.Assertions = append(r.rule.Assertions, sch.Assertion{ID: id, Flag: m.Flag, Test: test, Text: m.Text})
	return nil
}

var macro = regexp.MustCompile(`\{([a-zA-Z][a-zA-Z0-9-]*)([(}])`)

// expand puts definitions in, those in the arguments of others first. What stands in braces and is no name, such as a quantifier of a regular
// expression, stays.
func (r *reader) expand(s string) (string, error) {
	var expanded strings.Builder
	for {
		at := macro.FindStringSubmatchIndex(s)
		if at == nil {
			expanded.WriteString(s)
			return expanded.String(), nil
		}
		expanded.WriteString(s[:at[0]])
		name, end := s[at[2]:at[3]], at[1]
		argument := ""
		if s[at[4]] == '(' {
			if end = closing(s, at[0]); end < 0 {
				return "", fmt.Errorf("{%s( is not closed", name)
			}
			argument = s[at[1] : end-len(")}")]
		}
		value, ok := r.macros[name]
		if !ok {
			return "", fmt.Errorf("%s is not defined", s[at[0]:end])
		}
		argument, err := r.expand(argument)
		if err != nil {
			return "", err
		}
		expanded.WriteString(strings.ReplaceAll(value, "%", argument))
		s = s[end:]
	}
}

// closing gives the place after the brace that closes the one at a place, behind a parenthesis; -1 where none does.
func closing(s string, open int) int {
	depth := 0
	for i := open; i < len(s); i++ {
		switch s[i] {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth == 0 {
			if s[i-1] != ')' {
				return -1
			}
			return i + 1
		}
	}
	return -1
}

// Unused lists the messages that no pattern of the schemas has a rule for, in order.
func Unused(messages map[string]Message, schemas ...*sch.Schema) []string {
	left := map[string]bool{}
	for id := range messages {
		left[id] = true
	}
	for _, s := range schemas {
		for _, p := range s.Patterns {
			for _, rule := range p.Rules {
				for _, a := range rule.Assertions {
					delete(left, a.ID)
				}
			}
		}
	}
	ids := make([]string, 0, len(left))
	for id := range left {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
