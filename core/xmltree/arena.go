package xmltree

// arena is the memory of one document.
type arena struct {
	nodes   []node
	decoded []byte
	decls   []declaration
	counts  []uint32 // how often a name occurs, at 2·name as an element's, at 2·name+1 as an attribute's
	members []Node   // memory for nameLists
	starts  []uint32 // the same
}

// Memory beyond these bounds is not kept for the next document: one huge document must not be paid for ever.
const (
	keepNodes   = 1 << 19 // 12 MiB
	keepDecoded = 4 << 20
)

// begin takes an arena into use for the next document.
func (s *scanner) begin(a *arena) {
	if s.lex.full() {
		s.lex = newLexicon(s.lex.names)
	}
	s.arena = *a
	s.nodes = s.nodes[:0]
	if cap(s.nodes) > s.limits.Nodes {
		s.nodes = s.nodes[:0:s.limits.Nodes]
	}
	s.decoded, s.decls = s.decoded[:0], s.decls[:0]
	s.counts = s.counts[:0]
	s.growCounts()
	s.serial++
	s.cur, s.open, s.textTo, s.last, s.inside = 0, s.open[:0], -1, 0, 0
	s.distinct, s.expanded, s.spaces = 0, 0, 0
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

// grow makes room for as many nodes as the part read so far foretells for the whole document, within reason.
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

// count notes that an element or attribute has this name; false when the document has too many different ones.
func (s *scanner) count(name NameID, kind Kind, at int) bool {
	if i := 2*int(name) + int(kind-KindElement); i < len(s.counts) && s.counts[i] > 0 {
		s.counts[i]++
		return true
	}
	return s.countFirst(2*int(name), int(kind-KindElement), at)
}

func (s *scanner) countFirst(key, attr, at int) bool {
	if key >= len(s.counts) {
		s.growCounts()
	}
	if have := len(s.counts) / 2; attr == 1 && have > len(s.stamps) {
		s.stamps = append(s.stamps, make([]uint64, have-len(s.stamps))...)
	}
	s.counts[key+attr]++
	if s.counts[key+1-attr] == 0 {
		s.expanded++
	}
	if s.expanded > s.limits.Names {
		s.tooManyNames(at)
		return false
	}
	return true
}

// growCounts makes room for every name of the table.
func (s *scanner) growCounts() {
	have, want := len(s.counts), 2*s.lex.names.Len()
	if want > cap(s.counts) {
		s.counts = append(make([]uint32, 0, want+want/2), s.counts...)
	}
	s.counts = s.counts[:want]
	clear(s.counts[have:])
}
