package xmltree

// arena is the memory of one document. It goes with the Document until Release, while the scanner that filled it is free
// for the next document at once.
type arena struct {
	nodes    []node
	decoded  []byte
	decls    []declaration
	members  []Node    // memory for nameLists
	starts   []uint32  // the same
	listings []listing // the same
}

// Memory beyond these bounds is not kept for the next document: one huge document must not be paid for ever.
const (
	keepNodes   = 1 << 19 // 12 MiB
	keepDecoded = 4 << 20
)

// begin takes an arena into use for the next document. Lexicon and shapes are begun anew here and never within a
// document: open frames and attribute nodes refer to their entries by number.
//
// The capacity of the nodes never passes Limits.Nodes, so that asking for room is asking for the limit, too. Tables by
// name are not cleared: the serial of the document says which of their stamps are of this one.
func (s *scanner) begin(a *arena) {
	if s.lex.full() {
		s.lex = newLexicon(s.lex.names)
	}
	if s.lex.shapes.full() {
		s.lex.shapes.reset()
	}
	s.arena = *a
	s.nodes = s.nodes[:0]
	if cap(s.nodes) > s.limits.Nodes {
		s.nodes = s.nodes[:0:s.limits.Nodes]
	}
	s.decoded, s.decls = s.decoded[:0], s.decls[:0]
	s.serial++
	s.cur, s.open, s.textTo, s.gap = 0, s.open[:0], -1, -1
	s.distinct, s.expanded, s.spaces = 0, 0, 0
	s.spot = inside(s.around())
	s.resetBindings()
}

// reserve makes room for the first nodes, as many as an ordinary invoice has.
func (s *scanner) reserve() {
	if want := min(len(s.src)/16+16, 4096, s.limits.Nodes); cap(s.nodes) < want {
		s.nodes = make([]node, 0, want)
	}
}

// slot adds a node, whose fields the caller sets one by one: a node passed by value is copied through memory twice, which
// stalls. nil when the document has too many.
func (s *scanner) slot() *node {
	n := len(s.nodes)
	if n == cap(s.nodes) && !s.grow() {
		return nil
	}
	s.nodes = s.nodes[:n+1]
	return &s.nodes[n]
}

func (s *scanner) tooManyNodes(at int) int {
	return s.fail(LimitNodes, at, "the document has more than %d nodes", s.limits.Nodes)
}

// grow makes room for as many nodes as the part read so far foretells for the whole document, within reason. At least
// half as many come on top, so that copying stays linear; at most seven times as many, because a dense beginning says
// little about the rest, and the memory of a large document would be taken for nothing.
func (s *scanner) grow() bool {
	have := len(s.nodes)
	if have >= s.limits.Nodes {
		return false
	}
	want := have + 16
	if have > 0 {
		foretold := have * len(s.src) / (int(s.nodes[have-1].offset) + 1)
		want += max(have/2, min(foretold+foretold/16-have, 7*have))
	}
	bigger := make([]node, have, min(want, s.limits.Nodes))
	copy(bigger, s.nodes)
	s.nodes = bigger
	return true
}

// meet notes that the document uses an expanded name; false when it has too many different ones.
func (s *scanner) meet(name NameID, at int) bool {
	if int(name) < len(s.met) && s.met[name] == s.serial {
		return true
	}
	if n := s.lex.names.Len() - len(s.met); n > 0 {
		s.met = append(s.met, make([]uint32, n)...)
		s.stamps = append(s.stamps, make([]uint64, n)...)
	}
	s.met[name] = s.serial
	return s.another(&s.expanded, uint32(name), at)
}
