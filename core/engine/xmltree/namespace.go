package xmltree

// declaration is a namespace declaration: a prefix bound on an element.
type declaration struct {
	owner  Node
	prefix uint32 // offset of the prefix in the source
	length uint16 // its length, 0 for the default namespace
	uri    string
}

// shadowed is the binding that a prefix had outside the element that bound it anew.
type shadowed struct {
	prefix uint32
	space  uint32
}

const unbound = ^uint32(0)

// resetBindings leaves the default namespace unset, xml bound, and all other prefixes unbound.
func (s *scanner) resetBindings() {
	for i := range s.bound {
		s.bound[i] = unbound
	}
	s.bind(prefixNone, 0)
	s.bind(prefixXML, s.lex.xmlSpace)
	s.shadows = s.shadows[:0]
}

func (s *scanner) bind(prefix, space uint32) {
	for int(prefix) >= len(s.bound) {
		s.bound = append(s.bound, unbound)
	}
	s.bound[prefix] = space
}

func (s *scanner) binding(prefix uint32) uint32 {
	if int(prefix) >= len(s.bound) {
		return unbound
	}
	return s.bound[prefix]
}

// declare binds a prefix on the element under construction. at is where the declaration stands, raw its name as written.
func (s *scanner) declare(owner Node, e *entry, at int, uri []byte) bool {
	if (e.bound == nil || string(uri) != e.bound.uri) && !s.meetSpace(e, at, uri) {
		return false
	}
	space := e.bound.space
	if !s.countSpace(space, at) {
		return false
	}
	if tag := uint64(s.serial)<<32 | uint64(owner); e.bound.tag != tag {
		e.bound.tag = tag
	} else {
		s.fail(DuplicateAttribute, at, "the attribute %s stands twice on one element", shown([]byte(e.raw)))
		return false
	}
	d := declaration{owner: owner, prefix: uint32(at), uri: e.bound.uri}
	if len(e.raw) > len("xmlns:") {
		d.prefix += uint32(len("xmlns:"))
		d.length = uint16(len(e.raw) - len("xmlns:"))
	}
	s.decls = append(s.decls, d)
	s.shadows = append(s.shadows, shadowed{e.prefix, s.binding(e.prefix)})
	s.bind(e.prefix, space)
	return true
}

// meetSpace checks a namespace name that a prefix was not bound to last time, and notes that it is now.
func (s *scanner) meetSpace(e *entry, at int, uri []byte) bool {
	if code, message := checkDeclaration(e, string(uri)); message != "" {
		s.fail(code, at, "%s", message)
		return false
	}
	if len(uri) > s.limits.NameBytes {
		s.fail(LimitName, at, "a namespace name has more than %d bytes", s.limits.NameBytes)
		return false
	}
	if e.bound == nil {
		e.bound = &binds{}
	}
	e.bound.space = s.lex.names.space(uri)
	e.bound.uri = s.lex.names.uri(e.bound.space)
	return true
}

// countSpace counts the different namespace names of the document; false when it has too many.
func (s *scanner) countSpace(space uint32, at int) bool {
	for int(space) >= len(s.spaceIn) {
		s.spaceIn = append(s.spaceIn, 0)
	}
	if s.spaceIn[space] == s.serial {
		return true
	}
	s.spaceIn[space] = s.serial
	return s.another(&s.spaces, space+1, at)
}

// checkDeclaration knows the reserved prefixes and namespace names (Namespaces in XML 1.0 clause 3) and that a prefix cannot
// be unbound (clause 5); message is empty when all is well.
func checkDeclaration(e *entry, uri string) (code Code, message string) {
	prefixed := e.raw != "xmlns"
	switch {
	case e.prefix == prefixXMLNS && prefixed:
		return NamespaceError, "the prefix xmlns must not be declared"
	case e.prefix == prefixXML && prefixed && uri != XMLSpace:
		return NamespaceError, "the prefix xml must not be bound to another namespace"
	case uri == XMLSpace && !(e.prefix == prefixXML && prefixed):
		return NamespaceError, "no prefix but xml may be bound to the namespace of xml"
	case uri == xmlnsSpace:
		return NamespaceError, "no prefix may be bound to the namespace of xmlns"
	case prefixed && uri == "":
		return NamespaceError, "a prefix must not be bound to an empty namespace name"
	}
	return "", ""
}

// restore takes back the declarations made since the mark.
func (s *scanner) restore(mark int) {
	for i := len(s.shadows) - 1; i >= mark; i-- {
		s.bound[s.shadows[i].prefix] = s.shadows[i].space
	}
	s.shadows = s.shadows[:mark]
}

// resolve gives the expanded name of an element, or of an attribute with a prefix, under the present bindings; 0 after an
// error. The answer of last time is right for as long as the prefix stands for the same namespace, which it mostly does from one
// document to the next.
func (s *scanner) resolve(e *entry, at int) NameID {
	space := s.binding(e.prefix)
	if e.space == space && space != unbound {
		return e.id
	}
	if space == unbound || e.decl && e.local > 0 {
		s.fail(NamespaceError, at, "the prefix of %s is not declared", shown([]byte(e.raw)))
		return 0
	}
	e.id = s.intern(space, e, at)
	e.space = space
	return e.id
}

// bareName gives the expanded name in no namespace.
func (s *scanner) bareName(e *entry, at int) NameID {
	if e.bare == 0 {
		e.bare = s.intern(0, e, at)
	}
	return e.bare
}

func (s *scanner) intern(space uint32, e *entry, at int) NameID {
	id := s.lex.names.intern(space, []byte(e.raw[e.local:]))
	if id == 0 {
		s.tooManyNames(at)
	}
	return id
}

// LookupPrefix is the namespace name that a prefix stands for at element n; the empty prefix is the default namespace. ok is
// false where the prefix is not declared; without a default namespace the answer is "", true. For a node of another kind the
// parent decides. It costs a search among the declarations for each ancestor.
func (d *Document) LookupPrefix(n Node, prefix string) (uri string, ok bool) {
	if prefix == "xml" {
		return XMLSpace, true
	}
	for ; n != None; n = d.nodes[n].parent {
		for _, x := range d.declarations(n) {
			if string(d.src[x.prefix:x.prefix+uint32(x.length)]) == prefix {
				return x.uri, true
			}
		}
	}
	return "", prefix == ""
}

// Declarations gives the namespace declarations of element n itself, in the order of the source, to yield; the default
// namespace has the prefix "". It stops when yield answers false, so that it serves in range.
func (d *Document) Declarations(n Node) func(yield func(prefix, uri string) bool) {
	return func(yield func(prefix, uri string) bool) {
		for _, x := range d.declarations(n) {
			if !yield(string(d.src[x.prefix:x.prefix+uint32(x.length)]), x.uri) {
				return
			}
		}
	}
}

// declarations gives those of one element: they were appended in document order, so that a binary search by owner finds
// the first.
func (d *Document) declarations(n Node) []declaration {
	from, to := 0, len(d.decls)
	for from < to {
		if mid := (from + to) / 2; d.decls[mid].owner < n {
			from = mid + 1
		} else {
			to = mid
		}
	}
	for to = from; to < len(d.decls) && d.decls[to].owner == n; to++ {
	}
	return d.decls[from:to]
}
