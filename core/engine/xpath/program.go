package xpath

import (
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// Program is what a Builder made: expressions as closures. It never changes and may be used by any number of machines.
type Program struct {
	names      map[xmltree.Name]int
	layout     layout
	cells      int
	treeTruths int
	treeItems  int
	external   int
	indexes    int
	columns    int
	firsts     int // texts of elements before the context node
	kept       int // aggregates whose values are kept
	ends       int // of chains
	counters   int // of existence tests
	selectors  int
}

// Expr is a compiled expression of a Program.
type Expr struct {
	root  expr
	once  bool
	forms Forms

	truth boolFunc
	text  textFunc
	each  walkFunc
	got   int // place of the items that each collects
}

// Needs says what the value of an expression depends on, beside what never changes.
type Needs struct {
	Context  bool // the context item, its position or their number
	Current  bool // the current node
	Document bool // the document under evaluation as a whole, the time, or external variables
}

// Needs says what the value depends on.
func (e *Expr) Needs() Needs {
	n := e.root.info().needs
	return Needs{Context: n&needsPlace != 0, Current: n&needsCurrent != 0, Document: n&(needsRoot|needsDocument) != 0}
}

// NewMachine gives a machine for the program. The error names a setting out of range.
func (p *Program) NewMachine(config Config) (*Machine, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	m := &Machine{program: p, config: config, loaded: map[string]*tree{}, names: map[*xmltree.Names]*translation{},
		cells: make([]cell, p.cells), treeTruths: make([]treeCell[bool], p.treeTruths), treeItems: make([]treeCell[xdm.Item], p.treeItems),
		external: make([][]xdm.Item, p.external), counters: make([]counter, p.counters), indexes: make([]index, p.indexes), columns: make([]column, p.columns), kept: make([]keptValues, p.kept), firsts: make([]firstEnds, p.firsts), ends: make([]chainEnd, p.ends), patterns: patternCache{}, pos: 1, size: 1}
	if m.texts, err = xmltree.NewParser(xmltree.Options{}); err != nil {
		return nil, err
	}
	_, offset := config.Now.Zone()
	m.zone = offset / 60
	m.frame = &frame{}
	m.frame.grow(&p.layout)
	m.frames = []*frame{m.frame}
	m.fuel = slice
	m.leaveHere()
	return m, nil
}

// Bool gives the effective boolean value of the expression with n, a node of the document under evaluation, as context item.
// The error is an *xdm.Error, or that of the context.
func (e *Expr) Bool(m *Machine, n xmltree.Node) (value bool, err error) {
	defer m.recover(&err)
	return e.truth(m, node{m.doc, n}), nil
}

// Text gives the string values of the items with a blank between them, as xsl:value-of does. Errors are those of Bool.
func (e *Expr) Text(m *Machine, n xmltree.Node) (text string, err error) {
	defer m.recover(&err)
	return e.text(m, node{m.doc, n}), nil
}

// Items appends the items of the value to dst. Errors are those of Bool.
func (e *Expr) Items(m *Machine, n xmltree.Node, dst []xdm.Item) (_ []xdm.Item, err error) {
	defer m.recover(&err)
	return append(dst, e.items(m, node{m.doc, n})...), nil
}

// ItemsAbsent is Items without a context item.
func (e *Expr) ItemsAbsent(m *Machine, dst []xdm.Item) (_ []xdm.Item, err error) {
	defer m.recover(&err)
	return append(dst, e.items(m, node{})...), nil
}

// items evaluates the expression; what it gives is valid until the next evaluation.
func (e *Expr) items(m *Machine, f node) []xdm.Item {
	m.frame.sequences[e.got] = m.frame.sequences[e.got][:0]
	e.each(m, f)
	return m.frame.sequences[e.got]
}

// NodeOf gives the document and the node of an item that is a node.
func NodeOf(i xdm.Item) (*xmltree.Document, xmltree.Node) {
	f := nodeOf(i)
	return f.t.doc, f.n
}

// String gives the string value of an item, of a node too.
func String(i xdm.Item) string {
	if i.Type() == xdm.Node {
		return nodeOf(i).value()
	}
	return i.String()
}
