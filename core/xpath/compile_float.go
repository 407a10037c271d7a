package xpath

import (
	"math"

	"einvoiced/core/xpath/xdm"
)

// floatFunc gives the only item, a number that is always there, as xs:double.
type floatFunc func(m *Machine, f node) float64

// isNumber tells whether an expression gives exactly one number.
func isNumber(e expr) bool {
	t := e.info().typ
	return t.kinds.within(numericKinds) && t.occurs == oneItem
}

// isDouble tells whether an expression gives exactly one xs:double.
func isDouble(e expr) bool { return isNumber(e) && e.info().typ.kinds == bit(xdm.Double) }

// inDoubles tells whether an operator on two expressions works on xs:double whatever they give: both are numbers, one of them
// surely a double, to which the other is promoted.
func inDoubles(left, right expr) bool {
	return isNumber(left) && isNumber(right) && (isDouble(left) || isDouble(right))
}

// float compiles an expression that gives exactly one number. Values that are kept are shared with other forms.
func (k *compiler) float(e expr) floatFunc {
	if _, kept := k.validity(e); !kept {
		if fresh := k.freshFloat(e); fresh != nil {
			return fresh
		}
	}
	one := k.one(e)
	return func(m *Machine, f node) float64 { return one(m, f).AsFloat() }
}

// freshFloat is float for what has a way of its own; nil for the rest.
func (k *compiler) freshFloat(e expr) floatFunc {
	switch e := e.(type) {
	case *literal:
		value := e.item.AsFloat()
		return func(*Machine, node) float64 { return value }
	case *varRef:
		if e.v.direct {
			slot := e.v.slot
			return func(m *Machine, _ node) float64 { return m.frame.items[slot].AsFloat() }
		}
	case *arithmetic:
		return k.floatArithmetic(e)
	case *conditional:
		cond, yes, no := k.truth(e.cond), k.float(e.yes), k.float(e.no)
		return func(m *Machine, f node) float64 {
			if cond(m, f) {
				return yes(m, f)
			}
			return no(m, f)
		}
	case *convert:
		if e.want.atomic == xdm.Double && !e.treat && isNumber(e.operand) {
			return k.float(e.operand)
		}
	case *call:
		if e.fn.name == "number" {
			return k.floatOfNumber(e.args[0])
		}
	}
	return nil
}

// floatOps are the operators that give an xs:double for every pair of them (F&O 6.2).
var floatOps = map[xdm.Op]func(left, right floatFunc) floatFunc{
	xdm.Add: func(left, right floatFunc) floatFunc {
		return func(m *Machine, f node) float64 {
			a := left(m, f)
			return a + right(m, f)
		}
	},
	xdm.Subtract: func(left, right floatFunc) floatFunc {
		return func(m *Machine, f node) float64 {
			a := left(m, f)
			return a - right(m, f)
		}
	},
	xdm.Multiply: func(left, right floatFunc) floatFunc {
		return func(m *Machine, f node) float64 {
			a := left(m, f)
			return a * right(m, f)
		}
	},
	xdm.Divide: func(left, right floatFunc) floatFunc {
		return func(m *Machine, f node) float64 {
			a := left(m, f)
			return a / right(m, f)
		}
	},
	xdm.Modulo: func(left, right floatFunc) floatFunc {
		return func(m *Machine, f node) float64 {
			a := left(m, f)
			return modulo(a, right(m, f))
		}
	},
}

// modulo is math.Mod, which costs much more than whole numbers need.
func modulo(a, b float64) float64 {
	if a >= 0 && a < 1<<53 && b >= 1 && b < 1<<53 {
		if x, y := int64(a), int64(b); float64(x) == a && float64(y) == b && !math.Signbit(a) {
			return float64(x % y)
		}
	}
	return math.Mod(a, b)
}

// floatArithmetic compiles an operator on xs:double; nil for others.
func (k *compiler) floatArithmetic(e *arithmetic) floatFunc {
	op := floatOps[e.op]
	if op == nil || !inDoubles(e.left, e.right) {
		return nil
	}
	return op(k.float(e.left), k.float(e.right))
}

// floatOfNumber compiles fn:number of an argument that is a number or a text; nil for others.
func (k *compiler) floatOfNumber(arg expr) floatFunc {
	t := arg.info().typ
	switch {
	case isNumber(arg):
		return k.float(arg)
	case t.single() && t.kinds.within(stringKinds|bit(xdm.UntypedAtomic)):
		text := k.text(arg)
		return func(m *Machine, f node) float64 {
			if value, ok := xdm.ParseFloat(text(m, f), 64); ok {
				return value
			}
			return math.NaN()
		}
	}
	return nil
}

// compareFloats compiles a comparison of xs:double; nil for others.
func (k *compiler) compareFloats(e *comparison) boolFunc {
	if !inDoubles(e.left, e.right) {
		return nil
	}
	left, right, relation := k.float(e.left), k.float(e.right), e.relation
	return func(m *Machine, f node) bool {
		a := left(m, f)
		return relation.HoldsFloat(a, right(m, f))
	}
}
