package mapping

import (
	"reflect"
	"slices"
	"unsafe"
)

// allowed asks the row's condition.
func (r *writing) allowed(n *node, scope reflect.Value, index int) bool {
	return n.when == nil || n.when(r, scope.Addr().Interface(), index)
}

// compute gives what a row computes in the place that is written.
func (r *writing) compute(n *node, scope reflect.Value, index int) string {
	if at := scope.Addr().UnsafePointer(); r.latest.of != n || r.latest.group != at {
		r.latest = latest{n, at, n.row.computed.text(r.spot(scope, index))}
	}
	return r.latest.text
}

// latest is the text that was computed last: what is asked for is written next.
type latest struct {
	of    *node
	group unsafe.Pointer
	text  string
}

func (r *writing) spot(scope reflect.Value, index int) spot {
	return spot{inv: r.inv, group: scope.Addr().Interface(), index: index, element: r.plan.element.Name, edition: r.plan.edition.Name, once: r.ask}
}

// present tells whether an element would hold more than constants. The scope is the element's own.
func (r *writing) present(n *node, scope reflect.Value, index int) bool {
	switch {
	case n.static || !r.allowed(n, scope, index):
		return false
	case n.leaf != nil:
		v := n.leaf.get(r.base(n.leaf, scope))
		return present(v) && (!n.translates() || sayable(v, n.typ, n.convert, n.part))
	case n.row != nil && n.row.total != nil:
		return n.row.total(r.inv).IsSet()
	case n.row != nil && n.row.computed != nil:
		return r.compute(n, scope, index) != ""
	case n.row != nil && n.row.codec != nil:
		return n.row.codec.Format(scope.Addr().Interface()) != ""
	}
	for i := range n.attrs {
		if a := &n.attrs[i]; a.leaf != nil && a.present(a.leaf.get(r.base(a.leaf, scope))) {
			return true
		}
	}
	for _, c := range n.children {
		if c.scope == nil && r.present(c, scope, index) || c.scope != nil && r.groupPresent(c, scope, index) {
			return true
		}
	}
	return false
}

func (a *attribute) present(v reflect.Value) bool {
	return present(v) && (a.convert == nil || sayable(v, Text, a.convert, nil))
}

func (r *writing) groupPresent(c *node, scope reflect.Value, index int) bool {
	v := c.scope.get(scope)
	if !v.IsValid() {
		return false
	}
	if !c.scope.list {
		v = v.Elem()
		return v.IsValid() && r.present(c, v, index)
	}
	for i := range v.Len() {
		if entry := v.Index(i); r.rowOf(c, entry, i) == c && r.present(c, entry, i) {
			return true
		}
	}
	return false
}

// rowOf gives the row that writes an entry in the place of c: c itself or one that it leads; nil where the entry belongs to
// another row of the list.
func (r *writing) rowOf(c *node, entry reflect.Value, index int) *node {
	if len(c.list.rows) == 1 {
		return c
	}
	if n := r.firstRow(c.list, entry, index); n == c || slices.Contains(c.together, n) {
		return n
	}
	return nil
}

// firstRow gives the row of a list that takes an entry: the first whose condition holds; nil where there is none.
func (r *writing) firstRow(l *list, entry reflect.Value, index int) *node {
	for _, n := range l.rows {
		if r.allowed(n, entry, index) {
			return n
		}
	}
	return nil
}
