package xmltree

import "bytes"

// xmlDecl is what an XML declaration says.
type xmlDecl struct {
	encoding   []byte
	encodingAt int
	next       int // position after the declaration, -1 after an error
}

// xmlDeclaration reads the XML declaration (XML 1.0 clause 2.8) from the position after "<?xml".
func (s *scanner) xmlDeclaration(i int) xmlDecl {
	d := xmlDecl{}
	version, at, i := s.pseudo(i, "version")
	switch {
	case s.err != nil:
	case version == nil:
		s.fail(NotWellFormed, i, "the XML declaration must begin with the version")
	case string(version) != "1.0":
		s.fail(VersionRefused, at, "the document is XML %s; only version 1.0 can be read", shown(version))
	}
	encoding, at, i := s.pseudo(i, "encoding")
	if encoding != nil && !isEncodingName(encoding) {
		s.fail(NotWellFormed, at, "the XML declaration names no possible encoding")
	}
	d.encoding, d.encodingAt = encoding, at
	standalone, at, i := s.pseudo(i, "standalone")
	if standalone != nil && string(standalone) != "yes" && string(standalone) != "no" {
		s.fail(NotWellFormed, at, "standalone in the XML declaration must be yes or no")
	}
	if i = skipSpace(s.src, max(i, 0)); s.err == nil && !bytes.HasPrefix(s.src[i:], []byte("?>")) {
		s.fail(NotWellFormed, i, "the XML declaration allows version, encoding and standalone, in this order, and ends with ?>")
	}
	if d.next = i + 2; s.err != nil {
		d.next = -1
	}
	return d
}

// pseudo reads white space, name, equals sign and quoted value at i. Where the name does not stand there, value is nil and
// next is i.
func (s *scanner) pseudo(i int, name string) (value []byte, at, next int) {
	if i < 0 || s.err != nil {
		return nil, 0, -1
	}
	j := skipSpace(s.src, i)
	if j == i || !bytes.HasPrefix(s.src[j:], []byte(name)) {
		return nil, i, i
	}
	j = skipSpace(s.src, j+len(name))
	if j >= len(s.src) || s.src[j] != '=' {
		return nil, j, s.fail(NotWellFormed, j, "%s in the XML declaration needs an equals sign", name)
	}
	j = skipSpace(s.src, j+1)
	if j >= len(s.src) || s.src[j] != '"' && s.src[j] != '\'' {
		return nil, j, s.fail(NotWellFormed, j, "%s in the XML declaration needs a quoted value", name)
	}
	n := bytes.IndexByte(s.src[j+1:], s.src[j])
	if n < 0 {
		return nil, j, s.fail(NotWellFormed, j, "the value of %s in the XML declaration has no end", name)
	}
	return s.src[j+1 : j+1+n], j + 1, j + n + 2
}

// isEncodingName is the production EncName of XML 1.0 (clause 4.3.3).
func isEncodingName(b []byte) bool {
	for i, c := range b {
		letter := c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
		other := c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-'
		if !letter && (i == 0 || !other) {
			return false
		}
	}
	return len(b) > 0
}
