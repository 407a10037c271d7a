package mapping

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"einvoiced/core/xmltree"
)

// Mapping is a compiled table: immutable and safe for concurrent use.
type Mapping struct {
	plans []*plan
}

// plan is the table compiled for one root.
type plan struct {
	table *Table
	root  int
	tree  *node
	names []xmltree.Name // expanded names of the elements and attributes that the plan knows; node.name indexes it
	index map[xmltree.Name]int
	// direct lists the fields that rows below a list take from the invoice itself: they may go unwritten when the list is
	// empty, and the writer keeps account of them.
	direct []*field
	// gaps lists the leaf members of the invoice object that no row of this root covers.
	gaps []*gap
}

// node is one element of the plan.
type node struct {
	parent   *node
	qname    string // as written
	name     int    // into plan.names
	key      string
	tests    []test
	attrs    []attribute
	scope    *field // the group's struct, when the element opens one
	leaf     *field // the member that is the element's text
	typ      Type
	term     string
	row      *Row
	constant string
	children []*node
	byName   map[int][]*node
	tag      *xmltree.QName
	direct   int // 1 + index into plan.direct
}

// attribute is one attribute of a node.
type attribute struct {
	qname    string
	name     int
	leaf     *field
	constant string
	term     string
	tag      *xmltree.QName
}

// test is a compiled predicate for reading.
type test struct {
	path  []int
	attr  int // -1 without
	op    byte
	value string
}

// Compile checks a table against the invoice object and makes the plans. Errors name the row.
func Compile(t *Table) (*Mapping, error) {
	m := &Mapping{}
	var err error
	for i, root := range t.Roots {
		p := &plan{table: t, root: i, index: map[xmltree.Name]int{}}
		p.tree = &node{qname: root.Name, name: p.intern(xmltree.Name{Space: root.Namespace, Local: root.Name})}
		if p.tree.tag, err = xmltree.NewQName(root.Name); err != nil {
			return nil, err
		}
		if err = p.addRows(p.tree, invoiceType, t.Rows, false); err != nil {
			return nil, fmt.Errorf("root %s: %w", root.Name, err)
		}
		p.finish(p.tree)
		p.findUncovered()
		m.plans = append(m.plans, p)
	}
	return m, nil
}

// MustCompile is Compile for tables that a test compiles as well.
func MustCompile(t *Table) *Mapping {
	m, err := Compile(t)
	if err != nil {
		panic(err)
	}
	return m
}

func (p *plan) intern(n xmltree.Name) int {
	if i, ok := p.index[n]; ok {
		return i
	}
	p.names = append(p.names, n)
	p.index[n] = len(p.names) - 1
	return len(p.names) - 1
}

// expand resolves a prefixed element name.
func (p *plan) expand(qname string) (xmltree.Name, error) {
	prefix, local, ok := strings.Cut(qname, ":")
	if !ok {
		prefix, local = "", qname
	}
	uri, known := p.table.Namespaces[prefix]
	if !known {
		return xmltree.Name{}, fmt.Errorf("prefix %q has no namespace", prefix)
	}
	return xmltree.Name{Space: uri, Local: local}, nil
}

func (p *plan) addRows(at *node, scope reflect.Type, rows []Row, inList bool) error {
	for i := range rows {
		row := &rows[i]
		if row.On != 0 && int(row.On)-1 != p.root {
			continue
		}
		if err := p.addRow(at, scope, row, inList); err != nil {
			return fmt.Errorf("row %s %s: %w", row.Term, row.Path, err)
		}
	}
	return nil
}

func (p *plan) addRow(at *node, scope reflect.Type, row *Row, inList bool) error {
	steps, err := parsePath(row.Path, p.root)
	if err != nil {
		return err
	}
	n := at
	for i, s := range steps {
		if n, err = p.child(n, s, i == len(steps)-1 && p.opensScope(row)); err != nil {
			return err
		}
	}
	n.term, n.row = cmp.Or(row.Term, n.term), row
	if len(row.Rows) > 0 || row.Codec != nil {
		return p.addGroup(n, scope, row, inList)
	}
	if row.Field != "" {
		if n.leaf, err = newField(scope, row.Field); err != nil {
			return err
		}
		if n.leaf.absolute && inList {
			p.direct = append(p.direct, n.leaf)
			n.direct = len(p.direct)
		}
	}
	n.typ, n.constant = row.Type, row.Const
	return p.addAttrs(n, scope, row.Attrs)
}

func (p *plan) opensScope(row *Row) bool {
	return row.Field != "" && (len(row.Rows) > 0 || row.Codec != nil)
}

func (p *plan) addGroup(n *node, scope reflect.Type, row *Row, inList bool) error {
	if row.Field != "" {
		f, err := newField(scope, row.Field)
		if err != nil {
			return err
		}
		n.scope, scope = f, f.typ
		inList = inList || f.list
	}
	if scope.Kind() == reflect.Pointer {
		scope = scope.Elem()
	}
	if err := p.addAttrs(n, scope, row.Attrs); err != nil {
		return err
	}
	return p.addRows(n, scope, row.Rows, inList)
}

func (p *plan) addAttrs(n *node, scope reflect.Type, attrs []Attr) error {
	var err error
	for _, a := range attrs {
		if n.attr(a.Name) != nil {
			continue
		}
		at := attribute{qname: a.Name, name: p.intern(xmltree.Name{Local: a.Name}), constant: a.Const, term: n.term}
		if at.tag, err = xmltree.NewQName(a.Name); err != nil {
			return err
		}
		if a.Field != "" {
			f, err := newField(scope, a.Field)
			if err != nil {
				return err
			}
			at.leaf = f
		}
		n.attrs = append(n.attrs, at)
	}
	return nil
}

func (n *node) attr(name string) *attribute {
	for i := range n.attrs {
		if n.attrs[i].qname == name {
			return &n.attrs[i]
		}
	}
	return nil
}

// child finds or makes the node of a step below n. An element that opens a scope is never shared with rows outside it.
func (p *plan) child(n *node, s step, own bool) (*node, error) {
	key := s.key()
	if !own {
		for _, c := range n.children {
			if c.key == key && c.scope == nil && (c.row == nil || len(c.row.Rows) == 0) {
				return c, nil
			}
		}
	}
	name, err := p.expand(s.name)
	if err != nil {
		return nil, err
	}
	c := &node{parent: n, qname: s.name, name: p.intern(name), key: key}
	if c.tag, err = xmltree.NewQName(s.name); err != nil {
		return nil, err
	}
	n.children = append(n.children, c)
	for _, pr := range s.tests {
		if err := p.addTest(c, pr); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// addTest compiles a predicate for reading and, where it states an equality, the constant that writing makes of it.
func (p *plan) addTest(c *node, pr predicate) error {
	t := test{attr: -1, op: pr.op, value: pr.value}
	at := c
	for _, q := range pr.path {
		name, err := p.expand(q)
		if err != nil {
			return err
		}
		t.path = append(t.path, p.intern(name))
		if pr.op == '=' {
			if at, err = p.child(at, step{name: q}, false); err != nil {
				return err
			}
		}
	}
	if pr.attr != "" {
		t.attr = p.intern(xmltree.Name{Local: pr.attr})
	}
	c.tests = append(c.tests, t)
	if pr.op != '=' {
		return nil
	}
	if pr.attr != "" {
		return p.addAttrs(at, nil, []Attr{{Name: pr.attr, Const: pr.value}})
	}
	at.constant = pr.value
	return nil
}

// finish sorts the children into schema order and indexes them by name.
func (p *plan) finish(n *node) {
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
	n.byName = map[int][]*node{}
	for _, c := range n.children {
		n.byName[c.name] = append(n.byName[c.name], c)
		p.finish(c)
	}
}
