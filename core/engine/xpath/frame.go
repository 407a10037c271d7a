package xpath

import "github.com/einvoiced/einvoiced/core/engine/xpath/xdm"

// layout counts the places that the closures of an expression or function need in a frame.
type layout struct{ items, nodes, counts, lists, sequences, arguments int }

// frame holds what the closures of a program or of one call of a function keep while they run. Every closure that keeps
// something has a place of its own, so that nothing is allocated once the frame has grown.
//
// No closure is entered a second time in one frame: what leads back to it is a call of a function, and that has a frame of
// its own.
//
// A sink is fixed when the expression is compiled and is handed nothing but items. What it needs of the context in which the
// walk was begun, such as the context node, is put into the frame before the walk.
type frame struct {
	items     []xdm.Item
	nodes     []node
	counts    []int
	lists     [][]node
	sequences [][]xdm.Item
	arguments [][][]xdm.Item
	roomFor   *layout // that it was grown for last
}

// grow makes room for a layout.
func (f *frame) grow(l *layout) {
	if f.roomFor == l {
		return
	}
	f.roomFor = l
	f.items = lengthen(f.items, l.items)
	f.nodes = lengthen(f.nodes, l.nodes)
	f.counts = lengthen(f.counts, l.counts)
	f.lists = lengthen(f.lists, l.lists)
	f.sequences = lengthen(f.sequences, l.sequences)
	f.arguments = lengthen(f.arguments, l.arguments)
}

func lengthen[T any](s []T, n int) []T {
	for len(s) < n {
		var zero T
		s = append(s, zero)
	}
	return s
}

// place gives the next free place of one kind.
func place(counter *int) int {
	*counter++
	return *counter - 1
}
