package xpath

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// Pattern is an expression that nodes are matched with: a node matches if the expression gives it from some node of its tree
// that is no attribute. That is what XSLT 2.0, 5.5.3 says of match patterns, for any expression.
type Pattern struct {
	root  expr
	match boolFunc
}

// CompilePattern is Compile for a pattern, whose Matches may be used after Build. Errors are those of Compile.
func (b *Builder) CompilePattern(source string, static *Static) (*Pattern, error) {
	tree, err := syntax.Parse(source)
	if err != nil {
		return nil, &xdm.Error{Code: "XPST0003", Reason: err.Error()}
	}
	return b.CompilePatternTree(tree, static)
}

// CompilePatternTree is CompilePattern for an expression that was read before.
func (b *Builder) CompilePatternTree(tree syntax.Expr, static *Static) (p *Pattern, err error) {
	defer catch(&err)
	inner := *static
	inner.NodeContext = true
	r := b.resolver(&inner)
	p = &Pattern{root: r.expr(tree)}
	if t := p.root.info().typ; t.atomic() && t.certain() {
		r.fail("XPTY0004", tree.Pos(), "a pattern must give nodes")
	}
	b.patterns = append(b.patterns, p)
	return p, nil
}

// Matches tells whether n, a node of the document under evaluation, matches. Errors are those of Expr.Bool.
func (p *Pattern) Matches(m *Machine, n xmltree.Node) (matches bool, err error) {
	defer m.recover(&err)
	return p.match(m, node{m.doc, n}), nil
}

// lastTests gives the tests one of which every node passes that an expression gives.
func lastTests(e expr) []nodeTest {
	switch e := e.(type) {
	case *step:
		return []nodeTest{e.test}
	case *rootNode:
		return []nodeTest{{kinds: documents}}
	case *filter:
		return lastTests(e.base)
	case *slash:
		return lastTests(e.right)
	case *convert:
		return lastTests(e.operand)
	case *setOp:
		if e.op == syntax.Union {
			return slices.Concat(lastTests(e.left), lastTests(e.right))
		}
		return lastTests(e.left)
	}
	return []nodeTest{{kinds: anyNode}}
}

// pattern compiles a pattern.
func (k *compiler) pattern(p *Pattern) {
	k.once = false
	k.within(func() {
		p.match = k.matcher(p.root, anywhere)
		if p.match == nil {
			p.match = k.member(p.root)
		}
	})
}

// matcher compiles a test of a node against an expression from its last step to its first; base tests the context node that the
// first step starts from. It is nil for expressions that cannot be followed backwards.
func (k *compiler) matcher(e expr, base boolFunc) boolFunc {
	switch e := e.(type) {
	case *contextItem:
		return base
	case *rootNode:
		return func(_ *Machine, f node) bool { return f.n == 0 }
	case *convert:
		return k.matcher(e.operand, base)
	case *setOp:
		left, right := k.matcher(e.left, base), k.matcher(e.right, base)
		if e.op != syntax.Union || left == nil || right == nil {
			return nil
		}
		return func(m *Machine, f node) bool { return left(m, f) || right(m, f) }
	case *slash:
		if left := k.matcher(e.left, base); left != nil {
			return k.matcher(e.right, left)
		}
	case *filter:
		if before := k.matcher(e.base, base); before != nil && !anyPositional(e.preds) {
			return k.both(before, e.preds)
		}
	case *step:
		if before := k.startMatcher(e, base); before != nil && !anyPositional(e.preds) {
			return k.stepMatcher(e, before, e.preds)
		}
	}
	return nil
}

// startMatcher is the matcher of what a step starts from. It keeps its last answer where predicates make it costly: the nodes under
// one parent are matched in a row.
func (k *compiler) startMatcher(e *step, base boolFunc) boolFunc {
	test := k.matcher(e.in, base)
	from, ok := e.in.(*step)
	if test == nil || !ok || len(from.preds) == 0 {
		return test
	}
	v := validity{focus: true, current: from.needs&needsCurrent != 0}
	kept := v.keep(place(&k.program.cells), func(m *Machine, f node, c *cell) { c.truth = test(m, f) })
	return func(m *Machine, f node) bool { return kept(m, f).truth }
}

// both tests predicates after something else.
func (k *compiler) both(first boolFunc, preds []predicate) boolFunc {
	if len(preds) == 0 {
		return first
	}
	then := k.truthStages(preds, always)
	return func(m *Machine, f node) bool { return first(m, f) && then(m, f) }
}

// stepMatcher tests a node against a step; before tests the node that the step came from.
func (k *compiler) stepMatcher(e *step, before boolFunc, preds []predicate) boolFunc {
	from := k.origin(e, before)
	if from == nil {
		return nil
	}
	test := e.test
	if name, ok := test.single(); ok && e.axis == syntax.Child && test.kinds == elements {
		return k.both(func(m *Machine, f node) bool { return f.t.doc.IsElement(f.n, f.t.ids[name]) && from(m, f) }, preds)
	}
	return k.both(func(m *Machine, f node) bool { return test.match(f) && from(m, f) }, preds)
}

// origin tests whether a node that passes the test of a step may have come from a node that before holds for; nil for axes that
// cannot be followed backwards.
func (k *compiler) origin(e *step, before boolFunc) boolFunc {
	attribute := e.axis == syntax.Attribute
	switch e.axis {
	case syntax.Child, syntax.Attribute:
		if names, rooted, ok := parentNames(e.in); ok && !attribute && e.test.kinds == elements {
			return func(_ *Machine, f node) bool { return hasParents(f, names, rooted) }
		}
		return func(m *Machine, f node) bool {
			p := f.t.doc.Parent(f.n)
			return p != xmltree.None && attribute == (f.t.doc.Kind(f.n) == xmltree.KindAttribute) && before(m, node{f.t, p})
		}
	case syntax.Self:
		return before
	case syntax.Descendant, syntax.DescendantOrSelf:
		self := e.axis == syntax.DescendantOrSelf
		if _, ok := e.in.(*rootNode); ok {
			return func(_ *Machine, f node) bool { return f.n == 0 && self || f.n != 0 && isChild(f) }
		}
		return func(m *Machine, f node) bool {
			return self && before(m, f) || isChild(f) && ancestors(m, f, nodeSink(before))
		}
	}
	return nil
}

// anywhere tells whether a node can be the context node that a pattern starts from.
func anywhere(_ *Machine, f node) bool { return isChild(f) }

// isChild tells whether a node is no attribute.
func isChild(f node) bool { return f.t.doc.Kind(f.n) != xmltree.KindAttribute }

// parentNames gives the names of the ancestors that a path of child steps without predicates asks for, from the last step up,
// and whether it starts at the root; ok is false for other paths.
func parentNames(e expr) (names [][]int, rooted, ok bool) {
	for {
		switch s := e.(type) {
		case *contextItem:
			return names, false, true
		case *rootNode:
			return names, true, true
		case *step:
			if s.axis != syntax.Child || s.preds != nil || s.test.names == nil || s.test.kinds != elements || s.test.never {
				return nil, false, false
			}
			names, e = append(names, s.test.names), s.in
		default:
			return nil, false, false
		}
	}
}

// hasParents tells whether the ancestors of a node have the given names.
func hasParents(f node, names [][]int, rooted bool) bool {
	doc, ids, p := f.t.doc, f.t.ids, f.t.doc.Parent(f.n)
	for _, any := range names {
		if p == xmltree.None || !isElementOf(doc, p, any, ids) {
			return false
		}
		p = doc.Parent(p)
	}
	return p != xmltree.None && (!rooted || p == 0)
}

// member compiles a test whether a node is among those that an expression gives from any node. They are found once for each
// document.
func (k *compiler) member(e expr) boolFunc {
	all := &step{in: &rootNode{facts{typ: exactly(xdm.Node), order: wellOrdered | peers}}, axis: syntax.DescendantOrSelf,
		test: nodeTest{kinds: anyNode}}
	all.facts = facts{typ: seqType{nodeKind, oneOrMore}, order: wellOrdered}
	from := &slash{left: all, right: e}
	from.facts = facts{typ: seqType{nodeKind, anyNumber}, needs: e.info().needs &^ needsPlace}
	list := k.nodeList(from, 0)
	v := validity{root: true, current: e.info().needs&needsCurrent != 0}
	kept := v.keep(place(&k.program.cells), func(m *Machine, f node, c *cell) {
		c.nodes = append(c.nodes[:0], sortNodes(list(m, node{f.t, 0}))...)
	})
	return func(m *Machine, f node) bool {
		_, found := slices.BinarySearchFunc(kept(m, f).nodes, f, compareNodes)
		return found
	}
}
