package xpath

import "einvoiced/core/xpath/xdm"

// cast compiles cast as and castable as.
func (k *compiler) cast(e *cast) oneFunc {
	if e.castable {
		return k.castable(e)
	}
	if e.to == xdm.Decimal && e.optional {
		if one := k.decimalOfNode(e.operand); one != nil {
			return one
		}
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

// decimalOfNode compiles xs:decimal of the only node of an expression; nil for other operands.
func (k *compiler) decimalOfNode(e expr) oneFunc {
	a, ok := e.(*atomize)
	if !ok || !a.operand.info().typ.nodes() {
		return nil
	}
	only := k.onlyNode(a.operand)
	return func(m *Machine, f node) xdm.Item {
		if f = only(m, f); f.t == nil {
			return xdm.Item{}
		}
		text := f.value()
		i, ok := xdm.ParseDecimal(text)
		if !ok {
			_, err := xdm.Parse(text, xdm.Decimal)
			m.check(err)
		}
		return i
	}
}

func (k *compiler) castable(e *cast) oneFunc {
	at, to := place(&k.layout.items), e.to
	walk := k.each(e.operand, func(m *Machine, i xdm.Item) bool {
		if m.frame.items[at].Exists() {
			return true
		}
		m.frame.items[at] = i
		return false
	})
	return func(m *Machine, f node) xdm.Item {
		m.frame.items[at] = xdm.Item{}
		if walk(m, f) {
			return xdm.False
		}
		i := m.frame.items[at]
		if !i.Exists() {
			return xdm.Bool(e.optional)
		}
		return xdm.Bool(xdm.Castable(i, to))
	}
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
