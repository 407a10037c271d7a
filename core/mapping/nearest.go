package mapping

import (
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// route is the way from the document element to the row of a business term.
type route struct {
	rows []*node    // the document element first
	attr *attribute // where the term is an attribute of the last row's element
}

// findRoutes lists the routes to each term of the table.
func (p *plan) findRoutes() map[string][]route {
	found := routes{}
	found.below([]*node{p.tree})
	return found
}

// routes are by business term.
type routes map[string][]route

func (found routes) below(way []*node) {
	last := way[len(way)-1]
	if last.term != "" && last.row != nil {
		found.add(last.term, route{rows: way})
	}
	for i := range last.attrs {
		if a := &last.attrs[i]; a.leaf != nil && a.term != "" && a.term != last.term {
			found.add(a.term, route{rows: way, attr: a})
		}
	}
	if last.again != nil {
		return // its children are those of the group it stands in
	}
	for _, c := range last.children {
		found.below(append(way[:len(way):len(way)], c))
	}
}

func (found routes) add(terms string, r route) {
	for term := range strings.FieldsSeq(terms) {
		found[term] = append(found[term], r)
	}
}

// Seen is the place that a business term has as seen from a node.
type Seen struct {
	Place
	Shared  int  // elements that the ways to the place and to the node have in common
	Present bool // the document has the term, or at least something at its place
}

// Nearest gives the place that a business term or group has as seen from a node, whether the document has it or not. Of
// several rows with the term the one counts that shares most of its way with the node. Entries of lists are those that the
// node is in, or the only ones there are; else the path ends with the list. It is false for a term that the table does not have.
func (l *Locator) Nearest(term string, from xmltree.Node) (Seen, bool) {
	if l.plan == nil {
		return Seen{}, false
	}
	routes := l.plan.routes()[term]
	if len(routes) == 0 {
		return Seen{}, false
	}
	trail, _ := l.trace(from)
	best, most, done := route{}, 0, 0
	for _, r := range routes {
		if n, rows := shared(trail, r.rows); n > most {
			best, most, done = r, n, rows
		}
	}
	trail = l.extend(trail[:most:most], best.rows[done:])
	place, prefix, whole := l.follow(trail)
	place.Term = term
	el := trail[len(trail)-1].el
	seen := Seen{Place: place, Shared: most, Present: el != xmltree.None}
	if a := best.attr; a != nil && whole {
		seen.Field = a.leaf.below(prefix)
		seen.Present = seen.Present && l.has(el, a)
	}
	return seen, true
}

// has tells whether an element has an attribute.
func (l *Locator) has(el xmltree.Node, a *attribute) bool {
	for n := range attributes(l.doc, el) {
		if l.number(n) == a.name {
			return true
		}
	}
	return false
}

// shared counts the elements of a trail that a route begins with, and its rows that these are of. Entries within entries, which
// a trail may go through, count for the row that they are in.
func shared(trail []traced, route []*node) (elements, rows int) {
	for ; elements < len(trail); elements++ {
		at := trail[elements].row
		switch {
		case rows < len(route) && at == route[rows]:
			rows++
		case rows > 0 && at.again != nil && (at == route[rows-1] || at.again == route[rows-1]):
		default:
			return elements, rows
		}
	}
	return elements, rows
}

// extend goes on along rows, through the elements that are the only ones of their row.
func (l *Locator) extend(trail []traced, rows []*node) []traced {
	for _, row := range rows {
		last := trail[len(trail)-1]
		trail = append(trail, traced{row, l.only(last, row)})
	}
	return trail
}

// only gives the element of a row where its parent has exactly one.
func (l *Locator) only(parent traced, row *node) xmltree.Node {
	found := xmltree.None
	if parent.el == xmltree.None {
		return found
	}
	for c := range elements(l.doc, parent.el) {
		if l.match(parent.row, c) != row {
			continue
		}
		if found != xmltree.None {
			return xmltree.None
		}
		found = c
	}
	return found
}

// Missing gives the place of a member that a document lacks, where its schema requires one of some elements below parent, by their names as
// the document writes them: of the one that EN 16931 requires, or of the only one there is. False where that has no place.
func (l *Locator) Missing(parent xmltree.Node, names []string) (Place, bool) {
	if l.plan == nil {
		return Place{}, false
	}
	trail, rest := l.trace(parent)
	if rest != xmltree.None {
		return Place{}, false
	}
	for _, row := range trail[len(trail)-1].row.children {
		card := row.card()
		if !slices.Contains(names, row.qname) || len(names) > 1 && card != One && card != OneOrMore {
			continue
		}
		if place, _, _ := l.follow(append(trail[:len(trail):len(trail)], traced{row, xmltree.None})); place.Field != "" {
			return place, true
		}
	}
	return Place{}, false
}

// card is the cardinality of the element's row.
func (n *node) card() Cardinality {
	if n.row == nil {
		return Optional
	}
	return n.row.card
}
