package xpath

import "github.com/einvoiced/einvoiced/core/engine/xpath/xdm"

// The function conversion rules (XPath 2.0, 3.1.5) and treat as.

// conversion gives the function that converts one item; it fails when the item cannot be converted.
func (e *convert) conversion() func(m *Machine, i xdm.Item) xdm.Item {
	switch {
	case e.treat:
		return e.treated
	case e.want.atomic == xdm.None || e.want.atomic == xdm.AnyAtomic:
		return e.checked
	}
	return e.promoted
}

func (e *convert) treated(m *Machine, i xdm.Item) xdm.Item {
	if !e.want.allows(i) {
		m.fail("XPDY0050", "the value is not of type %s", e.want.text)
	}
	return i
}

func (e *convert) checked(m *Machine, i xdm.Item) xdm.Item {
	if !e.want.allows(i) {
		m.fail("XPTY0004", "%s is of type %v, not %s", e.what, i.Type(), e.want.text)
	}
	return i
}

// promoted casts an untyped value to the wanted type and promotes numbers and URIs.
func (e *convert) promoted(m *Machine, i xdm.Item) xdm.Item {
	t, want := i.Type(), e.want.atomic
	switch {
	case t == xdm.UntypedAtomic && want == xdm.String:
		return xdm.Text(i.Text())
	case t == xdm.UntypedAtomic:
		to := want
		if to == xdm.Numeric {
			to = xdm.Double
		}
		if to == xdm.QName || to == xdm.NOTATION {
			m.fail("XPTY0004", "%s is untyped, not %s", e.what, e.want.text)
		}
		return m.cast(i, to)
	case t.Is(want):
		return i
	case want == xdm.Double && t.IsNumeric(), want == xdm.Float && t.IsDecimal(), want == xdm.String && t == xdm.AnyURI:
		return m.cast(i, want)
	}
	m.fail("XPTY0004", "%s is of type %v, not %s", e.what, t, e.want.text)
	return i
}

func (m *Machine) cast(i xdm.Item, t xdm.Type) xdm.Item {
	value, err := xdm.Cast(i, t)
	m.check(err)
	return value
}

// wrongCount fails because of the number of items.
func (e *convert) wrongCount(m *Machine, n int) {
	if e.treat {
		m.fail("XPDY0050", "the number of items does not suit the type %s", e.want.text)
	}
	m.fail("XPTY0004", "%s: the number of items does not suit the type %s", e.what, e.want.text)
}

// oneConverted compiles the conversion of a value that may have at most one item; nil for others.
func (k *compiler) oneConverted(e *convert) oneFunc {
	if e.want.occurs&manyItems != 0 {
		return nil
	}
	if truth := k.truthInText(e); truth != nil {
		return func(m *Machine, f node) xdm.Item { return xdm.Bool(truth(m, f)) }
	}
	operand, convert := k.onlyItem(e), e.conversion()
	return func(m *Machine, f node) xdm.Item {
		i := operand(m, f)
		if i.Exists() {
			if e.want.occurs == noItem {
				e.wrongCount(m, 1)
			}
			return convert(m, i)
		}
		if e.want.occurs&noItem == 0 {
			e.wrongCount(m, 0)
		}
		return i
	}
}

// onlyItem is one for the operand of a conversion, whose error for several items may be another.
func (k *compiler) onlyItem(e *convert) oneFunc {
	if !e.treat || e.operand.info().typ.single() {
		return k.one(e.operand)
	}
	at := place(&k.layout.items)
	walk := k.each(e.operand, func(m *Machine, i xdm.Item) bool {
		if m.frame.items[at].Exists() {
			e.wrongCount(m, 2)
		}
		m.frame.items[at] = i
		return false
	})
	return func(m *Machine, f node) xdm.Item {
		m.frame.items[at] = xdm.Item{}
		walk(m, f)
		return m.frame.items[at]
	}
}

// eachConverted walks over converted items.
func (k *compiler) eachConverted(e *convert, sink itemSink) walkFunc {
	if one := k.oneConverted(e); one != nil {
		return func(m *Machine, f node) bool {
			i := one(m, f)
			return i.Exists() && sink(m, i)
		}
	}
	convert := e.conversion()
	if e.want.occurs&noItem != 0 {
		return k.each(e.operand, func(m *Machine, i xdm.Item) bool { return sink(m, convert(m, i)) })
	}
	count := place(&k.layout.counts)
	walk := k.each(e.operand, func(m *Machine, i xdm.Item) bool {
		m.frame.counts[count]++
		return sink(m, convert(m, i))
	})
	return func(m *Machine, f node) bool {
		m.frame.counts[count] = 0
		stop := walk(m, f)
		if m.frame.counts[count] == 0 {
			e.wrongCount(m, 0)
		}
		return stop
	}
}

// textConverted compiles a value where a string is wanted, which for texts of all kinds is the text as it stands; nil for other
// conversions.
func (k *compiler) textConverted(e *convert) textFunc {
	if e.treat || e.want.atomic != xdm.String || e.want.occurs != atMostOne {
		return nil
	}
	if e.operand.info().typ.kinds.within(textKinds) {
		return k.text(e.operand)
	}
	if a, ok := e.operand.(*atomize); ok {
		if ref, ok := a.operand.(*varRef); ok && ref.v.scope == scopeLocal && !ref.v.direct {
			return e.textOfLocal(ref.v.slot)
		}
	}
	one := k.one(e.operand)
	return func(m *Machine, f node) string {
		i := one(m, f)
		if i.Exists() && !i.Type().IsText() {
			i = e.promoted(m, i)
		}
		return i.Text()
	}
}

// textOfLocal is textConverted for a local variable that may have several items, such as a parameter without a type.
func (e *convert) textOfLocal(slot int) textFunc {
	return func(m *Machine, _ node) string {
		i := m.onlyOf(m.frame.sequences[slot])
		if i.Type() == xdm.Node {
			return nodeOf(i).value()
		}
		if i.Exists() && !i.Type().IsText() {
			i = e.promoted(m, i)
		}
		return i.Text()
	}
}
