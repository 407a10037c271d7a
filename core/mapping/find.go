package mapping

import (
	"reflect"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// Found is where a document has a member of the invoice.
type Found struct {
	At   xmltree.Node // element or attribute
	Term string       // its business term or group, not that of one around it; several are separated by blanks
}

// Find is the way back from Locate: it looks for the elements and attributes that members are made of, by their JSON paths. Of several
// for one member the first in the document counts; what the document does not have is missing in the answer. One walk finds all of them,
// which goes into those entries of lists only that have some.
func (l *Locator) Find(members []string) map[string]Found {
	found := map[string]Found{}
	if l.plan == nil || len(members) == 0 {
		return found
	}
	s := &search{Locator: l, wanted: map[string]bool{}, around: map[string]bool{}, holds: map[*node]bool{}, found: found}
	for _, member := range members {
		s.wanted[member] = true
		for group := member; ; {
			i := strings.LastIndexAny(group, ".[")
			if i < 0 {
				break
			}
			group = group[:i]
			s.around[group] = true
		}
	}
	root := inside{traced: traced{l.plan.tree, l.root}}
	if l.written != nil {
		root.group = l.written.root
	}
	root.owner = root.traced
	s.below(root)
	return found
}

// search is one run of Find.
type search struct {
	*Locator
	wanted map[string]bool
	around map[string]bool // the groups and entries that they are in
	holds  map[*node]bool  // rows below which a text is that of a wanted member, counted from the invoice
	found  map[string]Found
}

// inside is an element with the group that its members are in.
type inside struct {
	traced
	owner  traced        // the element of the group
	group  reflect.Value // invalid where the invoice is not known
	prefix string        // path of the group
}

// below looks through the elements of an element.
func (s *search) below(at inside) {
	for c := range elements(s.doc, at.el) {
		row := s.match(at.row, c)
		if row == nil {
			continue
		}
		in := at
		in.traced = traced{row, c}
		if row.scope == nil || s.enters(&in) {
			s.members(in)
			s.below(in)
		}
	}
}

// enters goes into the group that an element opens, and tells whether a wanted member may be in it.
func (s *search) enters(in *inside) bool {
	scope := in.row.scope
	index := s.index(in.owner, in.traced, in.group)
	in.prefix, in.group, in.owner = scope.entry(in.prefix, index), scope.enter(in.group, index), in.traced
	s.take(in.prefix, Found{in.el, in.row.term})
	if scope.list {
		s.take(in.prefix[:strings.LastIndexByte(in.prefix, '[')], Found{in.el, in.row.term})
	}
	return s.around[in.prefix] || s.wanted[in.prefix] || s.ofInvoice(in.row)
}

// members takes the members that an element and its attributes hold.
func (s *search) members(in inside) {
	s.take(in.row.place(in.prefix), Found{in.el, in.row.term})
	for _, name := range in.row.joins() {
		s.take(join(in.prefix, name), Found{in.el, in.row.term})
	}
	for a := range attributes(s.doc, in.el) {
		if known := in.row.attributeNumbered(s.number(a)); known != nil && known.leaf != nil {
			s.take(known.leaf.below(in.prefix), Found{a, known.term})
		}
	}
}

func (s *search) take(member string, at Found) {
	if _, known := s.found[member]; !known && s.wanted[member] {
		s.found[member] = at
	}
}

// ofInvoice tells whether some text below a row is that of a wanted member wherever the row stands.
func (s *search) ofInvoice(n *node) bool {
	if holds, known := s.holds[n]; known {
		return holds
	}
	s.holds[n] = false // which ends the walk through lines within lines
	holds := n.leaf != nil && n.leaf.absolute && s.wanted[n.leaf.name]
	for _, c := range n.children {
		holds = holds || s.ofInvoice(c)
	}
	s.holds[n] = holds
	return holds
}
