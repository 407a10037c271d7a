package sch

import (
	"fmt"
	"maps"
	"slices"
)

// Edit says how the rules of one publisher differ from those of a pattern that is written once. Rule sets that hold an edited copy
// of EN 16931's rules are made so.
type Edit struct {
	Without  []string               // ids of assertions that are left out; rules that lose their last one go, too
	Tests    map[string]string      // id to another condition
	Flags    map[string]string      // id to another level
	Contexts map[string]string      // context of rules to another one
	Changes  map[string]Assertion   // id to what stands in its place
	Added    map[string][]Assertion // context, as edited, to what its first rule has besides
	Before   []Rule                 // rules that come before all others
	After    []Rule                 // rules that come after all others
}

// Apply gives a copy of the pattern with the edit. The error names an id or context that the pattern does not have, so that no edit
// is forgotten when the pattern changes.
func (e *Edit) Apply(p *Pattern) (Pattern, error) {
	used := map[string]bool{}
	edited := *p
	edited.Rules = slices.Clone(e.Before)
	for _, r := range p.Rules {
		if context, ok := e.Contexts[r.Context]; ok {
			used["context "+r.Context] = true
			r.Context = context
		}
		r.Assertions = e.assertions(r.Assertions, used)
		if added := e.Added[r.Context]; len(added) > 0 && !used["addition to "+r.Context] {
			r.Assertions = append(r.Assertions, added...)
			used["addition to "+r.Context] = true
		}
		if len(r.Assertions) > 0 {
			edited.Rules = append(edited.Rules, r)
		}
	}
	edited.Rules = append(edited.Rules, e.After...)
	if unused := e.unused(used); len(unused) > 0 {
		return Pattern{}, fmt.Errorf("the pattern %s has no %q to edit", p.ID, unused)
	}
	return edited, nil
}

// assertions edits those of one rule, and notes what was used.
func (e *Edit) assertions(all []Assertion, used map[string]bool) []Assertion {
	var edited []Assertion
	for _, a := range all {
		id := a.ID
		if slices.Contains(e.Without, id) {
			used[id] = true
			continue
		}
		if change, ok := e.Changes[id]; ok {
			a, used[id] = change, true
		}
		if test, ok := e.Tests[id]; ok {
			a.Test, used[id] = test, true
		}
		if flag, ok := e.Flags[id]; ok {
			a.Flag, used[id] = flag, true
		}
		edited = append(edited, a)
	}
	return edited
}

// unused lists what an edit names and did not meet, in order.
func (e *Edit) unused(used map[string]bool) []string {
	named := slices.Concat(e.Without, slices.Collect(maps.Keys(e.Tests)), slices.Collect(maps.Keys(e.Flags)), slices.Collect(maps.Keys(e.Changes)))
	for context := range e.Contexts {
		named = append(named, "context "+context)
	}
	for context := range e.Added {
		named = append(named, "addition to "+context)
	}
	named = slices.DeleteFunc(named, func(name string) bool { return used[name] })
	slices.Sort(named)
	return slices.Compact(named)
}
