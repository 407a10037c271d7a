package xmltree

// arena is the memory of one document.
type arena struct {
	nodes   []node
	decoded []byte
	decls   []declaration
	counts  []uint32 // how often a name occurs, at 2·name as an element's, at 2·name+1 as an attribute's
	members []Node   // memory for nameLists
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
	s.cur, s.open, s.textTo = 0, s.open[:0], -1
	s.distinct, s.expanded, s.spaces = 0, 0, 0
	s.resetBindings()
}

// reserve makes room for the nodes that a document with so many bytes and < characters is likely to have.
func (s *scanner) reserve(size, tags int) {
	want := min(tags*7/4+16, size/8+16, s.limits.Nodes)
	if cap(s.nodes) < want {
		s.nodes = make([]node, 0, want)
	}
}

// push adds a node and gives next, or -1 when the document has too many.
func (s *scanner) push(n node, next int) int {
	if len(s.nodes) == cap(s.nodes) && !s.grow() {
		return s.fail(LimitNodes, int(n.offset), "the document has more than %d nodes", s.limits.Nodes)
	}
	s.nodes = append(s.nodes, n)
	return next
}

func (s *scanner) grow() bool {
	have := len(s.nodes)
	if have >= s.limits.Nodes {
		return false
	}
	bigger := make([]node, have, min(have+have/2+16, s.limits.Nodes))
	copy(bigger, s.nodes)
	s.nodes = bigger
	return true
}

// count notes that an element or attribute has this name; false when the document has too many different ones.
func (s *scanner) count(name NameID, kind Kind, at int) bool {
	i := 2*int(name) + int(kind-KindElement)
	if i >= len(s.counts) {
		s.growCounts()
	}
	if s.counts[i]++; s.counts[i] > 1 {
		return true
	}
	if kind == KindAttribute && int(name) >= len(s.stamps) {
		s.stamps = append(s.stamps, make([]uint64, s.lex.names.Len()-len(s.stamps))...)
	}
	if s.counts[i^1] == 0 {
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
