package xpath

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// A step like //line[parent/id = $id] or ../line[parent/id = $id] is evaluated for many values of $id, from many context nodes.
// Its nodes are put into an index by the left side of the comparison, once for each document or parent; then each value costs
// one look-up. Where a key cannot be computed, the step is evaluated as it stands, so that errors come when they should.

// lookup is a step with a predicate that an index can answer: its number, and its sides that give the keys and the values.
type lookup struct {
	step       *step // whose predicates are no conjunctions
	predicate  int
	key, value expr
	unless     []expr // conditions of which none depends on the nodes; where one is true, the predicate holds for all of them
	anchored   bool   // the step starts at a node that depends on the context node
}

// lookupOf finds the first predicate of a step that an index can answer, of those whose value changes if there is one. Those before it
// must depend on nothing but the node.
func lookupOf(e *step) (lookup, bool) {
	l, ok := indexable(e)
	if !ok {
		return l, false
	}
	fixed, found := l, false
	for i, p := range l.step.preds {
		if at := l; at.take(p.cond) {
			at.predicate = i
			if !isLiteral(at.value) {
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

// take completes a lookup with a condition: key = value, perhaps as the last of alternatives.
func (l *lookup) take(cond expr) bool {
	if either, ok := cond.(*logic); ok && !either.all {
		last := len(either.operands) - 1
		l.unless, cond = either.operands[:last], either.operands[last]
		if slices.ContainsFunc(l.unless, func(e expr) bool { return e.info().needs&(needsPlace|needsRoot) != 0 }) {
			return false
		}
	}
	c, ok := cond.(*comparison)
	if !ok || !c.general || c.relation != xdm.Equal {
		return false
	}
	for _, sides := range [][2]expr{{c.left, c.right}, {c.right, c.left}} {
		if l.key, l.value = sides[0], sides[1]; isKey(l.key) && isValue(l.value, keysOf(l.key)) {
			return keysOf(l.key) == textKeys || !isLiteral(l.value)
		}
	}
	return false
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

// indexable tells whether the nodes of a step may be put into an index: they must depend on the document, or on one node only.
func indexable(e *step) (lookup, bool) {
	in := e.in.info()
	l := lookup{step: e, anchored: in.needs&needsFocus != 0}
	ok := in.locals == 0 && in.key != 0 && in.needs&(needsPosition|needsLast|needsCurrent) == 0 && !anyPositional(e.preds) &&
		(e.axis == syntax.Child || e.axis == syntax.Descendant) && (!l.anchored || in.typ.single())
	if ok {
		apart := *e
		apart.preds = conjunctsOf(e.preds)
		l.step = &apart
	}
	return l, ok
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
	for _, p := range l.step.preds[:l.predicate] { // what stands in unless does not matter to what is in the index
		keys = append(keys, p.cond.info().key)
	}
	return k.builder.keyText(append(keys, "by", l.key.info().key)...)
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
	if isLiteral(l.value) {
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
	var rest nodeSink
	k.within(func() { rest = k.truthStages(l.step.preds[l.predicate+1:], sink) })
	return k.answer(l, rest, func() walkFunc { return k.nodes(e.in, need&wellOrdered|distinct, k.step(e, need, sink)) })
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
	otherwise, find, prepare, all := scan(), k.find(l, at, sink), k.prepare(l, at), k.any(l.unless)
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

// find compiles the look-up of the values; ok is false when one is not of the sort of the keys.
func (k *compiler) find(l lookup, at int, rest nodeSink) func(m *Machine, f node) (stop, ok bool) {
	values, list, sort := k.sequence(l.value), place(&k.layout.lists), keysOf(l.key)
	return func(m *Machine, f node) (stop, ok bool) {
		x, items := &m.indexes[at], values(m, f)
		if slices.ContainsFunc(items, func(i xdm.Item) bool { return !sort.has(i.Type()) }) {
			return false, false
		}
		if len(items) == 1 {
			return x.hits(m, sort.key(items[0]), rest), true
		}
		found := m.frame.lists[list][:0]
		for _, i := range items {
			x.hits(m, sort.key(i), func(_ *Machine, n node) bool { found = append(found, n); return false })
		}
		found = sortNodes(found)
		m.frame.lists[list] = found
		return slices.ContainsFunc(found, func(n node) bool { return rest(m, n) }), true
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
	of, sort := place(&k.layout.nodes), keysOf(l.key)
	var walk walkFunc
	k.within(func() {
		keys := k.each(l.key, func(m *Machine, i xdm.Item) bool {
			if key := sort.key(i); sort != doubleKeys || key != notEqual {
				m.indexes[at].add(key, m.frame.nodes[of])
			}
			return false
		})
		base := *l.step
		base.in, base.preds, base.key = in, l.step.preds[:l.predicate], 0
		base.order = stepOrder(in.info(), base.axis)
		walk = k.nodes(&base, wellOrdered, func(m *Machine, f node) bool {
			m.frame.nodes[of] = f
			keys(m, f)
			return false
		})
	})
	return walk
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
