package xpath

import (
	"cmp"
	"unicode/utf8"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// Most of what rules ask is whether there is something: a child, an attribute, a text. That takes neither a node nor a text in hand.

// exists compiles an expression to whether it has an item.
func (k *compiler) exists(e expr) walkFunc {
	if s, ok := e.(*step); ok {
		if found := k.existsStep(s); found != nil {
			return found
		}
	}
	if e.info().typ.nodes() {
		return k.nodes(e, 0, func(*Machine, node) bool { return true })
	}
	return k.each(e, func(*Machine, xdm.Item) bool { return true })
}

// existsStep compiles whether a path of names leads anywhere from the context node; nil for other steps.
func (k *compiler) existsStep(s *step) walkFunc {
	if chain := chainOf(s); chain != nil {
		return k.existsChain(chain)
	}
	if !isHere(s.in) || s.preds != nil {
		return nil
	}
	if name, ok := s.test.single(); ok && s.axis == syntax.Attribute && s.test.kinds == attributes {
		return func(m *Machine, f node) bool {
			f = m.contextNode(f)
			return f.t.doc.Attr(f.n, f.t.ids[name]) != xmltree.None
		}
	}
	if isAnyChild(s) {
		return func(m *Machine, f node) bool { return hasElement(m, m.contextNode(f)) }
	}
	return nil
}

// hasElement tells whether a node has an element among its children.
func hasElement(m *Machine, f node) bool {
	doc := f.t.doc
	n, end := doc.Children(f.n)
	for ; n < end; n = doc.End(n) {
		m.tick(1)
		if doc.Kind(n) == xmltree.KindElement {
			return true
		}
	}
	return false
}

// existsChain compiles whether a chain leads anywhere.
func (k *compiler) existsChain(c nameChain) walkFunc {
	if at, ok := k.chainPlace(c); ok {
		return func(m *Machine, f node) bool {
			if e := &m.ends[at]; e.serial == m.hereSerial && m.here == f {
				return e.first != xmltree.None
			}
			return c.any(m, m.contextNode(f))
		}
	}
	if !k.repeated() {
		return func(m *Machine, f node) bool { return c.any(m, m.contextNode(f)) }
	}
	ends := k.endColumn(c)
	return func(m *Machine, f node) bool {
		f = m.contextNode(f)
		if end, ok := ends.of(m, f); ok {
			return end != xmltree.None
		}
		return c.any(m, f)
	}
}

// any tells whether the chain leads anywhere.
func (c nameChain) any(m *Machine, f node) bool {
	doc, id, last := f.t.doc, f.t.ids[c[0]], len(c) == 1
	if id == 0 {
		return false
	}
	n, end := doc.Children(f.n)
	if end-n >= worthList {
		if list, ok := m.listed(f, id, n, end); ok {
			return c.anyListed(m, f.t, list)
		}
	}
	steps, looked, found := 1, 0, false
	for ; n < end && !found; n = doc.End(n) {
		n, looked = doc.Sibling(n, end, id)
		if steps += looked; n == end {
			break
		}
		found = last || c[1:].any(m, node{f.t, n})
	}
	m.tick(steps)
	return found
}

// anyListed is any for the nodes that the first step gives.
func (c nameChain) anyListed(m *Machine, t *tree, list []xmltree.Node) bool {
	m.tick(len(list))
	for _, n := range list {
		if len(c) == 1 || c[1:].any(m, node{t, n}) {
			return true
		}
	}
	return false
}

// isNoElement tells whether a condition is not(*), isNoText whether it is not(normalize-space(.)): rules against empty elements ask both
// of all elements.
func isNoElement(e expr) bool {
	c, ok := e.(*call)
	if !ok || c.fn.name != "not" {
		return false
	}
	s, ok := c.args[0].(*step)
	return ok && isHere(s.in) && s.preds == nil && isAnyChild(s)
}

// isAnyChild tells whether a step leads to all children that are elements, apart from predicates.
func isAnyChild(s *step) bool {
	return s.axis == syntax.Child && s.test.kinds == elements && s.test.anyName()
}

func isNoText(e expr) bool {
	not, ok := e.(*call)
	if !ok || not.fn.name != "not" {
		return false
	}
	arg, ok := normalized(not.args[0])
	return ok && isTextOfHere(arg)
}

// isTextOfHere tells whether an expression is the text of the context node.
func isTextOfHere(e expr) bool {
	if c, isConversion := e.(*convert); isConversion {
		e = c.operand
	}
	if c, isCall := e.(*call); isCall && c.fn.name == "string" {
		return isHere(c.args[0])
	}
	a, isTyped := e.(*atomize)
	return isTyped && isHere(a.operand)
}

func isHere(e expr) bool {
	_, ok := e.(*contextItem)
	return ok
}

// isEmpty tells whether a node has neither elements among its children nor a text that is more than white space.
func isEmpty(m *Machine, f node) bool {
	f = m.contextNode(f)
	m.tick(1)
	if text, ok := f.t.doc.TextOf(f.n); ok {
		return xdm.Trim(textOf(text)) == ""
	}
	return !hasElement(m, f) && xdm.Trim(f.value()) == ""
}

// truthOfNormalized is whether normalize-space has anything left of a text.
func truthOfNormalized(k *compiler, args []expr) boolFunc {
	text := k.text(args[0])
	return func(m *Machine, f node) bool {
		s := text(m, f)
		m.tick(len(s) / textStep)
		return xdm.Trim(s) != ""
	}
}

// compareBlank compiles the comparison of normalize-space with the empty text; nil for other texts.
func (k *compiler) compareBlank(e expr, r xdm.Relation) boolFunc {
	arg, ok := normalized(e)
	if !ok || k.isKept(e) || r != xdm.Equal && r != xdm.NotEqual {
		return nil
	}
	some := truthOfNormalized(k, []expr{arg})
	if r == xdm.Equal {
		return negated(some)
	}
	return some
}

// compareLength compiles the comparison of string-length with a constant, and counts characters only where the bytes do not decide;
// nil for other comparisons.
func (k *compiler) compareLength(e *comparison) boolFunc {
	c, isCall := e.left.(*call)
	l, constant := e.right.(*literal)
	if !isCall || !constant || c.fn.name != "string-length" || !l.item.Type().IsInteger() {
		return nil
	}
	limit, ok := l.item.Int64()
	if _, kept := k.validity(c); !ok || kept {
		return nil
	}
	relation, arg, squeeze := e.relation, c.args[0], false
	if inner, ok := normalized(arg); ok && !k.isKept(arg) {
		arg, squeeze = inner, true
	}
	text := k.text(arg)
	return func(m *Machine, f node) bool {
		s := text(m, f)
		if int64(len(s)) < limit {
			return relation.Holds(-1) // no text has more characters than bytes, nor more when it is normalized
		}
		m.tick(len(s) / textStep)
		if squeeze {
			s = xdm.Collapse(s)
		}
		return relation.Holds(cmp.Compare(int64(utf8.RuneCountInString(s)), limit))
	}
}

// normalized gives the argument of normalize-space.
func normalized(e expr) (arg expr, ok bool) {
	if c, isConversion := e.(*convert); isConversion && !c.treat && c.want.atomic == xdm.String {
		e = c.operand
	}
	c, isCall := e.(*call)
	if !isCall || c.fn.name != "normalize-space" {
		return nil, false
	}
	return c.args[0], true
}

// isKept tells whether the value of an expression is kept in some way.
func (k *compiler) isKept(e expr) bool {
	_, kept := k.validity(e)
	return kept || k.isKeptValue(e)
}
