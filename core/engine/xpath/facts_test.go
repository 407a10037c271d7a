package xpath

import (
	"fmt"

	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// contradiction tells in what the value of an expression differs from what the static analysis said about it.
func contradiction(e *Expr, items []xdm.Item) error {
	f := e.root.info()
	if !(wanted{occurs: f.typ.occurs}).allowsCount(len(items)) {
		return fmt.Errorf("%d items, but the type says %03b", len(items), f.typ.occurs)
	}
	for _, i := range items {
		if !bit(i.Type()).within(f.typ.kinds) {
			return fmt.Errorf("an item of type %v, which the static type excludes", i.Type())
		}
	}
	if !f.typ.nodes() || !isPath(e.root) && f.order == 0 {
		return nil
	}
	for n := 1; n < len(items); n++ {
		before, at := nodeOf(items[n-1]), nodeOf(items[n])
		if order := compareNodes(before, at); f.order&wellOrdered == wellOrdered && order >= 0 || isPath(e.root) && order >= 0 {
			return fmt.Errorf("node %d comes after node %d", at.n, before.n)
		}
		if f.order&peers != 0 && before.t == at.t && at.n < at.t.doc.End(before.n) && at.n > before.n {
			return fmt.Errorf("node %d is an ancestor of node %d", before.n, at.n)
		}
	}
	return nil
}
