package xmltree

import (
	"slices"
	"sync"
)

// nameLists are the nodes of each name in document order, made when first asked for.
type nameLists struct {
	once    sync.Once
	starts  []uint32 // where the list of a key begins in members; keys as in arena.counts
	members []Node
}

// Elements gives all elements of that name in document order. The first call for any name goes through the document once; the
// slice must not be changed.
func (d *Document) Elements(name NameID) []Node { return d.list(2 * int(name)) }

// AttributesNamed gives all attributes of that name in document order, at the cost of Elements.
func (d *Document) AttributesNamed(name NameID) []Node { return d.list(2*int(name) + 1) }

func (d *Document) list(key int) []Node {
	d.lists.once.Do(d.makeLists)
	if key+1 >= len(d.lists.starts) {
		return nil
	}
	from, to := d.lists.starts[key], d.lists.starts[key+1]
	return d.lists.members[from:to:to]
}

// makeLists turns the counts of the parse into starts and fills the lists in one pass.
func (d *Document) makeLists() {
	counts := d.arena.counts
	starts := slices.Grow(d.arena.starts[:0], len(counts)+1)[:len(counts)+1]
	total := uint32(0)
	for i, n := range counts {
		starts[i], counts[i] = total, total // counts: from here on the place of the next member
		total += n
	}
	starts[len(counts)] = total
	members := d.arena.members
	if cap(members) < int(total) {
		members = make([]Node, total)
	}
	members = members[:total]
	for i := range d.nodes {
		kind := Kind(d.nodes[i].tag >> kindShift)
		if kind != KindElement && kind != KindAttribute {
			continue
		}
		key := 2*(d.nodes[i].tag&nameMask) + uint32(kind-KindElement)
		members[counts[key]] = Node(i)
		counts[key]++
	}
	d.arena.members, d.arena.starts = members, starts
	d.lists.starts, d.lists.members = starts, members
}
