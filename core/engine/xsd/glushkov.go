package xsd

import (
	"errors"
	"slices"
)

// Bounds so that a schema cannot ask for unlimited memory: for one content model, and for all of a schema together.
const (
	maxPositions = 1 << 14
	maxEdges     = 1 << 22
)

var errModelSize = errors.New("the content model is too large")

// glushkov builds the automaton of Glushkov over a content model. Its positions are the element and wildcard particles;
// a counted particle has one position and a counter, unless written out.
type glushkov struct {
	positions []position
	least     []int32 // the minimum of each counter
	budget    *int    // edges left
	writeOut  bool    // counted particles are written out as copies
	err       error
}

// position is an occurrence of an element or wildcard particle with what may follow it.
type position struct {
	leaf   *particle
	follow []step
	last   bool
	ends   []guard
}

// step leads to a position.
type step struct {
	to  int32
	ops *ops // nil for none
}

// fragment is a part of the content model that is under construction.
type fragment struct {
	nullable bool
	first    []entry
	last     []exit
}

type entry struct {
	to      int32
	actions []action
}

type exit struct {
	from   int32
	guards []guard
}

// build gives the positions for p; position 0 is the start.
func (g *glushkov) build(p *particle) error {
	g.positions = []position{{}}
	f := g.particle(p)
	start := &g.positions[0]
	for _, e := range f.first {
		start.follow = append(start.follow, step{e.to, newOps(nil, e.actions)})
	}
	start.last = f.nullable
	for _, x := range f.last {
		g.positions[x.from].last, g.positions[x.from].ends = true, x.guards
	}
	return g.err
}

func (g *glushkov) particle(p *particle) fragment {
	switch {
	case p.max == 0 || g.err != nil:
		return fragment{nullable: true}
	case p.min == 1 && p.max == 1:
		return g.term(p)
	case g.writeOut && (p.min > 1 || p.max > 1):
		return g.copies(p)
	}
	return g.repeat(g.term(p), p.min, p.max)
}

// term is the fragment of a particle that stands once. A choice of nothing cannot be met, not even by nothing, while a
// sequence of nothing is met by it (clause 3.8.4).
func (g *glushkov) term(p *particle) fragment {
	switch p.term {
	case termSequence:
		f := fragment{nullable: true}
		for _, c := range p.children {
			f = g.sequence(f, g.particle(c))
		}
		return f
	case termChoice:
		f := fragment{}
		for _, c := range p.children {
			x := g.particle(c)
			f.nullable = f.nullable || x.nullable
			f.first = append(f.first, x.first...)
			f.last = append(f.last, x.last...)
		}
		return f
	}
	if len(g.positions) >= maxPositions {
		g.err = errModelSize
		return fragment{nullable: true}
	}
	n := int32(len(g.positions))
	g.positions = append(g.positions, position{leaf: p})
	return fragment{first: []entry{{to: n}}, last: []exit{{from: n}}}
}

func (g *glushkov) sequence(a, b fragment) fragment {
	g.connect(a.last, b.first, nil, nil)
	f := fragment{nullable: a.nullable && b.nullable, first: a.first, last: b.last}
	if a.nullable {
		f.first = append(slices.Clip(a.first), b.first...)
	}
	if b.nullable {
		f.last = append(slices.Clip(a.last), b.last...)
	}
	return f
}

// connect adds steps from every exit to every entry, with further guards and actions. Their number is the product of both,
// which is what makes a small schema ask for much memory; the budget is that of the whole schema.
func (g *glushkov) connect(from []exit, to []entry, guards []guard, actions []action) {
	if *g.budget -= len(from) * len(to); *g.budget < 0 {
		g.err = errModelSize
		return
	}
	for _, x := range from {
		all := append(slices.Clip(x.guards), guards...)
		p := &g.positions[x.from]
		p.follow = slices.Grow(p.follow, len(to))
		for _, e := range to {
			p.follow = append(p.follow, step{e.to, newOps(all, append(slices.Clip(e.actions), actions...))})
		}
	}
}

func newOps(guards []guard, actions []action) *ops {
	if len(guards)+len(actions) == 0 {
		return nil
	}
	return &ops{guards, actions}
}

// repeat makes f occur min to max times, with a counter unless it is optional or goes on for ever. What may be empty may be
// so as often as it has to occur: its minimum is none.
func (g *glushkov) repeat(f fragment, min, max int) fragment {
	if f.nullable {
		min = 0
	}
	switch {
	case max == 1:
	case max == unbounded && min <= 1:
		g.connect(f.last, f.first, nil, nil)
	default:
		f = g.counted(f, int32(min), int32(max))
	}
	f.nullable = min == 0
	return f
}

// counted makes a counter 1 at each entry from outside and adds 1 at each return to the beginning, which must be below max;
// the way out asks for min.
func (g *glushkov) counted(f fragment, min, max int32) fragment {
	c := int32(len(g.least))
	g.least = append(g.least, min)
	below := guard{c, 0, unbounded}
	if max != unbounded {
		below.max = max - 1
	}
	again := []guard{below}
	if max == unbounded {
		again = nil
	}
	g.connect(f.last, f.first, again, []action{{c, true}})
	out := fragment{nullable: f.nullable}
	for _, e := range f.first {
		out.first = append(out.first, entry{e.to, append(slices.Clip(e.actions), action{c, false})})
	}
	for _, x := range f.last {
		if min > 1 {
			x.guards = append(slices.Clip(x.guards), guard{c, min, unbounded})
		}
		out.last = append(out.last, x)
	}
	return out
}

// copies writes a counted particle out: min times, then the rest each within the one before it. Side by side, as a?a?a?, an
// element could be any of them.
func (g *glushkov) copies(p *particle) fragment {
	f := fragment{nullable: true}
	least := p.min
	if p.max == unbounded {
		least = max(p.min-1, 0)
	}
	for i := 0; i < least && g.err == nil; i++ {
		f = g.sequence(f, g.term(p))
	}
	if p.max == unbounded {
		return g.sequence(f, g.repeat(g.term(p), min(p.min, 1), unbounded))
	}
	var rest []fragment
	for i := least; i < p.max && g.err == nil; i++ {
		rest = append(rest, g.term(p))
	}
	tail := fragment{nullable: true}
	for _, r := range slices.Backward(rest) {
		tail = g.sequence(r, tail)
		tail.nullable = true
	}
	return g.sequence(f, tail)
}
