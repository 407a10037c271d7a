package xsd

import "github.com/einvoiced/einvoiced/core/engine/xmltree"

// unexpected reports child c, which may not stand where it does, and finds the state in which to go on: after the missing
// elements that it needs before it, else where it was.
func (w *walk) unexpected(c xmltree.Node, name sym) {
	v, m := w.v, w.typ.model
	if name != 0 && w.last == name && w.lastAt == w.at { // one report is enough for a row of them
		if w.lastDecl != nil {
			v.element(c, w.lastDecl)
		}
		return
	}
	here := &m.states[w.at]
	w.last, w.lastAt, w.lastDecl = name, w.at, nil
	switch e := here.named(name); {
	case e != nil:
		w.report(c, "it occurs too often; ")
		w.lastDecl = e.decl
	default:
		if e = m.ahead(w.at, name); e != nil {
			if !w.excused {
				w.report(c, "")
			}
			w.excused = false
			e.ops.run(v.counts[w.base:])
			w.at = e.to
			v.element(c, e.decl)
			return
		}
		w.report(c, "")
		if e = m.anywhere(name); e == nil {
			w.excused = true
			return
		}
		w.lastDecl = e.decl
	}
	v.element(c, w.lastDecl)
}

// report reports an element that is not expected.
func (w *walk) report(c xmltree.Node, why string) {
	if !w.v.stopped {
		s := &w.typ.model.states[w.at]
		w.v.violation(KindElementNotExpected, c, "%s is not expected here: %s%s", w.v.tag(c), why, w.alternatives(s, c))
		w.v.expects(s, w.counts(), w.parent)
	}
}

// alternatives says what may stand here instead of c.
func (w *walk) alternatives(s *state, c xmltree.Node) string {
	all := w.v.expected(s, w.counts(), w.parent, xmltree.Name{Space: w.v.doc.Namespace(c), Local: w.v.doc.Local(c)})
	end := s.complete(w.counts())
	switch {
	case len(all) == 0:
		return w.v.tag(w.parent) + " holds no further elements"
	case end:
		return "expected is " + oneOf(append(all, "the end of "+w.v.tag(w.parent)))
	}
	return "expected is " + oneOf(all)
}

// named gives an edge of that name whether its conditions hold or not.
func (s *state) named(name sym) *edge {
	for i := range s.edges {
		if s.edges[i].sym == name && name != 0 {
			return &s.edges[i]
		}
	}
	return nil
}

// ahead gives the edge of that name that is the fewest elements away from a state, or nil. Counters are not looked at: after
// a fault they say little.
func (m *model) ahead(from int32, name sym) *edge {
	if name == 0 {
		return nil
	}
	seen := make([]bool, len(m.states))
	seen[from] = true
	queue := []int32{from}
	for len(queue) > 0 {
		s := &m.states[queue[0]]
		queue = queue[1:]
		if e := s.named(name); e != nil {
			return e
		}
		for i := range s.edges {
			if to := s.edges[i].to; !seen[to] {
				seen[to] = true
				queue = append(queue, to)
			}
		}
		for i := range s.wild {
			if to := s.wild[i].to; !seen[to] {
				seen[to] = true
				queue = append(queue, to)
			}
		}
	}
	return nil
}

// anywhere gives any edge of that name.
func (m *model) anywhere(name sym) *edge {
	for i := range m.states {
		if e := m.states[i].named(name); e != nil {
			return e
		}
	}
	return nil
}
