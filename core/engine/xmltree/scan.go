package xmltree

import (
	"bytes"
	"slices"
)

// scanner reads one document after the other into an arena. What it keeps between documents is the lexicon.
type scanner struct {
	limits Limits
	strip  bool
	subset bool
	lex    lexicon
	serial uint32 // number of the document, for entry.seen

	src      []byte
	err      *Error
	arena            // of the present document
	cur      Node    // open element, 0 outside the document element
	open     []frame // open elements
	gap      int     // where the white space begins that stands between the markup before and the tag at hand; -1 where other text does
	bound    []uint32
	shadows  []shadowed
	textTo   int      // where the last text ended in the source, to join what follows directly
	distinct int      // different names as written, so far
	expanded int      // different expanded names
	spaces   int      // different namespace names
	spaceIn  []uint32 // serial of the last document that used a namespace, by number
	met      []uint32 // serial of the last document that used a name, by NameID
	stamp    uint64   // number of the start tag with attributes
	stamps   []uint64 // last start tag that had an attribute of this name
	empty    bool     // the start tag just read was that of an empty element

	foresight bool   // tags are foreseen (foresee.go)
	doubt     bool   // whether the document keeps the limits cannot be told with foresight
	spot      uint32 // where the reader is among the tags that are known (shapes.expected)
}

// frame is an open element.
type frame struct {
	number uint32 // of the name
	shape  uint32 // of the start tag, 0 for one that is not known
	node   Node
	shadow uint32 // length of shadows before its declarations
}

// parse reads input into the arena and gives the text that the nodes refer to.
//
// With foresight the names in foreseen tags are not counted. Where that leaves open whether there are too many, the
// document is read once more without: the verdict must not depend on what this scanner happened to read before.
func (s *scanner) parse(input []byte, a *arena) (text []byte, err error) {
	s.foresight, s.doubt = true, false
	if text, err = s.read(input, a); s.doubt {
		s.foresight, s.doubt = false, false
		text, err = s.read(input, a)
	}
	return text, err
}

func (s *scanner) read(input []byte, a *arena) (text []byte, err error) {
	s.begin(a)
	i := s.start(input)
	if i >= 0 && s.subset {
		i = s.withoutSubset(i)
	}
	if i >= 0 {
		s.reserve()
		s.document(i)
		s.preferIllegal()
	}
	text = s.src
	if s.err != nil {
		err = s.err
	}
	*a = s.arena
	s.arena, s.err, s.src = arena{}, nil, nil
	return text, err
}

// preferIllegal makes an illegal character the reason of a refusal, wherever it stands. Characters beyond ASCII are
// checked before anything is read, control characters only where they are met: without this the reason would depend on
// which of them the document has.
func (s *scanner) preferIllegal() {
	if first := s.err; first != nil && !s.subset {
		if s.err = nil; s.checkEachChar(0) == 0 {
			s.err = first
		}
	}
}

// document reads prolog, document element and what may follow it.
func (s *scanner) document(i int) {
	// There is a slot: reserve has made room for one node at least.
	*s.slot() = node{tag: uint32(KindDocument) << kindShift, parent: None, value: complexContent}
	if i = s.misc(i); i == len(s.src) {
		i = s.fail(NoDocument, i, "the document has no element")
	}
	if root := i; i >= 0 {
		if i = s.foreseen(i); i == root {
			i = s.startTag(i)
		}
	}
	if i = s.misc(s.content(i)); i >= 0 && i < len(s.src) {
		s.fail(NotWellFormed, i, "nothing but comments and processing instructions may follow the document element")
	}
	s.nodes[0].end = Node(len(s.nodes))
}

// misc reads comments, processing instructions and white space outside the document element.
func (s *scanner) misc(i int) int {
	for i >= 0 {
		if i = skipSpace(s.src, i); i >= len(s.src) {
			return i
		}
		switch rest := s.src[i:]; {
		case rest[0] != '<':
			return s.fail(NotWellFormed, i, "text must stand inside the document element")
		case bytes.HasPrefix(rest, []byte("<?")):
			i = s.instruction(i)
		case bytes.HasPrefix(rest, []byte("<!")):
			i = s.declarationOrComment(i)
		default:
			return i
		}
	}
	return i
}

// content reads up to the end of the document element.
func (s *scanner) content(i int) int {
	for i >= 0 && len(s.open) > 0 {
		if i = s.foreseen(i); len(s.open) == 0 {
			return i
		}
		if i = s.text(i); i < 0 {
			return i
		}
		if i+1 >= len(s.src) {
			return s.unfinished()
		}
		if s.strip && s.textTo == i {
			s.dropBlank(i)
		}
		switch s.src[i+1] {
		case '/':
			i = s.endTag(i)
		case '!':
			i = s.declarationOrComment(i)
		case '?':
			i = s.instruction(i)
		default:
			i = s.startTag(i)
		}
	}
	return i
}

func (s *scanner) unfinished() int {
	f := &s.open[len(s.open)-1]
	return s.fail(TagMismatch, len(s.src), "the document ends inside the element %s", shown([]byte(s.lex.entries[f.number].raw)))
}

// text reads character data up to the next markup.
func (s *scanner) text(i int) int {
	src, from := s.src, i
	s.gap = -1
	if i+1 < len(src) && src[i] == '\r' && src[i+1] == '\n' {
		from++ // CR LF at the beginning needs no decoding: it is the LF
	}
	j := blankEnd(src, from)
	if j < len(src) && src[j] == '<' {
		if i == j {
			return j
		}
		s.gap = i
		return s.addRaw(i, from, j)
	}
	for {
		if j = textEnd(src, j); j >= len(src) {
			return s.unfinished()
		}
		switch src[j] {
		case '<':
			return s.addRaw(i, from, j)
		case '&', '\r':
			return s.decodedText(i, from, j)
		default:
			if j = s.plain(j); j < 0 {
				return j
			}
		}
	}
}

// plain goes over the byte at j, at which textEnd has stopped, but which needs no decoding.
func (s *scanner) plain(j int) (next int) {
	switch s.src[j] {
	case '\n', '\t':
		return j + 1
	case '>':
		if j >= 2 && s.src[j-1] == ']' && s.src[j-2] == ']' {
			return s.fail(NotWellFormed, j-2, "]]> must not stand in text; write ]]&gt;")
		}
		return j + 1
	}
	return s.illegal(j)
}

// illegal refuses the control character at j.
func (s *scanner) illegal(j int) int {
	return s.fail(IllegalCharacter, j, "the character U+%04X is not allowed in XML 1.0", s.src[j])
}

// dropBlank takes back the text that ends at the markup at i when it is white space beside other children. Before a CDATA
// section it is kept, because both are one text.
func (s *scanner) dropBlank(i int) {
	last := len(s.nodes) - 1
	text := s.nodes[last].value.of(s.src, s.decoded)
	if skipSpace(text, 0) < len(text) || bytes.HasPrefix(s.src[i:], []byte("<![CDATA[")) {
		return
	}
	only := int(s.cur) + 1 + int(s.nodes[s.cur].tag&attrMask>>nameBits)
	if s.src[i+1] != '/' || last > only {
		s.nodes = s.nodes[:last]
	}
}

// decodedText reads text from i, plain from the given place to j, that needs decoding from j on.
func (s *scanner) decodedText(i, plain, j int) int {
	from := len(s.decoded)
	if n := bytes.IndexByte(s.src[j:], '<'); n > 0 {
		s.decoded = slices.Grow(s.decoded, j+n-plain) // decoding never makes a text longer
	}
	s.decoded = append(s.decoded, s.src[plain:j]...)
	for {
		switch s.src[j] {
		case '<':
			return s.addDecoded(i, j, from)
		case '&':
			if s.decoded, j = s.reference(s.decoded, j); j < 0 {
				return j
			}
		case '\r':
			j = s.lineEnd(j)
		default:
			s.decoded = append(s.decoded, s.src[j])
			if j = s.plain(j); j < 0 {
				return j
			}
		}
		k := textEnd(s.src, j)
		if k >= len(s.src) {
			return s.unfinished()
		}
		s.decoded = append(s.decoded, s.src[j:k]...)
		j = k
	}
}

// lineEnd decodes the CR at j, alone or before LF.
func (s *scanner) lineEnd(j int) int {
	s.decoded = append(s.decoded, '\n')
	if j++; j < len(s.src) && s.src[j] == '\n' {
		j++
	}
	return j
}

// addRaw adds the text from i to j, which needs no decoding after the given place.
func (s *scanner) addRaw(i, plain, j int) int {
	if s.textTo == i {
		from := len(s.decoded)
		s.decoded = append(s.decoded, s.src[plain:j]...)
		return s.addDecoded(i, j, from)
	}
	return s.addText(i, j, shortened(s.src, uint32(plain), uint32(j)))
}

// addDecoded adds text from i to j of the source that stands decoded from the given place on.
func (s *scanner) addDecoded(i, j, from int) int {
	if s.textTo == i {
		return s.join(i, j, from)
	}
	if from == len(s.decoded) {
		return j
	}
	return s.addText(i, j, valueAt(uint32(from)|inDecoded, uint32(len(s.decoded))))
}

func (s *scanner) addText(i, j int, v value) int {
	if j-i > s.limits.TextBytes {
		return s.textTooLong(i)
	}
	n := s.slot()
	if n == nil {
		return s.tooManyNodes(i)
	}
	s.textTo = j
	n.tag, n.parent, n.end, n.offset, n.value = uint32(KindText)<<kindShift, s.cur, Node(len(s.nodes)), uint32(i), v
	return j
}

// join makes the decoded text part of the text node that ends where it begins. A text that is decoded already lies at the
// end of the decoded values and grows in place; only the first join copies, so that many small CDATA sections in a row
// cost linear time.
func (s *scanner) join(i, j, from int) int {
	t := &s.nodes[len(s.nodes)-1]
	if first, ok := t.value.decodedAt(); ok {
		from = first
	} else {
		part := append([]byte(nil), s.decoded[from:]...)
		head := t.value.of(s.src, s.decoded)
		s.decoded = append(append(s.decoded[:from], head...), part...)
	}
	t.value = valueAt(uint32(from)|inDecoded, uint32(len(s.decoded)))
	s.textTo = j
	if j-int(t.offset) > s.limits.TextBytes {
		return s.textTooLong(int(t.offset))
	}
	return j
}

func (s *scanner) textTooLong(i int) int {
	return s.fail(LimitText, i, "a text has more than %d bytes", s.limits.TextBytes)
}
