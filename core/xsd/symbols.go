package xsd

import (
	"sync"
	"sync/atomic"

	"einvoiced/core/xmltree"
)

// sym numbers an expanded name that the schema speaks of, from 1; 0 stands for every other name.
type sym uint32

// Names that mean something in every document (XML Schema part 1, clause 2.6). They are the first of every table.
const (
	symType sym = 1 + iota
	symNil
	symSchemaLocation
	symNoNamespaceSchemaLocation
	lastInstanceSym = symNoNamespaceSchemaLocation
)

// Namespace names of the standard.
const (
	schemaSpace   = "http://www.w3.org/2001/XMLSchema"
	instanceSpace = "http://www.w3.org/2001/XMLSchema-instance"
)

// spaceID numbers a namespace name that the schema speaks of; noSpace is the absence of one, otherSpace every other.
type spaceID uint32

const (
	noSpace    spaceID = 0
	otherSpace         = ^spaceID(0)
)

// symbols is the table of the names of one schema. It does not change once the schema is compiled.
type symbols struct {
	ids    map[xmltree.Name]sym
	names  []xmltree.Name
	spaces map[string]spaceID
}

func newSymbols() *symbols {
	s := &symbols{ids: map[xmltree.Name]sym{}, names: make([]xmltree.Name, 1), spaces: map[string]spaceID{"": noSpace}}
	for _, local := range []string{"type", "nil", "schemaLocation", "noNamespaceSchemaLocation"} {
		s.intern(xmltree.Name{Space: instanceSpace, Local: local})
	}
	return s
}

func (s *symbols) intern(name xmltree.Name) sym {
	id, ok := s.ids[name]
	if !ok {
		id = sym(len(s.names))
		s.ids[name] = id
		s.names = append(s.names, name)
		s.space(name.Space)
	}
	return id
}

func (s *symbols) space(uri string) spaceID {
	id, ok := s.spaces[uri]
	if !ok {
		id = spaceID(len(s.spaces))
		s.spaces[uri] = id
	}
	return id
}

// known is what the schema makes of a name.
type known struct {
	sym   sym
	space spaceID
}

func (s *symbols) known(name xmltree.Name) known {
	space, ok := s.spaces[name.Space]
	if !ok {
		space = otherSpace
	}
	return known{s.ids[name], space}
}

// tables remembers, for the name tables of the parsers in use, what the schema makes of their names, so that validating looks
// names up by index.
type tables struct {
	list atomic.Pointer[[]table]
	mu   sync.Mutex
}

type table struct {
	names *xmltree.Names
	known []known
}

// keepTables is how many name tables are remembered: a parser begins a new one now and then, and old ones must not stay for ever.
const keepTables = 4

// of gives what the schema makes of the names of d, by NameID.
func (t *tables) of(s *symbols, d *xmltree.Document) []known {
	limit := int(d.NameLimit())
	if list := t.list.Load(); list != nil {
		for i := range *list {
			if x := &(*list)[i]; x.names == d.Names() && len(x.known) >= limit {
				return x.known
			}
		}
	}
	return t.extend(s, d.Names(), limit)
}

func (t *tables) extend(s *symbols, names *xmltree.Names, limit int) []known {
	t.mu.Lock()
	defer t.mu.Unlock()
	next := []table{{names: names}}
	if list := t.list.Load(); list != nil {
		for _, x := range *list {
			switch {
			case x.names == names:
				next[0].known = x.known
			case len(next) < keepTables:
				next = append(next, x)
			}
		}
	}
	have := next[0].known
	if len(have) >= limit {
		return have
	}
	more := append(make([]known, 0, limit+limit/4), have...)
	for id := len(have); id < limit; id++ {
		more = append(more, s.known(names.Name(xmltree.NameID(id))))
	}
	next[0].known = more
	t.list.Store(&next)
	return more
}
