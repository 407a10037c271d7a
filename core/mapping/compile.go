package mapping

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// Compile checks a table against the invoice object and makes the plans. Errors name the row.
func Compile(t *Table) (*Mapping, error) {
	m := &Mapping{}
	known := &names{numbers: map[xmltree.Name]uint32{}}
	for i, root := range t.Roots {
		p := &plan{table: t, root: i, names: known}
		if err := p.compile(root); err != nil {
			return nil, fmt.Errorf("root %s: %w", root.Name, err)
		}
		m.plans = append(m.plans, p)
	}
	m.words = xmltree.NewVocabulary(known.list)
	return m, nil
}

func (p *plan) compile(root RootElement) error {
	tag, err := xmltree.NewQName(root.Name)
	if err != nil {
		return err
	}
	p.tree = &node{qname: root.Name, tag: tag, name: p.names.number(xmltree.Name{Space: root.Namespace, Local: root.Name})}
	if err = p.addRows(p.tree, invoiceType, p.table.Rows, false); err != nil {
		return err
	}
	if err = p.finish(p.tree); err != nil {
		return err
	}
	p.findUncovered()
	p.findRoutes()
	return nil
}

// expand resolves a prefixed element name; without a prefix it is in the root's namespace.
func (p *plan) expand(qname string) (xmltree.Name, error) {
	prefix, local, ok := strings.Cut(qname, ":")
	if !ok {
		return xmltree.Name{Space: p.table.Roots[p.root].Namespace, Local: qname}, nil
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
		if !p.table.Holds(row, p.root) {
			continue
		}
		if err := p.addRow(at, scope, row, inList); err != nil {
			return fmt.Errorf("row %s %s: %w", row.Term, row.Path, err)
		}
	}
	return nil
}

var errTaken = errors.New("another row has this element")

func (p *plan) addRow(at *node, scope reflect.Type, row *Row, inList bool) error {
	steps, err := parsePath(row.Path, p.table.Base(p.root))
	if err != nil {
		return err
	}
	if list := strings.HasSuffix(row.Field, "[]"); list != row.Card.Repeats() {
		return fmt.Errorf("cardinality %s does not fit the field %q", row.Card, row.Field)
	}
	group := len(row.Rows) > 0 || row.Codec != nil || row.Again
	n := at
	for i, s := range steps {
		if n, err = p.child(n, s, group && i == len(steps)-1); err != nil {
			return err
		}
	}
	if n.row != nil && !p.replaces(row, n.row) {
		return errTaken
	}
	n.term, n.row, n.leaf, n.direct = row.Term, row, nil, 0
	if row.Again {
		return p.addAgain(at, n, row, len(steps))
	}
	if group {
		return p.addGroup(n, scope, row, inList)
	}
	return p.addLeaf(n, scope, row, inList)
}

// replaces tells whether a row is the root's own and the other one that of the root it extends.
func (p *plan) replaces(row, other *Row) bool {
	return p.table.Roots[p.root].Extends != 0 && int(row.On)-1 == p.root && row.On != other.On
}

func (p *plan) addLeaf(n *node, scope reflect.Type, row *Row, inList bool) (err error) {
	if row.Field != "" {
		if n.leaf, err = newLeaf(scope, row.Field); err != nil {
			return err
		}
		if n.leaf.absolute && inList {
			p.direct = append(p.direct, n.leaf)
			n.direct = len(p.direct)
		}
	}
	n.typ, n.constant = row.Type, cmp.Or(row.Const, n.constant)
	return p.addAttrs(n, scope, row.Attrs, inList)
}

func (p *plan) addGroup(n *node, scope reflect.Type, row *Row, inList bool) error {
	if row.Field != "" {
		f, err := newGroup(scope, row.Field)
		if err != nil {
			return err
		}
		n.scope, scope = f, f.typ
		inList = inList || f.list
	}
	if err := p.addAttrs(n, scope, row.Attrs, inList); err != nil {
		return err
	}
	return p.addRows(n, scope, row.Rows, inList)
}

var errNotAgain = errors.New("the entries are not of the group whose element is the parent")

// addAgain makes n, a child of the element of a list's group, the element of a list of the same struct within its entries.
func (p *plan) addAgain(at, n *node, row *Row, steps int) error {
	if at.scope == nil || !at.scope.list || steps != 1 || len(row.Rows) > 0 {
		return errNotAgain
	}
	f, err := newGroup(at.scope.typ, row.Field)
	if err != nil {
		return err
	}
	if f.typ != at.scope.typ || !f.list {
		return errNotAgain
	}
	n.scope, n.again = f, at
	return nil
}

func (p *plan) addAttrs(n *node, scope reflect.Type, attrs []Attr, inList bool) error {
	for _, a := range attrs {
		if old := n.attr(a.Name); old != nil && (old.constant != a.Const || a.Field != "") {
			return fmt.Errorf("attribute %s: a predicate says that it is %q", a.Name, old.constant)
		} else if old != nil {
			continue
		}
		at := attribute{qname: a.Name, name: p.names.number(xmltree.Name{Local: a.Name}), constant: a.Const, term: cmp.Or(a.Term, n.term)}
		var err error
		if at.tag, err = xmltree.NewQName(a.Name); err != nil {
			return err
		}
		if a.Field != "" {
			if at.leaf, err = newLeaf(scope, a.Field); err != nil {
				return err
			}
			if at.leaf.absolute && inList {
				return fmt.Errorf("attribute %s: below a list it cannot hold the invoice's own field %q", a.Name, a.Field)
			}
		}
		n.attrs = append(n.attrs, at)
	}
	return nil
}

// child finds or makes the node of a step below n. The element of a group is not shared with rows outside it.
func (p *plan) child(n *node, s step, group bool) (*node, error) {
	key := s.key()
	for _, c := range n.children {
		switch {
		case c.key != key:
		case group || c.group:
			return nil, errTaken
		default:
			return c, nil
		}
	}
	name, err := p.expand(s.name)
	if err != nil {
		return nil, err
	}
	c := &node{qname: s.name, name: p.names.number(name), key: key, group: group}
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
	t := test{op: pr.op, value: pr.value}
	at := c
	for _, q := range pr.path {
		name, err := p.expand(q)
		if err != nil {
			return err
		}
		t.path = append(t.path, p.names.number(name))
		if pr.op == '=' {
			if at, err = p.child(at, step{name: q}, false); err != nil {
				return err
			}
		}
	}
	if pr.attr != "" {
		t.attr = p.names.number(xmltree.Name{Local: pr.attr})
	}
	c.tests = append(c.tests, t)
	if pr.op != '=' {
		return nil
	}
	if pr.attr != "" {
		return p.addAttrs(at, nil, []Attr{{Name: pr.attr, Const: pr.value}}, false)
	}
	at.constant = pr.value
	return nil
}
