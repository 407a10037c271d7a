package xpath

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// tree is a document with the program's names translated into its own.
type tree struct {
	doc     *xmltree.Document
	ids     []xmltree.NameID // by number of the name in the program; 0 where no document of its parser has the name
	numbers []int32          // by id of the name in the document, -1 for names that the program does not know
	words   *translation
	number  int    // order among the documents of a machine
	uri     string // where it was loaded from, empty for the document under evaluation without one

	families map[xmltree.Node]*family // of nodes with many descendants
	family   *family                  // the last one asked for
	long     bool                     // so long that there are columns
}

// node is a node of a tree; without a tree there is none.
type node struct {
	t *tree
	n xmltree.Node
}

// nodeOf is the node of an item that is one.
func nodeOf(i xdm.Item) node {
	t, n := i.Node()
	return node{(*tree)(t), xmltree.Node(n)}
}

func (f node) item() xdm.Item { return xdm.NodeItem(unsafe.Pointer(f.t), uint32(f.n)) }

// value is the string value. It refers to the document's memory where it can.
func (f node) value() string { return textOf(f.t.doc.Value(f.n)) }

// textOf gives bytes that never change as a string without a copy.
func textOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// typedValue is the typed value of a node of an untyped document (XQuery 1.0 and XPath 2.0 Data Model, 6): untyped, but a
// string for comments and processing instructions.
func (f node) typedValue() xdm.Item {
	if k := f.t.doc.Kind(f.n); k == xmltree.KindComment || k == xmltree.KindInstruction {
		return xdm.Text(f.value())
	}
	return xdm.Untyped(f.value())
}

// compareNodes is document order. That of nodes in different documents is for us to choose, but must stay the same (XPath
// 2.0, 2.4.1).
func compareNodes(a, b node) int {
	if a.t != b.t {
		return cmp.Compare(a.t.number, b.t.number)
	}
	return cmp.Compare(a.n, b.n)
}

// sortNodes puts nodes in document order and drops doubles.
func sortNodes(list []node) []node {
	inOrder := true
	for i := 1; i < len(list) && inOrder; i++ {
		inOrder = compareNodes(list[i-1], list[i]) < 0
	}
	if inOrder {
		return list
	}
	slices.SortFunc(list, compareNodes)
	return slices.Compact(list)
}

// sortNodeItems is sortNodes for items that are nodes.
func sortNodeItems(list []xdm.Item) []xdm.Item {
	slices.SortFunc(list, func(a, b xdm.Item) int { return compareNodes(nodeOf(a), nodeOf(b)) })
	return slices.CompactFunc(list, func(a, b xdm.Item) bool { return nodeOf(a) == nodeOf(b) })
}
