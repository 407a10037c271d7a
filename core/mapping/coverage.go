package mapping

import (
	"reflect"
	"slices"
	"strings"
)

// coverage says which members the rows take, as paths with [] for lists.
type coverage map[string]*cover

// cover says how rows take a member.
type cover struct {
	text    string   // the member that is the text of the element, where an attribute takes it
	whole   bool     // some row writes it whatever it holds
	writers []writer // rows that do so where they can
}

// writer is what decides whether a row can write a value.
type writer struct {
	typ        Type
	convert    *Converter
	part       *part
	conditions []given
}

// given is an element that stands where its row has a condition, which is asked of a struct: the group that the element opens, or is in.
type given struct {
	node  *node
	group reflect.Type
}

// conditions gives those of the elements around a member, with that of n.
func (n *node) conditions(around []given, group reflect.Type) []given {
	if n.when == nil && (n.list == nil || len(n.list.rows) == 1) {
		return around
	}
	return append(slices.Clip(around), given{n, group})
}

// takes tells whether the element stands for a group: of several rows of a list the first that may takes an entry.
func (g given) takes(r *writing, group reflect.Value, index int) bool {
	if g.node.list == nil || len(g.node.list.rows) == 1 {
		return r.allowed(g.node, group, index)
	}
	return r.firstRow(g.node.list, group, index) == g.node
}

// loss is what becomes of a value: the more is lost the higher.
type loss int

const (
	lossless loss = iota
	rounded
	lost
)

// loses tells what is lost of a value.
func (w writer) loses(v reflect.Value) loss {
	switch {
	case w.convert == nil && w.part == nil: // it is under a condition
	case w.part != nil:
		if strings.Join(w.part.of.split.Parts(v.String()), "") == "" {
			return lost
		}
	case !sayable(v, w.typ, w.convert, nil):
		return lost
	case w.convert.Number != nil:
		if d := number(v); w.convert.Number(d).Cmp(d) != 0 {
			return rounded
		}
	}
	return lossless
}

// uncovered compares the plan with the invoice object.
func (p *plan) uncovered() []*gap {
	covered := coverage{}
	for name := range p.syntax.silent {
		covered.add(name)
	}
	p.cover(p.tree, "", p.syntax.invoice, nil, covered)
	return gapsOf(p.syntax.invoice, "", covered)
}

// cover collects the leaf members that the rows below n take. The group is the struct that n is in.
func (p *plan) cover(n *node, prefix string, group reflect.Type, around []given, covered coverage) {
	if n.scope != nil {
		prefix, group = n.scope.below(prefix), n.struc
	}
	around = n.conditions(around, group)
	if n.again != nil {
		covered.add(prefix) // what the entries hold is what the enclosing group holds
		return
	}
	for _, name := range n.joins() {
		covered.add(join(prefix, name))
	}
	if n.row != nil && n.row.from != "" {
		covered.add(n.row.from)
	}
	text := ""
	if n.leaf != nil {
		text = n.leaf.below(prefix)
		covered.addWriter(text, writer{n.typ, n.convert, n.part, around})
	}
	for _, a := range n.attrs {
		if a.leaf != nil {
			covered.addAttribute(a.leaf.below(prefix), text, writer{Text, a.convert, nil, around})
		}
	}
	for _, c := range n.children {
		p.cover(c, prefix, group, around, covered)
	}
}

func (c coverage) of(member string) *cover {
	if c[member] == nil {
		c[member] = &cover{}
	}
	return c[member]
}

// add notes a member that is written whatever it holds.
func (c coverage) add(member string) {
	of := c.of(member)
	of.whole, of.text = true, ""
}

// addWriter notes a member that a row writes where it can.
func (c coverage) addWriter(member string, w writer) {
	if w.convert == nil && w.part == nil && len(w.conditions) == 0 {
		c.add(member)
		return
	}
	of := c.of(member)
	of.text, of.writers = "", append(of.writers, w)
}

// addAttribute notes a member that qualifies a text, unless an element of its own holds it as well.
func (c coverage) addAttribute(member, text string, w writer) {
	if of := c[member]; of != nil && (of.whole || of.text == "") {
		return
	}
	c.addWriter(member, w)
	c[member].text = text
}
