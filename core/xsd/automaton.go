package xsd

import (
	"encoding/binary"
	"fmt"
	"slices"

	"einvoiced/core/xmltree"
)

// assembler turns the positions of a content model into its automaton. It expands elements to their substitution groups and
// checks that every element of a document can be attributed to one particle (clause 3.8.6, Unique Particle Attribution).
type assembler struct {
	substitutes map[*element][]*element // for heads: all members, without the head
	shared      map[string]*state       // states with many edges, by their edges
}

// model compiles p, which is nil for empty content. The error says in a sentence what is ambiguous or too large.
func (a *assembler) model(p *particle) (*model, error) {
	if p.empty() {
		return nil, nil
	}
	if p.term == termAll {
		return a.all(p), nil
	}
	p = p.simplified()
	g := &glushkov{}
	if err := g.build(p); err != nil {
		return nil, err
	}
	m, err := a.assemble(g.positions, int(g.counters))
	if err != errCounters {
		return m, err
	}
	g = &glushkov{writeOut: true}
	if err := g.build(p); err != nil {
		return nil, err
	}
	return a.subsets(g.positions)
}

// errCounters says that counters alone do not tell which of several steps to take.
var errCounters = fmt.Errorf("the counts of the content model are ambiguous")

// members are the element itself and what may substitute for it.
func (a *assembler) members(e *element) []*element {
	return append([]*element{e}, a.substitutes[e]...)
}

// all is the automaton of an all group: one state that counts each member (clause 3.8.1).
func (a *assembler) all(p *particle) *model {
	m := &model{states: make([]state, 2), counters: len(p.children)}
	s := &m.states[1]
	s.accepts = true
	for i, c := range p.children {
		n := int32(i)
		o := &ops{[]guard{{n, 0, 0}}, []action{{n, false}}}
		for _, e := range a.members(c.element) {
			s.edges = append(s.edges, edge{e.sym, 1, o, e})
		}
		if c.min > 0 {
			s.ends = append(s.ends, guard{n, 1, 1})
		}
	}
	m.states[0] = state{edges: s.edges, accepts: true, ends: s.ends}
	if p.min == 0 {
		m.states[0].ends = nil
	}
	a.finish(m)
	return m
}

// assemble makes a state of each position.
func (a *assembler) assemble(positions []position, counters int) (*model, error) {
	m := &model{states: make([]state, len(positions)), counters: counters}
	for i := range positions {
		p := &positions[i]
		if err := p.check(i, len(positions)); err != nil {
			return nil, err
		}
		s := &m.states[i]
		s.accepts, s.ends = p.last, p.ends
		for _, t := range p.follow {
			a.edges(s, positions[t.to].leaf, t.to, t.shared())
		}
		if err := s.deterministic(positions); err != nil {
			return nil, err
		}
	}
	a.finish(m)
	return m, nil
}

func (t *step) shared() *ops {
	if len(t.guards)+len(t.actions) == 0 {
		return nil
	}
	return &t.ops
}

// edges adds the edges that lead to the position of a leaf.
func (a *assembler) edges(s *state, leaf *particle, to int32, o *ops) {
	if leaf.term == termWildcard {
		s.wild = append(s.wild, wildEdge{leaf.wildcard, to, o})
		return
	}
	for _, e := range a.members(leaf.element) {
		s.edges = append(s.edges, edge{e.sym, to, o, e})
	}
}

// check removes steps that are twice the same, and sorts the rest: to the position itself, to what comes after it, and to
// what comes before. Two steps to the same position that may both be taken are errCounters.
func (p *position) check(self, positions int) error {
	rank := func(t step) int {
		switch n := int(t.to); {
		case n == self:
			return 0
		case n > self:
			return n
		default:
			return n + positions
		}
	}
	slices.SortStableFunc(p.follow, func(a, b step) int { return rank(a) - rank(b) })
	kept := p.follow[:0]
	for _, t := range p.follow {
		twice := false
		for i := len(kept) - 1; i >= 0 && kept[i].to == t.to && !twice; i-- {
			switch {
			case slices.Equal(kept[i].guards, t.guards) && slices.Equal(kept[i].actions, t.actions):
				twice = true
			case !exclusive(kept[i].guards, t.guards):
				return errCounters
			}
		}
		if !twice {
			kept = append(kept, t)
		}
	}
	p.follow = kept
	return nil
}

// exclusive tells whether two lists of guards never hold together.
func exclusive(a, b []guard) bool {
	for _, x := range a {
		for _, y := range b {
			if x.counter == y.counter && (x.max != unbounded && x.max < y.min || y.max != unbounded && y.max < x.min) {
				return true
			}
		}
	}
	return false
}

func (o *ops) conditions() []guard {
	if o == nil {
		return nil
	}
	return o.guards
}

// deterministic checks that no element can take edges to two positions.
func (s *state) deterministic(positions []position) error {
	byName := make(map[sym][]*edge, len(s.edges))
	for i := range s.edges {
		e := &s.edges[i]
		for _, o := range byName[e.sym] {
			if o.to != e.to && positions[o.to].leaf != positions[e.to].leaf && !exclusive(o.ops.conditions(), e.ops.conditions()) {
				return ambiguous(e.decl.name)
			}
		}
		byName[e.sym] = append(byName[e.sym], e)
	}
	for i := range s.wild {
		w := &s.wild[i]
		for j := range s.edges {
			if e := &s.edges[j]; w.wildcard.spaces.has(e.decl.name.Space) && !exclusive(w.ops.conditions(), e.ops.conditions()) {
				return ambiguous(e.decl.name)
			}
		}
		for j := range i {
			o := &s.wild[j]
			if positions[o.to].leaf != positions[w.to].leaf && o.wildcard.spaces.meets(w.wildcard.spaces) &&
				!exclusive(o.ops.conditions(), w.ops.conditions()) {
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

// maxSubsets bounds the states of a model without counters.
const maxSubsets = 1 << 12

// subsets makes the deterministic automaton of positions without counters: its states are sets of positions, whose
// elements all stand for the same particle.
func (a *assembler) subsets(positions []position) (*model, error) {
	b := subsetBuilder{assembler: a, positions: positions, number: map[string]int32{}, model: &model{}}
	b.state([]int32{0})
	for n := 0; n < len(b.sets); n++ {
		if err := b.expand(n); err != nil {
			return nil, err
		}
		if len(b.sets) > maxSubsets {
			return nil, errModelSize
		}
	}
	a.finish(b.model)
	return b.model, nil
}

type subsetBuilder struct {
	*assembler
	positions []position
	sets      [][]int32
	number    map[string]int32
	model     *model
}

// state gives the number of the state for a sorted set of positions.
func (b *subsetBuilder) state(set []int32) int32 {
	var key []byte
	for _, p := range set {
		key = binary.AppendUvarint(key, uint64(p))
	}
	n, ok := b.number[string(key)]
	if !ok {
		n = int32(len(b.sets))
		b.number[string(key)] = n
		b.sets = append(b.sets, set)
		b.model.states = append(b.model.states, state{})
	}
	return n
}

// expand adds the edges of state n: one set of targets for each particle that may come next.
func (b *subsetBuilder) expand(n int) error {
	targets := map[*particle][]int32{}
	var order []*particle
	accepts := false
	for _, p := range b.sets[n] {
		accepts = accepts || b.positions[p].last
		for _, t := range b.positions[p].follow {
			leaf := b.positions[t.to].leaf
			if targets[leaf] == nil {
				order = append(order, leaf)
			}
			if !slices.Contains(targets[leaf], t.to) {
				targets[leaf] = append(targets[leaf], t.to)
			}
		}
	}
	var s state
	probe := make([]position, len(order))
	for i, leaf := range order {
		probe[i].leaf = leaf
		b.edges(&s, leaf, int32(i), nil)
	}
	if err := s.deterministic(probe); err != nil {
		return err
	}
	s = state{accepts: accepts}
	for _, leaf := range order {
		set := targets[leaf]
		slices.Sort(set)
		b.edges(&s, leaf, b.state(set), nil)
	}
	b.model.states[n] = s
	return nil
}
