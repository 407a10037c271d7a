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
	step       *step
	predicate  int
	key, value expr
	anchored   bool // the step starts at a node that depends on the context node
}

// lookupOf finds the first predicate of a step that an index can answer. Those before it must depend on nothing but the node.
func lookupOf(e *step) (lookup, bool) {
	l, ok := indexable(e)
	if !ok {
		return l, false
	}
	for i, p := range e.preds {
		if c, ok := p.cond.(*comparison); ok && c.general && c.relation == xdm.Equal {
			l.predicate, l.key, l.value = i, c.left, c.right
			if !isKey(l.key) || !isValue(l.value) {
				l.key, l.value = c.right, c.left
			}
			if isKey(l.key) && isValue(l.value) {
				return l, !l.anchored || !isLiteral(l.value)
			}
		}
		if !isClosed(p.cond) {
			break
		}
	}
	return l, false
}

// indexable tells whether the nodes of a step may be put into an index: they must depend on the document, or on one node only.
func indexable(e *step) (lookup, bool) {
	in := e.in.info()
	l := lookup{step: e, anchored: in.needs&needsFocus != 0}
	ok := in.locals == 0 && in.key != 0 && in.needs&(needsPosition|needsLast|needsCurrent) == 0 && !anyPositional(e.preds) &&
		(e.axis == syntax.Child || e.axis == syntax.Descendant) && (!l.anchored || in.typ.single())
	return l, ok
}

// isClosed tells whether a condition depends on nothing but the context node and the document.
func isClosed(e expr) bool {
	i := e.info()
	return i.needs&^(needsFocus|needsRoot|needsDocument) == 0 && i.locals == 0 && i.key != 0
}

// isKey tells whether an expression is a text that depends on the context node, and otherwise on the document only.
func isKey(e expr) bool {
	i := e.info()
	return i.needs&^needsDocument == needsFocus && i.locals == 0 && i.key != 0 && i.typ.kinds.within(textKinds)
}

// isValue tells whether an expression may be a text and does not depend on the context node.
func isValue(e expr) bool {
	i := e.info()
	return i.needs&(needsPlace|needsRoot) == 0 && i.typ.kinds.meets(textKinds)
}

// indexKey is the same for the lookups that one index answers.
func (l lookup) indexKey(k *compiler) string {
	keys := []any{l.step.in.info().key, l.step.axis, l.step.test.key()}
	for _, p := range l.step.preds[:l.predicate] {
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
	k.within(func() { rest = k.truthStages(e.preds[l.predicate+1:], sink) })
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
	otherwise, find, prepare := scan(), k.find(l, at, sink), k.prepare(l, at)
	return func(m *Machine, f node) bool {
		if prepare(m, f) {
			if stop, ok := find(m, f); ok {
				return stop
			}
		}
		return otherwise(m, f)
	}
}

// find compiles the look-up of the values; ok is false when one is no text.
func (k *compiler) find(l lookup, at int, rest nodeSink) func(m *Machine, f node) (stop, ok bool) {
	values, list := k.sequence(l.value), place(&k.layout.lists)
	return func(m *Machine, f node) (stop, ok bool) {
		x, items := &m.indexes[at], values(m, f)
		if slices.ContainsFunc(items, func(i xdm.Item) bool { return !i.Type().IsText() }) {
			return false, false
		}
		if len(items) == 1 {
			return x.hits(m, items[0].Text(), rest), true
		}
		found := m.frame.lists[list][:0]
		for _, i := range items {
			x.hits(m, i.Text(), func(_ *Machine, n node) bool { found = append(found, n); return false })
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
	of := place(&k.layout.nodes)
	var walk walkFunc
	k.within(func() {
		keys := k.each(l.key, func(m *Machine, i xdm.Item) bool {
			m.indexes[at].add(i.Text(), m.frame.nodes[of])
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
	before := suspended{m.frame, m.item, m.pos, m.size}
	depth, results := m.depth, len(m.results)
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if _, ok := p.(*xdm.Error); !ok {
			panic(p)
		}
		x.broken = true
		m.depth, m.results = depth, m.results[:results]
		m.frame, m.item, m.pos, m.size = before.frame, before.item, before.pos, before.size
	}()
	walk(m, f)
}
