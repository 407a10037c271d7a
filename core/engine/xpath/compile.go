package xpath

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// The forms of a compiled expression. A consumer asks for the one that suits it, so that no sequence is built where a truth
// value, a text or one item is wanted.
type (
	// boolFunc gives the effective boolean value.
	boolFunc func(m *Machine, f node) bool
	// oneFunc gives the only item, or the zero Item for none; more than one are an error.
	oneFunc func(m *Machine, f node) xdm.Item
	// textFunc gives the string of the only item, which is a string, untyped or a URI; empty for none.
	textFunc func(m *Machine, f node) string
	// walkFunc hands the items or nodes to a sink that was fixed when it was compiled, and tells whether the sink stopped it.
	walkFunc func(m *Machine, f node) bool
	// itemSink takes an item and tells whether that was enough.
	itemSink func(m *Machine, i xdm.Item) bool
	// nodeSink takes a node and tells whether that was enough.
	nodeSink func(m *Machine, f node) bool
)

// compiler turns expressions into closures. What closures must keep while they run has a place in the layout.
type compiler struct {
	builder  *Builder
	layout   *layout
	program  *Program
	loops    int         // enclosing predicates, loops and right sides of slashes
	once     bool        // the expression is evaluated once for each document
	inside   bool        // in a declared function
	singly   bool        // evaluated at most once for each node: in a column, and in contexts of rules
	uses     map[int]int // how often an expression occurs, by key
	cells    map[cellKey]int
	truths   map[int]boolFunc
	ones     map[int]oneFunc
	lookups  map[string]int    // how many lookups an index would answer
	indexes  map[string]int    // places of the indexes
	columns  map[columnKey]int // places of the columns
	codeSets map[int]codeSet   // of constant lists, by key
	ends     map[string]int    // places of the ends of chains
	followed map[string]int    // how often a chain occurs
}

// Build compiles everything and gives the program. The expressions that Compile gave can then be evaluated.
//
// The order matters. Bodies of functions are resolved first, because they add expressions and names. Uses are counted over
// everything before anything is compiled, because whether a value is worth keeping depends on them. Variables come before
// what reads them, whose closures take over the place of the value. Tries are laid out last, when all names have their
// numbers.
func (b *Builder) Build() *Program {
	p := &Program{names: b.names}
	k := &compiler{builder: b, program: p, layout: &p.layout, cells: map[cellKey]int{}, truths: map[int]boolFunc{},
		ones: map[int]oneFunc{}, uses: map[int]int{}, lookups: map[string]int{}, indexes: map[string]int{}, columns: map[columnKey]int{}, codeSets: map[int]codeSet{},
		ends: map[string]int{}, followed: map[string]int{}}
	for _, u := range b.functions {
		b.resolveBody(u)
	}
	k.countUses()
	k.findEnds()
	for _, v := range b.variables {
		k.variable(v)
	}
	for _, u := range b.functions {
		k.function(u)
	}
	for _, e := range b.exprs {
		k.expr(e)
	}
	for _, g := range b.groups {
		for i := range g.single {
			g.single[i].truth = g.tests[g.single[i].index].Expr.truth
		}
	}
	// A context is evaluated at most once for each node: to keep its value in a column would only cost memory.
	k.singly = true
	for _, p := range b.patterns {
		k.pattern(p)
	}
	p.selectors = len(b.selectors)
	for _, s := range b.selectors {
		k.selector(s)
	}
	for _, t := range b.tries {
		t.finish(len(b.nameList))
		t.found = p.counters
		p.counters += len(t.items)
	}
	p.external = len(b.variables)
	return p
}

// expr compiles the forms that hosts ask for.
func (k *compiler) expr(e *Expr) {
	k.once = e.once
	if e.forms&TruthForm != 0 {
		e.truth = k.truth(e.root)
	}
	if e.forms&TextForm != 0 {
		e.text = k.joined(e.root, " ")
	}
	if e.forms&ItemsForm != 0 {
		e.got = place(&k.layout.sequences)
		e.each = k.each(e.root, collect(e.got))
	}
}

// collect is a sink that keeps all items in a place.
func collect(at int) itemSink {
	return func(m *Machine, i xdm.Item) bool {
		list := append(m.frame.sequences[at], i)
		m.frame.sequences[at] = list
		if len(list) > m.config.Items {
			m.fail("XPDY0130", "a sequence has more than %d items", m.config.Items)
		}
		return false
	}
}

// sequence compiles an expression to a function that gives its items in a place of its own; they are valid until it is called
// again.
func (k *compiler) sequence(e expr) func(m *Machine, f node) []xdm.Item {
	at := place(&k.layout.sequences)
	walk := k.each(e, collect(at))
	return func(m *Machine, f node) []xdm.Item {
		m.frame.sequences[at] = m.frame.sequences[at][:0]
		walk(m, f)
		return m.frame.sequences[at]
	}
}

// each compiles an expression to a walk over its items in their order.
func (k *compiler) each(e expr, sink itemSink) walkFunc {
	if k.isKeptValue(e) {
		one := k.one(e)
		return func(m *Machine, f node) bool {
			i := one(m, f)
			return i.Exists() && sink(m, i)
		}
	}
	switch e := e.(type) {
	case *sequence:
		return k.eachOf(e, sink)
	case *varRef:
		return k.eachOfVariable(e.v, sink)
	case *step, *setOp:
		return k.nodes(e, wellOrdered, func(m *Machine, f node) bool { return sink(m, f.item()) })
	case *slash:
		return k.eachSlash(e, sink)
	case *filter:
		return k.eachFilter(e, sink)
	case *conditional:
		return choose(k.truth(e.cond), k.each(e.yes, sink), k.each(e.no, sink))
	case *loop:
		return k.eachLoop(e, sink)
	case *binding:
		return k.eachBinding(e, sink)
	case *rangeOf:
		return k.eachInRange(e, sink)
	case *convert:
		return k.eachConverted(e, sink)
	case *atomize:
		return k.eachAtom(e, sink)
	case *call:
		if !slices.Contains(aggregates, e.fn.name) {
			return k.eachOfCall(e, sink)
		}
	case *userCall:
		return k.eachOfUserCall(e, sink)
	}
	one := k.one(e)
	return func(m *Machine, f node) bool {
		i := one(m, f)
		return i.Exists() && sink(m, i)
	}
}

// eachOf walks over the items of a comma list.
func (k *compiler) eachOf(e *sequence, sink itemSink) walkFunc {
	walks := make([]walkFunc, len(e.items))
	for i, item := range e.items {
		walks[i] = k.each(item, sink)
	}
	return func(m *Machine, f node) bool {
		for _, walk := range walks {
			if walk(m, f) {
				return true
			}
		}
		return false
	}
}

// one compiles an expression to its only item.
func (k *compiler) one(e expr) oneFunc {
	if k.isKeptValue(e) {
		return k.oneInColumn(e)
	}
	if remembered := k.rememberOne(e); remembered != nil {
		return remembered
	}
	return k.freshOne(e)
}

// freshOne is one for an expression whose value is not looked for among those that are kept: what keeps it computes it by
// this.
func (k *compiler) freshOne(e expr) oneFunc {
	switch e := e.(type) {
	case *literal:
		item := e.item
		return func(*Machine, node) xdm.Item { return item }
	case *varRef:
		return k.oneOfVariable(e.v)
	case *contextItem:
		return oneContext
	case *rootNode:
		return func(m *Machine, f node) xdm.Item { return m.rootOf(f).item() }
	case *arithmetic:
		return k.arithmetic(e)
	case *negation:
		return k.negation(e)
	case *comparison:
		return k.comparison(e)
	case *nodeComparison:
		return k.nodeComparison(e)
	case *logic, *quantified, *instanceOf:
		truth := k.truth(e)
		return func(m *Machine, f node) xdm.Item { return xdm.Bool(truth(m, f)) }
	case *conditional:
		if e.typ == exactly(xdm.Boolean) {
			truth := k.truthOfConditional(e)
			return func(m *Machine, f node) xdm.Item { return xdm.Bool(truth(m, f)) }
		}
		return choose(k.truth(e.cond), k.one(e.yes), k.one(e.no))
	case *binding:
		return k.oneBinding(e)
	case *cast:
		return k.cast(e)
	case *atomize:
		return k.oneAtom(e)
	case *textNode:
		return k.textNode(e)
	}
	if one := k.oneAtMost(e); one != nil {
		return one
	}
	return k.oneOfMany(e)
}

// oneAtMost compiles an expression of which only some forms have one item at the most; nil for the others.
func (k *compiler) oneAtMost(e expr) oneFunc {
	switch e := e.(type) {
	case *convert:
		return k.oneConverted(e)
	case *filter:
		return k.oneOfPosition(e)
	case *call:
		if one := k.keyed(e); one != nil {
			return one
		}
		return k.oneOfCall(e)
	case *userCall:
		return k.oneOfUserCall(e)
	}
	return nil
}

// oneOfMany compiles an expression whose number of items shows only when it is evaluated.
func (k *compiler) oneOfMany(e expr) oneFunc {
	at := place(&k.layout.items)
	walk := k.each(e, func(m *Machine, i xdm.Item) bool {
		if m.frame.items[at].Exists() {
			m.fail("XPTY0004", "more than one item where at most one is allowed")
		}
		m.frame.items[at] = i
		return false
	})
	return func(m *Machine, f node) xdm.Item {
		m.frame.items[at] = xdm.Item{}
		walk(m, f)
		return m.frame.items[at]
	}
}

func oneContext(m *Machine, f node) xdm.Item {
	if f.t != nil {
		return f.item()
	}
	if !m.item.Exists() {
		m.fail("XPDY0002", "there is no context item")
	}
	return m.item
}

// rootOf is the document node above the context node.
func (m *Machine) rootOf(f node) node { return node{m.contextNode(f).t, 0} }

// contextNode is the context item, which must be a node.
func (m *Machine) contextNode(f node) node {
	if f.t == nil {
		m.failWithoutNode()
	}
	return f
}

// failWithoutNode fails because the context item is no node.
func (m *Machine) failWithoutNode() {
	if m.item.Exists() {
		m.fail("XPTY0020", "the context item is no node")
	}
	m.fail("XPDY0002", "there is no context item")
}

// within compiles something that is evaluated more often than what is around it.
func (k *compiler) within(compile func()) {
	k.loops++
	compile()
	k.loops--
}
