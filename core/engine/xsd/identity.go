package xsd

import (
	"strconv"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// constraintKind tells the identity constraints apart (XML Schema part 1, clause 3.11).
type constraintKind uint8

const (
	kindUnique constraintKind = iota
	kindKey
	kindKeyref
)

// constraint is an identity constraint.
type constraint struct {
	kind     constraintKind
	name     xmltree.Name
	selector []idPath
	fields   [][]idPath
	refer    *constraint // of a keyref
	referred bool        // whether some keyref refers to it
}

// identityState keeps what identity constraints need while elements that have some are open.
type identityState struct {
	depth    int                               // how many such elements are open
	types    []uint32                          // number of the simple type of each element and attribute checked while depth > 0, 0 for none
	clean    int                               // types[:clean] may hold numbers of this document
	values   map[xmltree.Node]*valueConstraint // of empty elements
	defaults map[missing]*attributeUse
	tables   []scopeTables
}

// missing is an attribute that is not in the document but has a default value.
type missing struct {
	element xmltree.Node
	name    xmltree.Name
}

// scopeTables holds, for an open element, the values of the keys inside that a keyref may refer to.
type scopeTables struct {
	element xmltree.Node
	keys    map[*constraint]map[string]xmltree.Node
}

func (s *identityState) reset() {
	clear(s.types[:min(s.clean, len(s.types))])
	if cap(s.types) > keepScratch {
		s.types = nil
	}
	*s = identityState{types: s.types}
}

// open prepares for the constraints of element n.
func (s *identityState) open(v *validation, n xmltree.Node, decl *element) {
	if s.depth++; s.depth > 1 {
		s.push(n)
		return
	}
	if need := v.doc.Len(); len(s.types) < need {
		s.types = make([]uint32, need)
	}
	s.clean = v.doc.Len()
	s.push(n)
}

func (s *identityState) push(n xmltree.Node) {
	s.tables = append(s.tables, scopeTables{element: n})
}

// note remembers the type of a value.
func (s *identityState) note(n xmltree.Node, t *simpleType) { s.types[n] = t.number }

// defaulted remembers that an empty element has a default value.
func (s *identityState) defaulted(n xmltree.Node, value *valueConstraint) {
	if s.depth == 0 {
		return
	}
	if s.values == nil {
		s.values = map[xmltree.Node]*valueConstraint{}
	}
	s.values[n] = value
}

// absent remembers the attributes of n that are not there but have a default value.
func (s *identityState) absent(v *validation, n xmltree.Node, t *complexType) {
	for i := range t.uses {
		use := &t.uses[i]
		if use.value == nil || v.attributeOf(n, use.sym) != xmltree.None {
			continue
		}
		if s.defaults == nil {
			s.defaults = map[missing]*attributeUse{}
		}
		s.defaults[missing{n, use.decl.name}] = use
	}
}

// close checks the constraints of element n, whose content has been checked. Keys come before references, which may be to a
// key of the same element wherever it is declared.
func (s *identityState) close(v *validation, n xmltree.Node, decl *element) {
	top := &s.tables[len(s.tables)-1]
	for _, c := range decl.constraints {
		if c.kind != kindKeyref && !v.stopped {
			s.collect(v, n, c, top)
		}
	}
	for _, c := range decl.constraints {
		if c.kind == kindKeyref && !v.stopped {
			s.refer(v, n, c, top)
		}
	}
	s.depth--
	tables := s.tables[len(s.tables)-1]
	s.tables = s.tables[:len(s.tables)-1]
	if len(s.tables) > 0 {
		s.tables[len(s.tables)-1].take(tables.keys)
	}
}

// take adds the keys of an inner element. A reference may be declared further out than its key (clause 3.11.5).
func (t *scopeTables) take(keys map[*constraint]map[string]xmltree.Node) {
	for c, inner := range keys {
		outer := t.keys[c]
		if outer == nil {
			t.set(c, inner)
			continue
		}
		for key, n := range inner {
			if _, taken := outer[key]; !taken {
				outer[key] = n
			}
		}
	}
}

func (t *scopeTables) set(c *constraint, keys map[string]xmltree.Node) {
	if t.keys == nil {
		t.keys = map[*constraint]map[string]xmltree.Node{}
	}
	t.keys[c] = keys
}

// collect checks that the values of a key or unique constraint are there and differ.
func (s *identityState) collect(v *validation, n xmltree.Node, c *constraint, top *scopeTables) {
	seen := map[string]xmltree.Node{}
	s.selected(v, n, c, func(m xmltree.Node, key string, shown []byte) {
		first, twice := seen[key]
		if twice && first != m {
			v.violation(KindIdentity, m, "%s repeats the value %s of %s, which must be unique (%s)", v.tag(m), quote(shown), v.tag(first), c.name.Local)
			return
		}
		seen[key] = m
	})
	if !c.referred {
		return
	}
	if inner := top.keys[c]; inner != nil {
		for key, m := range inner {
			if _, own := seen[key]; !own {
				seen[key] = m
			}
		}
	}
	top.set(c, seen)
}

// refer checks that the values of a keyref are among those of its key.
func (s *identityState) refer(v *validation, n xmltree.Node, c *constraint, top *scopeTables) {
	keys := top.keys[c.refer]
	s.selected(v, n, c, func(m xmltree.Node, key string, shown []byte) {
		if _, ok := keys[key]; !ok {
			v.violation(KindIdentity, m, "%s refers to %s, which no %s has (%s)", v.tag(m), quote(shown), c.refer.name.Local, c.name.Local)
		}
	})
}

// selected calls yield with every selected node that has all fields, with a key of their values.
func (s *identityState) selected(v *validation, n xmltree.Node, c *constraint, yield func(m xmltree.Node, key string, shown []byte)) {
	for i := range c.selector {
		v.spend(c.selector[i].cost(v.doc, n))
		c.selector[i].each(v.doc, n, func(m xmltree.Node) bool {
			if !v.tick() {
				return false
			}
			key, shown, complete := s.key(v, m, c)
			switch {
			case complete:
				yield(m, key, shown)
			case c.kind == kindKey:
				v.violation(KindIdentity, m, "%s lacks a value that the key %s needs", v.tag(m), c.name.Local)
			}
			return !v.stopped
		})
	}
}

// key puts the values of the fields of m together; complete is false where one is missing. Each has its length before it, or
// the fields "a", "bc" would equal "ab", "c".
func (s *identityState) key(v *validation, m xmltree.Node, c *constraint) (key string, shown []byte, complete bool) {
	var all []byte
	for _, field := range c.fields {
		part, text, ok := s.field(v, m, field, c)
		if !ok {
			return "", nil, false
		}
		all = append(strconv.AppendInt(all, int64(len(part)), 10), ':')
		all = append(all, part...)
		if len(shown) > 0 {
			shown = append(shown, ' ')
		}
		shown = append(shown, text...)
	}
	return string(all), shown, true
}

// field gives the value of a field of m; ok is false where there is none.
func (s *identityState) field(v *validation, m xmltree.Node, paths []idPath, c *constraint) (key string, text []byte, ok bool) {
	found := xmltree.None
	value := func(n xmltree.Node, t *simpleType, raw []byte) bool {
		if found != xmltree.None && found != n {
			v.violation(KindIdentity, m, "%s has more than one value for %s", v.tag(m), c.name.Local)
			return false
		}
		v.checker.place.node = n
		if key, ok = v.checker.valueKey(t, raw); ok {
			found, text = n, raw
		}
		return true
	}
	for i := range paths {
		p := &paths[i]
		v.spend(p.cost(v.doc, m))
		p.each(v.doc, m, func(n xmltree.Node) bool {
			if p.attr == nil {
				return s.elementValue(v, n, c, value)
			}
			return s.attributeValues(v, n, p.attr, value)
		})
	}
	return key, text, found != xmltree.None
}

// elementValue gives the value of an element that a field selects.
func (s *identityState) elementValue(v *validation, n xmltree.Node, c *constraint, yield func(xmltree.Node, *simpleType, []byte) bool) bool {
	t := v.schema.simple(s.types[n])
	switch {
	case t == nil:
		v.violation(KindIdentity, n, "%s has no plain value for %s", v.tag(n), c.name.Local)
		return false
	case v.isNil(n):
		return true
	case s.values[n] != nil:
		return yield(n, t, []byte(s.values[n].text))
	}
	return yield(n, t, v.doc.Value(n))
}

// attributeValues gives the values of the attributes of n that a field selects.
func (s *identityState) attributeValues(v *validation, n xmltree.Node, test *nameTest, yield func(xmltree.Node, *simpleType, []byte) bool) bool {
	first, count := v.doc.Attributes(n)
	for a := first; a < first+xmltree.Node(count); a++ {
		if !test.matches(v.doc, a) {
			continue
		}
		t := v.schema.simple(s.types[a])
		if name := v.nameOf(a); name != 0 && name <= lastInstanceSym {
			t = anySimpleType
		}
		if t != nil && !yield(a, t, v.doc.Value(a)) {
			return false
		}
	}
	if use := s.defaults[missing{n, test.name}]; use != nil {
		return yield(n, use.decl.typ, []byte(use.value.text))
	}
	return true
}
