package xmltree

import "bytes"

// Survey looks over a source that nobody has read yet and tells roughly how large a document it is: how many elements it has, and the
// most of one name that follow each other in one parent, such as the lines of an invoice. It judges nothing: of a source that is no
// XML it counts what looks like it.
func Survey(source []byte) (elements, like int) {
	s := surveyor{source: narrow(source)}
	for s.next() {
	}
	return s.elements, s.like
}

// surveyor goes from tag to tag.
type surveyor struct {
	source         []byte
	elements, like int
	open           []siblings // of the elements that are open, the document first
}

// siblings are the elements of one parent that were there last.
type siblings struct {
	name  string
	count int
}

// mostOpen is how deep elements are told apart.
const mostOpen = 1 << 10

// next passes over the next tag; false at the end.
func (s *surveyor) next() bool {
	at := bytes.IndexByte(s.source, '<')
	if at < 0 || at+1 == len(s.source) {
		return false
	}
	s.source = s.source[at+1:]
	switch s.source[0] {
	case '!', '?':
		s.skip()
	case '/':
		if len(s.open) > 1 {
			s.open = s.open[:len(s.open)-1]
		}
	default:
		s.element()
	}
	return true
}

// skip passes over what has no elements in it.
func (s *surveyor) skip() {
	for _, kind := range [...][2]string{{"!--", "-->"}, {"![CDATA[", "]]>"}, {"?", "?>"}} {
		if bytes.HasPrefix(s.source, []byte(kind[0])) {
			_, s.source, _ = bytes.Cut(s.source[len(kind[0]):], []byte(kind[1]))
			return
		}
	}
}

// element counts an element by its start tag.
func (s *surveyor) element() {
	end := bytes.IndexAny(s.source, " \t\r\n/>")
	if end < 0 {
		s.source = nil
		return
	}
	name := s.source[:end]
	s.source = s.source[end:]
	if colon := bytes.IndexByte(name, ':'); colon >= 0 {
		name = name[colon+1:]
	}
	if len(s.open) == 0 {
		s.open = append(s.open, siblings{})
	}
	last := &s.open[len(s.open)-1]
	if last.name != string(name) {
		*last = siblings{name: string(name)}
	}
	last.count++
	s.elements, s.like = s.elements+1, max(s.like, last.count)
	if !s.endOfTag() && len(s.open) < mostOpen {
		s.open = append(s.open, siblings{})
	}
}

// endOfTag passes over attributes and tells whether the element has no content.
func (s *surveyor) endOfTag() (empty bool) {
	for {
		at := bytes.IndexAny(s.source, `"'>`)
		if at < 0 {
			s.source = nil
			return true
		}
		if s.source[at] == '>' {
			empty = at > 0 && s.source[at-1] == '/'
			s.source = s.source[at+1:]
			return empty
		}
		_, s.source, _ = bytes.Cut(s.source[at+1:], s.source[at:at+1])
	}
}

// narrow gives a source in UTF-16 with one byte for each unit: markup is ASCII.
func narrow(source []byte) []byte {
	for _, m := range marks {
		if m.charset != charsetUTF16 || !bytes.HasPrefix(source, []byte(m.prefix)) {
			continue
		}
		units := source[m.skip:]
		narrowed := make([]byte, 0, len(units)/2)
		for ; len(units) > 1; units = units[2:] {
			low, high := units[0], units[1]
			if m.big {
				low, high = high, low
			}
			if high != 0 {
				low = '?'
			}
			narrowed = append(narrowed, low)
		}
		return narrowed
	}
	return source
}
