package schema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// content takes a word of the block of a type.
func (r *reader) content(word string) error {
	inner := r.open[len(r.open)-1]
	switch {
	case strings.HasPrefix(word, "<"):
		prefix, _ := split(r.typ.name)
		return r.element(prefix+":"+strings.Trim(word, "<>"), r.typ.name)
	case r.typ.simple:
		return r.facet(word)
	case word == "(":
		r.open = append(r.open, &particle{})
		return nil
	case word == "|" && len(r.open) == 1:
		return fmt.Errorf("alternatives stand in a group")
	case word == "|":
		inner.choice = true
		inner.bars++
		return nil
	case word[0] == ')':
		return r.closeGroup(word[1:])
	case word[0] == '@':
		return r.attribute(word[1:])
	}
	rest, min, max, err := occurrence(word)
	if err != nil {
		return err
	}
	p := &particle{min: min, max: max}
	if p.wildcard, err = wildcardOf(rest); err != nil {
		return err
	}
	if p.wildcard == nil {
		p.name, p.typ, _ = strings.Cut(rest, "=")
		p.typ, p.value, _ = strings.Cut(strings.TrimSuffix(p.typ, `"`), `"`)
	}
	if p.typ == "" && p.name != "" && !strings.Contains(p.name, ":") {
		prefix, _ := split(r.typ.name)
		p.name = prefix + ":" + p.name
	}
	inner.children = append(inner.children, p)
	return nil
}

// facet takes FACET=VALUE, or a value of an enumeration in quotes.
func (r *reader) facet(word string) error {
	f := facet{"enumeration", strings.Trim(word, `"`)}
	if word[0] != '"' {
		var ok bool
		if f.name, f.value, ok = strings.Cut(word, "="); !ok {
			return fmt.Errorf("%s is no facet of a simple type", word)
		}
	}
	r.typ.facets = append(r.typ.facets, f)
	return nil
}

// closeGroup closes the innermost group.
func (r *reader) closeGroup(suffix string) error {
	if len(r.open) < 2 {
		return fmt.Errorf("a group is closed that is not open")
	}
	last := len(r.open) - 1
	group, around := r.open[last], r.open[last-1]
	if group.choice && len(group.children) != group.bars+1 {
		return fmt.Errorf("an alternative is not one element or group")
	}
	var err error
	if _, group.min, group.max, err = occurrence(suffix); err != nil {
		return err
	}
	r.open = r.open[:last]
	around.children = append(around.children, group)
	return nil
}

// attribute takes NAME=TYPE["FIXED"][?], or a wildcard.
func (r *reader) attribute(word string) error {
	rest, min, _, err := occurrence(word)
	if err != nil {
		return err
	}
	a := attribute{required: min > 0}
	if a.wildcard, err = wildcardOf(rest); err != nil {
		return err
	}
	if a.wildcard == nil {
		rest, a.fixed, _ = strings.Cut(strings.TrimSuffix(rest, `"`), `"`)
		if a.name, a.typ, _ = strings.Cut(rest, "="); a.typ == "" {
			return fmt.Errorf("the attribute %s has no type", a.name)
		}
	}
	r.typ.attributes = append(r.typ.attributes, a)
	return nil
}

// wildcardOf reads any/SPACES/PROCESS; nil for other words.
func wildcardOf(word string) (*wildcard, error) {
	rest, ok := strings.CutPrefix(word, "any/")
	if !ok {
		return nil, nil
	}
	last := strings.LastIndexByte(rest, '/')
	if last < 0 {
		return nil, fmt.Errorf("%s is no wildcard", word)
	}
	spaces, process := rest[:last], rest[last+1:]
	if !slices.Contains([]string{"any", "other"}, spaces) && !strings.Contains(spaces, ":") || !slices.Contains([]string{"strict", "lax", "skip"}, process) {
		return nil, fmt.Errorf("%s is no wildcard", word)
	}
	return &wildcard{spaces, process}, nil
}

// occurrence splits off how often something occurs: ? * + {MIN,MAX}, or nothing for once.
func occurrence(word string) (rest string, min, max int, err error) {
	last := len(word) - 1
	if last < 0 {
		return "", 1, 1, nil
	}
	switch word[last] {
	case '?':
		return word[:last], 0, 1, nil
	case '*':
		return word[:last], 0, unbounded, nil
	case '+':
		return word[:last], 1, unbounded, nil
	case '}':
		at := strings.LastIndexByte(word, '{')
		from, to, ok := strings.Cut(word[at+1:last], ",")
		min, err = strconv.Atoi(from)
		if max, _ = strconv.Atoi(to); err != nil || !ok || at < 0 || max < min || max < 1 {
			return "", 0, 0, fmt.Errorf("%s does not end with {MIN,MAX}", word)
		}
		return word[:at], min, max, nil
	}
	return word, 1, 1, nil
}
