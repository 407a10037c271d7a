package mapping

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// Mapping is a compiled table: immutable and safe for concurrent use.
type Mapping[T any] struct{ *compiled }

// compiled is a Mapping without the type of its invoices.
type compiled struct {
	plans []*plan
	words *xmltree.Vocabulary // the names that the plans know; node.name is a number of it
}

// Compile checks a table against the invoice object and makes the plans. Errors name the row.
func Compile[T any](t *Table[T]) (*Mapping[T], error) {
	c, err := compile(newSyntax(t))
	if err != nil {
		return nil, err
	}
	return &Mapping[T]{c}, nil
}

// compile makes a plan for each document element in each edition. Whether each row is held by some plan, and whether
// documents can tell the plans apart, shows only when all are made.
func compile(s *syntax) (*compiled, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	c, known := &compiled{}, newNames()
	for i := range s.editions {
		for position := range s.elements {
			e, element := &s.editions[i], &s.elements[position]
			if !e.has(element.Name) {
				continue
			}
			p := &plan{syntax: s, element: element, position: position, edition: e, included: included(s.editions, e.Name),
				spaces: s.namespacesOf(element, e), names: known, lists: map[listed]*list{}, outside: map[string]bool{}}
			if err := p.compile(); err != nil {
				return nil, fmt.Errorf("%s: %w", p, err)
			}
			c.plans = append(c.plans, p)
		}
	}
	if err := cmp.Or(checkHeld(s.rows), checkDistinct(c.plans), checkLines(s, c.plans)); err != nil {
		return nil, err
	}
	c.words = xmltree.NewVocabulary(known.list)
	return c, nil
}

// checkLines holds that the list of lines is one.
func checkLines(s *syntax, plans []*plan) error {
	for _, p := range plans {
		if s.lines != "" && !p.hasLines {
			return fmt.Errorf("%s: no row has the list of lines %q", p, s.lines)
		}
	}
	return nil
}

// compile makes the plan. Gaps and routes are worked out when they are first asked for: writing needs the ones and the places
// of terms the others, reading neither.
func (p *plan) compile() (err error) {
	p.tree = &node{qname: p.element.Name, members: &members{struc: p.syntax.invoice}}
	if err = p.name(p.tree); err != nil {
		return err
	}
	if err = p.addRows(p.tree, p.tree, p.syntax.rows); err != nil {
		return err
	}
	if err = p.finish(p.tree); err != nil {
		return err
	}
	if err = p.checkLists(); err != nil {
		return err
	}
	for _, prefix := range slices.Sorted(maps.Keys(p.spaces)) {
		if uri := p.spaces[prefix]; uri != "" {
			p.declared = append(p.declared, declaration{prefix, uri})
		}
	}
	p.gaps, p.routes = sync.OnceValue(p.uncovered), sync.OnceValue(p.findRoutes)
	return p.findStatements()
}

// name gives a node its expanded name and its tag.
func (p *plan) name(n *node) (err error) {
	expanded, err := p.expand(n.qname)
	if err != nil {
		return err
	}
	n.name = p.names.number(expanded)
	n.tag, err = p.names.tag(n.qname)
	return err
}

// expand resolves an element name.
func (p *plan) expand(qname string) (xmltree.Name, error) {
	prefix, local, ok := strings.Cut(qname, ":")
	if !ok {
		prefix, local = "", qname
	}
	uri, known := p.spaces[prefix]
	if !known {
		return xmltree.Name{}, fmt.Errorf("prefix %q has no namespace", prefix)
	}
	return xmltree.Name{Space: uri, Local: local}, nil
}

// attribute resolves the name of an attribute: without a prefix it is in no namespace.
func (p *plan) attribute(qname string) (xmltree.Name, error) {
	if !strings.Contains(qname, ":") {
		return xmltree.Name{Local: qname}, nil
	}
	return p.expand(qname)
}

// addRows adds rows below an element; owner is the element that opened the group of their members. A row that takes the place
// of another stands behind it in the table.
func (p *plan) addRows(at, owner *node, rows []row) error {
	for i := range rows {
		r := &rows[i]
		if !p.holds(r) {
			continue
		}
		r.held = true
		if err := p.addRow(at, owner, r); err != nil {
			return r.fault(err)
		}
	}
	return nil
}

var errTaken = errors.New("another row has this element")

func (p *plan) addRow(at, owner *node, r *row) error {
	if list := strings.HasSuffix(r.field, "[]"); list != r.card.Repeats() {
		return fmt.Errorf("cardinality %s does not fit the field %q", r.card, r.field)
	}
	if r.path == self {
		return p.addSelf(at, owner, r)
	}
	group := len(r.rows) > 0 || r.codec != nil || r.computed != nil || r.again
	n, err := p.way(at, r.path, group)
	if err != nil {
		return err
	}
	if n.row != nil && !p.replaces(r, n.row) {
		return errTaken
	}
	// A row that takes the place of another finds what that one has left.
	n.term, n.row, n.leaf, n.direct, n.convert = r.term, r, nil, 0, nil
	switch {
	case r.again:
		return p.addAgain(at, n, r)
	case r.split != nil:
		return p.addSplit(n, owner, r)
	case group:
		return p.addGroup(at, n, owner, r)
	}
	if r.last {
		at.settles, n.settler = true, at
	}
	return p.addLeaf(n, owner, r)
}

// way finds or makes the nodes of a path.
func (p *plan) way(at *node, path string, group bool) (n *node, err error) {
	steps, err := parsePath(path, p.position)
	if err != nil {
		return nil, err
	}
	n = at
	for i, s := range steps {
		if n, err = p.child(n, s, group && i == len(steps)-1); err != nil {
			return nil, err
		}
	}
	return n, nil
}

func (p *plan) addLeaf(n, owner *node, r *row) (err error) {
	if r.field != "" {
		if n.leaf, err = p.newLeaf(owner, r.field, r.convert); err != nil {
			return err
		}
		n.direct = p.addDirect(n.leaf, owner)
	} else if r.convert != nil && (r.total == nil || r.convert.Number == nil) {
		return errConverter
	}
	text, err := p.syntax.newConstant(r.constant)
	if err != nil {
		return err
	}
	if r.last && n.leaf == nil {
		return errLate
	}
	if r.lines && (n.leaf == nil || n.leaf.typ.Kind() != reflect.String || r.convert != nil) {
		return errLines
	}
	if r.separate && (!r.lines || len(r.attrs) > 0) {
		return errSeparate
	}
	n.typ, n.convert, n.constant = r.typ, r.convert, cmp.Or(text, n.constant)
	return p.addAttrs(n, owner, r.attrs)
}

var errLines = errors.New("only a text that is written as it stands can have lines in several elements")

var errSeparate = errors.New("lines in elements of their own are read as lines, and have no attributes")

var errLate = errors.New("only the text of a member can be read last")

var errConverter = errors.New("the converter lacks what it needs: Number for a decimal or a total, Write and Read for another member")

// newLeaf resolves a member of the owner's group that a text can hold.
func (p *plan) newLeaf(owner *node, name string, convert *Converter) (*field, error) {
	leaf, err := p.syntax.newLeaf(owner.struc, name)
	if err == nil && !convert.complete(leaf.isNumber()) {
		return nil, errConverter
	}
	return leaf, err
}

// addDirect notes a member of the invoice itself that a row below a list has; the answer is that of node.direct.
func (p *plan) addDirect(leaf *field, owner *node) int {
	if !owner.inList {
		p.outside[leaf.below(owner.pattern)] = true
	}
	if !leaf.absolute || !owner.inList {
		return 0
	}
	p.direct = append(p.direct, leaf)
	return len(p.direct)
}

var errSelf = errors.New("the enclosing element itself can have a field, a split field and attributes")

// addSelf gives an element that another row opens its text and attributes.
func (p *plan) addSelf(at, owner *node, r *row) error {
	if r.split != nil {
		return p.addSplit(at, owner, r)
	}
	if r.when != nil || r.total != nil || r.codec != nil || r.computed != nil || r.constant != "" || r.fill != "" || r.required || r.again ||
		len(r.rows) > 0 || r.field == "" && len(r.attrs) == 0 {
		return errSelf
	}
	if r.field != "" && at.holdsText() {
		return errTaken
	}
	if r.field == "" {
		return p.addAttrs(at, owner, r.attrs)
	}
	if at.term != r.term {
		at.term = strings.TrimSpace(at.term + " " + r.term)
	}
	return p.addLeaf(at, owner, r)
}

var errComputed = errors.New("what is computed is a text of its own, without a field or a codec")

func (p *plan) addGroup(at, n, owner *node, r *row) error {
	if r.computed != nil && (r.field != "" || r.codec != nil || r.constant != "" || len(r.rows) > 0) {
		return errComputed
	}
	if r.field == "" {
		awaitEnd(at, n, owner, r)
	} else if err := p.open(n, owner, r.field); err != nil {
		return err
	} else {
		owner = n
	}
	if err := p.addAttrs(n, owner, r.attrs); err != nil {
		return err
	}
	return p.addRows(n, owner, r.rows)
}

// awaitEnd says where the text of a row that has no member of its own is read: at the end of the element around it, and what is only
// compared at the end of the group, however often the elements around it stand there.
func awaitEnd(at, n, owner *node, r *row) {
	switch {
	case r.computed != nil && r.computed.take == nil:
		owner.settles, n.settler = true, owner
	case r.computed != nil || r.codec != nil:
		at.settles, n.settler = true, at
	}
}
