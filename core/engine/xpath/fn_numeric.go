package xpath

import (
	"math"

	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// numericFunctions are the functions of F&O 6.4 and fn:number.
var numericFunctions = []entry{
	{name: "abs", params: "numeric?", result: "1?", one: onNumber(xdm.Abs), refine: likeNumber},
	{name: "ceiling", params: "numeric?", result: "1?", one: onNumber(xdm.Ceiling), refine: likeNumber},
	{name: "floor", params: "numeric?", result: "1?", one: onNumber(xdm.Floor), refine: likeNumber},
	{name: "round", params: "numeric?", result: "1?", one: onNumber(xdm.Round), refine: likeNumber},
	{name: "round-half-to-even", params: "numeric?", result: "1?", impl: itemFunc(roundHalfToEven), refine: likeNumber},
	{name: "round-half-to-even", params: "numeric? xs:integer", result: "1?", impl: itemFunc(roundHalfToEven), refine: likeNumber},
	{name: "number", params: "xs:anyAtomicType?", result: "xs:double", impl: itemFunc(number), one: oneNumber},
}

// onNumber makes a function of one number that gives nothing for nothing.
func onNumber(fn func(xdm.Item) xdm.Item) oneHook {
	return func(k *compiler, args []expr) oneFunc {
		operand := k.one(args[0])
		return func(m *Machine, f node) xdm.Item {
			i := operand(m, f)
			if !i.Exists() {
				return i
			}
			return fn(i)
		}
	}
}

// likeNumber is the type of a function that keeps the primitive type of its argument.
func likeNumber(args []expr) seqType {
	t := args[0].info().typ
	kinds := t.kinds & (bit(xdm.Double) | bit(xdm.Float))
	if t.kinds.meets(integerKinds) {
		kinds |= bit(xdm.Integer)
	}
	if t.kinds.meets(bit(xdm.Decimal)) {
		kinds |= bit(xdm.Decimal)
	}
	return seqType{kinds, optionalIfAny(args[0])}
}

func roundHalfToEven(_ *Machine, args []xdm.Item) xdm.Item {
	if !args[0].Exists() {
		return xdm.Item{}
	}
	places := int64(0)
	if len(args) > 1 {
		var ok bool
		if places, ok = args[1].Int64(); !ok {
			places = math.MaxInt32
			if negative, _ := xdm.Compare(xdm.Less, args[1], xdm.Int64(0), 0); negative {
				places = math.MinInt32
			}
		}
	}
	return xdm.RoundHalfToEven(args[0], int(places))
}

// oneNumber knows the arguments that need no item.
func oneNumber(k *compiler, args []expr) oneFunc {
	float := k.floatOfNumber(args[0])
	if float == nil {
		return nil
	}
	return func(m *Machine, f node) xdm.Item { return xdm.Float64(float(m, f)) }
}

// number is NaN for what is no number.
func number(_ *Machine, args []xdm.Item) xdm.Item {
	if args[0].Exists() {
		if i, err := xdm.Cast(args[0], xdm.Double); err == nil {
			return i
		}
	}
	return xdm.Float64(math.NaN())
}
