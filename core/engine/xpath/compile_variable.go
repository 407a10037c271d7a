package xpath

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// variable compiles the value of a variable of the program. It is evaluated when first asked for.
func (k *compiler) variable(v *variable) {
	if v.value == nil {
		return
	}
	k.once = false
	if v.scope == scopeCurrent { // evaluated as tests are
		k.valueInCell(v)
	} else {
		k.within(func() { k.valueInCell(v) })
	}
	v.slot = place(&k.program.cells)
}

// valueInCell compiles the value of a variable of the program.
func (k *compiler) valueInCell(v *variable) {
	if v.typ.single() {
		one := k.one(v.value)
		v.fill = func(m *Machine, f node, c *cell) { c.item = one(m, f) }
		return
	}
	items := k.sequence(v.value)
	v.fill = func(m *Machine, f node, c *cell) { c.items = append(c.items[:0], items(m, f)...) }
}

// valueOf gives the cell with the value of a variable of the program that has one: the item of a variable that has at most one, else
// the items.
func (m *Machine) valueOf(v *variable) *cell {
	c := &m.cells[v.slot]
	switch {
	case v.needs == 0:
		if c.tag.stamp == forever {
			return c
		}
	case c.tag.stamp == m.stamp && (v.scope != scopeCurrent || c.tag.serial == m.serial):
		return c
	}
	m.evaluate(v, c)
	return c
}

// evaluate computes the value of a variable. It is computed in the frame of the program, whoever asks for it, because that is
// the layout its closures have places in. Cells that are busy are listed, so that an error on the way leaves none of them
// marked.
func (m *Machine) evaluate(v *variable, c *cell) {
	if c.busy {
		m.fail("XTDE0640", "the value of $%s depends on itself", v.name)
	}
	stamp, at := m.stamp, node{m.doc, 0}
	switch {
	case v.scope == scopeCurrent:
		at = m.current
	case v.needs == 0:
		stamp = forever
	}
	serial := m.serial
	c.busy = true
	m.busy = append(m.busy, c)
	outer, pos, size, item := m.frame, m.pos, m.size, m.item
	m.frame, m.pos, m.size, m.item = m.frames[0], 1, 1, xdm.Item{}
	v.fill(m, at, c)
	m.frame, m.pos, m.size, m.item = outer, pos, size, item
	c.tag.stamp, c.tag.serial, c.busy = stamp, serial, false
	m.busy = m.busy[:len(m.busy)-1]
}

// eachOfVariable walks over the value of a variable.
func (k *compiler) eachOfVariable(v *variable, sink itemSink) walkFunc {
	if v.typ.single() {
		one := k.oneOfVariable(v)
		return func(m *Machine, f node) bool {
			i := one(m, f)
			return i.Exists() && sink(m, i)
		}
	}
	list := k.listOfVariable(v)
	return func(m *Machine, _ node) bool {
		for _, i := range list(m) {
			m.tick(1)
			if sink(m, i) {
				return true
			}
		}
		return false
	}
}

// oneOfVariable gives the only item of a variable.
func (k *compiler) oneOfVariable(v *variable) oneFunc {
	slot := v.slot
	switch {
	case v.scope == scopeDocument && v.needs != 0 && v.typ.single():
		return func(m *Machine, _ node) xdm.Item {
			c := &m.cells[slot]
			if c.tag.stamp != m.stamp {
				m.evaluate(v, c)
			}
			return c.item
		}
	case v.scope != scopeLocal && v.typ.single():
		return func(m *Machine, _ node) xdm.Item { return m.valueOf(v).item }
	case v.direct:
		return func(m *Machine, _ node) xdm.Item { return m.frame.items[slot] }
	}
	list := k.listOfVariable(v)
	return func(m *Machine, _ node) xdm.Item { return m.onlyOf(list(m)) }
}

// onlyOf gives the only item of a list.
func (m *Machine) onlyOf(items []xdm.Item) xdm.Item {
	switch len(items) {
	case 0:
		return xdm.Item{}
	case 1:
		return items[0]
	}
	m.fail("XPTY0004", "more than one item where at most one is allowed")
	return xdm.Item{}
}

// declare gives a local variable its place.
func (k *compiler) declare(v *variable) {
	v.direct = v.typ.single()
	if v.direct {
		v.slot = place(&k.layout.items)
	} else {
		v.slot = place(&k.layout.sequences)
	}
}

// eachLoop compiles for.
func (k *compiler) eachLoop(e *loop, sink itemSink) walkFunc {
	k.declare(e.v)
	var ret walkFunc
	k.within(func() { ret = k.each(e.ret, sink) })
	return k.binds(e.v, e.in, boolFunc(ret))
}

// binds compiles a walk over the items of in that binds each to v and evaluates body, until body is true.
func (k *compiler) binds(v *variable, in expr, body boolFunc) walkFunc {
	slot, focus := v.slot, place(&k.layout.nodes)
	walk := k.each(in, func(m *Machine, i xdm.Item) bool {
		m.tick(1)
		m.bindings++
		m.frame.items[slot] = i
		return body(m, m.frame.nodes[focus])
	})
	return func(m *Machine, f node) bool {
		m.frame.nodes[focus] = f
		return walk(m, f)
	}
}

// quantified compiles some and every.
func (k *compiler) quantified(e *quantified) boolFunc {
	k.declare(e.v)
	var cond boolFunc
	k.within(func() { cond = k.truth(e.cond) })
	if !e.every {
		if found := k.someByLookup(e, cond); found != nil {
			return found
		}
		return boolFunc(k.binds(e.v, e.in, cond))
	}
	fails := k.binds(e.v, e.in, func(m *Machine, f node) bool { return !cond(m, f) })
	return func(m *Machine, f node) bool { return !fails(m, f) }
}

// eachBinding compiles a binding to a walk over the value of its body.
func (k *compiler) eachBinding(e *binding, sink itemSink) walkFunc {
	k.declare(e.v)
	set, in := k.assign(e.v, e.value), k.each(e.in, sink)
	return func(m *Machine, f node) bool {
		set(m, f)
		return in(m, f)
	}
}

// oneBinding compiles bindings, one inside the other, to the only item of the innermost body. The body of a function that computes a
// check digit has twenty of them.
func (k *compiler) oneBinding(e *binding) oneFunc {
	var sets []func(m *Machine, f node)
	var body expr
	for {
		k.declare(e.v)
		sets, body = append(sets, k.assign(e.v, e.value)), e.in
		inner, ok := body.(*binding)
		if !ok || k.isKept(body) {
			break
		}
		e = inner
	}
	sets, in := slices.Clip(sets), k.one(body)
	return func(m *Machine, f node) xdm.Item {
		for _, set := range sets {
			set(m, f)
		}
		return in(m, f)
	}
}

// assign compiles giving a local variable the value of an expression.
func (k *compiler) assign(v *variable, value expr) func(m *Machine, f node) {
	slot := v.slot
	switch {
	case isDouble(value):
		float := k.float(value)
		return func(m *Machine, f node) {
			m.frame.items[slot] = xdm.Float64(float(m, f))
			m.bindings++
		}
	case v.direct:
		one := k.one(value)
		return func(m *Machine, f node) {
			m.frame.items[slot] = one(m, f)
			m.bindings++
		}
	}
	items := k.sequence(value)
	return func(m *Machine, f node) {
		m.frame.sequences[slot] = append(m.frame.sequences[slot][:0], items(m, f)...)
		m.bindings++
	}
}
