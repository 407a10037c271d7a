package mapping

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// plan is the table compiled for one document element in one edition.
type plan struct {
	syntax   *syntax
	element  *Element
	position int // of the element
	edition  *Edition
	included []string          // the edition and those that it includes
	spaces   map[string]string // namespaces by prefix
	declared []declaration     // of the same, in the order in which they are written
	names    *names
	tree     *node
	lists    map[listed]*list
	inOrder  []*list // lists, in the order of their first rows
	hasLines bool    // some list is that of the invoice lines
	// statements are the places where a document states each variable.
	statements [][]statement
	variables  []*field // the members that the variables after the first stand for
	// direct lists the fields that rows below a list take from the invoice itself: they may go unwritten when the list is
	// empty, and the writer keeps account of them.
	direct []*field
	// outside are the fields that rows of groups which are no lists take from the invoice itself.
	outside map[string]bool
	// gaps lists the leaf members of the invoice object that no row of this plan covers. A table has many plans, of which a process uses
	// few: what can be told of a plan is found when it is asked for first.
	gaps func() []*gap
	// routes are the ways to the rows by business term, found when they are asked for first.
	routes func() map[string][]route
}

// declaration is a namespace that a document declares.
type declaration struct{ prefix, uri string }

// String names the documents that a plan is for.
func (p *plan) String() string {
	if p.edition.Name == "" {
		return "element " + p.element.Name
	}
	return fmt.Sprintf("element %s, edition %s", p.element.Name, p.edition.Name)
}

// names are those of all plans of a table. It numbers expanded names as xmltree.Vocabulary does: from 1.
type names struct {
	list    []xmltree.Name
	numbers map[xmltree.Name]uint32
	tags    map[string]*xmltree.QName // by the names as they are written
}

func newNames() *names {
	return &names{numbers: map[xmltree.Name]uint32{}, tags: map[string]*xmltree.QName{}}
}

// tag gives a name made ready for writing.
func (s *names) tag(qname string) (*xmltree.QName, error) {
	if known := s.tags[qname]; known != nil {
		return known, nil
	}
	made, err := xmltree.NewQName(qname)
	if err == nil {
		s.tags[qname] = made
	}
	return made, err
}

func (s *names) number(n xmltree.Name) uint32 {
	if s.numbers[n] == 0 {
		s.list = append(s.list, n)
		s.numbers[n] = uint32(len(s.list))
	}
	return s.numbers[n]
}

// node is one element of the plan. What each element of a document is asked for stands first and close together: an invoice of 25,000
// lines asks a million times, and a plan is larger than what a processor keeps at hand.
type node struct {
	leaf     *field    // the member that is the element's text
	scope    *field    // the group's struct, when the element opens one
	when     condition // of the row
	static   bool      // nothing but constants: it stands where its parent stands
	fills    bool      // it stands where its parent stands even if its row has nothing to say
	led      bool      // the first row of its list writes its entries
	settles  bool      // something waits for the end of the element: pieces, or codecs
	group    bool      // rows of a group of their own are below it
	direct   int       // 1 + index into plan.direct
	row      *row
	convert  *Converter
	part     *part // which piece of the member it is
	tag      *xmltree.QName
	children []*node
	called   []uint32 // the names of the children
	attrs    []attribute
	constant constant
	list     *list   // the rows of the list that scope is
	together []*node // it and the rows of its list that stand in the same place; on the first of them
	typ      Type

	qname    string // as written
	name     uint32
	key      string
	term     string
	parent   *node
	tests    []test
	*members              // where the element opens a group; the document element opens that of the invoice
	again    *node        // the group that the entries are of as well: its children are theirs
	split    *splitting   // the member that the elements in it are pieces of
	splits   []*splitting // the members whose pieces are put together at the end of the element
	settler  *node        // the element whose end its codec waits for
}

// members is the struct that the rows below an element have their members in.
type members struct {
	struc   reflect.Type
	pattern string        // its path with [] for lists
	inList  bool          // there may be several
	lines   bool          // they are invoice lines
	empty   reflect.Value // one without members
}

// attribute is one attribute of a node.
type attribute struct {
	qname    string
	name     uint32
	leaf     *field
	convert  *Converter
	constant constant
	term     string
	tag      *xmltree.QName
}

// test is a compiled predicate for reading.
type test struct {
	path  []uint32
	attr  uint32 // 0 without
	op    byte
	value constant
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

// holdsText tells whether the element has a text of its own.
func (n *node) holdsText() bool {
	return n.leaf != nil || n.row != nil && (n.row.total != nil || n.row.codec != nil || n.row.computed != nil || n.row.constant != "")
}

// required tells whether the element stands wherever its parent does.
func (n *node) required() bool { return n.row != nil && n.row.required }

// finish sorts the children into schema order and finds the elements that hold nothing but constants. It goes from the leaves
// up: what holds nothing but constants shows when that is known of the children, and entries within entries take over the
// children of their group when these have their order.
func (p *plan) finish(n *node) error {
	if n.holdsText() && len(n.children) > 0 {
		return fmt.Errorf("row %s: an element with text cannot have the child %s", n, n.children[0].qname)
	}
	rank := p.ranks(n)
	slices.SortStableFunc(n.children, func(a, b *node) int { return cmp.Compare(rank(a), rank(b)) })
	varies := func(c *node) bool { return !c.static }
	for i, c := range n.children {
		if err := p.finish(c); err != nil {
			return err
		}
		n.called = append(n.called, c.name)
		c.lead(n.children[i:], rank)
	}
	for _, c := range n.children {
		if c.again != nil {
			c.children, c.called = n.children, n.called
		}
	}
	if n.row != nil {
		n.when = n.row.when
	}
	n.fills = n.row != nil && (n.row.fill != "" || n.row.required || n.leaf != nil && n.constant.isSet())
	if len(n.children) > 0 {
		n.static = n.leaf == nil && n.scope == nil && !slices.ContainsFunc(n.children, varies)
	} else {
		n.static = n.leaf == nil && n.scope == nil && (n.constant.isSet() || n.required() && !n.holdsText())
	}
	return nil
}

// String says which row has the element.
func (n *node) String() string {
	if n.row == nil {
		return n.term + " " + n.qname
	}
	return n.row.term + " " + n.row.path
}

// ranks gives the positions of children in their parent by the schema; those that it does not list come last.
func (p *plan) ranks(n *node) func(c *node) int {
	_, local, ok := strings.Cut(n.qname, ":")
	if !ok {
		local = n.qname
	}
	order := strings.Fields(p.syntax.order[local])
	return func(c *node) int {
		i := slices.IndexFunc(order, func(place string) bool { return slices.Contains(strings.Split(place, "|"), c.qname) })
		if i < 0 {
			return math.MaxInt
		}
		return i
	}
}

// lead makes the first row of a list write the entries of those that the schema has in the same place, so that they keep their
// order.
func (n *node) lead(rest []*node, rank func(*node) int) {
	if n.list == nil || len(n.list.rows) < 2 || n.led {
		return
	}
	for _, c := range rest {
		if c.list == n.list && (c.qname == n.qname || rank(c) == rank(n) && rank(n) < math.MaxInt) {
			c.led = c != n
			n.together = append(n.together, c)
		}
	}
}
