package xpath

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// expr resolves an expression.
func (r *resolver) expr(e syntax.Expr) expr {
	switch e := e.(type) {
	case *syntax.Literal:
		return r.literal(e)
	case *syntax.Sequence:
		return r.sequence(e)
	case *syntax.VarRef:
		return r.varRef(e)
	case *syntax.ContextItem:
		return r.context(e.Pos())
	case *syntax.Binary:
		return r.binary(e)
	case *syntax.Unary:
		return r.negation(e)
	case *syntax.If:
		return r.conditional(e.Pos(), r.expr(e.Cond), r.expr(e.Then), r.expr(e.Else))
	case *syntax.For:
		return r.loop(e)
	case *syntax.Quantified:
		return r.quantified(e)
	case *syntax.Typed:
		return r.typed(e)
	case *syntax.Path:
		return r.path(e)
	case *syntax.Step:
		return r.axisStep(e, r.context(e.Pos()))
	case *syntax.Filter:
		return r.filter(e)
	case *syntax.Call:
		return r.call(e)
	case *Let:
		return r.binding(e)
	case *TextNode:
		return r.textNode(e)
	}
	r.fail("XPST0003", e.Pos(), "the expression %T is not known", e)
	return nil
}

func (r *resolver) exprs(list []syntax.Expr) []expr {
	out := make([]expr, len(list))
	for i, e := range list {
		out[i] = r.expr(e)
	}
	return out
}

func (r *resolver) literal(e *syntax.Literal) expr {
	var item xdm.Item
	var err error
	switch e.Kind {
	case syntax.StringLiteral:
		item = xdm.Text(e.Text)
	case syntax.IntegerLiteral:
		item, err = xdm.Parse(e.Text, xdm.Integer)
	case syntax.DecimalLiteral:
		item, err = xdm.Parse(e.Text, xdm.Decimal)
	default:
		item, err = xdm.Parse(e.Text, xdm.Double)
	}
	if err != nil {
		r.fail("FOAR0002", e.Pos(), "the number %s cannot be represented", e.Text)
	}
	return r.constant(item, e.Pos())
}

// constant makes a literal of an item.
func (r *resolver) constant(item xdm.Item, at int) expr {
	l := &literal{item: item}
	l.facts = facts{typ: exactly(item.Type()), at: at, key: r.builder.key("literal", item.Type().String(), item.String())}
	l.typ.kinds = bit(item.Type())
	return l
}

func (r *resolver) sequence(e *syntax.Sequence) expr {
	s := &sequence{items: r.exprs(e.Items)}
	s.facts = r.combine("sequence", e.Pos(), s.items...)
	s.typ = emptyType
	for _, item := range s.items {
		s.typ = s.typ.then(item.info().typ)
	}
	return s
}

// context is the context item, of which only the predicate or step around knows more.
func (r *resolver) context(at int) expr {
	c := &contextItem{}
	c.facts = facts{typ: r.focus, needs: needsFocus, order: wellOrdered | peers | below, at: at,
		key: r.builder.key("."), cost: 1}
	return c
}

// root is the document node above the context node.
func (r *resolver) root(at int) expr {
	e := &rootNode{}
	e.facts = facts{typ: exactly(xdm.Node), needs: needsRoot, order: wellOrdered | peers, at: at, key: r.builder.key("/"), cost: 1}
	return e
}

// combine gives the facts of an expression that needs what its parts need: everything but type and order. The key is unknown
// as soon as that of one part is.
func (r *resolver) combine(name string, at int, parts ...expr) facts {
	f := facts{at: at, cost: 1}
	ids := make([]any, 1, len(parts)+1)
	ids[0] = name
	known := true
	for _, p := range parts {
		i := p.info()
		f.needs |= i.needs
		f.locals |= i.locals
		f.cost += i.cost
		known = known && i.key != 0
		ids = append(ids, i.key)
	}
	if known {
		f.key = r.builder.key(ids...)
	}
	return f
}

// lookup finds a local variable.
func (r *resolver) lookup(name string) *variable {
	for _, v := range slices.Backward(r.scope) {
		if v.name == name {
			return v
		}
	}
	return nil
}

func (r *resolver) varRef(e *syntax.VarRef) expr {
	name := clark(r.expanded(e.Name, e.Pos()))
	v := r.lookup(name)
	if v == nil {
		if shared, ok := r.static.Variables[name]; ok {
			v = shared.v
		}
	}
	if v == nil {
		r.fail("XPST0008", e.Pos(), "the variable $%v is not declared", e.Name)
	}
	ref := &varRef{v: v}
	ref.facts = facts{typ: v.typ, needs: v.needs, locals: v.depthBit(), order: v.order, at: e.Pos(), cost: 1}
	ref.key = r.builder.key("$", v.scope, v.number)
	return ref
}

// with resolves an expression in which a variable is visible.
func (r *resolver) with(v *variable, e syntax.Expr) expr {
	r.scope = append(r.scope, v)
	defer func() { r.scope = r.scope[:len(r.scope)-1] }()
	return r.expr(e)
}

// local makes a variable that an expression binds. Its number is the depth of the binding, so that equal expressions have
// equal keys.
func (r *resolver) local(name syntax.Name, at int, typ seqType, ordered order) *variable {
	return &variable{name: clark(r.expanded(name, at)), scope: scopeLocal, number: len(r.scope), typ: typ, order: ordered}
}

// itemOf is the type of one item of a sequence.
func itemOf(t seqType) seqType { return seqType{t.kinds, oneItem} }

func (r *resolver) loop(e *syntax.For) expr {
	in := r.expr(e.In)
	v := r.local(e.Var, e.Pos(), itemOf(in.info().typ), wellOrdered|peers)
	ret := r.with(v, e.Return)
	l := &loop{v: v, in: in, ret: ret}
	l.facts = r.combine("for", e.Pos(), in, ret)
	l.typ = in.info().typ.times(ret.info().typ)
	// How many items there are shows only when it is evaluated; eight is a guess that is good enough to tell cheap from dear.
	l.cost *= 8
	l.locals &^= v.bound()
	return l
}

func (r *resolver) quantified(e *syntax.Quantified) expr {
	in := r.expr(e.In)
	v := r.local(e.Var, e.Pos(), itemOf(in.info().typ), wellOrdered|peers)
	cond := r.with(v, e.Satisfies)
	name := "some"
	if e.Every {
		name = "every"
	} else if among := r.amongTexts(in, v, cond); among != nil {
		return among
	}
	q := &quantified{every: e.Every, v: v, in: in, cond: cond}
	q.facts = r.combine(name, e.Pos(), in, cond)
	q.typ = booleanType
	q.cost *= 8
	q.locals &^= v.bound()
	if !e.Every {
		q.lookup = r.lookupOfSome(e, in, v)
	}
	return q
}

// amongTexts makes a general comparison, value = list, of some $v in list satisfies value = $v, where the list is one of texts that
// does not change from node to node; nil for other conditions.
func (r *resolver) amongTexts(list expr, v *variable, cond expr) expr {
	c, ok := cond.(*comparison)
	if i := list.info(); !ok || !c.general || c.relation != xdm.Equal || i.locals != 0 || i.needs&^needsDocument != 0 {
		return nil
	}
	value := c.left
	if isVariable(c.left, v) {
		value = c.right
	} else if !isVariable(c.right, v) {
		return nil
	}
	texts := r.atomized(list)
	if value.info().locals&v.depthBit() != 0 || !value.info().typ.kinds.within(textKinds) || !texts.info().typ.kinds.within(textKinds) {
		return nil
	}
	among := &comparison{general: true, relation: xdm.Equal, left: value, right: texts}
	among.facts = r.combine(syntax.GeneralEq.String(), c.at, value, texts)
	among.typ = booleanType
	return among
}

// isVariable tells whether an expression is nothing but the typed value of a variable.
func isVariable(e expr, v *variable) bool {
	if a, ok := e.(*atomize); ok {
		e = a.operand
	}
	ref, ok := e.(*varRef)
	return ok && ref.v == v
}

func (r *resolver) binding(e *Let) expr {
	value := r.expr(e.Value)
	if e.Type != nil {
		value = r.convert(value, r.sequenceType(*e.Type, e.Pos()), "the value of $"+e.Var.String())
	}
	i := value.info()
	v := r.local(e.Var, e.Pos(), i.typ, i.order&^below)
	in := r.with(v, e.In)
	b := &binding{v: v, value: value, in: in}
	b.facts = r.combine("let", e.Pos(), value, in)
	b.typ, b.order = in.info().typ, in.info().order
	b.locals &^= v.bound()
	return b
}

func (r *resolver) conditional(at int, cond, yes, no expr) expr {
	c := &conditional{cond: cond, yes: yes, no: no}
	c.facts = r.combine("if", at, cond, yes, no)
	c.typ = yes.info().typ.or(no.info().typ)
	c.order = yes.info().order & no.info().order
	return c
}

func (r *resolver) textNode(e *TextNode) expr {
	t := &textNode{operand: r.atomized(r.expr(e.Select)), separator: e.Separator}
	t.facts = r.combine("text "+e.Separator, e.Pos(), t.operand)
	// Each evaluation makes a node with an identity of its own, so that no two of these expressions are the same.
	t.key = 0
	t.typ = exactly(xdm.Node)
	t.order = wellOrdered | peers
	return t
}
