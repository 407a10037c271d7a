package xpath

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// A condition like some $o in ../line satisfies $o/parent = id asks for the lines of one key, as a predicate would: an index
// finds those that come into question.

// lookupOfSome gives the lookup that finds the nodes for which some $v in step satisfies … can be true; nil when there is none.
func (r *resolver) lookupOfSome(e *syntax.Quantified, in expr, v *variable) *lookup {
	s, ok := in.(*step)
	if !ok {
		return nil
	}
	l, preds, ok := indexable(s)
	if !ok || slices.ContainsFunc(preds, func(p predicate) bool { return !isClosed(p.cond) }) {
		return nil
	}
	l.before = preds
	for _, c := range conjuncts(e.Satisfies) {
		if b, isBinary := c.(*syntax.Binary); isBinary && b.Op == syntax.GeneralEq {
			if r.keyAndValue(&l, e, v, b.Left, b.Right) || r.keyAndValue(&l, e, v, b.Right, b.Left) {
				return &l
			}
		}
		if !isHarmless(c) {
			return nil
		}
	}
	return nil
}

// conjuncts gives the operands of a chain of and.
func conjuncts(e syntax.Expr) []syntax.Expr {
	if b, ok := e.(*syntax.Binary); ok && b.Op == syntax.And {
		return append(conjuncts(b.Left), b.Right)
	}
	return []syntax.Expr{e}
}

// isHarmless tells whether leaving out the evaluation of a condition cannot hide an error: comparisons of nodes at hand.
func isHarmless(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Call:
		return e.Name == syntax.Name{Local: "not"} && len(e.Args) == 1 && isHarmless(e.Args[0])
	case *syntax.Binary:
		return e.Op >= syntax.Is && e.Op <= syntax.Follows && isAtHand(e.Left) && isAtHand(e.Right)
	}
	return false
}

func isAtHand(e syntax.Expr) bool {
	switch e.(type) {
	case *syntax.VarRef, *syntax.ContextItem:
		return true
	}
	return false
}

// keyAndValue completes a lookup if one side of an equation is a text of the variable alone and the other does not know it.
func (r *resolver) keyAndValue(l *lookup, e *syntax.Quantified, v *variable, left, right syntax.Expr) bool {
	key := r.atomized(r.with(v, left)).info()
	value := r.atomized(r.with(v, right))
	if key.needs != 0 || key.locals != v.depthBit() || value.info().locals&v.depthBit() != 0 {
		return false
	}
	here, ok := withoutVariable(left, e.Var)
	if !ok {
		return false
	}
	outer := r.focus
	r.focus = exactly(xdm.Node)
	part := keyPart{key: r.atomized(r.with(v, here)), value: value}
	l.parts = []keyPart{part}
	r.focus = outer
	return isKey(part.key) && value.info().typ.kinds.meets(keysOf(part.key).values())
}

// withoutVariable puts the context item in the place of a variable, where that means the same.
func withoutVariable(e syntax.Expr, name syntax.Name) (syntax.Expr, bool) {
	switch e := e.(type) {
	case *syntax.Literal:
		return e, true
	case *syntax.VarRef:
		if e.Name == name {
			return &syntax.ContextItem{At: e.At}, true
		}
	case *syntax.Call:
		c := &syntax.Call{At: e.At, Name: e.Name}
		for _, arg := range e.Args {
			inner, ok := withoutVariable(arg, name)
			if !ok {
				return nil, false
			}
			c.Args = append(c.Args, inner)
		}
		return c, true
	case *syntax.Path:
		if e.Rooted {
			return nil, false
		}
		if first, ok := withoutVariable(e.Steps[0], name); ok {
			return &syntax.Path{At: e.At, Steps: append([]syntax.Expr{first}, e.Steps[1:]...)}, true
		}
	}
	return nil, false
}

// someByLookup compiles some with a lookup; nil without one, or when it is not worth it.
func (k *compiler) someByLookup(e *quantified, cond boolFunc) boolFunc {
	if e.lookup == nil {
		return nil
	}
	slot, focus := e.v.slot, place(&k.layout.nodes)
	answer := k.answer(*e.lookup, func(m *Machine, n node) bool {
		m.bindings++
		m.frame.items[slot] = n.item()
		return cond(m, m.frame.nodes[focus])
	}, func() walkFunc { return k.binds(e.v, e.in, cond) })
	if answer == nil {
		return nil
	}
	return func(m *Machine, f node) bool {
		m.frame.nodes[focus] = f
		return answer(m, f)
	}
}
