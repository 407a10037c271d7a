package xpath

import (
	"cmp"

	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// wholeFunc gives the only item, an xs:integer that is always there. Where 64 bits do not hold it ok is false and the item is
// in Machine.wide.
type wholeFunc func(m *Machine, f node) (n int64, ok bool)

// isWhole tells whether an expression gives exactly one xs:integer.
func isWhole(e expr) bool {
	t := e.info().typ
	return t.kinds.within(integerKinds) && t.occurs == oneItem
}

// narrow gives an xs:integer as a wholeFunc does.
func (m *Machine) narrow(i xdm.Item) (n int64, ok bool) {
	if n, ok = i.Int64(); !ok {
		m.wide = i
	}
	return n, ok
}

// widened gives the item of what a wholeFunc gave.
func (m *Machine) widened(n int64, ok bool) xdm.Item {
	if ok {
		return xdm.Int64(n)
	}
	return m.wide
}

// whole compiles an expression that gives exactly one xs:integer. Values that are kept are shared with other forms.
func (k *compiler) whole(e expr) wholeFunc {
	if _, kept := k.validity(e); !kept {
		if fresh := k.freshWhole(e); fresh != nil {
			return fresh
		}
	}
	one := k.one(e)
	return func(m *Machine, f node) (int64, bool) { return m.narrow(one(m, f)) }
}

// freshWhole is whole for what has a way of its own; nil for the rest.
func (k *compiler) freshWhole(e expr) wholeFunc {
	switch e := e.(type) {
	case *literal:
		if n, ok := e.item.Int64(); ok {
			return func(*Machine, node) (int64, bool) { return n, true }
		}
	case *varRef:
		if slot := e.v.slot; e.v.direct {
			return func(m *Machine, _ node) (int64, bool) { return m.narrow(m.frame.items[slot]) }
		}
	case *arithmetic:
		return k.wholeArithmetic(e)
	}
	return nil
}

// wholeOps are the operators that give an xs:integer for two of them; ok is false where 64 bits may not hold it or there is
// none. Factors are held below 2^31, so that no product has to be checked.
var wholeOps = map[xdm.Op]func(a, b int64) (n int64, ok bool){
	xdm.Add: func(a, b int64) (int64, bool) {
		sum := a + b
		return sum, (sum > a) == (b > 0)
	},
	xdm.Subtract: func(a, b int64) (int64, bool) {
		difference := a - b
		return difference, (difference < a) == (b > 0)
	},
	xdm.Multiply: func(a, b int64) (int64, bool) {
		const half = 1 << 31
		return a * b, a > -half && a < half && b > -half && b < half
	},
	xdm.Modulo: func(a, b int64) (int64, bool) {
		if b == 0 {
			return 0, false
		}
		return a % b, true
	},
}

// wholeArithmetic compiles an operator on xs:integer; nil for others.
func (k *compiler) wholeArithmetic(e *arithmetic) wholeFunc {
	op, exact := wholeOps[e.op], decimalOps[e.op]
	if op == nil || !isWhole(e.left) || !isWhole(e.right) {
		return nil
	}
	left, right := k.whole(e.left), k.whole(e.right)
	return func(m *Machine, f node) (int64, bool) {
		a, ok := left(m, f)
		if !ok {
			first := m.wide
			return m.narrow(m.bounded(exact(m, first, m.widened(right(m, f)))))
		}
		b, fits := right(m, f)
		if n, ok := op(a, b); ok && fits {
			return n, true
		}
		return m.narrow(m.bounded(exact(m, xdm.Int64(a), m.widened(b, fits))))
	}
}

// compareWholes compiles a comparison of xs:integer; nil for others.
func (k *compiler) compareWholes(e *comparison) boolFunc {
	if !isWhole(e.left) || !isWhole(e.right) {
		return nil
	}
	left, right, relation := k.whole(e.left), k.whole(e.right), e.relation
	return func(m *Machine, f node) bool {
		a, ok := left(m, f)
		if !ok {
			first := m.wide
			return relation.Holds(xdm.CompareDecimals(first, m.widened(right(m, f))))
		}
		b, ok := right(m, f)
		if !ok {
			return relation.Holds(xdm.CompareDecimals(xdm.Int64(a), m.wide))
		}
		return relation.Holds(cmp.Compare(a, b))
	}
}
