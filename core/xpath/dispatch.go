package xpath

import (
	"slices"

	"einvoiced/core/xmltree"
	"einvoiced/core/xpath/syntax"
)

// Selector finds the patterns that a node matches: of each group the first one. Most nodes match few patterns, and most
// patterns can be told apart by the name of the node alone, so that is looked at once for each name.
type Selector struct {
	groups [][]*Pattern
	parts  []selectorPart
	number int
}

// selectorPart is one alternative of a pattern. What is nil asks for nothing.
type selectorPart struct {
	group, index int
	test         nodeTest
	byName       []boolFunc // conditions that depend on nothing but the name as written
	parent       []int      // the names the parent may have
	from         boolFunc   // where the node must stand beyond that
	key          int        // identifies text
	text         textFunc   // what must be value; the same for many patterns that differ in the value
	value        string
	rest         boolFunc // everything else
}

// Select makes a Selector for patterns of this Builder. It may be used after Build.
func (b *Builder) Select(groups [][]*Pattern) *Selector {
	s := &Selector{groups: groups, number: len(b.selectors)}
	b.selectors = append(b.selectors, s)
	return s
}

// Kinds says which kinds of nodes can match a pattern at all, in the order of xmltree.Kind.
func (s *Selector) Kinds() []xmltree.Kind {
	var all nodeKinds
	for _, p := range s.parts {
		all |= p.test.kinds
	}
	var kinds []xmltree.Kind
	for k := xmltree.KindDocument; k <= xmltree.KindInstruction; k++ {
		if all&(1<<k) != 0 {
			kinds = append(kinds, k)
		}
	}
	return kinds
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
				}
			})
		}
	}
}

// alternatives cuts a pattern into what its unions consist of.
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
		parts = append(parts, selectorPart{test: test, rest: rest})
	}
	return parts
}

func always(*Machine, node) bool { return true }

// stepAlternative separates what the names decide from the rest.
func (k *compiler) stepAlternative(e *step) (part selectorPart, ok bool) {
	before := k.startMatcher(e, anywhere)
	if before == nil || anyPositional(e.preds) {
		return part, false
	}
	part.test = e.test
	var preds []predicate
	for _, cond := range truths(e.preds) {
		if namesOnly(cond) {
			part.byName = append(part.byName, k.truth(cond))
		} else {
			preds = append(preds, predicate{cond: cond})
		}
	}
	if !k.locate(&part, e, before) {
		return part, false
	}
	preds = k.discriminate(&part, preds)
	if len(preds) > 0 {
		part.rest = boolFunc(k.truthStages(preds, always))
	}
	return part, true
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

// locate says where a node must stand to be given by a step; false for axes that cannot be followed backwards.
func (k *compiler) locate(part *selectorPart, e *step, before boolFunc) bool {
	_, relative := e.in.(*contextItem)
	_, rooted := e.in.(*rootNode)
	if e.test.kinds == elements && (relative && e.axis == syntax.Child || rooted && e.axis == syntax.Descendant) {
		return true
	}
	names, rooted, ok := parentNames(e.in)
	if !ok || len(names) == 0 || e.axis != syntax.Child || e.test.kinds != elements {
		part.from = k.origin(e, before)
		return part.from != nil
	}
	part.parent = names[0]
	if above := names[1:]; rooted || len(above) > 0 {
		part.from = func(_ *Machine, f node) bool { return hasParents(node{f.t, f.t.doc.Parent(f.n)}, above, rooted) }
	}
	return true
}

// discriminate takes a first predicate of the form text = constant out of a list.
func (k *compiler) discriminate(part *selectorPart, preds []predicate) []predicate {
	if len(preds) == 0 {
		return preds
	}
	value, codes := k.equality(preds[0].cond)
	if len(codes) != 1 || value.info().typ.occurs != oneItem || value.info().needs != needsFocus || value.info().locals != 0 {
		return preds
	}
	part.key, part.text = value.info().key, k.text(value)
	for part.value = range codes {
	}
	return preds[1:]
}

// namesOnly tells whether an expression depends on nothing but the name of the context node, and cannot fail.
func namesOnly(e expr) bool {
	switch e := e.(type) {
	case *literal:
		return true
	case *call:
		switch e.fn.name {
		case "name", "local-name", "namespace-uri":
			_, self := e.args[0].(*contextItem)
			return self
		case "not", "contains", "starts-with", "ends-with", "substring-before", "substring-after", "string-length", "concat",
			"upper-case", "lower-case", "true", "false":
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

func allNames(list []expr) bool {
	return !slices.ContainsFunc(list, func(e expr) bool { return !namesOnly(e) })
}
