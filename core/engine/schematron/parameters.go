package schematron

import (
	"maps"
	"slices"
	"strings"
)

// parameters are the values that a pattern gives an abstract one (ISO/IEC 19757-3, 5.4.11). A nil value has none.
type parameters struct {
	values  map[string]string // by name
	lengths []int             // of the names, each once, longest first

	ambiguous []Ambiguous
}

// parametersOf reads the children param of a pattern.
func (s *schemaReader) parametersOf(e element) (*parameters, error) {
	children, err := s.children(e)
	if err != nil {
		return nil, err
	}
	p := &parameters{values: map[string]string{}}
	for _, child := range children {
		switch {
		case child.is(schNamespace, "param"):
			if err := p.add(child, s.lastParameter); err != nil {
				return nil, err
			}
		case child.is(schNamespace, "title"), child.is(schNamespace, "p"):
		default:
			if err := unexpected(child, e, "param"); err != nil {
				return nil, err
			}
		}
	}
	p.sort()
	s.set.Ambiguous = append(s.set.Ambiguous, p.ambiguous...)
	return p, nil
}

// longestName bounds the names of parameters, and with it the work of finding them.
const longestName = 256

func (p *parameters) add(e element, lastCounts bool) error {
	name, err := e.required("name")
	if err != nil {
		return err
	}
	if len(name) > longestName || strings.Contains(name, "$") {
		return e.fault("the parameter %.40q is no name: expected at most %d bytes and no $", name, longestName)
	}
	value, ok := e.attribute("value")
	if !ok {
		return e.fault("the parameter %s has no attribute value: expected one", name)
	}
	// Of two with one name the first counts: when the skeleton comes to the second, nothing is left to replace.
	given := e.file.doc.String(value)
	before, known := p.values[name]
	if known && before != given {
		p.ambiguous = append(p.ambiguous, Ambiguous{name, e.place()})
	}
	if !known || lastCounts {
		p.values[name] = given
	}
	return nil
}

// sort makes the parameters ready for fill.
func (p *parameters) sort() {
	seen := map[int]bool{}
	for name := range p.values {
		seen[len(name)] = true
	}
	p.lengths = slices.SortedFunc(maps.Keys(seen), func(a, b int) int { return b - a })
}

// fill replaces each $name of a parameter by its value, as text: where the names of two parameters would do, the longer one
// counts ($BR-CO-10 is not $BR-CO-1 and a 0). What is filled in is not looked at again. ok is false when the result would have
// more than limit bytes. The limit is asked for while the text grows: a value that is used often in one attribute would
// be in memory before it is refused.
func (p *parameters) fill(text string, limit int) (filled string, ok bool) {
	if p == nil || len(p.values) == 0 {
		return text, len(text) <= limit
	}
	var b strings.Builder
	for b.Len() <= limit {
		before, after, found := strings.Cut(text, "$")
		b.WriteString(before)
		if !found {
			break
		}
		if value, length := p.longest(after); length > 0 {
			b.WriteString(value)
			after = after[length:]
		} else {
			b.WriteByte('$')
		}
		text = after
	}
	return b.String(), b.Len() <= limit
}

// longest gives the value of the longest name that text begins with, and the length of that name.
func (p *parameters) longest(text string) (value string, length int) {
	for _, length := range p.lengths {
		if length > len(text) {
			continue
		}
		if value, ok := p.values[text[:length]]; ok {
			return value, length
		}
	}
	return "", 0
}
