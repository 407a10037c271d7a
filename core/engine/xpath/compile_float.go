package xpath

import (
	"math"

	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
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
		slot := e.v.slot
		switch {
		case e.v.direct && isDouble(e):
			return func(m *Machine, _ node) float64 { return m.frame.items[slot].Float() }
		case e.v.direct:
			return func(m *Machine, _ node) float64 { return m.frame.items[slot].AsFloat() }
		}
	case *arithmetic:
		return k.floatArithmetic(e)
	case *conditional:
		return choose(k.truth(e.cond), k.float(e.yes), k.float(e.no))
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

// floatsWith are floatOps with a constant on the right, which is what check digits are made of.
var floatsWith = map[xdm.Op]func(left floatFunc, c float64) floatFunc{
	xdm.Add: func(left floatFunc, c float64) floatFunc {
		return func(m *Machine, f node) float64 { return left(m, f) + c }
	},
	xdm.Subtract: func(left floatFunc, c float64) floatFunc {
		return func(m *Machine, f node) float64 { return left(m, f) - c }
	},
	xdm.Multiply: func(left floatFunc, c float64) floatFunc {
		return func(m *Machine, f node) float64 { return left(m, f) * c }
	},
	xdm.Divide: func(left floatFunc, c float64) floatFunc {
		return func(m *Machine, f node) float64 { return left(m, f) / c }
	},
	xdm.Modulo: moduloOf,
}

// moduloOf is modulo with a constant.
func moduloOf(left floatFunc, c float64) floatFunc {
	if c != math.Trunc(c) || c < 1 || c >= 1<<31 {
		return func(m *Machine, f node) float64 { return modulo(left(m, f), c) }
	}
	small := uint32(c)
	return func(m *Machine, f node) float64 {
		a := left(m, f)
		if a > 0 && a < 1<<31 {
			if n := uint32(a); float64(n) == a {
				return float64(n % small)
			}
		}
		return modulo(a, c)
	}
}

// modulo is math.Mod, which costs much more than whole numbers need. The remainder of -0 is -0, which whole numbers do not
// have.
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
	if l, ok := e.right.(*literal); ok {
		return floatsWith[e.op](k.float(e.left), l.item.AsFloat())
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
	if relation == xdm.Equal {
		return func(m *Machine, f node) bool {
			a := left(m, f)
			return a == right(m, f)
		}
	}
	return func(m *Machine, f node) bool {
		a := left(m, f)
		return relation.HoldsFloat(a, right(m, f))
	}
}
