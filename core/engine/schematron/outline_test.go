package schematron

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// outliner lists a rule set as lines of text that can be compared and read.
type outliner struct {
	places bool // with the place of everything, and with what the compiled form does not have
	lines  []string
}

// outline lists a rule set with all patterns and all places.
func outline(set *Ruleset) string {
	o := &outliner{places: true}
	o.ruleset(set, set.Patterns)
	return strings.Join(o.lines, "\n") + "\n"
}

func (o *outliner) add(indent int, at Place, format string, args ...any) {
	line := strings.Repeat("  ", indent) + collapse(fmt.Sprintf(format, args...))
	if o.places && at.File != "" {
		line += " @ " + at.String()
	}
	o.lines = append(o.lines, line)
}

func (o *outliner) ruleset(set *Ruleset, patterns []*Pattern) {
	o.add(0, Place{}, "title %s", set.Title)
	if o.places {
		o.add(0, Place{}, "files %s", strings.Join(set.Files, " "))
		o.add(0, Place{}, "default phase %q, compiled %v", set.Default, set.Compiled)
		o.scope(0, set.Namespaces, &Scope{Prefixes: skeletonPrefixes})
		for _, p := range set.Phases {
			o.add(0, Place{}, "phase %s: %s", p.ID, strings.Join(p.Active, " "))
			o.lets(1, p.Lets)
		}
	}
	o.lets(0, set.Lets)
	for _, f := range set.Functions {
		o.function(f, set.Namespaces)
	}
	for _, p := range patterns {
		o.add(0, p.Place, "pattern %s", p.ID)
		o.lets(1, p.Lets)
		for _, r := range p.Rules {
			o.rule(r)
		}
	}
}

// scope lists what a scope has that another has not.
func (o *outliner) scope(indent int, s, outer *Scope) {
	for _, prefix := range slices.Sorted(maps.Keys(s.Prefixes)) {
		if s.Prefixes[prefix] != outer.Prefixes[prefix] {
			o.add(indent, Place{}, "ns %s = %s", prefix, s.Prefixes[prefix])
		}
	}
	if s.DefaultElement != outer.DefaultElement {
		o.add(indent, Place{}, "elements in %q", s.DefaultElement)
	}
}

func (o *outliner) lets(indent int, lets []Let) {
	for _, l := range lets {
		o.add(indent, l.Value.Place, "let %s%s = %s", l.Name, as(l.As), l.Value.Text)
	}
}

func as(typ string) string {
	if typ == "" {
		return ""
	}
	return " as " + typ
}

func (o *outliner) rule(r *Rule) {
	o.add(1, r.Context.Place, "rule %s", r.Context.Text)
	o.optional(2, "id", r.ID)
	o.optional(2, "role", r.Role)
	if o.places { // the compiled form does not have it
		o.optional(2, "flag", r.Flag)
	}
	o.lets(2, r.Lets)
	for _, a := range r.Assertions {
		kind := "assert"
		if a.Report {
			kind = "report"
		}
		o.add(2, a.Test.Place, "%s %s flag=%q role=%q lets=%d: %s", kind, a.Key, a.Flag, a.Role, a.Scope, a.Test.Text)
		if len(a.Message) > 0 {
			o.add(3, Place{}, "%s", messageText(a.Message))
		}
		for _, d := range a.Diagnostics {
			o.add(3, Place{}, "diagnostic %s: %s", d.ID, messageText(d.Message))
		}
	}
}

func (o *outliner) optional(indent int, name, value string) {
	if value != "" {
		o.add(indent, Place{}, "%s %s", name, value)
	}
}

// messageText writes the values of a message in angle brackets.
func messageText(parts []Part) string {
	var b strings.Builder
	for _, p := range parts {
		if p.IsText() {
			b.WriteString(p.Text)
		} else {
			b.WriteString("<" + p.Select.Text + ">")
		}
	}
	return b.String()
}

func (o *outliner) function(f *Function, outer *Scope) {
	params := make([]string, 0, len(f.Params))
	for _, p := range f.Params {
		params = append(params, "$"+p.Name+as(p.As))
	}
	o.add(0, f.Place, "function {%s}%s(%s)%s", f.Name.Space, f.Name.Local, strings.Join(params, ", "), as(f.As))
	if o.places {
		o.scope(1, f.Scope, outer)
	}
	o.body(1, f.Body)
}

func (o *outliner) body(indent int, body []Instruction) {
	for _, i := range body {
		switch i := i.(type) {
		case *Variable:
			if i.Select != nil {
				o.add(indent, i.Select.Place, "variable %s%s = %s", i.Name, as(i.As), i.Select.Text)
				continue
			}
			o.add(indent, i.Place, "variable %s%s", i.Name, as(i.As))
			o.body(indent+1, i.Body)
		case *Sequence:
			o.add(indent, i.Select.Place, "sequence %s", i.Select.Text)
		case *ValueOf:
			o.add(indent, i.Select.Place, "value-of %s separated by %q", i.Select.Text, i.Separator)
		case *Choose:
			for _, w := range i.When {
				o.add(indent, w.Test.Place, "when %s", w.Test.Text)
				o.body(indent+1, w.Body)
			}
			o.add(indent, Place{}, "otherwise")
			o.body(indent+1, i.Otherwise)
		case *Text:
			o.add(indent, Place{}, "text %q", i.Value)
		}
	}
}
