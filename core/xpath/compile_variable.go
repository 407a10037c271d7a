package xpath

import "einvoiced/core/xpath/xdm"

// variable compiles the value of a variable of the program. It is evaluated when first asked for.
func (k *compiler) variable(v *variable) {
	if v.value == nil {
		return
	}
	k.once = false
	k.within(func() {
		if v.typ.single() {
			one := k.one(v.value)
			v.fill = func(m *Machine, f node, c *cell) { c.item = one(m, f) }
			return
		}
		items := k.sequence(v.value)
		v.fill = func(m *Machine, f node, c *cell) { c.items = append(c.items[:0], items(m, f)...) }
	})
	v.slot = place(&k.program.cells)
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

// evaluate computes the value of a variable.
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

// oneBinding compiles a binding to the only item of its body.
func (k *compiler) oneBinding(e *binding) oneFunc {
	k.declare(e.v)
	set, in := k.assign(e.v, e.value), k.one(e.in)
	return func(m *Machine, f node) xdm.Item {
		set(m, f)
		return in(m, f)
	}
}

// assign compiles giving a local variable the value of an expression.
func (k *compiler) assign(v *variable, value expr) func(m *Machine, f node) {
	slot := v.slot
	if v.direct {
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

// functionCode is a declared function as closures.
type functionCode struct {
	layout layout
	slots  []int // of the parameters
	direct []bool
	one    oneFunc  // for a result of at most one item
	each   walkFunc // appends the result to Machine.results
}

// function compiles a declared function.
func (k *compiler) function(u *userFunction) {
	if u.err != nil {
		return
	}
	inner := &compiler{builder: k.builder, program: k.program, layout: &u.code.layout, uses: k.uses, cells: k.cells,
		lookups: k.lookups, indexes: k.indexes, columns: k.columns, codeSets: k.codeSets,
		truths: map[int]boolFunc{}, ones: map[int]oneFunc{}, loops: 1, inside: true}
	for _, p := range u.params {
		inner.declare(p)
		u.code.slots = append(u.code.slots, p.slot)
		u.code.direct = append(u.code.direct, p.direct)
	}
	if u.result.seqType().single() {
		u.code.one = inner.one(u.body)
		return
	}
	u.code.each = inner.each(u.body, func(m *Machine, i xdm.Item) bool {
		m.results = append(m.results, i)
		if len(m.results) > m.config.Items {
			m.fail("XPDY0130", "a sequence has more than %d items", m.config.Items)
		}
		return false
	})
}

// oneOfUserCall compiles a call of a function that gives at most one item; nil for others.
func (k *compiler) oneOfUserCall(e *userCall) oneFunc {
	if !e.typ.single() {
		return nil
	}
	enter, u := k.enter(e), e.fn
	return func(m *Machine, f node) xdm.Item {
		outer := enter(m, f)
		i := u.code.one(m, node{})
		m.leave(outer)
		return i
	}
}

// eachOfUserCall walks over the result of a declared function.
func (k *compiler) eachOfUserCall(e *userCall, sink itemSink) walkFunc {
	if one := k.oneOfUserCall(e); one != nil {
		return func(m *Machine, f node) bool {
			i := one(m, f)
			return i.Exists() && sink(m, i)
		}
	}
	enter, u := k.enter(e), e.fn
	return func(m *Machine, f node) bool {
		mark := len(m.results)
		outer := enter(m, f)
		u.code.each(m, node{})
		m.leave(outer)
		stop := false
		for n, end := mark, len(m.results); n < end && !stop; n++ {
			stop = sink(m, m.results[n])
		}
		m.results = m.results[:mark]
		return stop
	}
}

// suspended is what a call of a declared function puts aside.
type suspended struct {
	frame     *frame
	item      xdm.Item
	pos, size int
}

// enter compiles the arguments of a call and the change to the frame of the function.
func (k *compiler) enter(e *userCall) func(m *Machine, f node) suspended {
	u := e.fn
	gives := make([]func(m *Machine, f node, to *frame), len(e.args))
	for n, arg := range e.args {
		if u.params[n].typ.single() {
			one := k.one(arg)
			gives[n] = func(m *Machine, f node, to *frame) { to.items[u.code.slots[n]] = one(m, f) }
			continue
		}
		items := k.sequence(arg)
		gives[n] = func(m *Machine, f node, to *frame) {
			slot := u.code.slots[n]
			to.sequences[slot] = append(to.sequences[slot][:0], items(m, f)...)
		}
	}
	return func(m *Machine, f node) suspended {
		if u.err != nil {
			panic(u.err)
		}
		m.tick(10)
		to := m.push(&u.code.layout)
		for _, give := range gives {
			give(m, f, to)
		}
		outer := suspended{m.frame, m.item, m.pos, m.size}
		m.frame, m.item, m.pos, m.size = to, xdm.Item{}, 0, 0
		m.bindings++
		return outer
	}
}

// push gives a frame for a call one level deeper.
func (m *Machine) push(l *layout) *frame {
	if m.depth++; m.depth > m.config.Depth {
		m.fail("XPDY0130", "functions call each other more than %d levels deep", m.config.Depth)
	}
	if m.depth == len(m.frames) {
		m.frames = append(m.frames, &frame{})
	}
	to := m.frames[m.depth]
	to.grow(l)
	return to
}

func (m *Machine) leave(outer suspended) {
	m.depth--
	m.bindings++
	m.frame, m.item, m.pos, m.size = outer.frame, outer.item, outer.pos, outer.size
}
