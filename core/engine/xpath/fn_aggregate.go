package xpath

import "github.com/einvoiced/einvoiced/core/engine/xpath/xdm"

// aggregateFunctions are the functions of F&O 15.4.
var aggregateFunctions = []entry{
	{name: "count", params: "item()*", result: "xs:integer", one: oneCount},
	{name: "sum", params: "xs:anyAtomicType*", result: "xs:anyAtomicType", one: oneSum, refine: sumType},
	{name: "sum", params: "xs:anyAtomicType* xs:anyAtomicType?", result: "xs:anyAtomicType?", one: oneSum, refine: sumType},
	{name: "avg", params: "xs:anyAtomicType*", result: "xs:anyAtomicType?", impl: sequenceFunc(avg)},
	{name: "max", params: "xs:anyAtomicType*", result: "xs:anyAtomicType?", impl: extreme(xdm.Greater)},
	{name: "max", params: "xs:anyAtomicType* xs:string", result: "xs:anyAtomicType?", impl: extreme(xdm.Greater)},
	{name: "min", params: "xs:anyAtomicType*", result: "xs:anyAtomicType?", impl: extreme(xdm.Less)},
	{name: "min", params: "xs:anyAtomicType* xs:string", result: "xs:anyAtomicType?", impl: extreme(xdm.Less)},
}

// oneCount counts nodes or items as they come.
func oneCount(k *compiler, args []expr) oneFunc {
	at := place(&k.layout.counts)
	var walk walkFunc
	if args[0].info().typ.nodes() {
		walk = k.nodes(args[0], distinct, func(m *Machine, _ node) bool { m.frame.counts[at]++; return false })
	} else {
		walk = k.each(args[0], func(m *Machine, _ xdm.Item) bool { m.frame.counts[at]++; return false })
	}
	return func(m *Machine, f node) xdm.Item {
		m.frame.counts[at] = 0
		walk(m, f)
		return xdm.Int64(int64(m.frame.counts[at]))
	}
}

// sumType is the type of a sum: that of the items, where untyped ones are doubles, or of the zero.
func sumType(args []expr) seqType {
	items := args[0].info().typ.kinds
	t := seqType{arithmeticKinds(xdm.Add, items, items) | items&^bit(xdm.UntypedAtomic), oneItem}
	if len(args) == 1 {
		t.kinds |= bit(xdm.Integer)
		return t
	}
	zero := args[1].info().typ
	t.kinds |= zero.kinds
	t.occurs |= zero.occurs
	return t
}

// oneSum adds items as they come.
func oneSum(k *compiler, args []expr) oneFunc {
	at := place(&k.layout.items)
	add := (*Machine).add
	if isDecimal(args[0]) {
		add = addDecimal
	}
	walk := k.each(args[0], func(m *Machine, i xdm.Item) bool {
		m.frame.items[at] = add(m, m.frame.items[at], i)
		return false
	})
	zero := oneFunc(func(*Machine, node) xdm.Item { return xdm.Int64(0) })
	if len(args) > 1 {
		zero = k.one(args[1])
	}
	return func(m *Machine, f node) xdm.Item {
		m.frame.items[at] = xdm.Item{}
		walk(m, f)
		if sum := m.frame.items[at]; sum.Exists() {
			return sum
		}
		return zero(m, f)
	}
}

// summand is an item of fn:sum and fn:avg: a number or a duration that can be added.
func (m *Machine) summand(i xdm.Item) xdm.Item {
	i = m.number(i)
	if t := i.Type(); !t.IsNumeric() && t != xdm.DayTimeDuration && t != xdm.YearMonthDuration {
		m.fail("FORG0006", "a value of type %v cannot be added up", t)
	}
	return i
}

// add adds an item to a sum that may be empty.
func (m *Machine) add(sum, i xdm.Item) xdm.Item {
	i = m.summand(i)
	if !sum.Exists() {
		return i
	}
	total, err := xdm.Arithmetic(xdm.Add, sum, i, m.zone)
	if Code(err) == "XPTY0004" {
		m.fail("FORG0006", "values of the types %v and %v cannot be added up", sum.Type(), i.Type())
	}
	m.check(err)
	return total
}

// addDecimal is add for decimals.
func addDecimal(_ *Machine, sum, i xdm.Item) xdm.Item {
	if !sum.Exists() {
		return i
	}
	return xdm.AddDecimals(sum, i)
}

func avg(m *Machine, args [][]xdm.Item, out []xdm.Item) []xdm.Item {
	sum := xdm.Item{}
	for _, i := range args[0] {
		sum = m.add(sum, i)
	}
	if !sum.Exists() {
		return out
	}
	mean, err := xdm.Arithmetic(xdm.Divide, sum, xdm.Int64(int64(len(args[0]))), m.zone)
	m.check(err)
	return append(out, mean)
}

// extreme makes fn:max and fn:min. Items are compared as one type, of which the result is as well: an integer among doubles
// is given as a double (F&O 15.4.3, 15.4.4).
func extreme(r xdm.Relation) sequenceFunc {
	return func(m *Machine, args [][]xdm.Item, out []xdm.Item) []xdm.Item {
		if len(args) > 1 {
			m.collation(args[1][0].Text())
		}
		best, common, strings := xdm.Item{}, xdm.None, false
		for _, i := range args[0] {
			i = m.comparable(i)
			strings = strings || i.Type().Is(xdm.String)
			common = m.commonKind(common, i.Type())
			if !best.Exists() || isNaN(i) || !isNaN(best) && m.compareSame(r, i, best) {
				best = i
			}
		}
		if !best.Exists() {
			return out
		}
		switch {
		case common == xdm.Double, common == xdm.Float, strings && best.Type() == xdm.AnyURI:
			best = m.cast(best, common)
		}
		return append(out, best)
	}
}

// comparable is an item of fn:max and fn:min: untyped values are doubles.
func (m *Machine) comparable(i xdm.Item) xdm.Item {
	i = m.number(i)
	switch t := i.Type(); {
	case t.IsText(), t.IsNumeric(), t == xdm.Boolean, t == xdm.DayTimeDuration, t == xdm.YearMonthDuration,
		t == xdm.DateTime, t == xdm.Date, t == xdm.Time:
		return i
	}
	m.fail("FORG0006", "values of type %v have no order", i.Type())
	return i
}

// commonKind is the kind of values that values of two kinds are compared as: one of the types of numbers, xs:string, or the
// primitive type of both.
func (m *Machine) commonKind(a, b xdm.Type) xdm.Type {
	b = b.Primitive()
	switch {
	case b.IsText():
		b = xdm.String
	case b == xdm.Integer:
		b = xdm.Decimal
	}
	switch {
	case a == xdm.None, a == b:
		return b
	case a.IsNumeric() && b.IsNumeric():
		if a == xdm.Double || b == xdm.Double {
			return xdm.Double
		}
		return xdm.Float
	}
	m.fail("FORG0006", "values of the types %v and %v cannot be compared", a, b)
	return a
}

func (m *Machine) compareSame(r xdm.Relation, a, b xdm.Item) bool {
	value, err := xdm.Compare(r, a, b, m.zone)
	m.check(err)
	return value
}
