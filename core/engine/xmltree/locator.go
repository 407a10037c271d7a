package xmltree

import (
	"sort"
	"strconv"
)

// Locator gives nodes their XPaths. It numbers the children of a parent with a large subtree once, when a path through that parent
// is first asked for, so that the paths of all nodes together cost linear time. It is not safe for concurrent use.
type Locator struct {
	doc     *Document
	parents map[Node][]numbered
	counts  map[uint32]uint32
}

// numbered is a child with its position among its like, 0 when it is the only one.
type numbered struct {
	node     Node
	position uint32
}

// NewLocator gives a Locator for d.
func NewLocator(d *Document) *Locator {
	return &Locator{doc: d}
}

// worthNumbering is the least size of a subtree whose uppermost nodes are numbered, in nodes. In smaller ones a look at
// all siblings costs less than to keep their numbers.
const worthNumbering = 1024

// Path is NewLocator(d).Path(n), for one path.
func (d *Document) Path(n Node) string { return NewLocator(d).Path(n) }

// Path is an XPath to n with names as the source writes them, such as /Invoice/cac:InvoiceLine[2]/cbc:ID, …/@schemeID or
// …/text(). Positions count siblings of the same expanded name (of the same kind, for text and comments) and are left out where
// there is only one. The path of the document node is /.
func (l *Locator) Path(n Node) string {
	if n == 0 {
		return "/"
	}
	return string(l.AppendPath(nil, n))
}

// AppendPath appends the path of n, which must not be the document node, to dst.
func (l *Locator) AppendPath(dst []byte, n Node) []byte {
	d := l.doc
	parent := d.Parent(n)
	if parent != 0 {
		dst = l.AppendPath(dst, parent)
	}
	dst = append(dst, '/')
	switch d.Kind(n) {
	case KindAttribute:
		return append(append(dst, '@'), d.QName(n)...)
	case KindElement:
		dst = append(dst, d.QName(n)...)
	case KindText:
		dst = append(dst, "text()"...)
	case KindComment:
		dst = append(dst, "comment()"...)
	case KindInstruction:
		dst = append(append(append(dst, "processing-instruction("...), d.Local(n)...), ')')
	}
	if p := l.Index(n); p > 0 {
		dst = append(strconv.AppendUint(append(dst, '['), uint64(p), 10), ']')
	}
	return dst
}

// Index is the position of n among its siblings of the same kind and name, from 1, as Path shows it; 0 when n is the only one.
func (l *Locator) Index(n Node) int {
	parent := l.doc.Parent(n)
	if parent == None || l.doc.Kind(n) == KindAttribute {
		return 0
	}
	first, end := l.doc.Children(parent)
	if end-first < worthNumbering {
		return l.doc.countLike(n, first, end)
	}
	children, ok := l.parents[parent]
	if !ok {
		if l.parents == nil {
			l.parents, l.counts = map[Node][]numbered{}, map[uint32]uint32{}
		}
		children = l.number(parent)
		l.parents[parent] = children
	}
	i := sort.Search(len(children), func(i int) bool { return children[i].node >= n })
	return int(children[i].position)
}

// countLike is Locator.Index by a look at all siblings of n, from first to before end.
func (d *Document) countLike(n, first, end Node) int {
	like := d.nodes[n].tag &^ attrMask
	before, all := 0, 0
	for c := first; c < end; c = d.nodes[c].end {
		if d.nodes[c].tag&^attrMask != like {
			continue
		}
		if all++; c <= n {
			before++
		}
	}
	if all == 1 {
		return 0
	}
	return before
}

func (l *Locator) number(parent Node) []numbered {
	d := l.doc
	clear(l.counts)
	children := []numbered{}
	first, end := d.Children(parent)
	for c := first; c < end; c = d.End(c) {
		key := d.nodes[c].tag &^ attrMask
		l.counts[key]++
		children = append(children, numbered{c, l.counts[key]})
	}
	for i := range children {
		if l.counts[d.nodes[children[i].node].tag&^attrMask] == 1 {
			children[i].position = 0
		}
	}
	return children
}
