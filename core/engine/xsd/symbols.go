package xsd

import "github.com/einvoiced/einvoiced/core/engine/xmltree"

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

// symbols numbers the names of one schema while it is compiled.
type symbols struct {
	ids   map[xmltree.Name]sym
	names []xmltree.Name // from 1
}

func newSymbols() *symbols {
	s := &symbols{ids: map[xmltree.Name]sym{}}
	for _, local := range []string{"type", "nil", "schemaLocation", "noNamespaceSchemaLocation"} {
		s.intern(xmltree.Name{Space: instanceSpace, Local: local})
	}
	return s
}

func (s *symbols) intern(name xmltree.Name) sym {
	id, ok := s.ids[name]
	if !ok {
		s.names = append(s.names, name)
		id = sym(len(s.names))
		s.ids[name] = id
	}
	return id
}
