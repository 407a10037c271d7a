package xpath

import "github.com/einvoiced/einvoiced/core/engine/xpath/xdm"

// oneOfCall compiles a call of a function that gives at most one item; nil for others. The forms that a function has of its
// own come first: they make no sequence of arguments.
func (k *compiler) oneOfCall(e *call) oneFunc {
	fn := e.fn
	if fn.one != nil {
		if one := fn.one(k, e.args); one != nil {
			return one
		}
	}
	if fn.text != nil && e.typ == exactly(xdm.String) {
		if text := fn.text(k, e.args); text != nil {
			return func(m *Machine, f node) xdm.Item { return xdm.Text(text(m, f)) }
		}
	}
	if fn.truth != nil {
		if truth := fn.truth(k, e.args); truth != nil {
			return func(m *Machine, f node) xdm.Item { return xdm.Bool(truth(m, f)) }
		}
	}
	switch {
	case fn.items != nil:
		return k.itemCall(e)
	case fn.sequences != nil && e.typ.single():
		return k.oneOfSequenceCall(e)
	}
	return nil
}

// itemCall compiles the arguments to items.
func (k *compiler) itemCall(e *call) oneFunc {
	impl, n := e.fn.items, len(e.args)
	args := make([]oneFunc, n)
	at := k.layout.items
	k.layout.items += n
	for i, arg := range e.args {
		args[i] = k.one(arg)
	}
	return func(m *Machine, f node) xdm.Item {
		for i, arg := range args {
			value := arg(m, f)
			m.frame.items[at+i] = value
		}
		return impl(m, m.frame.items[at:at+n:at+n])
	}
}

// sequenceCall compiles the arguments to sequences and gives a function that computes the result. Arguments and result lie in
// the frame, whose memory serves the next call from the same place: until then the result is good.
func (k *compiler) sequenceCall(e *call) func(m *Machine, f node) []xdm.Item {
	impl := e.fn.sequences
	args := make([]func(m *Machine, f node) []xdm.Item, len(e.args))
	for i, arg := range e.args {
		args[i] = k.sequence(arg)
	}
	out, values := place(&k.layout.sequences), place(&k.layout.arguments)
	return func(m *Machine, f node) []xdm.Item {
		list := m.frame.arguments[values][:0]
		for _, arg := range args {
			list = append(list, arg(m, f))
		}
		m.frame.arguments[values] = list
		m.frame.sequences[out] = impl(m, list, m.frame.sequences[out][:0])
		return m.frame.sequences[out]
	}
}

func (k *compiler) oneOfSequenceCall(e *call) oneFunc {
	result := k.sequenceCall(e)
	return func(m *Machine, f node) xdm.Item {
		if items := result(m, f); len(items) > 0 {
			return items[0]
		}
		return xdm.Item{}
	}
}

// eachOfCall walks over the result of a function.
func (k *compiler) eachOfCall(e *call, sink itemSink) walkFunc {
	if e.fn.each != nil {
		if walk := e.fn.each(k, e.args, sink); walk != nil {
			return walk
		}
	}
	if one := k.oneOfCall(e); one != nil {
		return func(m *Machine, f node) bool {
			i := one(m, f)
			return i.Exists() && sink(m, i)
		}
	}
	result := k.sequenceCall(e)
	return func(m *Machine, f node) bool {
		for _, i := range result(m, f) {
			if sink(m, i) {
				return true
			}
		}
		return false
	}
}
