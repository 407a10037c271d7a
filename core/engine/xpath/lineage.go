package xpath

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// What a node may match is decided by names first: its own and those of all nodes above it. They are a path from the document node
// down. Documents of one kind have the same few hundred paths over and over, so that what a selector has for a path is found once, and
// contexts that no node of a document stands in cost nothing.

// paths keeps what a selector has found, for one table of names.
type paths struct {
	names   []nameClass // by key
	classes []pathClass // by number of the path; 0 is the document node
	steps   stepTable
	trail   []trailStep // the node looked at last and some of those above it, from the top
	t       *tree       // that the trail lies in
	stamp   uint64      // the same
	known   int         // names of the program in the table when the first was found
}

// nameClass says what the alternatives of a selector ask of elements or attributes of one name.
type nameClass struct {
	asks  asking
	class *pathClass // where the names above do not matter
}

// asking is what must be known of a node beside its kind and name.
type asking uint8

const (
	notAsked asking = iota
	nothing                  // no alternative is for them
	itself                   // the names above it do not matter
	above                    // they do
	written  asking = 1 << 7 // with one of the two before: its name as it is written matters, too
)

// and is what must be known where both must.
func (a asking) and(b asking) asking { return max(a&^written, b&^written) | (a|b)&written }

// pathClass is what nodes with one path may match.
type pathClass struct {
	known      bool
	written    string // the name with its prefix, where that matters
	candidates []*selectorPart
	certain    []Match // what they do match, if names are all that is asked for
}

// trailStep is an element of which the path is known.
type trailStep struct {
	node, end xmltree.Node
	path      uint32
}

// mostPaths bounds the paths that are kept: when a document has more, all are forgotten.
const mostPaths = 1 << 12

// pathsOf gives what is known for the names of a document.
func (s *Selector) pathsOf(m *Machine, t *tree) *paths {
	p := &t.words.paths[s.number]
	if p.t != t || p.stamp != m.stamp {
		if p.known != t.words.known { // what was found may rest on that there are no nodes with a certain name
			*p = paths{known: t.words.known}
		}
		p.t, p.stamp, p.trail = t, m.stamp, p.trail[:0]
	}
	if len(p.classes) == 0 {
		p.forget()
	}
	return p
}

// forget empties what is kept by path.
func (p *paths) forget() {
	p.classes, p.trail = append(p.classes[:0], pathClass{}), p.trail[:0]
	p.steps.clear()
}

// nameKey tells elements and attributes of all names apart; 0 stands for nodes of other kinds.
func nameKey(doc *xmltree.Document, n xmltree.Node) uint32 {
	switch doc.Kind(n) {
	case xmltree.KindElement:
		return uint32(doc.Name(n)) << 1
	case xmltree.KindAttribute:
		return uint32(doc.Name(n))<<1 | 1
	}
	return 0
}

// hasNothing tells whether it is known that no alternative is for nodes with a key.
func (p *paths) hasNothing(key uint32) bool {
	return int(key) < len(p.names) && p.names[key].asks == nothing
}

// named gives what is asked of nodes with the key of f.
func (s *Selector) named(p *paths, f node, key uint32) *nameClass {
	for int(key) >= len(p.names) {
		p.names = append(p.names, nameClass{})
	}
	class := &p.names[key]
	if class.asks == notAsked {
		if class.asks = s.asksOf(f); class.asks&^written == itself {
			class.class = &pathClass{}
		}
	}
	return class
}

// asksOf goes through all alternatives for the kind and name of a node.
func (s *Selector) asksOf(f node) asking {
	asks, prefix := nothing, asking(0)
	for i := range s.parts {
		part := &s.parts[i]
		if !part.test.match(f) {
			continue
		}
		asks, prefix = max(asks, part.asking&^written), prefix|part.asking&written
		if slices.ContainsFunc(part.absent, func(name int) bool { return f.t.ids[name] != 0 }) {
			asks = above
		}
	}
	return asks | prefix
}

// pathOf gives the number of the path of an element or the document node, which is at the end of the trail then.
func (p *paths) pathOf(n xmltree.Node) uint32 {
	at := len(p.trail)
	for at > 0 && (n < p.trail[at-1].node || n >= p.trail[at-1].end) {
		at--
	}
	p.trail = p.trail[:at]
	switch {
	case at > 0 && p.trail[at-1].node == n:
		return p.trail[at-1].path
	case n == 0:
		return 0
	}
	doc := p.t.doc
	path := p.below(p.pathOf(doc.Parent(n)), nameKey(doc, n))
	p.trail = append(p.trail, trailStep{n, doc.End(n), path})
	return path
}

// below gives the number of the path that ends with a name below another.
func (p *paths) below(parent, key uint32) uint32 {
	number, isNew := p.steps.number(uint64(parent)<<32|uint64(key), uint32(len(p.classes)))
	if isNew {
		p.classes = append(p.classes, pathClass{})
	}
	return number
}

// class gives what a node may match judging by names. It is good until the next call.
func (s *Selector) class(m *Machine, p *paths, f node) *pathClass {
	key := nameKey(f.t.doc, f.n)
	if key == 0 {
		return &pathClass{candidates: s.find(m, f)} // a few nodes of rare kinds
	}
	name := s.named(p, f, key)
	class := name.class
	switch name.asks &^ written {
	case nothing:
		return &matchesNothing
	case above:
		class = p.at(f.n, key)
	}
	if !class.known || name.asks&written != 0 && !isWritten(f.t.doc, f.n, class.written) {
		list := s.find(m, f)
		*class = pathClass{known: true, candidates: list, certain: certain(list)}
		if name.asks&written != 0 {
			class.written = string(f.t.doc.QName(f.n))
		}
	}
	return class
}

// at gives the class of a node by its path.
func (p *paths) at(n xmltree.Node, key uint32) *pathClass {
	if len(p.classes) > mostPaths {
		p.forget()
	}
	doc := p.t.doc
	path := p.below(p.pathOf(doc.Parent(n)), key)
	if end := doc.End(n); end > n+2 { // there is more in it than a text
		p.trail = append(p.trail, trailStep{n, end, path})
	}
	return &p.classes[path]
}

// matchesNothing is the class of nodes that no alternative is for.
var matchesNothing pathClass

// isWritten tells whether the source writes the name of an element or attribute like that.
func isWritten(doc *xmltree.Document, n xmltree.Node, name string) bool {
	from := doc.Offset(n)
	if doc.Kind(n) == xmltree.KindElement {
		from++
	}
	source := doc.Source()[from:]
	if len(source) <= len(name) || string(source[:len(name)]) != name {
		return false
	}
	switch source[len(name)] {
	case ' ', '\t', '\r', '\n', '/', '>', '=':
		return true
	}
	return false
}

// find goes through all alternatives, and leaves out those behind one of their group that names suffice for.
func (s *Selector) find(m *Machine, f node) []*selectorPart {
	var list []*selectorPart
	settled := -1
	for i := range s.parts {
		part := &s.parts[i]
		if part.group == settled || !part.test.match(f) || !part.pathHolds(m, f) {
			continue
		}
		list = append(list, part)
		if !part.asks() {
			settled = part.group
		}
	}
	return list
}

// asks tells whether there is something to ask beyond the names.
func (p *selectorPart) asks() bool { return p.from != nil || p.text != nil || len(p.rest) > 0 }

func (p *selectorPart) pathHolds(m *Machine, f node) bool {
	return !slices.ContainsFunc(p.byPath, func(holds boolFunc) bool { return !holds(m, f) })
}

// certain gives the matches of alternatives none of which asks for more than names; nil for others.
func certain(list []*selectorPart) []Match {
	var all []Match
	for _, part := range list {
		if part.asks() {
			return nil
		}
		all = append(all, Match{Group: part.group, Index: part.index})
	}
	return all
}
