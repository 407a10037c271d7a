package xmltree

import (
	"slices"
	"sync"
)

// nameLists are the nodes of each name in document order, made when first asked for.
type nameLists struct {
	once    sync.Once
	starts  []uint32 // where the list of a key begins in members; the key is 2·name for elements, 2·name+1 for attributes
	members []Node
}

// Elements gives all elements of that name in document order. The first call for any name goes through the document once; the
// slice must not be changed.
func (d *Document) Elements(name NameID) []Node { return d.list(2 * int(name)) }

// AttributesNamed gives all attributes of that name in document order, at the cost of Elements.
func (d *Document) AttributesNamed(name NameID) []Node { return d.list(2*int(name) + 1) }

func (d *Document) list(key int) []Node {
	d.lists.once.Do(d.makeLists)
	if key < firstKey || key+1 >= len(d.lists.starts) {
		return nil
	}
	from, to := d.lists.starts[key], d.lists.starts[key+1]
	return d.lists.members[from:to:to]
}

// firstKey is the least key that belongs to a name.
const firstKey = 2

// listing is a node and the key of the list that it belongs to.
type listing struct {
	key  uint32
	node Node
}

// makeLists notes the nodes that belong to lists and counts how often each key occurs, which gives the starts, and then fills the lists. The
// many texts are looked at once only.
func (d *Document) makeLists() {
	keys := 2 * len(d.names)
	starts := slices.Grow(d.arena.starts[:0], keys+1)[:keys+1]
	clear(starts)
	listings := slices.Grow(d.arena.listings[:0], len(d.nodes))[:len(d.nodes)]
	listed := 0
	for i := range d.nodes {
		if key := d.nodes[i].list(); key >= firstKey {
			listings[listed] = listing{key, Node(i)}
			listed++
			starts[key+1]++
		}
	}
	begin := uint32(0)
	for i, count := range starts { // the counts of a key stand behind it, where its start becomes that of the next as the list fills
		starts[i] = begin
		begin += count
	}
	members := slices.Grow(d.arena.members[:0], listed)[:listed]
	for _, m := range listings[:listed] {
		at := starts[m.key+1]
		members[at] = m.node
		starts[m.key+1] = at + 1
	}
	d.arena.members, d.arena.starts, d.arena.listings = members, starts, listings
	d.lists.starts, d.lists.members = starts, members
}

// list gives the key of the list that a node belongs to. The few nodes of other kinds that have names go with those that have none.
func (n *node) list() uint32 {
	name := n.tag & nameMask
	if n.tag >= uint32(KindInstruction)<<kindShift {
		name = 0
	}
	return 2*name + n.tag>>(kindShift+1)&1 // KindAttribute has that bit, KindElement has not
}
