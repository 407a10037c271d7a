package xpath

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// A step like //line[parent/id = $id] or ../line[parent/id = $id] is evaluated for many values of $id, from many context nodes.
// Its nodes are put into an index by the left side of the comparison, once for each document or parent; then each value costs
// one look-up. Where a key cannot be computed, the step is evaluated as it stands, so that errors come when they should.

// lookup is a step with predicates that an index can answer.
type lookup struct {
	step     *step       // without its predicates
	before   []predicate // which all nodes of the index fulfil; they depend on nothing but the node
	parts    []keyPart   // what the nodes are found by
	after    []predicate // which are left to try
	anchored bool        // the step starts at a node that depends on the context node
}

// keyPart is a predicate key = value, perhaps as the last of alternatives.
type keyPart struct {
	key, value expr
	unless     []expr // conditions of which none depends on the nodes; where one is true, the predicate holds for all of them
}

// lookupOf finds the first predicate of a step that an index can answer, of those whose value changes if there is one. Those before it
// must depend on nothing but the node.
func lookupOf(e *step) (lookup, bool) {
	l, preds, ok := indexable(e)
	if !ok {
		return l, false
	}
	fixed, found := l, false
	for i, p := range preds {
		if part, ok := keyPartOf(p.cond); ok {
			at := l
			at.before, at.parts, at.after = preds[:i], []keyPart{part}, preds[i+1:]
			if !isLiteral(part.value) {
				return at, true
			}
			if !found {
				fixed, found = at, true
			}
		}
		if !isClosed(p.cond) {
			break
		}
	}
	return fixed, found && !fixed.anchored
}

// further is the lookup that finds nodes by the predicates that follow as well, as far as they are of the same form: the lines of a VAT
// category and rate, not those of the category. ok is false where none is.
func (l lookup) further() (wide lookup, ok bool) {
	if isLiteral(l.parts[0].value) {
		return l, false
	}
	wide = l
	var between []predicate
	for i, p := range l.after {
		switch part, isPart := keyPartOf(p.cond); {
		case isPart && !isLiteral(part.value):
			wide.before = slices.Concat(wide.before, between)
			wide.parts = append(slices.Clip(wide.parts), part)
			wide.after, between, ok = l.after[i+1:], nil, true
		case isClosed(p.cond):
			between = append(between, p)
		default:
			return wide, ok
		}
	}
	return wide, ok
}

func keyPartOf(cond expr) (part keyPart, ok bool) {
	if either, ok := cond.(*logic); ok && !either.all {
		last := len(either.operands) - 1
		part.unless, cond = either.operands[:last], either.operands[last]
		if slices.ContainsFunc(part.unless, func(e expr) bool { return e.info().needs&(needsPlace|needsRoot) != 0 }) {
			return part, false
		}
	}
	c, ok := cond.(*comparison)
	if !ok || !c.general || c.relation != xdm.Equal {
		return part, false
	}
	for _, sides := range [][2]expr{{c.left, c.right}, {c.right, c.left}} {
		if part.key, part.value = sides[0], sides[1]; isKey(part.key) && isValue(part.value, keysOf(part.key)) {
			return part, keysOf(part.key) == textKeys || !isLiteral(part.value)
		}
	}
	return part, false
}

// conjunctsOf gives the predicates of a step with the operands of conjunctions as predicates of their own.
func conjunctsOf(preds []predicate) []predicate {
	var all []predicate
	for _, p := range preds {
		both, ok := p.cond.(*logic)
		if !ok || !both.all {
			all = append(all, p)
			continue
		}
		for _, operand := range both.operands {
			all = append(all, conjunctsOf([]predicate{{cond: operand}})...)
		}
	}
	return all
}

// indexable tells whether the nodes of a step may be put into an index: they must depend on the document, or on one node only. It gives
// the predicates as well, none of them a conjunction.
func indexable(e *step) (l lookup, preds []predicate, ok bool) {
	in := e.in.info()
	l = lookup{step: e, anchored: in.needs&needsFocus != 0}
	ok = in.locals == 0 && in.key != 0 && in.needs&(needsPosition|needsLast|needsCurrent) == 0 && !anyPositional(e.preds) &&
		(e.axis == syntax.Child || e.axis == syntax.Descendant) && (!l.anchored || in.typ.single())
	if ok {
		preds = conjunctsOf(e.preds)
	}
	return l, preds, ok
}

// isClosed tells whether a condition depends on nothing but the context node and the document.
func isClosed(e expr) bool {
	i := e.info()
	return i.needs&^(needsFocus|needsRoot|needsDocument) == 0 && i.locals == 0 && i.key != 0
}

// isKey tells whether an expression gives values of one sort that depend on the context node, and otherwise on the document only.
func isKey(e expr) bool {
	i := e.info()
	return i.needs&^needsDocument == needsFocus && i.locals == 0 && i.key != 0 && keysOf(e) != noKeys
}

// isValue tells whether an expression may give values that keys of a sort are equal to and does not depend on the context node.
func isValue(e expr, s keySort) bool {
	i := e.info()
	return i.needs&(needsPlace|needsRoot) == 0 && i.typ.kinds.meets(s.values())
}

// indexKey is the same for the lookups that one index answers.
func (l lookup) indexKey(k *compiler) string {
	keys := []any{l.step.in.info().key, l.step.axis, l.step.test.key()}
	for _, p := range l.before { // what stands in unless does not matter to what is in the index
		keys = append(keys, p.cond.info().key)
	}
	keys = append(keys, "by")
	for _, p := range l.parts {
		keys = append(keys, p.key.info().key)
	}
	return k.builder.keyText(keys...)
}

// countLookups counts how many lookups each index would answer.
func (k *compiler) countLookups(e expr) {
	switch e := e.(type) {
	case *step:
		if l, ok := lookupOf(e); ok {
			k.lookups[l.indexKey(k)]++
		}
	case *quantified:
		if e.lookup != nil {
			k.lookups[e.lookup.indexKey(k)]++
		}
	}
}

// worthIndex is the least number of lookups with constant values that an index is made for.
const worthIndex = 3

// worth tells whether a lookup is made often enough for an index.
func (l lookup) worth(k *compiler, key string) bool {
	if isLiteral(l.parts[0].value) {
		return k.lookups[key] >= worthIndex
	}
	return k.loops > 0 || !k.once
}

// indexed compiles a step that an index answers, as nodes would; nil for others.
func (k *compiler) indexed(e *step, need order, sink nodeSink) walkFunc {
	l, ok := lookupOf(e)
	if !ok {
		return nil
	}
	scan := func() walkFunc { return k.nodes(e.in, need&wellOrdered|distinct, k.step(e, need, sink)) }
	wide, ok := l.further()
	if !ok {
		return k.lookUp(l, sink, scan)
	}
	return k.lookUp(wide, sink, func() walkFunc {
		if narrow := k.lookUp(l, sink, scan); narrow != nil {
			return narrow
		}
		return scan()
	})
}

// lookUp compiles a lookup whose hits go to a sink where they fulfil the predicates that are left.
func (k *compiler) lookUp(l lookup, sink nodeSink, scan func() walkFunc) walkFunc {
	var rest nodeSink
	k.within(func() { rest = k.truthStages(l.after, sink) })
	return k.answer(l, rest, scan)
}

// answer compiles a lookup whose hits go to a sink; scan compiles the other way to the same nodes, for when there is no index. It
// is nil when an index is not worth it.
func (k *compiler) answer(l lookup, sink nodeSink, scan func() walkFunc) walkFunc {
	key := l.indexKey(k)
	if !l.worth(k, key) {
		return nil
	}
	at, known := k.indexes[key]
	if !known {
		at = place(&k.program.indexes)
		k.indexes[key] = at
	}
	var unless []expr
	for _, p := range l.parts {
		unless = append(unless, p.unless...)
	}
	otherwise, find, prepare, all := scan(), k.find(l, at, sink), k.prepare(l, at), k.any(unless)
	return func(m *Machine, f node) bool {
		if prepare(m, f) && !all(m, f) {
			if stop, ok := find(m, f); ok {
				return stop
			}
		}
		return otherwise(m, f)
	}
}

// any compiles whether one of some conditions is true.
func (k *compiler) any(conditions []expr) boolFunc {
	truths := make([]boolFunc, len(conditions))
	for i, c := range conditions {
		truths[i] = k.truth(c)
	}
	return func(m *Machine, f node) bool {
		return slices.ContainsFunc(truths, func(truth boolFunc) bool { return truth(m, f) })
	}
}

// prepare compiles filling the index if need be; false when there is none for the context node.
func (k *compiler) prepare(l lookup, at int) boolFunc {
	if l.anchored {
		return k.prepareAnchored(l, at)
	}
	in := l.step.in.info()
	v := validity{always: in.needs == 0, root: in.needs&needsRoot != 0}
	fill := k.filler(l.step.in, l, at)
	return func(m *Machine, f node) bool {
		if !v.applies(f) {
			return false
		}
		x := &m.indexes[at]
		if !v.holds(m, f, &x.tag) {
			m.fill(x, fill, f)
			v.mark(m, f, 0, &x.tag)
		}
		return !x.broken
	}
}

// worthAnchor is the least size of a subtree of which an index is made, in nodes.
const worthAnchor = 256

// prepareAnchored is prepare for a step from a node near the context node. The index is made when it is wanted for the second
// time in a row for the same node.
func (k *compiler) prepareAnchored(l lookup, at int) boolFunc {
	anchor := k.onlyNode(l.step.in)
	here := &contextItem{facts{typ: exactly(xdm.Node), needs: needsFocus, order: wellOrdered | peers | below}}
	fill, v := k.filler(here, l, at), validity{focus: true}
	return func(m *Machine, f node) bool {
		from := anchor(m, f)
		if from.t == nil || from.t.doc.End(from.n)-from.n < worthAnchor {
			return false
		}
		x := &m.indexes[at]
		switch {
		case v.holds(m, from, &x.tag):
		case !v.holds(m, from, &x.candidate):
			v.mark(m, from, 0, &x.candidate)
			return false
		default:
			m.fill(x, fill, from)
			v.mark(m, from, 0, &x.tag)
		}
		return !x.broken
	}
}

// filler compiles a walk that puts the nodes of a step from in into an index.
func (k *compiler) filler(in expr, l lookup, at int) walkFunc {
	of := place(&k.layout.nodes)
	var walk walkFunc
	k.within(func() {
		keys := k.keysFrom(l.parts, at, of, 0)
		base := *l.step
		base.in, base.preds, base.key = in, l.before, 0
		base.order = stepOrder(in.info(), base.axis)
		walk = k.nodes(&base, wellOrdered, func(m *Machine, f node) bool {
			m.frame.nodes[of] = f
			keys(m, f)
			return false
		})
	})
	return walk
}

// keysFrom compiles adding the node that is put into an index under each key that the parts from i on give.
func (k *compiler) keysFrom(parts []keyPart, at, of, i int) walkFunc {
	sort, deeper := keysOf(parts[i].key), walkFunc(nil)
	if i+1 < len(parts) {
		deeper = k.keysFrom(parts, at, of, i+1)
	}
	return k.each(parts[i].key, func(m *Machine, item xdm.Item) bool {
		x, key := &m.indexes[at], sort.key(item)
		if sort == doubleKeys && key == notEqual {
			return false
		}
		if i > 0 {
			key = x.prefixes[i-1] + keySeparator + key
		}
		if deeper == nil {
			x.add(key, m.frame.nodes[of])
			return false
		}
		x.prefixes = append(x.prefixes[:i], key)
		return deeper(m, m.frame.nodes[of])
	})
}

// fill fills an index; an error makes it useless.
func (m *Machine) fill(x *index, walk walkFunc, f node) {
	x.reset()
	x.broken = !m.attempt(suspended{m.frame, m.item, m.pos, m.size}, func() { walk(m, f) })
}

// attempt does something that may fail with an error of the language: false if it did. The machine is then as it was before.
func (m *Machine) attempt(before suspended, do func()) (ok bool) {
	depth, results, busy := m.depth, len(m.results), len(m.busy)
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if _, known := p.(*xdm.Error); !known {
			panic(p)
		}
		ok = false
		for _, c := range m.busy[busy:] {
			c.busy = false
		}
		m.busy = m.busy[:busy]
		m.depth, m.results = depth, m.results[:results]
		m.frame, m.item, m.pos, m.size = before.frame, before.item, before.pos, before.size
	}()
	do()
	return true
}
