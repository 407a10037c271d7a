package xpath

import "github.com/einvoiced/einvoiced/core/engine/xpath/xdm"

// cast compiles cast as and castable as.
func (k *compiler) cast(e *cast) oneFunc {
	if e.castable {
		castable := k.castable(e)
		return func(m *Machine, f node) xdm.Item { return xdm.Bool(castable(m, f)) }
	}
	if read := k.readDecimal(e); read != nil {
		return decimalRead(read, e.optional)
	}
	operand, to := k.one(e.operand), e.to
	return func(m *Machine, f node) xdm.Item {
		i := operand(m, f)
		if !i.Exists() {
			if !e.optional {
				m.fail("XPTY0004", "an empty value cannot be cast to %v", to)
			}
			return i
		}
		value, err := xdm.Cast(i, to)
		m.check(err)
		return value
	}
}

// castable compiles castable as.
func (k *compiler) castable(e *cast) boolFunc {
	if read := k.readDecimal(e); read != nil {
		return func(m *Machine, f node) bool {
			i, _, some := read(m, f)
			return i.Exists() || !some && e.optional
		}
	}
	if truth := k.castableNode(e); truth != nil {
		return truth
	}
	at, to := place(&k.layout.items), e.to
	walk := k.each(e.operand, func(m *Machine, i xdm.Item) bool {
		if m.frame.items[at].Exists() {
			return true
		}
		m.frame.items[at] = i
		return false
	})
	return func(m *Machine, f node) bool {
		m.frame.items[at] = xdm.Item{}
		if walk(m, f) {
			return false
		}
		i := m.frame.items[at]
		if !i.Exists() {
			return e.optional
		}
		return xdm.Castable(i, to)
	}
}

// castableNode is castable for the typed value of nodes; nil for other operands.
func (k *compiler) castableNode(e *cast) boolFunc {
	operand := typedNodes(e)
	if operand == nil {
		return nil
	}
	at, to := place(&k.layout.nodes), e.to
	walk := k.nodes(operand, distinct, func(m *Machine, f node) bool {
		if m.frame.nodes[at].t != nil {
			return true
		}
		m.frame.nodes[at] = f
		return false
	})
	return func(m *Machine, f node) bool {
		m.frame.nodes[at] = node{}
		several := walk(m, f)
		only := m.frame.nodes[at]
		switch {
		case several:
			return false
		case only.t == nil:
			return e.optional
		case to == xdm.Decimal:
			i, _ := m.decimalOf(only)
			return i.Exists()
		}
		return xdm.Castable(xdm.Untyped(only.value()), to)
	}
}

// typedNodes gives the nodes whose typed values are the operand of castable as. Where it asks for xs:decimal, path/normalize-space(.) is
// as good: white space around a number does not count. It is nil for other operands.
func typedNodes(e *cast) expr {
	if a, ok := e.operand.(*atomize); ok && a.operand.info().typ.nodes() && !mayBeComment(a.operand) {
		return a.operand
	}
	s, ok := e.operand.(*slash)
	if !ok || e.to != xdm.Decimal || !s.left.info().typ.nodes() {
		return nil
	}
	if arg, ok := normalized(s.right); ok && isTextOfHere(arg) {
		return s.left
	}
	return nil
}

// instanceOf compiles instance of.
func (k *compiler) instanceOf(e *instanceOf) boolFunc {
	count, want := place(&k.layout.counts), e.want
	walk := k.each(e.operand, func(m *Machine, i xdm.Item) bool {
		m.frame.counts[count]++
		return !want.allows(i)
	})
	return func(m *Machine, f node) bool {
		m.frame.counts[count] = 0
		return !walk(m, f) && want.allowsCount(m.frame.counts[count])
	}
}
