package xpath

import (
	"math"

	"einvoiced/core/xmltree"
	"einvoiced/core/xpath/syntax"
	"einvoiced/core/xpath/xdm"
)

// typed is the typed value of an item, which is itself unless it is a node.
func typed(i xdm.Item) xdm.Item {
	if i.Type() == xdm.Node {
		return nodeOf(i).typedValue()
	}
	return i
}

// eachAtom walks over the typed values of items.
func (k *compiler) eachAtom(e *atomize, sink itemSink) walkFunc {
	if e.operand.info().typ.nodes() {
		return k.nodes(e.operand, wellOrdered, func(m *Machine, f node) bool { return sink(m, f.typedValue()) })
	}
	return k.each(e.operand, func(m *Machine, i xdm.Item) bool { return sink(m, typed(i)) })
}

// oneAtom gives the typed value of the only item.
func (k *compiler) oneAtom(e *atomize) oneFunc {
	if e.operand.info().typ.nodes() {
		if only := k.onlyNode(e.operand); only != nil {
			return func(m *Machine, f node) xdm.Item {
				if f = only(m, f); f.t == nil {
					return xdm.Item{}
				}
				return f.typedValue()
			}
		}
	}
	one := k.one(e.operand)
	return func(m *Machine, f node) xdm.Item { return typed(one(m, f)) }
}

// onlyNode compiles an expression of nodes to its only node, without a tree for none.
func (k *compiler) onlyNode(e expr) func(m *Machine, f node) node {
	if _, ok := e.(*contextItem); ok {
		return func(m *Machine, f node) node { return m.contextNode(f) }
	}
	if s, ok := e.(*step); ok {
		if only := k.onlyChild(s); only != nil {
			return only
		}
	}
	at := place(&k.layout.nodes)
	walk := k.nodes(e, distinct, func(m *Machine, f node) bool {
		if m.frame.nodes[at].t != nil {
			m.fail("XPTY0004", "more than one node where at most one is allowed")
		}
		m.frame.nodes[at] = f
		return false
	})
	return func(m *Machine, f node) node {
		m.frame.nodes[at] = node{}
		walk(m, f)
		return m.frame.nodes[at]
	}
}

// onlyChild is onlyNode for a child or attribute step from the context node; nil for other steps.
func (k *compiler) onlyChild(s *step) func(m *Machine, f node) node {
	name, named := s.test.single()
	if _, fromContext := s.in.(*contextItem); !fromContext || !named || s.preds != nil {
		return nil
	}
	switch {
	case s.axis == syntax.Attribute && s.test.kinds == attributes:
		return func(m *Machine, f node) node {
			f = m.contextNode(f)
			if a := f.t.doc.Attr(f.n, f.t.ids[name]); a != xmltree.None {
				return node{f.t, a}
			}
			return node{}
		}
	case s.axis == syntax.Child && s.test.kinds == elements:
		return func(m *Machine, f node) node { return m.onlyChildNamed(m.contextNode(f), name) }
	}
	return nil
}

// onlyChildNamed gives the only child element of a name, without a tree for none.
func (m *Machine) onlyChildNamed(f node, name int) node {
	doc, id := f.t.doc, f.t.ids[name]
	if id == 0 {
		return node{}
	}
	c, end := doc.Children(f.n)
	if list, ok := sparseList(doc, id, c, end); ok {
		return m.onlySibling(f, list, end)
	}
	found := node{}
	for ; c < end; c = doc.End(c) {
		if !doc.IsElement(c, id) {
			continue
		}
		if found.t != nil {
			m.fail("XPTY0004", "more than one node where at most one is allowed")
		}
		found = node{f.t, c}
	}
	return found
}

// onlySibling gives the only member of a list, up to before end, that is a child of f.
func (m *Machine) onlySibling(f node, list []xmltree.Node, end xmltree.Node) node {
	found := node{}
	for _, c := range list {
		if c >= end {
			break
		}
		if f.t.doc.Parent(c) != f.n {
			continue
		}
		if found.t != nil {
			m.fail("XPTY0004", "more than one node where at most one is allowed")
		}
		found = node{f.t, c}
	}
	return found
}

// textOfNode compiles the string value of the only node of an expression; empty for none. It is nil when the expression may
// give something else.
func (k *compiler) textOfNode(e expr) textFunc {
	if !e.info().typ.nodes() {
		return nil
	}
	only := k.onlyNode(e)
	return func(m *Machine, f node) string {
		if f = only(m, f); f.t == nil {
			return ""
		}
		return f.value()
	}
}

// number is an operand of an operator: untyped values are doubles.
func (m *Machine) number(i xdm.Item) xdm.Item {
	if i.Type() != xdm.UntypedAtomic {
		return i
	}
	n, err := xdm.Cast(i, xdm.Double)
	m.check(err)
	return n
}

// decimalOps are the operators on decimals that cannot fail.
var decimalOps = map[xdm.Op]func(a, b xdm.Item) xdm.Item{
	xdm.Add: xdm.AddDecimals, xdm.Subtract: xdm.SubtractDecimals, xdm.Multiply: xdm.MultiplyDecimals,
}

// isDecimal tells whether all items of an expression are of xs:decimal or derived from it.
func isDecimal(e expr) bool { return e.info().typ.kinds.within(decimalKinds) }

// arithmetic compiles a binary operator (XPath 2.0, 3.4).
func (k *compiler) arithmetic(e *arithmetic) oneFunc {
	op, left, right := e.op, k.one(e.left), k.one(e.right)
	if exact, ok := decimalOps[op]; ok && isDecimal(e.left) && isDecimal(e.right) {
		return func(m *Machine, f node) xdm.Item {
			a := left(m, f)
			if !a.Exists() {
				return a
			}
			b := right(m, f)
			if !b.Exists() {
				return b
			}
			return exact(a, b)
		}
	}
	return func(m *Machine, f node) xdm.Item {
		a := left(m, f)
		if !a.Exists() {
			return a
		}
		b := right(m, f)
		if !b.Exists() {
			return b
		}
		value, err := xdm.Arithmetic(op, m.number(a), m.number(b), m.zone)
		m.check(err)
		return value
	}
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
		_, err := xdm.Cast(i, to)
		return xdm.Bool(err == nil)
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
