package xpath

import (
	"math"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// number is an operand of an operator: untyped values are doubles.
func (m *Machine) number(i xdm.Item) xdm.Item {
	if i.Type() != xdm.UntypedAtomic {
		return i
	}
	n, err := xdm.Cast(i, xdm.Double)
	m.check(err)
	return n
}

// decimalOps are the operators for which decimals have a way of their own.
var decimalOps = map[xdm.Op]func(m *Machine, a, b xdm.Item) xdm.Item{
	xdm.Add:      func(_ *Machine, a, b xdm.Item) xdm.Item { return xdm.AddDecimals(a, b) },
	xdm.Subtract: func(_ *Machine, a, b xdm.Item) xdm.Item { return xdm.SubtractDecimals(a, b) },
	xdm.Multiply: func(_ *Machine, a, b xdm.Item) xdm.Item { return xdm.MultiplyDecimals(a, b) },
	xdm.Divide:   divideExactly,
	xdm.Modulo:   remainderExactly,
}

// remainderExactly gives the remainder of decimals.
func remainderExactly(m *Machine, a, b xdm.Item) xdm.Item {
	rest, ok := xdm.RemainderDecimals(a, b)
	if !ok {
		m.fail("FOAR0001", "division by zero")
	}
	return rest
}

// divideExactly divides decimals.
func divideExactly(m *Machine, a, b xdm.Item) xdm.Item {
	quotient, ok := xdm.DivideDecimals(a, b)
	if !ok {
		m.fail("FOAR0001", "division by zero")
	}
	return quotient
}

// binary compiles an operator that has no value where an operand has none.
func binary(left, right oneFunc, op func(m *Machine, a, b xdm.Item) xdm.Item) oneFunc {
	return func(m *Machine, f node) xdm.Item {
		a := left(m, f)
		if !a.Exists() {
			return a
		}
		b := right(m, f)
		if !b.Exists() {
			return b
		}
		return m.bounded(op(m, a, b))
	}
}

// isDecimal tells whether all items of an expression are of xs:decimal or derived from it.
func isDecimal(e expr) bool { return e.info().typ.kinds.within(decimalKinds) }

// arithmetic compiles a binary operator (XPath 2.0, 3.4).
func (k *compiler) arithmetic(e *arithmetic) oneFunc {
	if float := k.floatArithmetic(e); float != nil {
		return func(m *Machine, f node) xdm.Item { return xdm.Float64(float(m, f)) }
	}
	if whole := k.wholeArithmetic(e); whole != nil {
		return func(m *Machine, f node) xdm.Item { return m.widened(whole(m, f)) }
	}
	op, left, right := e.op, k.operand(e.left), k.operand(e.right)
	if isDecimal(e.left) && isDecimal(e.right) {
		if exact, ok := decimalOps[op]; ok {
			return binary(left, right, exact)
		}
	}
	return binary(left, right, func(m *Machine, a, b xdm.Item) xdm.Item {
		value, err := xdm.Arithmetic(op, a, b, m.zone)
		m.check(err)
		return value
	})
}

// operand compiles an operand of arithmetic, with what is untyped as a number. The left one is converted before the right one is looked at: where
// that has no value, the official processors have come upon what is no number, which XPath 2.0, 3.4, leaves to them.
func (k *compiler) operand(e expr) oneFunc {
	one := k.one(e)
	if !e.info().typ.kinds.meets(bit(xdm.UntypedAtomic)) {
		return one
	}
	return func(m *Machine, f node) xdm.Item { return m.number(one(m, f)) }
}

// mostBits bounds the decimals that arithmetic gives: to about 10,000 digits. A product has the digits of both factors, so
// that a few recursive calls that square a number would make one that nobody can hold, while steps count each product as one.
const mostBits = 1 << 15

// bounded refuses decimals out of bounds, as appendix C.1 of XPath 2.0 has it for what a processor cannot represent.
func (m *Machine) bounded(i xdm.Item) xdm.Item {
	if i.Longer(mostBits) {
		m.fail("FOAR0002", "a number has more than %d bits", mostBits)
	}
	return i
}

func (k *compiler) negation(e *negation) oneFunc {
	operand := k.one(e.operand)
	return func(m *Machine, f node) xdm.Item {
		i := operand(m, f)
		if !i.Exists() {
			return i
		}
		i = m.number(i)
		if !i.Type().IsNumeric() {
			m.fail("XPTY0004", "a sign before a value of type %v", i.Type())
		}
		if !e.minus {
			i = xdm.Negate(i)
		}
		return xdm.Negate(i)
	}
}

// eachInRange compiles to.
func (k *compiler) eachInRange(e *rangeOf, sink itemSink) walkFunc {
	from, to := k.one(e.from), k.one(e.to)
	return func(m *Machine, f node) bool {
		a, b := from(m, f), to(m, f)
		if !a.Exists() || !b.Exists() {
			return false
		}
		low, ok1 := a.Int64()
		high, ok2 := b.Int64()
		if !ok1 || !ok2 || high == math.MaxInt64 {
			return m.largeRange(a, b, sink)
		}
		for ; low <= high; low++ {
			m.tick(1)
			if sink(m, xdm.Int64(low)) {
				return true
			}
		}
		return false
	}
}

// largeRange walks over a range with bounds of more than 64 bits.
func (m *Machine) largeRange(low, high xdm.Item, sink itemSink) bool {
	for m.compare(xdm.LessOrEqual, low, high) {
		m.tick(1)
		if sink(m, low) {
			return true
		}
		var err error
		low, err = xdm.Arithmetic(xdm.Add, low, xdm.Int64(1), m.zone)
		m.check(err)
	}
	return false
}

// nodeComparison compiles is, << and >>.
func (k *compiler) nodeComparison(e *nodeComparison) oneFunc {
	left, right, op := k.one(e.left), k.one(e.right), e.op
	want := map[syntax.Op]int{syntax.Is: 0, syntax.Precedes: -1, syntax.Follows: 1}[op]
	return func(m *Machine, f node) xdm.Item {
		a, b := left(m, f), right(m, f)
		for _, i := range [...]xdm.Item{a, b} {
			if i.Exists() && i.Type() != xdm.Node {
				m.fail("XPTY0004", "an operand of %v is no node", op)
			}
		}
		if !a.Exists() || !b.Exists() {
			return xdm.Item{}
		}
		return xdm.Bool(compareNodes(nodeOf(a), nodeOf(b)) == want)
	}
}

// textNode compiles the text node that xsl:value-of makes, or the untyped value it would have.
func (k *compiler) textNode(e *textNode) oneFunc {
	text := k.joined(e.operand, e.separator)
	if e.typ.atomic() {
		return func(m *Machine, f node) xdm.Item { return xdm.Untyped(text(m, f)) }
	}
	return func(m *Machine, f node) xdm.Item { return m.newText(text(m, f)).item() }
}

// newText makes a text node in a document of its own. An empty text, which no document has, is the empty element instead.
func (m *Machine) newText(s string) node {
	w := xmltree.NewWriter(xmltree.WriterOptions{})
	w.Leaf(textElement, s)
	m.check(w.Finish())
	doc, err := m.texts.Parse(w.Bytes())
	m.check(err)
	m.made++
	t := m.newTree(doc, "", m.made)
	n := doc.Root()
	if s != "" {
		n = doc.FirstChild(n)
	}
	return node{t, n}
}

// textElement is the element around text nodes that functions make.
var textElement = xmltree.MustQName("text")
