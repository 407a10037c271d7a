package sch

import (
	"fmt"
	"maps"
	"slices"
)

// Edit says how the rules of one publisher differ from those of a pattern that is written once. Rule sets that hold an edited copy
// of EN 16931's rules are made so.
type Edit struct {
	Without  []string             // ids of assertions that are left out; rules that lose their last one go, too
	Tests    map[string]string    // id to another condition
	Flags    map[string]string    // id to another level
	Contexts map[string]string    // context of rules to another one
	Changes  map[string]Assertion // id to what stands in its place
	Revised  []Rule               // assertions that stand in the place of those with their id, or after all, in the rules of their contexts
	IDs      map[string]string    // id to another one, after all else
	Before   []Rule               // rules that come before all others
	After    []Rule               // rules that come after all others
	Lets     []Let                // variables that come after the others
}

// Apply gives a copy of the pattern with the edit. The error names an id or context that the pattern does not have, so that no edit
// is forgotten when the pattern changes.
func (e *Edit) Apply(p *Pattern) (Pattern, error) {
	used := map[string]bool{}
	edited := *p
	edited.Rules, edited.Lets = slices.Clone(e.Before), slices.Concat(p.Lets, e.Lets)
	for _, r := range p.Rules {
		if context, ok := e.Contexts[r.Context]; ok {
			used["context "+r.Context] = true
			r.Context = context
		}
		r.Assertions = e.assertions(r.Assertions, used)
		e.revise(&r, used)
		if e.rename(r.Assertions, used); len(r.Assertions) > 0 {
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

// revise puts revised assertions into a rule.
func (e *Edit) revise(r *Rule, used map[string]bool) {
	for _, revised := range e.Revised {
		if revised.Context != r.Context {
			continue
		}
		used["context "+r.Context] = true
		r.Lets = slices.Concat(r.Lets, revised.Lets)
		for _, a := range revised.Assertions {
			if at := slices.IndexFunc(r.Assertions, func(old Assertion) bool { return old.ID == a.ID }); at >= 0 {
				r.Assertions[at] = a
			} else {
				r.Assertions = append(r.Assertions, a)
			}
		}
	}
}

// rename gives assertions their other ids.
func (e *Edit) rename(all []Assertion, used map[string]bool) {
	for i := range all {
		if id, ok := e.IDs[all[i].ID]; ok {
			used[all[i].ID] = true
			all[i].ID = id
		}
	}
}

// unused lists what an edit names and did not meet, in order.
func (e *Edit) unused(used map[string]bool) []string {
	named := slices.Concat(e.Without, slices.Collect(maps.Keys(e.Tests)), slices.Collect(maps.Keys(e.Flags)), slices.Collect(maps.Keys(e.Changes)),
		slices.Collect(maps.Keys(e.IDs)))
	for _, r := range e.Revised {
		named = append(named, "context "+r.Context)
	}
	for context := range e.Contexts {
		named = append(named, "context "+context)
	}
	named = slices.DeleteFunc(named, func(name string) bool { return used[name] })
	slices.Sort(named)
	return slices.Compact(named)
}
