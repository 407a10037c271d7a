// Package xmltree reads XML that comes from outside into a compact tree and writes XML that cannot be ill-formed.
//
// The reader checks well-formedness by XML 1.0 (fifth edition) and Namespaces in XML 1.0, refuses any DOCTYPE unless
// Options.InternalSubset says otherwise, and obeys limits, so that hostile input costs little. The tree is the XPath data model laid out in one array in document order: the
// document node, then each element, directly followed by its attributes and then its children. A Node is an index into that
// array, so comparing nodes is comparing numbers, and the subtree of n is n to End(n). Short values lie in that array; longer ones
// are slices of the source wherever nothing had to be decoded; the source must therefore stay unchanged as long as the document is used.
package xmltree

// Node is a node of a Document: its index in document order. The document node is 0.
type Node uint32

// None is the answer where there is no node.
const None = ^Node(0)

// Kind is the kind of a node, after the XPath data model; namespace nodes are not part of the tree.
type Kind uint8

// The kinds of nodes.
const (
	KindDocument Kind = iota
	KindElement
	KindAttribute
	KindText // adjacent text, CDATA sections and references are one node
	KindComment
	KindInstruction // processing instruction
)

// Tag layout: name in the lowest bits, then the number of attributes, then the kind, so that kind and name are compared
// at once. The names of one table serve many documents, so they have more bits than Limits.Names asks for.
const (
	nameBits  = 20
	nameMask  = 1<<nameBits - 1
	attrMax   = 1<<9 - 1
	attrMask  = attrMax << nameBits
	kindShift = 29
)

// node is 24 bytes: a document of 25,000 invoice lines has about two and a half million.
type node struct {
	tag    uint32
	parent Node
	end    Node   // one past the last node of the subtree
	offset uint32 // in the source
	value  value  // for an element, that of its only text child
}

// Document is a parsed document. It is read-only and safe for concurrent readers: what is made on first use (the lists of
// Elements and Attributes by name, the line table of Position) is guarded inside. names is the table as it was when the
// document had been read: later documents add to the table, not to this slice.
type Document struct {
	src     []byte
	decoded []byte
	nodes   []node
	decls   []declaration
	names   []Name
	table   *Names
	lists   nameLists
	lines   lineTable
	home    *Parser
	arena   *arena
}

// Release gives the document's memory back to its Parser for the next document. It is optional, must be the last use of the
// document, its nodes and its values, and must not be called while others read it; afterwards using the document panics.
func (d *Document) Release() {
	home, a := d.home, d.arena
	if a == nil {
		return
	}
	*d = Document{}
	home.giveBack(a)
}

// Source is the document in UTF-8: the bytes given to Parse, or their conversion when they came in another encoding.
func (d *Document) Source() []byte { return d.src }

// Len is the number of nodes; all nodes are below it.
func (d *Document) Len() int { return len(d.nodes) }

// Root is the document element.
func (d *Document) Root() Node {
	for c := Node(1); ; c = d.nodes[c].end {
		if d.Kind(c) == KindElement {
			return c
		}
	}
}

// Kind is the kind of n.
func (d *Document) Kind(n Node) Kind { return Kind(d.nodes[n].tag >> kindShift) }

// Name is the expanded name of an element, attribute or processing instruction (its target, in no namespace), 0 for others.
func (d *Document) Name(n Node) NameID { return NameID(d.nodes[n].tag & nameMask) }

// IsElement tells whether n is an element of that name; it costs one comparison.
func (d *Document) IsElement(n Node, name NameID) bool {
	return d.nodes[n].tag&^attrMask == uint32(KindElement)<<kindShift|uint32(name)
}

// Local is the local part of n's name, empty where n has none.
func (d *Document) Local(n Node) string { return d.names[d.Name(n)].Local }

// Namespace is the namespace name of n, empty where n is in none.
func (d *Document) Namespace(n Node) string { return d.names[d.Name(n)].Space }

// QName is the name of n as the source writes it, prefix included; nil where n has no name. It is a slice of the source.
func (d *Document) QName(n Node) []byte {
	nd := &d.nodes[n]
	from := int(nd.offset)
	switch d.Kind(n) {
	case KindElement:
		from++
	case KindInstruction:
		from += 2
	case KindAttribute:
	default:
		return nil
	}
	return d.src[from:nameEnd(d.src, from)]
}

// Prefix is the prefix of n's name as the source writes it, nil without one. It is a slice of the source.
func (d *Document) Prefix(n Node) []byte {
	q := d.QName(n)
	if len(q) == len(d.Local(n)) {
		return nil
	}
	return q[:len(q)-len(d.Local(n))-1]
}

// Names is the table of the expanded names; it may be shared with other documents and hold more than this document uses.
func (d *Document) Names() *Names { return d.table }

// NameLimit is one more than the highest NameID that can occur in this document.
func (d *Document) NameLimit() NameID { return NameID(len(d.names)) }

// Offset is where n begins in Source: the < of an element, comment or instruction, the first byte of a name or text.
func (d *Document) Offset(n Node) int { return int(d.nodes[n].offset) }

// Value is the string value of n: what a text, attribute, comment or instruction says, the concatenated text of an element or
// the document. It must not be changed. Only elements whose content is more than one text, and the document node, cost memory.
func (d *Document) Value(n Node) []byte {
	v := &d.nodes[n].value
	if v.isComplex() {
		return d.AppendString(nil, n)
	}
	return v.of(d.src, d.decoded)
}

// TextOf is the text of an element that has no content but text, empty for an empty element; it costs no memory. ok is false
// where other nodes are among the children, and for the document node.
func (d *Document) TextOf(n Node) (text []byte, ok bool) {
	if d.nodes[n].value.isComplex() {
		return nil, false
	}
	return d.Value(n), true
}

// String is the string value of n as a string of its own.
func (d *Document) String(n Node) string { return string(d.Value(n)) }

// AppendString appends the string value of n to dst.
func (d *Document) AppendString(dst []byte, n Node) []byte {
	if !d.nodes[n].value.isComplex() {
		return append(dst, d.Value(n)...)
	}
	for c, end := n+1, d.nodes[n].end; c < end; c++ {
		if d.Kind(c) == KindText {
			dst = append(dst, d.Value(c)...)
		}
	}
	return dst
}
