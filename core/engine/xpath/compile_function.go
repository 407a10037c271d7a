package xpath

import "github.com/einvoiced/einvoiced/core/engine/xpath/xdm"

// functionCode is a declared function as closures.
type functionCode struct {
	layout layout
	one    oneFunc  // for a result of at most one item
	each   walkFunc // appends the result to Machine.results
}

// function compiles a declared function. It has a layout, and so closures, of its own; what the machine keeps for all
// expressions, such as cells and indexes, it shares with the program. It counts as a loop, because nobody knows how often it
// is called.
func (k *compiler) function(u *userFunction) {
	if u.err != nil {
		return
	}
	inner := &compiler{builder: k.builder, program: k.program, layout: &u.code.layout, uses: k.uses, cells: k.cells,
		lookups: k.lookups, indexes: k.indexes, columns: k.columns, codeSets: k.codeSets, ends: k.ends,
		truths: map[int]boolFunc{}, ones: map[int]oneFunc{}, loops: 1, inside: true}
	for _, p := range u.params {
		inner.declare(p)
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

// eachOfUserCall walks over the result of a declared function. Results lie on a stack. The sink may call functions that put
// theirs on top and make the stack move, so that items are read by their places and no further than to the end that was noted
// before.
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

// argument is an argument of a call: its only item, or its items.
type argument struct {
	slot  int  // of the parameter
	list  bool // the parameter may have several items
	one   oneFunc
	items func(m *Machine, f node) []xdm.Item
}

// arguments compiles the arguments of a call. Parameters have the first places of the frame of a function, in their order.
func (k *compiler) arguments(e *userCall) []argument {
	list := make([]argument, len(e.args))
	ones, sequences := 0, 0
	for n, arg := range e.args {
		switch single := arg.info().typ.single(); {
		case e.fn.params[n].typ.single():
			list[n] = argument{slot: place(&ones), one: k.one(arg)}
		case single:
			list[n] = argument{slot: place(&sequences), list: true, one: k.one(arg)}
		default:
			list[n] = argument{slot: place(&sequences), list: true, items: k.sequence(arg)}
		}
	}
	return list
}

// enter compiles the arguments of a call and the change to the frame of the function. The frame is taken before the arguments
// are evaluated: calls in them take deeper ones. Entering and leaving count as bindings, which ends the values kept for what
// reads parameters.
func (k *compiler) enter(e *userCall) func(m *Machine, f node) suspended {
	u, arguments := e.fn, k.arguments(e)
	return func(m *Machine, f node) suspended {
		if u.err != nil {
			panic(u.err)
		}
		m.tick(10)
		to := m.push(&u.code.layout)
		for i := range arguments {
			arguments[i].hand(m, f, to)
		}
		outer := suspended{m.frame, m.item, m.pos, m.size}
		m.frame, m.item, m.pos, m.size = to, xdm.Item{}, 0, 0
		m.bindings++
		return outer
	}
}

// hand evaluates the argument and puts it where the function finds it.
func (a *argument) hand(m *Machine, f node, to *frame) {
	if a.one == nil {
		items := a.items(m, f)
		to.sequences[a.slot] = append(to.sequences[a.slot][:0], items...)
		return
	}
	value := a.one(m, f)
	if !a.list {
		to.items[a.slot] = value
		return
	}
	to.sequences[a.slot] = to.sequences[a.slot][:0]
	if value.Exists() {
		to.sequences[a.slot] = append(to.sequences[a.slot], value)
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
