package mapping

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
)

// open makes an element that of a group or of the entries of a list.
func (p *plan) open(n, owner *node, name string) error {
	f, err := p.syntax.newGroup(owner.struc, name)
	if err != nil {
		return err
	}
	n.scope = f
	n.members = &members{struc: f.typ, pattern: f.below(owner.pattern), inList: owner.inList || f.list, empty: reflect.New(f.typ).Elem()}
	n.lines = f.list && n.pattern == p.syntax.lines
	p.hasLines = p.hasLines || n.lines
	if f.list {
		p.addToList(n, owner)
	}
	return nil
}

var errNotAgain = errors.New("the entries are not of the group whose element is the parent")

// addAgain makes n, a child of the element of a list's group, the element of a list of the same struct within its entries.
func (p *plan) addAgain(at, n *node, r *row) error {
	if at.scope == nil || !at.scope.list || n.parent != at || len(r.rows) > 0 {
		return errNotAgain
	}
	if err := p.open(n, at, r.field); err != nil {
		return err
	}
	if n.struc != at.struc || !n.scope.list {
		return errNotAgain
	}
	n.again, n.lines = at, at.lines
	return nil
}

func (p *plan) addAttrs(n, owner *node, attrs []Attr) error {
	for _, a := range attrs {
		text, err := p.syntax.newConstant(a.Const)
		if err != nil {
			return fmt.Errorf("attribute %s: %w", a.Name, err)
		}
		at := attribute{qname: a.Name, constant: text, term: cmp.Or(a.Term, n.term), convert: a.Convert}
		if a.Field != "" {
			if at.leaf, err = p.newLeaf(owner, a.Field, a.Convert); err != nil {
				return err
			}
			if at.leaf.absolute && owner.inList {
				return fmt.Errorf("attribute %s: below a list it cannot hold the invoice's own field %q", a.Name, a.Field)
			}
		}
		if err := p.addAttr(n, at); err != nil {
			return err
		}
	}
	return nil
}

// addAttr gives an element an attribute, which it may have already if that is the same constant.
func (p *plan) addAttr(n *node, a attribute) (err error) {
	if old := n.attr(a.qname); old != nil {
		if old.constant != a.constant || a.leaf != nil {
			return fmt.Errorf("attribute %s: a predicate says that it is %q", a.qname, old.constant.text)
		}
		return nil
	}
	name, err := p.attribute(a.qname)
	if err != nil {
		return fmt.Errorf("attribute %s: %w", a.qname, err)
	}
	a.name = p.names.number(name)
	if a.tag, err = p.names.tag(a.qname); err != nil {
		return err
	}
	n.attrs = append(n.attrs, a)
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
	c := &node{qname: s.name, key: key, parent: n, group: group}
	if err := p.name(c); err != nil {
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
func (p *plan) addTest(c *node, pr predicate) (err error) {
	t := test{op: pr.op, value: constant{text: pr.value}}
	if pr.variable {
		if t.value, err = p.syntax.newConstant(pr.value); err != nil {
			return err
		}
	}
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
		name, err := p.attribute(pr.attr)
		if err != nil {
			return fmt.Errorf("attribute %s: %w", pr.attr, err)
		}
		t.attr = p.names.number(name)
	}
	c.tests = append(c.tests, t)
	switch {
	case pr.op != '=':
	case pr.attr != "":
		return p.addAttr(at, attribute{qname: pr.attr, constant: t.value})
	default:
		at.constant = t.value
	}
	return nil
}
