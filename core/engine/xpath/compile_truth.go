package xpath

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// truth compiles an expression to its effective boolean value (XPath 2.0, 2.4.3).
func (k *compiler) truth(e expr) boolFunc {
	truth := k.rememberTruth(e)
	if truth == nil {
		truth = k.freshTruth(e)
	}
	if k.worthColumn(e, worthSharing) {
		return k.truthInColumn(e, truth)
	}
	return truth
}

func (k *compiler) freshTruth(e expr) boolFunc {
	switch e := e.(type) {
	case *varRef:
		if slot := e.v.slot; e.v.direct && e.typ.kinds == bit(xdm.Boolean) {
			return func(m *Machine, _ node) bool { return m.frame.items[slot].Bool() }
		}
	case *logic:
		return k.logic(e)
	case *comparison:
		return k.truthOfComparison(e)
	case *quantified:
		return k.quantified(e)
	case *instanceOf:
		return k.instanceOf(e)
	case *conditional:
		return k.truthOfConditional(e)
	case *cast:
		if e.castable {
			return k.castable(e)
		}
	case *convert:
		if truth := k.truthInText(e); truth != nil {
			return truth
		}
	case *call:
		if e.fn.truth != nil {
			if truth := e.fn.truth(k, e.args); truth != nil {
				return truth
			}
		}
	}
	i := e.info()
	switch {
	case i.typ.nodes():
		return boolFunc(k.exists(e))
	case i.typ.single():
		one := k.freshOne(e)
		if i.typ.kinds == bit(xdm.Boolean) {
			return func(m *Machine, f node) bool { return one(m, f).Bool() }
		}
		return func(m *Machine, f node) bool { return m.truthOf(one(m, f)) }
	}
	return k.truthOfMany(e)
}

// truthOfConditional compiles if.
func (k *compiler) truthOfConditional(e *conditional) boolFunc {
	cond := k.truth(e.cond)
	if isTruth(e.yes, true) && isTruth(e.no, false) {
		return cond
	}
	return choose(cond, k.truth(e.yes), k.truth(e.no))
}

// choose makes an if of its condition and its branches, in whatever form these give what they give.
func choose[V any](cond boolFunc, yes, no func(m *Machine, f node) V) func(m *Machine, f node) V {
	return func(m *Machine, f node) V {
		if cond(m, f) {
			return yes(m, f)
		}
		return no(m, f)
	}
}

func isTruth(e expr, value bool) bool {
	l, ok := e.(*literal)
	return ok && l.item == xdm.Bool(value)
}

// truthInText compiles the conversion of the text of a truth value to xs:boolean, which is what xsl:value-of makes of a condition in a
// function that gives xs:boolean; nil for other conversions.
func (k *compiler) truthInText(e *convert) boolFunc {
	t, ok := e.operand.(*textNode)
	if !ok || e.treat || e.want.atomic != xdm.Boolean || !t.typ.atomic() {
		return nil
	}
	if inner := t.operand.info().typ; inner.kinds != bit(xdm.Boolean) || inner.occurs != oneItem {
		return nil
	}
	return k.truth(t.operand)
}

// truthOf is the effective boolean value of at most one item.
func (m *Machine) truthOf(i xdm.Item) bool {
	switch t := i.Type(); {
	case t == xdm.None:
		return false
	case t == xdm.Node:
		return true
	case t == xdm.Boolean:
		return i.Bool()
	case t.IsText():
		return i.Text() != ""
	case t.IsNumeric():
		b, _ := xdm.Cast(i, xdm.Boolean)
		return b.Bool()
	}
	m.fail("FORG0006", "a value of type %v has no effective boolean value", i.Type())
	return false
}

// truthOfMany compiles the effective boolean value of a sequence.
func (k *compiler) truthOfMany(e expr) boolFunc {
	decisive := k.decisive(e)
	return func(m *Machine, f node) bool { return m.truthOf(decisive(m, f)) }
}

// decisive compiles a sequence to the item that its effective boolean value rests on: the first one. If it is no node, there must not
// be a second.
func (k *compiler) decisive(e expr) oneFunc {
	at := place(&k.layout.items)
	walk := k.each(e, func(m *Machine, i xdm.Item) bool {
		if m.frame.items[at].Exists() {
			m.fail("FORG0006", "a sequence of several values has no effective boolean value")
		}
		m.frame.items[at] = i
		return i.Type() == xdm.Node
	})
	return func(m *Machine, f node) xdm.Item {
		m.frame.items[at] = xdm.Item{}
		walk(m, f)
		return m.frame.items[at]
	}
}

// logic compiles and and or; operands are evaluated from left to right until one decides.
func (k *compiler) logic(e *logic) boolFunc {
	if set := k.codeList(e); set != nil {
		return set
	}
	operands := make([]boolFunc, len(e.operands))
	for i, operand := range e.operands {
		operands[i] = k.truth(operand)
	}
	decisive := !e.all
	if len(operands) == 2 {
		a, b := operands[0], operands[1]
		if e.all {
			return func(m *Machine, f node) bool { return a(m, f) && b(m, f) }
		}
		return func(m *Machine, f node) bool { return a(m, f) || b(m, f) }
	}
	operands = slices.Clip(operands)
	return func(m *Machine, f node) bool {
		for _, operand := range operands {
			if operand(m, f) == decisive {
				return decisive
			}
		}
		return !decisive
	}
}
