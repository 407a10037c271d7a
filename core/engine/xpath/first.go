package xpath

import (
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// A condition like . = preceding::id asks at every id for all before it. Where each text ends first tells as much.

// firstEnds are the ends of the first elements of a name, by their text, in one document. An element comes before a node when
// it ends before it; those around the node have not ended yet and are not on the axis. The element of a text that ends first
// therefore answers for all of them.
type firstEnds struct {
	stamp uint64
	t     *tree
	ends  map[string]xmltree.Node
}

// comparePreceding compiles the comparison of texts with those of the elements of a name before the context node; nil for others.
func (k *compiler) comparePreceding(e *comparison) boolFunc {
	for _, sides := range [][2]expr{{e.left, e.right}, {e.right, e.left}} {
		value := sides[0]
		name, ok := isPreceding(sides[1])
		if !ok || !e.general || e.relation != xdm.Equal || !value.info().typ.kinds.within(textKinds) {
			continue
		}
		at, focus := place(&k.program.firsts), place(&k.layout.nodes)
		walk := k.each(value, func(m *Machine, i xdm.Item) bool {
			f := m.frame.nodes[focus]
			end, known := m.firstEnds(at, f.t, name)[i.Text()]
			m.tick(1)
			return known && end <= f.n
		})
		return func(m *Machine, f node) bool {
			m.frame.nodes[focus] = m.contextNode(f)
			return walk(m, f)
		}
	}
	return nil
}

// isPreceding tells whether an expression is the texts of the elements of one name before the context node.
func isPreceding(e expr) (name int, ok bool) {
	texts, ok := e.(*atomize)
	if !ok {
		return 0, false
	}
	s, ok := texts.operand.(*step)
	if !ok || s.axis != syntax.Preceding || s.test.kinds != elements || len(s.preds) > 0 {
		return 0, false
	}
	if _, here := s.in.(*contextItem); !here {
		return 0, false
	}
	return s.test.single()
}

// firstEnds gives where each text first ends among the elements of a name.
func (m *Machine) firstEnds(at int, t *tree, name int) map[string]xmltree.Node {
	x := &m.firsts[at]
	if x.stamp == m.stamp && x.t == t {
		return x.ends
	}
	x.stamp, x.t, x.ends = m.stamp, t, map[string]xmltree.Node{}
	if t.ids[name] == 0 {
		return x.ends
	}
	for _, n := range t.doc.Elements(t.ids[name]) {
		m.tick(1)
		text := node{t, n}.value()
		if end, known := x.ends[text]; !known || t.doc.End(n) < end {
			x.ends[text] = t.doc.End(n)
		}
	}
	return x.ends
}
