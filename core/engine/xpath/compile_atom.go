package xpath

import (
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
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
	if chain := chainOf(e); chain != nil {
		only := k.onlyOfChain(chain)
		return func(m *Machine, f node) node { return only(m, m.contextNode(f)) }
	}
	if s, ok := e.(*step); ok {
		if only := onlyAttribute(s); only != nil {
			return only
		}
	}
	at := place(&k.layout.nodes)
	walk := k.nodes(e, distinct, func(m *Machine, f node) bool {
		m.frame.nodes[at] = m.unique(m.frame.nodes[at], f)
		return false
	})
	return func(m *Machine, f node) node {
		m.frame.nodes[at] = node{}
		walk(m, f)
		return m.frame.nodes[at]
	}
}

// onlyAttribute is onlyNode for an attribute of the context node; nil for other steps.
func onlyAttribute(s *step) func(m *Machine, f node) node {
	name, named := s.test.single()
	if _, here := s.in.(*contextItem); !here || !named || s.preds != nil || s.axis != syntax.Attribute || s.test.kinds != attributes {
		return nil
	}
	return func(m *Machine, f node) node {
		f = m.contextNode(f)
		if a := f.t.doc.Attr(f.n, f.t.ids[name]); a != xmltree.None {
			return node{f.t, a}
		}
		return node{}
	}
}

// textOfNode compiles the string value of the only node of an expression; empty for none. It is nil when the expression may
// give something else.
func (k *compiler) textOfNode(e expr) textFunc {
	if !e.info().typ.nodes() {
		return nil
	}
	if isHere(e) {
		return func(m *Machine, f node) string { return m.contextNode(f).value() }
	}
	if chain := chainOf(e); chain != nil && !k.repeated() {
		if _, found := k.chainPlace(chain); !found {
			return func(m *Machine, f node) string {
				if f = chain.only(m, m.contextNode(f)); f.t == nil {
					return ""
				}
				return f.value()
			}
		}
	}
	only := k.onlyNode(e)
	return func(m *Machine, f node) string {
		if f = only(m, f); f.t == nil {
			return ""
		}
		return f.value()
	}
}
