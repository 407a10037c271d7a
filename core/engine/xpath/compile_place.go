package xpath

import "github.com/einvoiced/einvoiced/core/engine/xpath/xdm"

// oneOfPosition compiles $v[position], where the position does not depend on the item, to one look at that place; nil for other
// filters.
func (k *compiler) oneOfPosition(e *filter) oneFunc {
	ref, ok := e.base.(*varRef)
	if !ok || ref.v.typ.single() || len(e.preds) != 1 {
		return nil
	}
	p := e.preds[0]
	if p.kind != indexPredicate && (p.kind != numericPredicate || !isSteady(p.cond)) {
		return nil
	}
	list := k.listOfVariable(ref.v)
	var position oneFunc
	k.within(func() { position = k.one(p.cond) })
	return func(m *Machine, _ node) xdm.Item {
		items := list(m)
		m.tick(1)
		if len(items) == 0 {
			return xdm.Item{}
		}
		if at := wholeNumber(position(m, node{})); at > 0 && at <= len(items) {
			return items[at-1]
		}
		return xdm.Item{}
	}
}

// listOfVariable gives the items of a variable that may have several.
func (k *compiler) listOfVariable(v *variable) func(m *Machine) []xdm.Item {
	switch slot := v.slot; v.scope {
	case scopeLocal:
		return func(m *Machine) []xdm.Item { return m.frame.sequences[slot] }
	case scopeExternal:
		return func(m *Machine) []xdm.Item { return m.external[v.number] }
	}
	return func(m *Machine) []xdm.Item { return m.valueOf(v).items }
}
