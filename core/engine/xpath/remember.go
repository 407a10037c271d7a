package xpath

import "github.com/einvoiced/einvoiced/core/engine/xpath/xdm"

// Expressions that do not depend on the context item are evaluated once for each document, or once at all, and those that
// occur several times once for each context item in a row. Their values are kept in cells of the machine.

// cell keeps a value and what it is the value for.
type cell struct {
	tag   cellTag
	truth bool
	item  xdm.Item
	items []xdm.Item
	texts codeSet // of the items, where there are many
	nodes []node
	busy  bool // the value is being computed
}

// cellTag is what a kept value belongs to: a document, a current node, a context item, bindings of variables, as far as they
// matter. Bindings are counted for all variables together: that ends more values than it must, and costs one addition.
type cellTag struct {
	stamp, serial uint64
	bindings      uint64 // how often a variable was bound, for expressions with local variables
	at            node
}

// forever is the stamp of values that do not depend on a document.
const forever = 1

// form tells the forms of a value apart that are kept.
type form uint8

const (
	truthForm form = iota
	oneForm
	listForm
	textsForm
	treeTruthForm
	treeItemForm
)

type cellKey struct {
	form form
	key  int
}

// validity says when a kept value is still right.
type validity struct {
	always  bool // for as long as the machine lives
	current bool // only for the current node
	root    bool // only for the tree of the context item
	focus   bool // only for the context item
	locals  bool // only as long as no variable is bound
}

// worth is the least cost of an expression that is worth keeping; worthSharing is that of one that depends on the context item or
// on local variables, and so is kept for a short time only.
const (
	worth        = 8
	worthSharing = 24
)

// isComputed tells whether an expression computes a value; those that depend on nothing are kept for ever at whatever cost.
func isComputed(e expr) bool {
	switch e.(type) {
	case *cast, *arithmetic, *call:
		return true
	}
	return false
}

// validity tells how long the value of an expression is right; ok is false when it is not worth keeping.
func (k *compiler) validity(e expr) (v validity, ok bool) {
	i := e.info()
	if i.key == 0 || i.needs&(needsPosition|needsLast) != 0 {
		return v, false
	}
	v = validityOf(i)
	if i.cost < worth {
		return v, v.always && isComputed(e) && (k.loops > 0 || !k.once)
	}
	if v.focus || v.locals {
		return v, k.uses[i.key] > 1 && i.cost >= worthSharing
	}
	again := k.loops > 0 || k.uses[i.key] > 1
	return v, again || !k.once && !v.current // tests and variables are evaluated once for each current node
}

func validityOf(i *facts) validity {
	return validity{always: i.needs == 0 && i.locals == 0, current: i.needs&needsCurrent != 0, root: i.needs&needsRoot != 0,
		focus: i.needs&needsFocus != 0, locals: i.locals != 0}
}

// cell gives the place of a kept value among the machine's cells.
func (k *compiler) cell(f form, e expr) int { return k.cellIn(&k.program.cells, f, e) }

// cellIn gives the place of a kept value among cells that are counted by a counter; a form has one such counter.
func (k *compiler) cellIn(counter *int, f form, e expr) int {
	key := cellKey{f, e.info().key}
	at, ok := k.cells[key]
	if !ok {
		at = place(counter)
		k.cells[key] = at
	}
	return at
}

// document tells whether a kept value is right for the whole tree of the context item, and nothing else matters.
func (v validity) document() bool { return v == validity{root: true} }

// ofNode tells whether a kept value is right for the context node, and nothing else matters.
func (v validity) ofNode() bool {
	return v == validity{focus: true} || v == validity{focus: true, root: true}
}

// isOf is validity.holds for a value that is right for the context node.
func (tag *cellTag) isOf(m *Machine, f node) bool {
	return tag.at.n == f.n && tag.at.t == f.t && tag.stamp == m.stamp && f.t != nil
}

// setNode is validity.mark for such a value.
func (tag *cellTag) setNode(m *Machine, f node) {
	tag.stamp = m.stamp
	tag.at.t, tag.at.n = f.t, f.n
}

// applies tells whether values can be kept in a context: one without a node has nothing to tell it from others.
func (v validity) applies(f node) bool { return f.t != nil || !v.root && !v.focus }

// keep compiles getting the cell of a value that is kept at a place; fill computes the value. Where nothing can be kept, the cell is
// a spare one, of use until the next. The tag is written last, so that an evaluation that fails leaves the cell as it was.
func (v validity) keep(at int, fill func(m *Machine, f node, c *cell)) func(m *Machine, f node) *cell {
	return func(m *Machine, f node) *cell {
		if !v.applies(f) {
			fill(m, f, &m.spare)
			return &m.spare
		}
		c := &m.cells[at]
		if !v.holds(m, f, &c.tag) {
			bindings := m.bindings // of before: filling may bind variables
			fill(m, f, c)
			v.mark(m, f, bindings, &c.tag)
		}
		return c
	}
}

// mark writes the tag of a value for the context f, field by field: a tag that is made elsewhere and copied costs more than all the
// rest.
func (v validity) mark(m *Machine, f node, bindings uint64, tag *cellTag) {
	tag.stamp = m.stamp
	if v.always {
		tag.stamp = forever
	}
	tag.serial, tag.bindings = m.serial, bindings
	tag.at.t, tag.at.n = f.t, f.n
}

// holds tells whether a value with a tag is right for the context f.
func (v validity) holds(m *Machine, f node, tag *cellTag) bool {
	switch {
	case v.always:
		return tag.stamp == forever
	case tag.stamp != m.stamp, v.current && tag.serial != m.serial, v.locals && tag.bindings != m.bindings:
		return false
	case v.focus:
		return tag.at.n == f.n && tag.at.t == f.t
	}
	return !v.root || tag.at.t == f.t
}

// treeCell keeps what is right for a whole tree, the most common case by far, where it can be looked up fast.
type treeCell[V bool | xdm.Item] struct {
	stamp uint64
	t     *tree
	value V
}

func (c *treeCell[V]) holds(m *Machine, f node) bool { return c.stamp == m.stamp && c.t == f.t }

// keep keeps a value, unless there is no tree that it is for, and gives it.
func (c *treeCell[V]) keep(m *Machine, f node, value V) V {
	if f.t != nil {
		c.stamp, c.t, c.value = m.stamp, f.t, value
	}
	return value
}

// rememberTruth compiles a truth value that is kept; nil when it is not worth it. Equal expressions share the closure, unless it
// reads local variables, which have a place of their own in every expression.
func (k *compiler) rememberTruth(e expr) boolFunc {
	return remember(k, e, k.truths, k.truthOfTree, k.truthInCell)
}

// remember compiles an expression whose value is kept, for a whole tree or otherwise; nil when it is not worth it.
func remember[F boolFunc | oneFunc](k *compiler, e expr, known map[int]F, ofTree, inCell func(expr) F) F {
	v, ok := k.validity(e)
	if !ok {
		return nil
	}
	if same, ok := known[e.info().key]; ok && !v.locals {
		return same
	}
	compile := inCell
	if v.document() {
		compile = ofTree
	}
	known[e.info().key] = compile(e)
	return known[e.info().key]
}

func (k *compiler) truthOfTree(e expr) boolFunc {
	at, fresh := k.cellIn(&k.program.treeTruths, treeTruthForm, e), k.freshTruth(e)
	return func(m *Machine, f node) bool {
		c := &m.treeTruths[at]
		if c.holds(m, f) {
			return c.value
		}
		return c.keep(m, f, fresh(m, f))
	}
}

func (k *compiler) truthInCell(e expr) boolFunc {
	v, _ := k.validity(e)
	at, fresh := k.cell(truthForm, e), k.freshTruth(e)
	if v.ofNode() {
		return func(m *Machine, f node) bool {
			c := &m.cells[at]
			if !c.tag.isOf(m, f) {
				value := fresh(m, f)
				c.truth = value
				c.tag.setNode(m, f)
			}
			return c.truth
		}
	}
	return func(m *Machine, f node) bool {
		c := &m.cells[at]
		if !v.applies(f) {
			return fresh(m, f)
		}
		if !v.holds(m, f, &c.tag) {
			bindings := m.bindings // of before: filling may bind variables
			c.truth = fresh(m, f)
			v.mark(m, f, bindings, &c.tag)
		}
		return c.truth
	}
}

// rememberOne compiles an item that is kept; nil when it is not worth it. Equal expressions share it as in rememberTruth.
func (k *compiler) rememberOne(e expr) oneFunc {
	return remember(k, e, k.ones, k.oneOfTree, k.oneInCell)
}

func (k *compiler) oneOfTree(e expr) oneFunc {
	at, fresh := k.cellIn(&k.program.treeItems, treeItemForm, e), k.freshOne(e)
	return func(m *Machine, f node) xdm.Item {
		c := &m.treeItems[at]
		if c.holds(m, f) {
			return c.value
		}
		return c.keep(m, f, fresh(m, f))
	}
}

func (k *compiler) oneInCell(e expr) oneFunc {
	v, _ := k.validity(e)
	at, fresh := k.cell(oneForm, e), k.freshOne(e)
	if v.ofNode() {
		return func(m *Machine, f node) xdm.Item {
			c := &m.cells[at]
			if !c.tag.isOf(m, f) {
				value := fresh(m, f)
				c.item = value
				c.tag.setNode(m, f)
			}
			return c.item
		}
	}
	return func(m *Machine, f node) xdm.Item {
		c := &m.cells[at]
		if !v.applies(f) {
			return fresh(m, f)
		}
		if !v.holds(m, f, &c.tag) {
			bindings := m.bindings
			c.item = fresh(m, f)
			v.mark(m, f, bindings, &c.tag)
		}
		return c.item
	}
}
