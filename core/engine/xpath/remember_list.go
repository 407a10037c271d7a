package xpath

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// rememberList compiles an expression to its items, kept if that is worth it.
func (k *compiler) rememberList(e expr) func(m *Machine, f node) []xdm.Item {
	fresh := k.sequence(e)
	v, ok := k.validity(e)
	if !ok {
		return fresh
	}
	kept := v.keep(k.cell(listForm, e), func(m *Machine, f node, c *cell) { c.items = append(c.items[:0], fresh(m, f)...) })
	return func(m *Machine, f node) []xdm.Item {
		if !v.applies(f) {
			return fresh(m, f) // a spare cell might be filled again before the items are used up
		}
		return kept(m, f).items
	}
}

// worthTexts is the least number of kept items of which a set is made.
const worthTexts = 8

// rememberTexts compiles whether a text is among the items of an expression, which are kept; nil when it is not worth it.
func (k *compiler) rememberTexts(e expr) func(m *Machine, f node, text string) bool {
	v, ok := k.validity(e)
	if ref, isRef := e.(*varRef); isRef && ref.v.scope == scopeDocument {
		v, ok = validityOf(e.info()), true
	}
	if !ok || v.focus || !e.info().typ.kinds.within(textKinds) {
		return nil
	}
	fresh := k.sequence(e)
	kept := v.keep(k.cell(textsForm, e), func(m *Machine, f node, c *cell) {
		c.items = append(c.items[:0], fresh(m, f)...)
		c.makeTexts()
	})
	return func(m *Machine, f node, text string) bool {
		c := kept(m, f)
		if len(c.items) > worthTexts {
			return c.texts.has(text)
		}
		return slices.ContainsFunc(c.items, func(i xdm.Item) bool { return i.Text() == text })
	}
}

// makeTexts makes the set of the texts of many items.
func (c *cell) makeTexts() {
	if len(c.items) <= worthTexts {
		return
	}
	if c.texts == nil {
		c.texts = codeSet{}
	}
	clear(c.texts)
	for _, i := range c.items {
		c.texts[i.Text()] = struct{}{}
	}
}
