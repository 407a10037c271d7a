package model

import (
	"fmt"
	"regexp"
	"strings"
)

// expander puts paths in the place of business terms and definitions, for one place and one VAT category.
type expander struct {
	rules    *rulebook
	layout   *layout
	place    *place
	category *category
	arg      string
	err      error // the first
}

var (
	variable = regexp.MustCompile(`\$[A-Za-z][A-Za-z0-9-]*`)
	titled   = regexp.MustCompile(`\[(B[TG]-[0-9]+)\]`)
	value    = regexp.MustCompile(`\{[^}]*\}`)
)

// deepest bounds definitions that name others.
const deepest = 12

// expand gives the XPath of a condition, context or value.
func (x *expander) expand(s string) string {
	s = x.fill(s)
	for range deepest {
		next := variable.ReplaceAllStringFunc(s, x.definition)
		next = x.fill(next)
		if next == s {
			return x.macro(x.macro(s, "total", "sum(%s[. castable as xs:decimal]/xs:decimal(.))"), "found", "(if (exists(%[1]s)) then %[1]s else 'missing')")
		}
		s = next
	}
	x.fail("%.60q goes in circles", s)
	return s
}

// fill puts the category and the argument in.
func (x *expander) fill(s string) string {
	s = strings.ReplaceAll(s, "@arg", x.arg)
	if x.category != nil {
		s = strings.NewReplacer("@code", x.category.code, "@name", x.rules.names[x.category.code]).Replace(s)
	}
	return s
}

// definition gives what a reference stands for: the definitions of the place hide those of the layout. Others are variables.
func (x *expander) definition(ref string) string {
	name := ref[1:]
	for _, defines := range []map[string]string{x.place.defines, x.layout.defines, x.rules.defines} {
		if s, ok := defines[name]; ok {
			return s
		}
	}
	if strings.HasPrefix(name, "BT-") || strings.HasPrefix(name, "BG-") {
		x.fail("%s has no place", name)
	}
	return ref
}

// macro replaces name(argument) by the form with the argument in it.
func (x *expander) macro(s, name, form string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, name+"(")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		depth, end := 1, 0
		for ; end < len(after) && depth > 0; end++ {
			switch after[end] {
			case '(':
				depth++
			case ')':
				depth--
			}
		}
		fmt.Fprintf(&b, form, after[:end-1])
		s = after[end:]
	}
}

// message gives the text of a message, business terms with their names.
func (x *expander) message(s string) string {
	s = titled.ReplaceAllStringFunc(x.fill(s), func(id string) string {
		id = strings.Trim(id, "[]")
		name, ok := x.rules.names[id]
		if !ok {
			x.fail("%s has no name", id)
		}
		return id + " (" + name + ")"
	})
	return value.ReplaceAllStringFunc(s, func(v string) string { return "{" + x.expand(strings.Trim(v, "{}")) + "}" })
}

func (x *expander) fail(format string, args ...any) {
	if x.err == nil {
		x.err = fmt.Errorf(format, args...)
	}
}
