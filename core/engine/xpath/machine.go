package xpath

import (
	"context"
	"fmt"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// Config says what evaluations may use. Zero fields mean the defaults.
type Config struct {
	// Now is the current time, for fn:current-dateTime and its siblings; it does not change during an evaluation and gives
	// the implicit timezone too. Default: 1970-01-01T00:00:00Z
	Now time.Time
	// Load gives the document with an absolute URI, or, where there is no base URI, a relative one. Documents must not change
	// and are kept. Default: no documents
	Load func(uri string) (*xmltree.Document, error)
	// URI is the URI of the documents under evaluation, for fn:base-uri and fn:document-uri. Default: none
	URI string
	// Steps bounds the work on one document, in nodes looked at, items made and calls. The expression that passes the bound fails;
	// further ones have an eighth of it each, and all of them together no more than once again.
	// Default: 30,000,000 and 200 for each node of the document
	Steps int
	// Depth bounds the nesting of calls of declared functions. Default: 1,000
	Depth int
	// Items bounds the length of sequences that must be held at once. Default: 2,000,000
	Items int
}

// withDefaults fills in the defaults; the error names a field that is negative.
func (c Config) withDefaults() (Config, error) {
	if c.Now.IsZero() {
		c.Now = time.Unix(0, 0).UTC()
	}
	for _, f := range []struct {
		name  string
		value *int
		def   int
	}{{"Steps", &c.Steps, 0}, {"Depth", &c.Depth, 1_000}, {"Items", &c.Items, 2_000_000}} {
		if *f.value < 0 {
			return c, fmt.Errorf("xpath: %s is %d", f.name, *f.value)
		}
		if *f.value == 0 {
			*f.value = f.def
		}
	}
	return c, nil
}

// Machine evaluates the expressions of one Program. It keeps its memory from one evaluation to the next and is not safe for
// concurrent use: each goroutine has its own.
type Machine struct {
	program *Program
	config  Config
	zone    int // implicit timezone in minutes
	ctx     context.Context

	doc    *tree            // under evaluation
	loaded map[string]*tree // by URI
	made   int              // trees beside that under evaluation
	names  map[*xmltree.Names]*translation
	stamp  uint64 // number of the document under evaluation
	serial uint64 // number of the current node

	bindings uint64 // how often a local variable was bound

	item    xdm.Item // the context item when it is no node
	pos     int      // position of the context item, 0 where there is none
	size    int
	current node

	frame      *frame
	frames     []*frame // by depth of calls
	depth      int
	results    []xdm.Item // of declared functions that give sequences
	cells      []cell
	treeTruths []treeCell[bool]
	treeItems  []treeCell[xdm.Item]
	wide       xdm.Item // the result of a wholeFunc that 64 bits do not hold
	joined     []byte   // texts that functions are putting together
	spare      cell     // for a value that cannot be kept
	indexes    []index
	ends       []chainEnd // of chains from the node here
	here       node       // the context node of a group of tests; without a tree for none
	hereSerial uint64     // of the node here; the ends of chains that have it are right
	columns    []column
	read       [placesRead]lastRead // numbers, by node
	kept       []keptValues         // of aggregates
	firsts     []firstEnds
	shared     map[string]string // short texts in columns
	busy       []*cell           // variables whose values are being computed
	external   [][]xdm.Item      // values set by the host
	patterns   patternCache
	counters   []counter // of the items of tries
	round      uint64
	outcomes   []Outcome
	matches    []Match         // of the node under evaluation
	texts      *xmltree.Parser // of text nodes made by functions

	fuel  int // steps until the next check
	spent int
	limit int // of spent; the next expression that passes it fails
	last  int // that limit never passes
}

// Spent gives the steps that were made since the last Start, of those that Config.Steps bounds. They do not depend on the hardware.
func (m *Machine) Spent() int { return m.spent + slice - m.fuel }

// slice is how many steps are made between two looks at the context: some tenths of a millisecond.
const slice = 1 << 12

// tick counts n steps.
func (m *Machine) tick(n int) {
	if m.fuel -= n; m.fuel < 0 {
		m.refuel()
	}
}

// refuel looks at the bounds. XPDY0130 is what the language has for limits of an implementation. An expression that passes
// the bound raises it by an eighth (last is twice the bound), so that the rules behind it are still judged, but all of them
// together cannot take much longer than the first.
func (m *Machine) refuel() {
	if m.ctx == nil { // before the first Start
		m.fuel = slice
		return
	}
	m.spent += slice - m.fuel
	m.fuel = slice
	if passed := m.limit; m.spent > passed {
		m.limit = min(m.spent+m.last/16, m.last)
		m.fail("XPDY0130", "the evaluation takes more than %d steps", passed)
	}
	if err := m.ctx.Err(); err != nil {
		panic(canceled{err})
	}
}

// canceled carries the error of a context up to the caller.
type canceled struct{ err error }

// fail ends the evaluation with a dynamic error.
func (m *Machine) fail(code, format string, args ...any) {
	panic(&xdm.Error{Code: code, Reason: fmt.Sprintf(format, args...)})
}

// check ends the evaluation if there is an error.
func (m *Machine) check(err error) {
	if err == nil {
		return
	}
	if e, ok := err.(*xdm.Error); ok {
		panic(e)
	}
	panic(err)
}

// translation maps the names of a program to those of one table of a parser.
type translation struct {
	ids     []xmltree.NameID // by number of the name in the program, 0 for names the table does not hold
	numbers []int32          // by id in the table, -1 for names that the program does not know
	known   int              // how many names of the program the table holds
	paths   []paths          // by number of the selector
}

// newTree prepares a document for evaluation. The table of a parser only grows, so that the translation is extended by the
// names that have come since, and never made anew.
func (m *Machine) newTree(doc *xmltree.Document, uri string, number int) *tree {
	t := m.names[doc.Names()]
	if t == nil {
		t = &translation{ids: make([]xmltree.NameID, len(m.program.names)), numbers: []int32{-1},
			paths: make([]paths, m.program.selectors)}
		m.names[doc.Names()] = t
	}
	for id := xmltree.NameID(len(t.numbers)); id < doc.NameLimit(); id++ {
		number := int32(-1)
		if name, ok := m.program.names[doc.Names().Name(id)]; ok {
			t.ids[name], number = id, int32(name)
			t.known++
		}
		t.numbers = append(t.numbers, number)
	}
	return &tree{doc: doc, ids: t.ids, numbers: t.numbers, words: t, number: number, uri: uri, long: doc.Len() > keptNodes}
}

// keptTables bounds how many tables of names a machine knows: a parser begins a new one now and then.
const keptTables = 16

// Start makes doc the document under evaluation. ctx bounds all evaluations until the next Start; the values of variables and
// whatever else is remembered end with it. Strings of results refer to the document's memory. Nothing is cleared for that:
// whatever is kept has the stamp of its document.
func (m *Machine) Start(ctx context.Context, doc *xmltree.Document) {
	if len(m.names) > keptTables {
		clear(m.names)
	}
	m.ctx = ctx
	m.doc = m.newTree(doc, m.config.URI, 0)
	m.stamp++
	m.serial++
	m.current = node{}
	m.leaveHere()
	m.fuel = slice
	m.spent = 0
	if m.limit = m.config.Steps; m.limit == 0 {
		m.limit = baseSteps + nodeSteps*doc.Len()
	}
	m.last = 2 * m.limit
}

// The default of Config.Steps. It grows with the document and no faster: rules that compare all lines of an ordinary invoice with all
// others stay within it, those that do so with 20,000 lines do not; a rule without end reaches it in seconds.
const (
	baseSteps = 30_000_000
	nodeSteps = 200
)

// keptNodes is the size of a document up to which a machine keeps the memory it took.
const keptNodes = 100_000

// Finish ends the evaluation of a document. It is optional; after a large document it gives back the memory that was needed for
// it and lets go of what refers to it.
func (m *Machine) Finish() {
	if m.doc == nil {
		return
	}
	large := m.doc.doc.Len() > keptNodes
	m.doc, m.current = nil, node{}
	m.leaveHere()
	if !large {
		return
	}
	clear(m.cells)
	clear(m.treeTruths)
	clear(m.treeItems)
	clear(m.indexes)
	clear(m.columns)
	clear(m.read[:])
	clear(m.kept)
	clear(m.firsts)
	m.shared = nil
	m.frame = &frame{}
	m.frame.grow(&m.program.layout)
	m.frames = []*frame{m.frame}
	m.results, m.outcomes, m.joined = nil, nil, nil
}

// SetCurrent makes n, a node of the document under evaluation, the node that current() gives and that variables of kind
// PerCurrent are evaluated at.
func (m *Machine) SetCurrent(n xmltree.Node) {
	m.current = node{m.doc, n}
	m.serial++
}

// Set gives an external variable its value. Nodes must be those of this machine.
func (m *Machine) Set(v *Variable, items []xdm.Item) {
	m.external[v.v.number] = items
	m.stamp++
}

// Load gives the document node of a document that fn:doc would load, as an item.
func (m *Machine) Load(uri string) (i xdm.Item, err error) {
	defer m.recover(&err)
	return node{m.load(uri, "FODC0002"), 0}.item(), nil
}

// load gives a document by its URI; it is loaded once.
func (m *Machine) load(uri, code string) *tree {
	if t, ok := m.loaded[uri]; ok {
		return t
	}
	if m.config.Load == nil {
		m.fail(code, "the document %q cannot be loaded: no documents are available", uri)
	}
	doc, err := m.config.Load(uri)
	if err != nil {
		m.fail(code, "the document %q cannot be loaded: %v", uri, err)
	}
	m.made++
	t := m.newTree(doc, uri, m.made)
	m.loaded[uri] = t
	return t
}

// recover turns the panic of a failed evaluation into err and leaves the machine fit for the next one. Panics that are none
// of the language are mistakes of the program and go on.
func (m *Machine) recover(err *error) {
	p := recover()
	if p == nil {
		return
	}
	switch p := p.(type) {
	case *xdm.Error:
		*err = p
	case canceled:
		*err = p.err
	default:
		panic(p)
	}
	m.depth = 0
	m.frame = m.frames[0]
	m.results, m.joined = m.results[:0], m.joined[:0]
	m.item, m.pos, m.size = xdm.Item{}, 1, 1
	for _, c := range m.busy {
		c.busy = false
	}
	m.busy = m.busy[:0]
}
