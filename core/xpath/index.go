package xpath

import (
	"slices"

	"einvoiced/core/xpath/syntax"
	"einvoiced/core/xpath/xdm"
)

// A step like //line[parent/id = $id] is looked at for many values of $id. If what the step is about does not depend on the
// context node, its nodes are put into an index by the left side of the comparison, once for each document; then each value
// costs one look-up.

// index holds nodes by key. Those of one key are chained in document order.
type index struct {
	tag     cellTag
	broken  bool // a key cannot be computed: the step must be evaluated as it stands
	chains  map[string]chain
	entries []indexEntry
}

type chain struct{ first, last int32 }

type indexEntry struct {
	node node
	next int32 // -1 at the end
}

// add puts a node under a key.
func (x *index) add(key string, n node) {
	at := int32(len(x.entries))
	c, ok := x.chains[key]
	switch {
	case !ok:
		c.first = at
	case x.entries[c.last].node == n:
		return
	default:
		x.entries[c.last].next = at
	}
	c.last = at
	x.chains[key] = c
	x.entries = append(x.entries, indexEntry{n, -1})
}

// lookup takes a predicate apart that an index can answer: the number of the predicate, the side that gives the keys and the one
// that gives the values.
type lookup struct {
	predicate  int
	key, value expr
}

// lookupOf finds the first predicate of a step that an index can answer. Those before it must not depend on variables.
func lookupOf(e *step) (lookup, bool) {
	in := e.in.info()
	if in.needs&needsPlace != 0 || in.locals != 0 || in.key == 0 || anyPositional(e.preds) {
		return lookup{}, false
	}
	for i, p := range e.preds {
		if c, ok := p.cond.(*comparison); ok && c.general && c.relation == xdm.Equal {
			switch {
			case isKey(c.left) && isValue(c.right):
				return lookup{i, c.left, c.right}, true
			case isKey(c.right) && isValue(c.left):
				return lookup{i, c.right, c.left}, true
			}
		}
		if p.cond.info().needs&^(needsFocus|needsRoot) != 0 || p.cond.info().locals != 0 {
			break
		}
	}
	return lookup{}, false
}

// isKey tells whether an expression is a text that depends on the context node only.
func isKey(e expr) bool {
	i := e.info()
	return i.needs == needsFocus && i.locals == 0 && i.key != 0 && i.typ.kinds.within(textKinds)
}

// isValue tells whether an expression may be a text and does not depend on the context node.
func isValue(e expr) bool {
	i := e.info()
	return i.needs&(needsPlace|needsRoot) == 0 && i.typ.kinds.meets(textKinds)
}

// base is the step without the predicate that the index answers and those after it.
func (l lookup) base(e *step) *step {
	s := *e
	s.preds = e.preds[:l.predicate]
	s.key = 0
	return &s
}

// key identifies the index that answers a lookup.
func (l lookup) indexKey(k *compiler, e *step) string {
	text := e.axis.String() + " " + e.test.key()
	keys := []any{"index", e.in.info().key, text}
	for _, p := range e.preds[:l.predicate] {
		if p.cond.info().key == 0 {
			return ""
		}
		keys = append(keys, p.cond.info().key)
	}
	return k.builder.keyText(append(keys, "by", l.key.info().key)...)
}

// countLookups counts how many lookups each index would answer.
func (k *compiler) countLookups(e expr) {
	if s, ok := e.(*step); ok {
		if l, ok := lookupOf(s); ok {
			k.lookups[l.indexKey(k, s)]++
		}
	}
}

// worthIndex is the least number of lookups with constant values that an index is made for.
const worthIndex = 3

// indexed compiles a step that an index answers; nil for others.
func (k *compiler) indexed(e *step, sink nodeSink) walkFunc {
	l, ok := lookupOf(e)
	if !ok || e.axis == syntax.Attribute {
		return nil
	}
	key := l.indexKey(k, e)
	if key == "" || isLiteral(l.value) && k.lookups[key] < worthIndex || !isLiteral(l.value) && k.loops == 0 && k.once {
		return nil
	}
	at, known := k.indexes[key]
	if !known {
		at = place(&k.program.indexes)
		k.indexes[key] = at
	}
	var rest nodeSink
	k.within(func() { rest = k.truthStages(e.preds[l.predicate+1:], sink) })
	scan := k.nodes(e.in, 0, k.step(e, sink))
	fill, values := k.fill(e, l, at), k.sequence(l.value)
	v := validity{always: e.in.info().needs == 0, root: e.in.info().needs&needsRoot != 0, current: e.in.info().needs&needsCurrent != 0}
	hits := place(&k.layout.lists)
	return func(m *Machine, f node) bool {
		if !v.applies(f) {
			return scan(m, f)
		}
		x := &m.indexes[at]
		if tag := v.key(m, f); x.tag != tag {
			m.fill(x, fill, f)
			x.tag = tag
		}
		if x.broken {
			return scan(m, f)
		}
		items := values(m, f)
		if slices.ContainsFunc(items, func(i xdm.Item) bool { return !i.Type().IsText() }) {
			return scan(m, f)
		}
		if len(items) == 1 {
			return x.hits(m, items[0].Text(), rest)
		}
		list := m.frame.lists[hits][:0]
		for _, i := range items {
			for n := range x.chain(i.Text()) {
				list = append(list, n)
			}
		}
		list = sortNodes(list)
		m.frame.lists[hits] = list
		return slices.ContainsFunc(list, func(n node) bool { return rest(m, n) })
	}
}

// chain gives the nodes of a key.
func (x *index) chain(key string) func(yield func(node) bool) {
	return func(yield func(node) bool) {
		c, ok := x.chains[key]
		if !ok {
			return
		}
		for at := c.first; at >= 0; at = x.entries[at].next {
			if !yield(x.entries[at].node) {
				return
			}
		}
	}
}

// hits hands the nodes of a key to a sink.
func (x *index) hits(m *Machine, key string, sink nodeSink) bool {
	c, ok := x.chains[key]
	if !ok {
		return false
	}
	for at := c.first; at >= 0; at = x.entries[at].next {
		m.tick(1)
		if sink(m, x.entries[at].node) {
			return true
		}
	}
	return false
}

// fill compiles a walk that puts the nodes of a step into an index.
func (k *compiler) fill(e *step, l lookup, at int) walkFunc {
	of := place(&k.layout.nodes)
	var keys walkFunc
	k.within(func() {
		keys = k.each(l.key, func(m *Machine, i xdm.Item) bool {
			m.indexes[at].add(i.Text(), m.frame.nodes[of])
			return false
		})
	})
	base := l.base(e)
	return k.nodes(base, wellOrdered, func(m *Machine, f node) bool {
		m.frame.nodes[of] = f
		keys(m, f)
		return false
	})
}

// fill fills an index; an error makes it useless for the document.
func (m *Machine) fill(x *index, walk walkFunc, f node) {
	if x.chains == nil {
		x.chains = map[string]chain{}
	}
	clear(x.chains)
	x.entries, x.broken = x.entries[:0], false
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
		m.frame, m.item, m.pos, m.size = before.frame, before.item, before.pos, before.size
		m.depth, m.results = depth, m.results[:results]
	}()
	walk(m, f)
}
