package xpath

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// Operators of the syntax as operators on values.
var (
	arithmeticOps = map[syntax.Op]xdm.Op{syntax.Add: xdm.Add, syntax.Subtract: xdm.Subtract, syntax.Multiply: xdm.Multiply,
		syntax.Divide: xdm.Divide, syntax.IntegerDivide: xdm.IntegerDivide, syntax.Modulo: xdm.Modulo}
	relations = map[syntax.Op]xdm.Relation{
		syntax.Eq: xdm.Equal, syntax.Ne: xdm.NotEqual, syntax.Lt: xdm.Less,
		syntax.Le: xdm.LessOrEqual, syntax.Gt: xdm.Greater, syntax.Ge: xdm.GreaterOrEqual,
		syntax.GeneralEq: xdm.Equal, syntax.GeneralNe: xdm.NotEqual, syntax.GeneralLt: xdm.Less,
		syntax.GeneralLe: xdm.LessOrEqual, syntax.GeneralGt: xdm.Greater, syntax.GeneralGe: xdm.GreaterOrEqual}
)

// binary relies on the order of the operators in package syntax.
func (r *resolver) binary(e *syntax.Binary) expr {
	switch op := e.Op; {
	case op == syntax.Or || op == syntax.And:
		return r.logic(e)
	case op <= syntax.GeneralGe:
		return r.comparison(e)
	case op <= syntax.Follows:
		return r.nodeComparison(e)
	case op == syntax.To:
		return r.rangeOf(e)
	case op <= syntax.Modulo:
		return r.arithmetic(e)
	}
	return r.setOp(e)
}

// logic flattens a chain of the same operator into one expression. It loops instead of calling itself: code lists that are
// written as value = 'A' or … have thousands of operands.
func (r *resolver) logic(e *syntax.Binary) expr {
	var operands []syntax.Expr
	var left syntax.Expr = e
	for {
		b, ok := left.(*syntax.Binary)
		if !ok || b.Op != e.Op {
			break
		}
		operands = append(operands, b.Right)
		left = b.Left
	}
	l := &logic{all: e.Op == syntax.And, operands: []expr{r.expr(left)}}
	for i := len(operands) - 1; i >= 0; i-- {
		l.operands = append(l.operands, r.expr(operands[i]))
	}
	l.facts = r.combine(e.Op.String(), e.Pos(), l.operands...)
	l.typ = booleanType
	return l
}

func (r *resolver) comparison(e *syntax.Binary) expr {
	c := &comparison{general: e.Op >= syntax.GeneralEq, relation: relations[e.Op]}
	c.left, c.right = r.atomized(r.expr(e.Left)), r.atomized(r.expr(e.Right))
	c.facts = r.combine(e.Op.String(), e.Pos(), c.left, c.right)
	c.typ = booleanType
	if !c.general {
		c.typ.occurs = optionalIfAny(c.left, c.right)
	}
	return c
}

// optionalIfAny is how often an operator has a result that has none when an operand is empty.
func optionalIfAny(operands ...expr) occurs {
	for _, e := range operands {
		if !e.info().typ.certain() {
			return atMostOne
		}
	}
	return oneItem
}

func (r *resolver) nodeComparison(e *syntax.Binary) expr {
	c := &nodeComparison{op: e.Op, left: r.expr(e.Left), right: r.expr(e.Right)}
	for _, operand := range []expr{c.left, c.right} {
		if t := operand.info().typ; t.certain() && t.kinds != 0 && t.atomic() {
			r.fail("XPTY0004", e.Pos(), "an operand of %v is no node", e.Op)
		}
	}
	c.facts = r.combine(e.Op.String(), e.Pos(), c.left, c.right)
	c.typ = seqType{bit(xdm.Boolean), optionalIfAny(c.left, c.right)}
	return c
}

func (r *resolver) rangeOf(e *syntax.Binary) expr {
	want := wantAtomic(xdm.Integer, atMostOne)
	from := r.convert(r.expr(e.Left), want, "the first operand of to")
	to := r.convert(r.expr(e.Right), want, "the second operand of to")
	t := &rangeOf{from: from, to: to}
	t.facts = r.combine("to", e.Pos(), from, to)
	t.typ = seqType{bit(xdm.Integer), anyNumber}
	return t
}

func (r *resolver) arithmetic(e *syntax.Binary) expr {
	a := &arithmetic{op: arithmeticOps[e.Op], left: r.atomized(r.expr(e.Left)), right: r.atomized(r.expr(e.Right))}
	if folded := r.folded(a, e.Pos()); folded != nil {
		return folded
	}
	a.facts = r.combine(e.Op.String(), e.Pos(), a.left, a.right)
	a.typ = seqType{arithmeticKinds(a.op, a.left.info().typ.kinds, a.right.info().typ.kinds), optionalIfAny(a.left, a.right)}
	return a
}

// folded computes an operator on two decimal or integer constants; nil for other operands, and where there is no value or a long one,
// which the evaluation has to find.
func (r *resolver) folded(a *arithmetic, at int) expr {
	left, ok1 := a.left.(*literal)
	right, ok2 := a.right.(*literal)
	if !ok1 || !ok2 || !isDecimal(left) || !isDecimal(right) {
		return nil
	}
	value, err := xdm.Arithmetic(a.op, left.item, right.item, 0)
	if _, short := value.AsDecimal(); err != nil || !short {
		return nil
	}
	return r.constant(value, at)
}

// arithmeticKinds is what an operator can give for operands of these kinds. Where an operand may be a date or a duration,
// anything can come. An untyped operand is cast to xs:double (XPath 2.0, 3.4), and integers divided give xs:decimal (F&O
// 6.2.4).
func arithmeticKinds(op xdm.Op, a, b kinds) kinds {
	numbers := numericKinds | bit(xdm.UntypedAtomic)
	if !a.within(numbers) || !b.within(numbers) {
		return atomicKinds
	}
	doubles := bit(xdm.Double) | bit(xdm.UntypedAtomic)
	switch {
	case op == xdm.IntegerDivide:
		return bit(xdm.Integer)
	case (a | b).within(integerKinds) && op != xdm.Divide:
		return bit(xdm.Integer)
	case (a | b).within(decimalKinds):
		return bit(xdm.Integer) | bit(xdm.Decimal)
	case a.within(doubles) || b.within(doubles):
		return bit(xdm.Double)
	}
	return bit(xdm.Integer) | bit(xdm.Decimal) | bit(xdm.Double) | bit(xdm.Float)
}

func (r *resolver) negation(e *syntax.Unary) expr {
	n := &negation{minus: e.Minus, operand: r.atomized(r.expr(e.Operand))}
	if l, ok := n.operand.(*literal); ok && n.minus && l.typ.kinds.meets(numericKinds) {
		return r.constant(xdm.Negate(l.item), e.Pos())
	}
	n.facts = r.combine(map[bool]string{true: "negate", false: "plus"}[e.Minus], e.Pos(), n.operand)
	n.typ = seqType{arithmeticKinds(xdm.Add, n.operand.info().typ.kinds, n.operand.info().typ.kinds), optionalIfAny(n.operand)}
	return n
}

func (r *resolver) setOp(e *syntax.Binary) expr {
	nodes := wanted{test: &nodeTest{kinds: anyNode}, occurs: anyNumber, text: "node()*"}
	nodes.setKey()
	s := &setOp{op: e.Op, left: r.expr(e.Left), right: r.expr(e.Right)}
	s.left = r.convert(s.left, nodes, "the first operand of "+e.Op.String())
	s.right = r.convert(s.right, nodes, "the second operand of "+e.Op.String())
	if e.Op == syntax.Union {
		if merged := r.mergeSteps(s.left, s.right); merged != nil {
			return merged
		}
	}
	s.facts = r.combine(e.Op.String(), e.Pos(), s.left, s.right)
	left, right := s.left.info(), s.right.info()
	s.typ = seqType{nodeKind, anyNumber}
	s.order = left.order & right.order & below
	if e.Op != syntax.Union {
		s.order |= wellOrdered
		s.order |= left.order & peers
	}
	return s
}

func (r *resolver) typed(e *syntax.Typed) expr {
	operand := r.expr(e.Operand)
	switch e.Op {
	case syntax.InstanceOf:
		i := &instanceOf{operand: operand, want: r.sequenceType(e.Type, e.Pos())}
		i.facts = r.combine("instance of "+i.want.key, e.Pos(), operand)
		i.typ = booleanType
		return i
	case syntax.TreatAs:
		c := &convert{operand: operand, want: r.sequenceType(e.Type, e.Pos()), treat: true}
		c.facts = r.combine("treat as "+c.want.key, e.Pos(), operand)
		c.typ = c.want.seqType()
		c.order = operand.info().order
		return c
	}
	return r.cast(e, operand)
}

// cast resolves cast as and castable as (XPath 2.0, 3.10.2 and 3.10.3).
func (r *resolver) cast(e *syntax.Typed, operand expr) expr {
	to := r.atomicType(*e.Type.Atomic, e.Pos())
	if to == xdm.AnyAtomic || to == xdm.NOTATION {
		r.fail("XPST0080", e.Pos(), "nothing can be cast to %v", to)
	}
	return r.castTo(operand, to, e.Type.Occurrence == '?', e.Op == syntax.CastableAs, e.Pos())
}

func (r *resolver) castTo(operand expr, to xdm.Type, optional, castable bool, at int) expr {
	if l, ok := operand.(*literal); ok && to == xdm.QName && l.item.Type() == xdm.String {
		return r.qnameLiteral(l, castable, at)
	}
	c := &cast{operand: r.atomized(operand), to: to, optional: optional, castable: castable}
	name := "cast " + to.String()
	if castable {
		name = "castable " + to.String()
	}
	if optional {
		name += "?"
	}
	c.facts = r.combine(name, at, c.operand)
	if castable {
		c.typ = booleanType
		return c
	}
	c.typ = seqType{bit(to), oneItem}
	if optional {
		c.typ.occurs = optionalIfAny(c.operand)
	}
	return c
}

// qnameLiteral casts a string literal to xs:QName, which the namespaces of the static context allow. Only a literal can be
// cast so (XPath 2.0, 3.10.2).
func (r *resolver) qnameLiteral(l *literal, castable bool, at int) expr {
	name, err := parseQName(l.item.Text(), func(prefix string) (string, bool) {
		if prefix == "" {
			return r.static.DefaultElement, true
		}
		if space, ok := r.static.Namespaces[prefix]; ok {
			return space, true
		}
		space, ok := predeclared[prefix]
		return space, ok
	})
	switch {
	case castable:
		return r.constant(xdm.Bool(err == nil), at)
	case err != nil:
		r.fail(Code(err), at, "%v", err)
	}
	return r.constant(xdm.QualifiedName(name), at)
}

// atomized makes an expression give the typed values of its items.
func (r *resolver) atomized(e expr) expr {
	i := e.info()
	if i.typ.atomic() {
		return e
	}
	switch e := e.(type) {
	case *textNode:
		text := *e
		text.typ = exactly(xdm.UntypedAtomic)
		return &text
	case *conditional:
		return r.conditional(i.at, e.cond, r.atomized(e.yes), r.atomized(e.no))
	case *binding:
		inner := *e
		inner.in = r.atomized(e.in)
		inner.typ, inner.key = inner.in.info().typ, 0
		return &inner
	}
	a := &atomize{operand: e}
	a.facts = r.combine("data", i.at, e)
	a.typ = i.typ.atomized()
	if i.typ.nodes() && !mayBeComment(e) {
		a.typ.kinds = bit(xdm.UntypedAtomic)
	}
	return a
}

// mayBeComment tells whether comments or processing instructions, whose typed value is a string, may be among nodes.
func mayBeComment(e expr) bool {
	return slices.ContainsFunc(lastTests(e), func(t nodeTest) bool { return t.kinds&(comments|instructions) != 0 })
}

// convert applies the function conversion rules (XPath 2.0, 3.1.5), unless the value is known to be right as it is. A value
// that is known to be wrong fails when it is evaluated and no earlier, which 2.3.1 leaves open.
func (r *resolver) convert(e expr, want wanted, what string) expr {
	if want.atomic != xdm.None {
		e = r.atomized(e)
	}
	if b, ok := e.(*binding); ok {
		inner := *b
		inner.in = r.convert(b.in, want, what)
		inner.typ, inner.key = inner.in.info().typ, 0
		return &inner
	}
	i := e.info()
	wantType := want.seqType()
	if i.typ.kinds.within(wantType.kinds) && i.typ.occurs&^want.occurs == 0 && !want.checksNodes() {
		return e
	}
	if l, ok := e.(*literal); ok && want.atomic == xdm.Double && l.typ.kinds.within(numericKinds) {
		return r.constant(xdm.Float64(l.item.AsFloat()), i.at)
	}
	c := &convert{operand: e, want: want, what: what}
	c.facts = r.combine("as "+want.key, i.at, e)
	c.typ = seqType{wantType.kinds, i.typ.occurs & want.occurs}
	if c.typ.occurs == 0 {
		c.typ.occurs = want.occurs
	}
	c.order = i.order
	return c
}
