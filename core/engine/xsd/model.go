package xsd

// model is the automaton of a content model: deterministic, with counters where particles are counted. A state stands for
// the particle matched last; state 0 is the start.
type model struct {
	states   []state
	counters int
}

// state is what may follow a particle.
type state struct {
	edges   []edge
	index   map[sym]int32 // first edge of a name, where there are many edges
	wild    []wildEdge
	accepts bool    // the content may end here
	ends    []guard // if these hold
}

// manyEdges is from how many edges on a state has an index.
const manyEdges = 12

// edge leads on with an element of that name.
type edge struct {
	sym  sym
	to   int32
	ops  *ops // nil for none
	decl *element
}

// wildEdge leads on with an element that a wildcard lets through.
type wildEdge struct {
	wildcard *wildcard
	to       int32
	ops      *ops
}

// ops are the conditions of an edge on the counters and what it does to them.
type ops struct {
	guards  []guard
	actions []action
}

// guard asks that a counter be in a range; max may be unbounded.
type guard struct{ counter, min, max int32 }

// action sets a counter to 1 or adds 1.
type action struct {
	counter int32
	add     bool
}

func (g guard) holds(counts []int32) bool {
	n := counts[g.counter]
	return n >= g.min && (g.max == unbounded || n <= g.max)
}

func hold(guards []guard, counts []int32) bool {
	for _, g := range guards {
		if !g.holds(counts) {
			return false
		}
	}
	return true
}

func (o *ops) conditions() []guard {
	if o == nil {
		return nil
	}
	return o.guards
}

func (o *ops) changes() []action {
	if o == nil {
		return nil
	}
	return o.actions
}

// pass tells whether the counters let the edge be taken.
func (o *ops) pass(counts []int32) bool { return o == nil || hold(o.guards, counts) }

// run changes the counters as taking the edge does.
func (o *ops) run(counts []int32) {
	if o == nil {
		return
	}
	for _, a := range o.actions {
		if a.add {
			counts[a.counter]++
		} else {
			counts[a.counter] = 1
		}
	}
}

// find gives the edge that an element of that name takes, or nil.
func (s *state) find(name sym, counts []int32) *edge {
	from := 0
	if s.index != nil {
		i, ok := s.index[name]
		if !ok {
			return nil
		}
		from = int(i)
	}
	for i := from; i < len(s.edges); i++ {
		if e := &s.edges[i]; e.sym == name && (e.ops == nil || e.ops.pass(counts)) {
			return e
		}
	}
	return nil
}

// findWild gives the wildcard edge that an element of that namespace takes, or nil.
func (s *state) findWild(space string, counts []int32) *wildEdge {
	for i := range s.wild {
		if e := &s.wild[i]; e.wildcard.spaces.has(space) && e.ops.pass(counts) {
			return e
		}
	}
	return nil
}

// complete tells whether the content may end in this state.
func (s *state) complete(counts []int32) bool { return s.accepts && hold(s.ends, counts) }
