package mapping

import (
	"fmt"
	"strings"
)

// step is one step of a row's path: an element name with predicates.
type step struct {
	name  string // prefixed, that of the document element where they differ
	tests []predicate
}

// predicate is one bracket of a step.
type predicate struct {
	path     []string // element names below the step
	attr     string   // attribute of the last element, or empty
	op       byte     // '=' equal, '!' different or absent, '?' exists, '-' does not exist
	value    string
	variable bool // the value is the name of one
}

// key tells steps apart when paths are merged: rows whose first steps are alike share the element.
func (s step) key() string { return fmt.Sprint(s.name, s.tests) }

// self is the path of the element that a row stands in.
const self = "."

// parsePath splits a row's path for the document element with the given index.
func parsePath(path string, element int) ([]step, error) {
	var steps []step
	for _, part := range splitOutside(path, '/') {
		name, rest, _ := strings.Cut(part, "[")
		if names := strings.Split(name, "|"); len(names) > 1 {
			if element >= len(names) {
				return nil, fmt.Errorf("path %q names no element for document element %d", path, element)
			}
			name = names[element]
		}
		s := step{name: name}
		for rest != "" {
			body, after, closed := strings.Cut(rest, "]")
			if !closed {
				return nil, fmt.Errorf("path %q: unclosed predicate", path)
			}
			p, err := parsePredicate(body)
			if err != nil {
				return nil, fmt.Errorf("path %q: %w", path, err)
			}
			s.tests = append(s.tests, p)
			rest = strings.TrimPrefix(after, "[")
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// splitOutside splits at sep where it stands outside brackets.
func splitOutside(s string, sep byte) []string {
	var parts []string
	depth, from := 0, 0
	for i := range len(s) {
		switch {
		case s[i] == '[':
			depth++
		case s[i] == ']':
			depth--
		case s[i] == sep && depth == 0:
			parts, from = append(parts, s[from:i]), i+1
		}
	}
	return append(parts, s[from:])
}

// parsePredicate reads what stands between brackets.
func parsePredicate(body string) (predicate, error) {
	path, p := body, predicate{op: '?'}
	if inner, ok := strings.CutPrefix(body, "not("); ok {
		if path, ok = strings.CutSuffix(inner, ")"); !ok {
			return p, fmt.Errorf("predicate %q: unclosed negation", body)
		}
		p.op = '-'
	} else if before, value, ok := strings.Cut(body, "="); ok {
		p.op = '='
		if path, ok = strings.CutSuffix(before, "!"); ok {
			p.op = '!'
		}
		if p.value, p.variable, ok = comparand(value); !ok {
			return p, fmt.Errorf("predicate %q compares with no text and no variable", body)
		}
	}
	for name := range strings.SplitSeq(path, "/") {
		attr, ok := strings.CutPrefix(name, "@")
		switch {
		case p.attr != "":
			return p, fmt.Errorf("predicate %q: an attribute ends a path", body)
		case ok:
			p.attr = attr
		default:
			p.path = append(p.path, name)
		}
	}
	return p, nil
}

// comparand is the text between quotes, or what looks like a variable.
func comparand(value string) (text string, variable, ok bool) {
	if text, quoted := strings.CutPrefix(value, "'"); quoted {
		text, ok = strings.CutSuffix(text, "'")
		return text, false, ok
	}
	return value, true, strings.HasPrefix(value, "$")
}
