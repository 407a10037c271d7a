package xpath

import (
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
)

// Selector finds the patterns that a node matches: of each group the first one. Most nodes match few patterns, and most
// patterns can be told apart by the names of the node and of those above it alone, so that is looked at once for each path of names.
type Selector struct {
	groups [][]*Pattern
	parts  []selectorPart
	kinds  nodeKinds // of the nodes that may match a pattern
	number int
}

// selectorPart is one alternative of a pattern. What is nil asks for nothing.
type selectorPart struct {
	group, index int
	test         nodeTest
	byPath       []boolFunc // conditions that depend on nothing but the names of the node and those above it
	asking       asking     // what these look at
	absent       []int      // names above that some of these look for and that no document may have
	from         boolFunc   // where the node must stand beyond that
	key          int        // identifies text
	text         textFunc   // what must be value; the same for many patterns that differ in the value
	value        string
	rest         []boolFunc // everything else
}

// Select makes a Selector for patterns of this Builder. It may be used after Build.
func (b *Builder) Select(groups [][]*Pattern) *Selector {
	s := &Selector{groups: groups, number: len(b.selectors)}
	b.selectors = append(b.selectors, s)
	return s
}

// selector compiles the alternatives of a selector.
func (k *compiler) selector(s *Selector) {
	k.once = false
	for group, patterns := range s.groups {
		for index, p := range patterns {
			k.within(func() {
				for _, part := range k.alternatives(p.root) {
					part.group, part.index = group, index
					s.parts = append(s.parts, part)
					s.kinds |= part.test.kinds
				}
			})
		}
	}
}

// alternatives cuts a pattern into what its unions consist of. What cannot be followed from its last step backwards is told
// by the kind and name that this step asks for, and then evaluated as a whole.
func (k *compiler) alternatives(e expr) []selectorPart {
	switch e := e.(type) {
	case *convert:
		return k.alternatives(e.operand)
	case *setOp:
		if e.op == syntax.Union {
			return slices.Concat(k.alternatives(e.left), k.alternatives(e.right))
		}
	case *step:
		if part, ok := k.stepAlternative(e); ok {
			return []selectorPart{part}
		}
	}
	rest := k.matcher(e, anywhere)
	if rest == nil {
		rest = k.member(e)
	}
	var parts []selectorPart
	for _, test := range lastTests(e) {
		parts = append(parts, selectorPart{test: test, asking: itself, rest: []boolFunc{rest}})
	}
	return parts
}

func always(*Machine, node) bool { return true }

// stepAlternative separates what the names decide from the rest. The former is asked once for each path of names, the latter
// of each node.
func (k *compiler) stepAlternative(e *step) (part selectorPart, ok bool) {
	before := k.startMatcher(e, anywhere)
	if before == nil || anyPositional(e.preds) {
		return part, false
	}
	part.test, part.asking = e.test, itself
	var rest []expr
	for _, cond := range truths(e.preds) {
		if namesOnly(cond) {
			part.decidedBy(k.truth(cond), asksOfNames(cond, &part.absent))
		} else {
			rest = append(rest, cond)
		}
	}
	if !k.locate(&part, e, before) {
		return part, false
	}
	part.rest = k.conditions(k.discriminate(&part, rest))
	return part, true
}

// conditions compiles conditions all of which must hold.
func (k *compiler) conditions(list []expr) []boolFunc {
	var all []boolFunc
	for i := 0; i < len(list); i++ {
		if i+1 < len(list) && isNoElement(list[i]) && isNoText(list[i+1]) {
			all = append(all, isEmpty)
			i++
			continue
		}
		all = append(all, k.truth(list[i]))
	}
	return all
}

// truths cuts truth predicates into conditions all of which must hold.
func truths(preds []predicate) []expr {
	var list []expr
	for _, p := range preds {
		if l, ok := p.cond.(*logic); ok && l.all {
			list = append(list, l.operands...)
		} else {
			list = append(list, p.cond)
		}
	}
	return list
}

// locate says where a node must stand to be given by a step; false for axes that cannot be followed backwards. A relative
// step to a child and a step behind // ask for no place: every element is somebody's child.
func (k *compiler) locate(part *selectorPart, e *step, before boolFunc) bool {
	_, relative := e.in.(*contextItem)
	_, rooted := e.in.(*rootNode)
	if e.test.kinds == elements && (relative && e.axis == syntax.Child || rooted && e.axis == syntax.Descendant) {
		return true
	}
	from := k.origin(e, before)
	if from == nil {
		return false
	}
	if isNamesOnlyPath(e.in) {
		part.decidedBy(from, above)
		return true
	}
	part.from = from
	if names, rooted := namesAbove(e); len(names) > 0 {
		part.decidedBy(func(_ *Machine, f node) bool { return hasParents(f, names, rooted) }, above)
	}
	return true
}

// decidedBy adds a condition about names.
func (p *selectorPart) decidedBy(cond boolFunc, asks asking) {
	p.byPath = append(p.byPath, cond)
	p.asking = p.asking.and(asks)
}

// isNamesOnlyPath tells whether the steps that lead to a node ask for nothing but names.
func isNamesOnlyPath(e expr) bool {
	switch e := e.(type) {
	case *contextItem, *rootNode:
		return true
	case *step:
		return e.preds == nil && isNamesOnlyPath(e.in)
	}
	return false
}

// namesAbove gives the names that the ancestors of the nodes of a step must have, whatever its predicates say, from the parent up as far
// as each step leads to a child, and whether the last one is the document element.
func namesAbove(e *step) (names [][]int, rooted bool) {
	for e.axis == syntax.Child || e.axis == syntax.Attribute {
		from, ok := e.in.(*step)
		if !ok {
			_, rooted = e.in.(*rootNode)
			return names, rooted
		}
		if from.test.names == nil || from.test.kinds != elements || from.test.never {
			break
		}
		names, e = append(names, from.test.names), from
	}
	return names, false
}

// discriminate takes a first condition of the form text = constant out of a list.
func (k *compiler) discriminate(part *selectorPart, conds []expr) []expr {
	if len(conds) == 0 {
		return nil
	}
	value, codes := k.equality(conds[0])
	if len(codes) != 1 || value.info().typ.occurs != oneItem || value.info().needs != needsFocus || value.info().locals != 0 {
		return conds
	}
	part.key, part.text = value.info().key, k.text(value)
	for part.value = range codes {
	}
	return conds[1:]
}

// namesOnly tells whether an expression depends on nothing but the names of the context node and those above it, and cannot fail.
func namesOnly(e expr) bool {
	switch e := e.(type) {
	case *literal:
		return true
	case *step:
		return isNamesAbove(e)
	case *call:
		switch e.fn.name {
		case "name", "local-name", "namespace-uri":
			return isHere(e.args[0])
		case "not", "exists", "empty", "boolean", "contains", "starts-with", "ends-with", "substring-before", "substring-after",
			"string-length", "concat", "upper-case", "lower-case", "true", "false":
			return allNames(e.args)
		}
	case *logic:
		return allNames(e.operands)
	case *comparison:
		kinds := e.left.info().typ.kinds | e.right.info().typ.kinds
		return (kinds.within(textKinds) || kinds.within(numericKinds)) && allNames(parts(e))
	}
	return false
}

// isNamesAbove tells whether steps lead from the context node to it or to nodes above it, by nothing but names.
func isNamesAbove(e *step) bool {
	switch e.axis {
	case syntax.Self, syntax.Parent, syntax.Ancestor, syntax.AncestorOrSelf:
	default:
		return false
	}
	if e.preds != nil {
		return false
	}
	if in, ok := e.in.(*step); ok {
		return isNamesAbove(in)
	}
	return isHere(e.in)
}

// asksOfNames tells which names a condition about nothing else looks at. A step to a name above is no matter as long as no document has
// that name: those are added to a list.
func asksOfNames(e expr, absent *[]int) asking {
	asks := itself
	switch e := e.(type) {
	case *step:
		name, ok := e.test.single()
		if !ok {
			return above
		}
		*absent = append(*absent, name)
		return itself
	case *call:
		if e.fn.name == "name" {
			return itself | written
		}
		if e.fn.name == "ends-with" && isLocalEnd(e.args[1]) {
			return itself
		}
	}
	for _, part := range parts(e) {
		asks = asks.and(asksOfNames(part, absent))
	}
	return asks
}

// isLocalEnd tells whether names end like that whatever their prefix is.
func isLocalEnd(e expr) bool {
	l, ok := e.(*literal)
	return ok && !strings.Contains(l.item.Text(), ":")
}

func allNames(list []expr) bool {
	return !slices.ContainsFunc(list, func(e expr) bool { return !namesOnly(e) })
}
