package xsd

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// assembler turns the positions of a content model into its automaton. It expands elements to their substitution groups and
// checks that every element of a document can be attributed to one particle (clause 3.8.6, Unique Particle Attribution).
type assembler struct {
	substitutes map[*element][]*element // for heads: all members, without the head
	shared      map[string]*state       // states of one model with many edges, by their edges
	stamps      []uint32                // round in which an edge of a name was last seen
	round       uint32
	budget      int // edges left for all content models
}

func newAssembler(substitutes map[*element][]*element) *assembler {
	return &assembler{substitutes: substitutes, shared: map[string]*state{}, budget: maxEdges}
}

// model compiles p, which is nil for empty content. The error says in a sentence what is ambiguous or too large.
//
// Counters keep maxOccurs="1000" from being a thousand states. Where a counted group lies in another and the counters leave
// open which of them counts on, the particles are written out instead, and the states are sets of positions.
func (a *assembler) model(p *particle) (*model, error) {
	switch {
	case a.budget < 0:
		return nil, errModelSize
	case p.empty():
		return nil, nil
	}
	if p.term == termAll {
		return a.all(p)
	}
	p = p.simplified()
	g := &glushkov{budget: &a.budget}
	if err := g.build(p); err != nil {
		return nil, err
	}
	m, err := a.assemble(g)
	if err != errCounters {
		return m, err
	}
	g = &glushkov{budget: &a.budget, writeOut: true}
	if err := g.build(p); err != nil {
		return nil, err
	}
	return a.subsets(g.positions)
}

// errCounters says that counters alone do not tell which of several steps to take.
var errCounters = fmt.Errorf("the counts of the content model are ambiguous")

// add adds edges to a position for an element and what may stand in a document for it.
func (a *assembler) add(s *state, e *element, to int32, o *ops) {
	s.edges = append(s.edges, edge{e.sym, to, o, e})
	if a.budget -= len(a.substitutes[e]); a.budget < 0 {
		return
	}
	for _, sub := range a.substitutes[e] {
		if !sub.abstract {
			s.edges = append(s.edges, edge{sub.sym, to, o, sub})
		}
	}
}

// all is the automaton of an all group: one state that counts each member (clause 3.8.1). The start is a copy of that state,
// because an optional group may be left out as a whole, but not in part.
func (a *assembler) all(p *particle) (*model, error) {
	m := &model{states: make([]state, 2), counters: len(p.children)}
	s := &m.states[1]
	s.accepts = true
	for i, c := range p.children {
		n := int32(i)
		o := &ops{[]guard{{n, 0, 0}}, []action{{n, false}}}
		a.add(s, c.element, 1, o)
		if c.min > 0 {
			s.ends = append(s.ends, guard{n, 1, 1})
		}
	}
	m.states[0] = state{edges: s.edges, accepts: true, ends: s.ends}
	if p.min == 0 {
		m.states[0].ends = nil
	}
	seen := map[sym]bool{}
	for _, e := range s.edges {
		if seen[e.sym] {
			return nil, ambiguous(e.decl.name)
		}
		seen[e.sym] = true
	}
	a.finish(m)
	return m, nil
}

// assemble makes a state of each position.
func (a *assembler) assemble(g *glushkov) (*model, error) {
	positions := g.positions
	m := &model{states: make([]state, len(positions)), counters: len(g.least)}
	for i := range positions {
		p := &positions[i]
		if err := g.check(p, i); err != nil {
			return nil, err
		}
		s := &m.states[i]
		s.accepts, s.ends = p.last, p.ends
		for _, t := range p.follow {
			a.edges(s, positions[t.to].leaf, t.to, t.ops)
		}
		if err := a.deterministic(s, positions); err != nil {
			return nil, err
		}
	}
	if a.budget < 0 {
		return nil, errModelSize
	}
	a.finish(m)
	return m, nil
}

// edges adds the edges that lead to the position of a leaf.
func (a *assembler) edges(s *state, leaf *particle, to int32, o *ops) {
	if leaf.term == termWildcard {
		s.wild = append(s.wild, wildEdge{leaf.wildcard, to, o})
		return
	}
	a.add(s, leaf.element, to, o)
}

// check removes steps that another one makes needless, and sorts the rest: to the position itself, to what comes after it,
// and to what comes before. Two steps to the same position that may both be taken and both be needed are errCounters.
func (g *glushkov) check(p *position, self int) error {
	// The first edge that passes is taken: to repeat a particle comes before going on to the next.
	rank := func(t step) int {
		switch n := int(t.to); {
		case n == self:
			return 0
		case n > self:
			return n
		default:
			return n + len(g.positions)
		}
	}
	slices.SortStableFunc(p.follow, func(a, b step) int { return rank(a) - rank(b) })
	kept := p.follow[:0]
	for _, t := range p.follow {
		needless := false
		for i := len(kept) - 1; i >= 0 && kept[i].to == t.to && !needless; i-- {
			switch {
			case g.serves(&kept[i], &t):
				needless = true
			case g.serves(&t, &kept[i]):
				kept[i], needless = t, true
			case !exclusive(kept[i].ops, t.ops):
				return errCounters
			}
		}
		if !needless {
			kept = append(kept, t)
		}
	}
	p.follow = kept
	return nil
}

// serves tells whether step a does as well as b wherever b may be taken: it asks for no more, and b only counts further
// counters on, which nothing asks to be high.
func (g *glushkov) serves(a, b *step) bool {
	for _, x := range a.ops.conditions() {
		if !slices.Contains(b.ops.conditions(), x) {
			return false
		}
	}
	for _, x := range a.ops.changes() {
		if !slices.Contains(b.ops.changes(), x) {
			return false
		}
	}
	for _, x := range b.ops.changes() {
		if !slices.Contains(a.ops.changes(), x) && (!x.add || g.least[x.counter] > 1) {
			return false
		}
	}
	return true
}

// exclusive tells whether the conditions of two steps or edges never hold together.
func exclusive(a, b *ops) bool {
	for _, x := range a.conditions() {
		for _, y := range b.conditions() {
			if x.counter == y.counter && (x.max != unbounded && x.max < y.min || y.max != unbounded && y.max < x.min) {
				return true
			}
		}
	}
	return false
}

// deterministic checks that no element can take edges to two positions.
func (a *assembler) deterministic(s *state, positions []position) error {
	a.round++
	for i := range s.edges {
		e := &s.edges[i]
		if int(e.sym) >= len(a.stamps) {
			a.stamps = append(a.stamps, make([]uint32, int(e.sym)+1-len(a.stamps))...)
		}
		if a.stamps[e.sym] != a.round {
			a.stamps[e.sym] = a.round
			continue
		}
		for j := range i {
			o := &s.edges[j]
			if o.sym == e.sym && o.to != e.to && positions[o.to].leaf != positions[e.to].leaf && !exclusive(o.ops, e.ops) {
				return ambiguous(e.decl.name)
			}
		}
	}
	return s.deterministicWildcards(positions)
}

func (s *state) deterministicWildcards(positions []position) error {
	for i := range s.wild {
		w := &s.wild[i]
		for j := range s.edges {
			if e := &s.edges[j]; w.wildcard.spaces.has(e.decl.name.Space) && !exclusive(w.ops, e.ops) {
				return ambiguous(e.decl.name)
			}
		}
		for j := range i {
			o := &s.wild[j]
			if positions[o.to].leaf != positions[w.to].leaf && o.wildcard.spaces.meets(w.wildcard.spaces) && !exclusive(o.ops, w.ops) {
				return fmt.Errorf("an element may match two wildcards")
			}
		}
	}
	return nil
}

func ambiguous(name xmltree.Name) error {
	return fmt.Errorf("the element %s may match two parts of the content model", name.Local)
}

// finish indexes states with many edges and lets equal ones share their memory.
func (a *assembler) finish(m *model) {
	for i := range m.states {
		s := &m.states[i]
		if len(s.edges) <= manyEdges {
			continue
		}
		key := s.key()
		if o := a.shared[key]; o != nil && key != "" {
			s.edges, s.index = o.edges, o.index
			continue
		}
		s.index = make(map[sym]int32, len(s.edges))
		for j := len(s.edges) - 1; j >= 0; j-- {
			s.index[s.edges[j].sym] = int32(j)
		}
		if key != "" {
			a.shared[key] = s
		}
	}
	clear(a.shared)
}

// key is the same for states of one model with the same edges; empty where counters are involved.
func (s *state) key() string {
	sorted := slices.Clone(s.edges)
	slices.SortStableFunc(sorted, func(a, b edge) int { return int(a.to) - int(b.to) })
	var key []byte
	for _, e := range sorted {
		if e.ops != nil {
			return ""
		}
		key = binary.AppendUvarint(binary.AppendUvarint(key, uint64(e.to)), uint64(e.sym))
	}
	return string(key)
}
