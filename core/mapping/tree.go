package mapping

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// treeElement is an element of a document that is changed before it is written.
type treeElement struct {
	name       *xmltree.QName
	attributes []treeAttribute
	text       string
	seen       seenChild // found last
	children   []*treeElement
}

// treeAttribute is an attribute of such an element.
type treeAttribute struct {
	name  *xmltree.QName
	value string
}

// seenChild is where a child was found: the index-th of a name, among all children.
type seenChild struct {
	name      string
	index, at int
}

func (e *treeElement) local() string { return e.name.Local() }

// set sets an attribute.
func (e *treeElement) set(name, value string) bool {
	for i := range e.attributes {
		if e.attributes[i].name.Local() == name {
			e.attributes[i].value = value
			return true
		}
	}
	e.attributes = append(e.attributes, treeAttribute{readyNames.of([]byte(name)), value})
	return true
}

// copying copies a document that a mapping wrote.
type copying struct {
	doc  *xmltree.Document
	free []treeElement // made together, for there are many
}

// copyChunk is how many elements are made at once.
const copyChunk = 64

// treeOf copies an element of a document that a mapping wrote: it holds a text or elements.
func treeOf(doc *xmltree.Document, el xmltree.Node) *treeElement {
	c := &copying{doc: doc}
	return c.element(el)
}

func (c *copying) element(el xmltree.Node) *treeElement {
	if len(c.free) == 0 {
		c.free = make([]treeElement, copyChunk)
	}
	e := &c.free[0]
	c.free, e.name = c.free[1:], readyNames.of(c.doc.QName(el))
	for a := range attributes(c.doc, el) {
		e.attributes = append(e.attributes, treeAttribute{readyNames.of(c.doc.QName(a)), c.doc.String(a)})
	}
	if c.children(e, el); e.children == nil {
		e.text = c.doc.String(el)
	}
	return e
}

// children copies what is in an element.
func (c *copying) children(e *treeElement, el xmltree.Node) {
	count := 0
	for range elements(c.doc, el) {
		count++
	}
	if count == 0 {
		return
	}
	e.children = make([]*treeElement, 0, count)
	for child := range elements(c.doc, el) {
		e.children = append(e.children, c.element(child))
	}
}

// write writes the document of an element, which declares the namespaces.
func (e *treeElement) write(w *xmltree.Writer, spaces map[string]string) error {
	w.Start(e.name)
	for _, prefix := range slices.Sorted(maps.Keys(spaces)) {
		w.Namespace(prefix, spaces[prefix])
	}
	for _, a := range e.attributes {
		w.Attr(a.name, a.value)
	}
	if e.text != "" {
		w.Text(e.text)
	}
	for _, c := range e.children {
		if err := c.write(w, nil); err != nil {
			return err
		}
	}
	w.End()
	return w.Err()
}

// readyNames are the names of elements and attributes made ready for writing, for all documents together: they are those of tables and of orders,
// which are few. Nothing that a caller chose may become one, since none is ever forgotten: paths are looked up in the order
// before.
var readyNames = newNameTable()

// nameTable is a map that is read far more often than it grows.
type nameTable struct {
	known atomic.Pointer[map[string]*xmltree.QName]
	grow  sync.Mutex
}

func newNameTable() *nameTable {
	t := &nameTable{}
	t.known.Store(&map[string]*xmltree.QName{})
	return t
}

// of gives a name by its written form; it panics where that is none, which is a fault of a table.
func (t *nameTable) of(raw []byte) *xmltree.QName {
	if name := (*t.known.Load())[string(raw)]; name != nil {
		return name
	}
	t.grow.Lock()
	defer t.grow.Unlock()
	more := maps.Clone(*t.known.Load())
	name := xmltree.MustQName(string(raw))
	more[string(raw)] = name
	t.known.Store(&more)
	return name
}
