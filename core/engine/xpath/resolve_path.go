package xpath

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// predicateKind says how a predicate decides (XPath 2.0, 3.2.2): a number is a position, anything else a truth value.
type predicateKind uint8

const (
	truthPredicate   predicateKind = iota // a truth value that depends on the item only
	placePredicate                        // a truth value that depends on position() or last()
	indexPredicate                        // a constant position
	lastPredicate                         // [last()]
	numericPredicate                      // always a number
	openPredicate                         // a number or a truth value
)

// positional tells whether the predicate needs to know the item's position.
func (k predicateKind) positional() bool { return k != truthPredicate }

// path resolves steps from left to right.
func (r *resolver) path(e *syntax.Path) expr {
	var left expr
	if e.Rooted {
		left = r.root(e.Pos())
	}
	for _, s := range e.Steps {
		left = r.append(left, s)
	}
	return left
}

// append resolves a step behind what is to its left, nil for the first one.
func (r *resolver) append(left expr, s syntax.Expr) expr {
	if left == nil {
		return r.expr(s)
	}
	if t := left.info().typ; t.certain() && t.atomic() {
		r.fail("XPTY0019", s.Pos(), "the left side of a slash is no node")
	}
	if axis, ok := s.(*syntax.Step); ok {
		return r.axisStep(axis, left)
	}
	right := r.inFocus(exactly(xdm.Node), s)
	if grafted := r.graft(left, right); grafted != nil {
		return grafted
	}
	return r.slash(left, right)
}

// inFocus resolves an expression whose context items are of the given type.
func (r *resolver) inFocus(t seqType, e syntax.Expr) expr {
	outer := r.focus
	r.focus = seqType{t.kinds, oneItem}
	defer func() { r.focus = outer }()
	return r.expr(e)
}

// graft puts the steps of right, when it is nothing but steps from the context node, behind left.
func (r *resolver) graft(left, right expr) expr {
	switch right := right.(type) {
	case *contextItem:
		if left.info().typ.nodes() {
			return left
		}
	case *step:
		if in := r.graft(left, right.in); in != nil {
			return r.step(in, right.axis, right.test, right.preds, right.at)
		}
	}
	return nil
}

func (r *resolver) slash(left, right expr) expr {
	s := &slash{left: left, right: right}
	l, rt := left.info(), right.info()
	s.facts = r.combine("slash", rt.at, left, right)
	s.needs = l.needs | rt.needs&^(needsPlace|needsRoot)
	s.typ = l.typ.times(rt.typ)
	s.order = nested(l, rt)
	s.cost *= 4
	return s
}

// nested is the order of the nodes that right gives for each node of left, one after the other.
func nested(left, right *facts) order {
	down := left.order & right.order & below
	flat := left.order&(wellOrdered|peers) == wellOrdered|peers
	if left.typ.single() || flat && right.order&below != 0 {
		return right.order&^below | down
	}
	return down
}

// axisStep resolves a step of the syntax behind in.
func (r *resolver) axisStep(s *syntax.Step, in expr) expr {
	if s.Axis == syntax.Namespace {
		r.fail("XPST0010", s.Pos(), "there is no namespace axis")
	}
	test := r.nodeTest(s.Test, s.Axis, s.Pos())
	return r.step(in, s.Axis, test, r.predicates(exactly(xdm.Node), s.Predicates), s.Pos())
}

// step makes a step. Two steps become one where that means the same: // and a step behind it, and self. With a predicate
// about positions it does not: //x[1] are the first x of all parents, /descendant::x[1] is the first of all (XPath 2.0,
// 3.2.4).
func (r *resolver) step(in expr, axis syntax.Axis, test nodeTest, preds []predicate, at int) expr {
	if inner, ok := in.(*step); ok && inner.isAnyDescendant() && !anyPositional(preds) {
		switch axis {
		case syntax.Child, syntax.Descendant:
			in, axis = inner.in, syntax.Descendant
		case syntax.Self, syntax.DescendantOrSelf:
			in, axis = inner.in, syntax.DescendantOrSelf
		}
	}
	s := &step{in: in, axis: axis, test: test, preds: preds}
	s.facts = r.combinePredicates("step "+axis.String()+" "+test.key(), at, in, preds)
	s.typ = stepType(in.info().typ, axis, &test, preds)
	s.order = stepOrder(in.info(), axis)
	s.cost += 3
	if axis != syntax.Child && axis != syntax.Attribute && axis != syntax.Self && axis != syntax.Parent {
		s.cost += 100
	}
	return s
}

// isAnyDescendant tells whether s is what // stands for.
func (s *step) isAnyDescendant() bool {
	return s.axis == syntax.DescendantOrSelf && s.test.kinds == anyNode && s.test.anyName() && s.preds == nil
}

func anyPositional(preds []predicate) bool {
	return slices.ContainsFunc(preds, func(p predicate) bool { return p.kind.positional() })
}

// combinePredicates gives the facts of a base with predicates; those of the predicates that concern the context item do not
// matter outside.
func (r *resolver) combinePredicates(name string, at int, base expr, preds []predicate) facts {
	parts := []expr{base}
	for _, p := range preds {
		parts = append(parts, p.cond)
	}
	f := r.combine(name, at, parts...)
	f.needs = base.info().needs
	for _, p := range preds {
		f.needs |= p.cond.info().needs &^ (needsPlace | needsRoot)
	}
	return f
}

func stepType(in seqType, axis syntax.Axis, test *nodeTest, preds []predicate) seqType {
	one := axis == syntax.Self || axis == syntax.Parent
	if _, named := test.single(); axis == syntax.Attribute && named {
		one = true
	}
	for _, p := range preds {
		one = one || p.kind == indexPredicate || p.kind == lastPredicate
	}
	if in.single() && one {
		return seqType{nodeKind, atMostOne}
	}
	return seqType{nodeKind, anyNumber}
}

// stepOrder is the order of the nodes of a step that takes the nodes of in one after the other. Where the nodes of in are in
// document order and none lies in another, the subtrees below them neither mix nor repeat, so that what is found in them
// comes in order by itself. With a node inside another, its children come between those of the outer one.
func stepOrder(in *facts, axis syntax.Axis) order {
	single, chain := in.typ.single(), in.order&wellOrdered == wellOrdered
	flat := single || chain && in.order&peers != 0
	down := in.order & below
	switch axis {
	case syntax.Self:
		return in.order
	case syntax.Attribute:
		if single || chain {
			return wellOrdered | peers | down
		}
		return in.order&distinct | peers | down
	case syntax.Child:
		if flat {
			return wellOrdered | peers | down
		}
		return in.order&distinct | down
	case syntax.Descendant, syntax.DescendantOrSelf:
		if flat {
			return wellOrdered | down
		}
		return down
	}
	if !single {
		return 0
	}
	switch axis {
	case syntax.Parent, syntax.FollowingSibling:
		return wellOrdered | peers
	case syntax.Following:
		return wellOrdered
	case syntax.PrecedingSibling:
		return distinct | peers
	}
	return distinct
}

// predicates resolves conditions on items of a type. A conjunction of truth values becomes several predicates.
func (r *resolver) predicates(item seqType, list []syntax.Expr) []predicate {
	if len(list) == 0 {
		return nil
	}
	var preds []predicate
	for _, e := range list {
		cond := r.inFocus(item, e)
		kind := classify(cond)
		if l, ok := cond.(*logic); ok && l.all && kind == truthPredicate {
			for _, operand := range l.operands {
				preds = append(preds, predicate{operand, kind})
			}
			continue
		}
		preds = append(preds, predicate{cond, kind})
	}
	return preds
}

// classify says how a predicate decides.
func classify(cond expr) predicateKind {
	i := cond.info()
	if c, ok := cond.(*call); ok && c.fn.name == "last" {
		return lastPredicate
	}
	if l, ok := cond.(*literal); ok && i.typ.kinds.within(numericKinds) {
		if n, whole := l.item.Int64(); whole && n > 0 && i.typ.kinds.within(decimalKinds) {
			return indexPredicate
		}
	}
	switch {
	case !i.typ.kinds.meets(numericKinds):
		if i.needs&(needsPosition|needsLast) != 0 {
			return placePredicate
		}
		return truthPredicate
	case i.typ.kinds.within(numericKinds) && i.typ.occurs == oneItem:
		return numericPredicate
	}
	return openPredicate
}

// filter resolves an expression with predicates that is no axis step. Conditions that do not ask for positions may as well
// stand on the last step of a path.
func (r *resolver) filter(e *syntax.Filter) expr {
	base := r.expr(e.Base)
	preds := r.predicates(itemOf(base.info().typ), e.Predicates)
	if s, ok := base.(*step); ok && !anyPositional(preds) {
		return r.step(s.in, s.axis, s.test, slices.Concat(s.preds, preds), s.at)
	}
	f := &filter{base: base, preds: preds}
	b := base.info()
	f.facts = r.combinePredicates("filter", e.Pos(), base, preds)
	f.order = b.order
	f.typ = seqType{b.typ.kinds, b.typ.occurs | noItem}
	if !b.typ.single() {
		f.typ.occurs = anyNumber
	}
	for _, p := range preds {
		if p.kind == indexPredicate || p.kind == lastPredicate {
			f.typ.occurs = atMostOne
		}
	}
	return f
}

// mergeSteps makes one step of a union of two steps that differ only in the names they ask for; nil when they differ in more.
func (r *resolver) mergeSteps(left, right expr) expr {
	a, ok1 := left.(*step)
	b, ok2 := right.(*step)
	if !ok1 || !ok2 || a.axis != b.axis || a.preds != nil || b.preds != nil || a.test.kinds != b.test.kinds {
		return nil
	}
	in := a.in.info()
	if in.key == 0 || in.key != b.in.info().key || in.locals != 0 || a.test.names == nil || b.test.names == nil ||
		a.test.never || b.test.never {
		return nil
	}
	test := a.test
	test.names = slices.Concat(a.test.names, b.test.names)
	slices.Sort(test.names)
	test.names = slices.Compact(test.names)
	return r.step(a.in, a.axis, test, nil, a.at)
}
