package xpath

import (
	"slices"

	"einvoiced/core/xmltree"
)

// Match is a pattern that a node matches, or of which that cannot be told.
type Match struct {
	Group, Index int
	Err          error // why it cannot be told
}

// Matches appends to dst, for n, a node of the document under evaluation, the first pattern of each group that it matches, and
// before it those of which that cannot be told, in the order of groups and patterns. n becomes the current node (see SetCurrent),
// unless its name says that it matches nothing. An error that is not one of the language ends the search.
func (s *Selector) Matches(m *Machine, n xmltree.Node, dst []Match) ([]Match, error) {
	f := node{m.doc, n}
	c := s.class(m, f)
	if len(c.candidates) == 0 {
		return dst, nil
	}
	m.SetCurrent(n)
	if c.certain != nil {
		return append(dst, c.certain...), nil
	}
	for at := 0; at < len(c.candidates); {
		part, err := s.search(m, f, c.candidates, &at, &dst)
		switch {
		case err == nil:
		case Code(err) == "":
			return dst, err
		default:
			dst = append(dst, Match{part.group, part.index, err})
		}
	}
	return dst, nil
}

// search tries candidates from *at on until all are tried or one fails.
func (s *Selector) search(m *Machine, f node, list []*selectorPart, at *int, dst *[]Match) (part *selectorPart, err error) {
	defer m.recover(&err)
	key, text := 0, ""
	for *at < len(list) {
		part = list[*at]
		*at++
		if part.from != nil && !part.from(m, f) {
			continue
		}
		if part.text != nil {
			if key != part.key {
				key, text = 0, part.text(m, f)
				key = part.key
			}
			if text != part.value {
				continue
			}
		}
		if part.rest != nil && !part.rest(m, f) {
			continue
		}
		*dst = append(*dst, Match{Group: part.group, Index: part.index})
		for *at < len(list) && list[*at].group == part.group {
			*at++
		}
	}
	return part, nil
}

// nameClass is what nodes of one kind and name may match.
type nameClass struct {
	known   bool
	none    bool   // no alternative is for nodes of that kind and name
	named   bool   // the name as written matters, too
	written string // then: the name with its prefix that parents are for
	parents []parentClass
}

// parentClass is what those of them may match whose parent has a certain name.
type parentClass struct {
	parent     xmltree.NameID // 0 for the document node
	candidates []*selectorPart
	certain    []Match // what they do match, if names are all that is asked for
}

// classes keeps the classes of a selector for one table of names: by twice the id of the name for elements, and one more for
// attributes. Nodes of other kinds, which few rules match, have none.
type classes []nameClass

// class gives what a node may match judging by its name and that of its parent. It is good until the next call.
func (s *Selector) class(m *Machine, f node) *parentClass {
	doc, known := f.t.doc, &f.t.words.classes[s.number]
	at := int(doc.Name(f.n)) * 2
	switch doc.Kind(f.n) {
	case xmltree.KindElement:
	case xmltree.KindAttribute:
		at++
	default:
		return &parentClass{candidates: s.find(m, f)}
	}
	for at >= len(*known) {
		*known = append(*known, nameClass{})
	}
	class := &(*known)[at]
	if !class.known {
		*class = nameClass{known: true, none: !s.asksFor(f), named: s.asksForPrefix(f)}
	}
	if class.none {
		return &matchesNothing
	}
	parent := doc.Name(doc.Parent(f.n))
	if class.named && class.written != string(doc.QName(f.n)) {
		class.written, class.parents = string(doc.QName(f.n)), nil
	}
	for i := range class.parents {
		if class.parents[i].parent == parent {
			return &class.parents[i]
		}
	}
	list := s.find(m, f)
	class.parents = append(class.parents, parentClass{parent, list, certain(list)})
	return &class.parents[len(class.parents)-1]
}

// matchesNothing is the class of nodes that no alternative is for.
var matchesNothing parentClass

// asksFor tells whether any alternative is for nodes of the kind and name of a node.
func (s *Selector) asksFor(f node) bool {
	return slices.ContainsFunc(s.parts, func(p selectorPart) bool { return p.test.match(f) })
}

// asksForPrefix tells whether any alternative looks at the name of a node as it is written.
func (s *Selector) asksForPrefix(f node) bool {
	return slices.ContainsFunc(s.parts, func(p selectorPart) bool { return p.byName != nil && p.test.match(f) })
}

// find goes through all alternatives, and leaves out those behind one of their group that names suffice for.
func (s *Selector) find(m *Machine, f node) []*selectorPart {
	var list []*selectorPart
	settled := -1
	for i := range s.parts {
		part := &s.parts[i]
		if part.group == settled || !part.test.match(f) || !part.nameHolds(m, f) || !part.parentHolds(f) {
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
func (p *selectorPart) asks() bool { return p.from != nil || p.text != nil || p.rest != nil }

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

func (p *selectorPart) nameHolds(m *Machine, f node) bool {
	return !slices.ContainsFunc(p.byName, func(holds boolFunc) bool { return !holds(m, f) })
}

func (p *selectorPart) parentHolds(f node) bool {
	parent := f.t.doc.Parent(f.n)
	return p.parent == nil || parent != xmltree.None && isElementOf(f.t.doc, parent, p.parent, f.t.ids)
}
