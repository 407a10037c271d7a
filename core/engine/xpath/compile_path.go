package xpath

import (
	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// nodes compiles an expression to a walk over its nodes. need says what of the properties of a path the consumer relies on:
// that they come in document order or that none comes twice; a walk without that need may be cheaper. The nodes of expressions
// that are no paths come as they are. An item that is no node is an error, because the expression is the left side of a slash
// or known to give nothing but nodes.
func (k *compiler) nodes(e expr, need order, sink nodeSink) walkFunc {
	if i := e.info(); isPath(e) && need&^i.order != 0 && !i.typ.single() {
		return k.sortedNodes(e, sink)
	}
	switch e := e.(type) {
	case *contextItem:
		return func(m *Machine, f node) bool { return sink(m, m.contextNode(f)) }
	case *rootNode:
		return func(m *Machine, f node) bool { return sink(m, m.rootOf(f)) }
	case *step:
		if chain := chainOf(e); len(chain) > 1 {
			each := k.eachOfChain(chain, sink)
			return func(m *Machine, f node) bool { return each(m, m.contextNode(f)) }
		}
		if indexed := k.indexed(e, need, sink); indexed != nil {
			return indexed
		}
		if inner, ok := e.in.(*step); ok && inner.isAnyDescendant() {
			if name, named := e.test.single(); named && e.axis == syntax.Attribute && e.test.kinds == attributes && !anyPositional(e.preds) {
				return k.nodes(inner.in, need&wellOrdered, attributesBelow(name, k.truthStages(e.preds, sink)))
			}
		}
		if e.axis != syntax.Self && e.axis != syntax.Attribute {
			need |= distinct // or the same subtree may be walked through again and again
		}
		return k.nodes(e.in, need&wellOrdered, k.step(e, need, sink))
	case *slash:
		if e.info().typ.nodes() && e.right.info().needs&(needsPosition|needsLast) == 0 {
			var right walkFunc
			k.within(func() { right = k.nodes(e.right, need, sink) })
			return k.nodes(e.left, need&wellOrdered|distinct, nodeSink(right))
		}
	case *conditional:
		return choose(k.truth(e.cond), k.nodes(e.yes, need, sink), k.nodes(e.no, need, sink))
	case *setOp:
		return k.setOp(e, need, sink)
	case *filter:
		if !anyPositional(e.preds) {
			return k.nodes(e.base, need, k.truthStages(e.preds, sink))
		}
	}
	return k.each(e, func(m *Machine, i xdm.Item) bool {
		if i.Type() != xdm.Node {
			m.fail("XPTY0019", "a value of type %v where a node is expected", i.Type())
		}
		return sink(m, nodeOf(i))
	})
}

// isPath tells whether the value of an expression is by definition in document order and without doubles.
func isPath(e expr) bool {
	switch e := e.(type) {
	case *step, *setOp:
		return true
	case *slash:
		return e.right.info().typ.nodes()
	}
	return false
}

// sortedNodes compiles a walk that first collects the nodes to sort them.
func (k *compiler) sortedNodes(e expr, sink nodeSink) walkFunc {
	list := k.nodeList(e, 0)
	return func(m *Machine, f node) bool {
		for _, n := range sortNodes(list(m, f)) {
			m.tick(1)
			if sink(m, n) {
				return true
			}
		}
		return false
	}
}

// nodeList compiles an expression to a function that gives its nodes in a place of its own.
func (k *compiler) nodeList(e expr, need order) func(m *Machine, f node) []node {
	at := place(&k.layout.lists)
	walk := k.nodes(e, need, func(m *Machine, f node) bool {
		list := append(m.frame.lists[at], f)
		m.frame.lists[at] = list
		if len(list) > m.config.Items {
			m.fail("XPDY0130", "a sequence has more than %d items", m.config.Items)
		}
		return false
	})
	return func(m *Machine, f node) []node {
		m.frame.lists[at] = m.frame.lists[at][:0]
		walk(m, f)
		return m.frame.lists[at]
	}
}

// eachSlash walks over what the right side gives for each node of the left side. Nodes come in document order and once; values
// come as they are; both together are an error.
func (k *compiler) eachSlash(e *slash, sink itemSink) walkFunc {
	if e.right.info().needs&(needsPosition|needsLast) != 0 {
		return k.slashWithPlace(e, sink)
	}
	right := e.right.info().typ
	switch {
	case right.nodes():
		return k.nodes(e, wellOrdered, func(m *Machine, f node) bool { return sink(m, f.item()) })
	case right.atomic():
		var inner walkFunc
		k.within(func() { inner = k.each(e.right, sink) })
		return k.nodes(e.left, wellOrdered, nodeSink(inner))
	}
	at := place(&k.layout.sequences)
	var inner walkFunc
	k.within(func() { inner = k.each(e.right, collect(at)) })
	return k.unmixed(at, k.nodes(e.left, wellOrdered, nodeSink(inner)), sink)
}

// slashWithPlace is eachSlash for a right side that asks for the position of the context node.
func (k *compiler) slashWithPlace(e *slash, sink itemSink) walkFunc {
	left := k.nodeList(e.left, wellOrdered)
	at := place(&k.layout.sequences)
	var inner walkFunc
	k.within(func() { inner = k.each(e.right, collect(at)) })
	return k.unmixed(at, func(m *Machine, f node) bool {
		pos, size := m.pos, m.size
		list := left(m, f)
		for i, n := range list {
			m.pos, m.size = i+1, len(list)
			inner(m, n)
		}
		m.pos, m.size = pos, size
		return false
	}, sink)
}

// unmixed runs a walk that collects items at a place, and hands them on if they are all nodes, then sorted, or all values.
func (k *compiler) unmixed(at int, walk walkFunc, sink itemSink) walkFunc {
	return func(m *Machine, f node) bool {
		m.frame.sequences[at] = m.frame.sequences[at][:0]
		walk(m, f)
		list, nodes := m.frame.sequences[at], 0
		for _, i := range list {
			if i.Type() == xdm.Node {
				nodes++
			}
		}
		switch nodes {
		case 0:
		case len(list):
			list = sortNodeItems(list)
		default:
			m.fail("XPTY0018", "a path gives both nodes and values")
		}
		for _, i := range list {
			if sink(m, i) {
				return true
			}
		}
		return false
	}
}

// setOp compiles union, intersect and except. A union comes here only where neither order nor doubles matter: otherwise nodes
// has sorted it, as nothing is known of its order.
func (k *compiler) setOp(e *setOp, need order, sink nodeSink) walkFunc {
	if e.op == syntax.Union {
		left, right := k.nodes(e.left, 0, sink), k.nodes(e.right, 0, sink)
		return func(m *Machine, f node) bool { return left(m, f) || right(m, f) }
	}
	left, right := k.nodeList(e.left, 0), k.nodeList(e.right, 0)
	keep := e.op == syntax.Intersect
	return func(m *Machine, f node) bool {
		a, b := sortNodes(left(m, f)), sortNodes(right(m, f))
		for _, n := range a {
			for len(b) > 0 && compareNodes(b[0], n) < 0 {
				b = b[1:]
			}
			if found := len(b) > 0 && b[0] == n; found == keep && sink(m, n) {
				return true
			}
		}
		return false
	}
}

// step compiles the axis, test and predicates of a step to a function from context node to nodes, in document order where need asks for it.
func (k *compiler) step(e *step, need order, sink nodeSink) nodeSink {
	if !anyPositional(e.preds) {
		return nodeSink(k.axis(e, need, k.truthStages(e.preds, sink)))
	}
	return k.positionalStep(e, sink)
}

// truthStages puts predicates that ask for no position before a sink.
func (k *compiler) truthStages(preds []predicate, sink nodeSink) nodeSink {
	for i := len(preds) - 1; i >= 0; i-- {
		var cond boolFunc
		k.within(func() { cond = k.truth(preds[i].cond) })
		next := sink
		sink = func(m *Machine, f node) bool { return cond(m, f) && next(m, f) }
	}
	return sink
}
