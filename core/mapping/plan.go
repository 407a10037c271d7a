package mapping

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// Mapping is a compiled table: immutable and safe for concurrent use.
type Mapping struct {
	plans []*plan
	words *xmltree.Vocabulary // the names that the plans know; node.name is a number of it
}

// plan is the table compiled for one root.
type plan struct {
	table *Table
	root  int
	names *names
	tree  *node
	// direct lists the fields that rows below a list take from the invoice itself: they may go unwritten when the list is
	// empty, and the writer keeps account of them.
	direct []*field
	// gaps lists the leaf members of the invoice object that no row of this root covers.
	gaps []*gap
	// routes are the ways to the rows by business term.
	routes map[string][]route
}

// names numbers expanded names as xmltree.Vocabulary does: from 1.
type names struct {
	list    []xmltree.Name
	numbers map[xmltree.Name]uint32
}

func (s *names) number(n xmltree.Name) uint32 {
	if s.numbers[n] == 0 {
		s.list = append(s.list, n)
		s.numbers[n] = uint32(len(s.list))
	}
	return s.numbers[n]
}

// node is one element of the plan.
type node struct {
	qname    string // as written
	name     uint32
	key      string
	group    bool // rows of a group of their own are below it
	tests    []test
	attrs    []attribute
	scope    *field // the group's struct, when the element opens one
	again    *node  // the group that the entries are of as well: its children are theirs
	leaf     *field // the member that is the element's text
	typ      Type
	term     string
	row      *Row
	constant string
	static   bool // nothing but constants: it stands where its parent stands
	children []*node
	tag      *xmltree.QName
	direct   int // 1 + index into plan.direct
}

// attribute is one attribute of a node.
type attribute struct {
	qname    string
	name     uint32
	leaf     *field
	constant string
	term     string
	tag      *xmltree.QName
}

// test is a compiled predicate for reading.
type test struct {
	path  []uint32
	attr  uint32 // 0 without
	op    byte
	value string
}

func (n *node) attr(name string) *attribute {
	for i := range n.attrs {
		if n.attrs[i].qname == name {
			return &n.attrs[i]
		}
	}
	return nil
}

func (n *node) attributeNumbered(name uint32) *attribute {
	for i := range n.attrs {
		if n.attrs[i].name == name {
			return &n.attrs[i]
		}
	}
	return nil
}

// finish sorts the children into schema order and finds the elements that hold nothing but constants.
func (p *plan) finish(n *node) error {
	if n.row != nil && len(n.row.Rows) == 0 && len(n.children) > 0 {
		return fmt.Errorf("row %s %s: an element with text cannot have the child %s", n.row.Term, n.row.Path, n.children[0].qname)
	}
	_, local, ok := strings.Cut(n.qname, ":")
	if !ok {
		local = n.qname
	}
	order := strings.Fields(p.table.Order[local])
	rank := func(c *node) int {
		if i := slices.Index(order, c.qname); i >= 0 {
			return i
		}
		return math.MaxInt
	}
	slices.SortStableFunc(n.children, func(a, b *node) int { return cmp.Compare(rank(a), rank(b)) })
	varies := func(c *node) bool { return !c.static }
	for _, c := range n.children {
		if err := p.finish(c); err != nil {
			return err
		}
		if c.again != nil {
			c.children = n.children
		}
	}
	if len(n.children) > 0 {
		n.static = n.leaf == nil && n.scope == nil && !slices.ContainsFunc(n.children, varies)
	} else {
		n.static = n.constant != "" && n.leaf == nil
	}
	return nil
}
