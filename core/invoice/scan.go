package invoice

import (
	"encoding/binary"
	"math/bits"
)

// Scanner counts the lines and the depth of an invoice in a JSON text while the text is still arriving, before anything is
// built from it. It is a state machine over bytes: constant memory, no allocation for any token, text cut anywhere.
//
// The invoice is the member invoice of the root object, or the root object itself where it has no such member. The Scanner
// does not judge the syntax: for a text that is not JSON its counts are those of the part that looks like JSON.
type Scanner struct {
	limits Limits

	state  scanState
	member memberName  // name of the member whose value comes next
	key    [8]byte     // the name being read, unescaped
	keyLen int         // its length; above len(key) it is none of ours
	hex    rune        // the \u escape being read
	frames []scanFrame // containers open that may lead to lines
	skip   int         // containers open inside the last of these that cannot
	level  int         // subItems open
	tally  [2]Counts   // of the root object and of its member invoice
	of     int         // which tally the open items belong to
	over   int         // which tally passed a limit first, or none
	deep   int         // the entry of items that is nested too deeply
	depth  int         // deepest nesting so far
	nested bool        // the root has a member invoice
}

// Counts is what a Scanner has counted so far.
type Counts struct {
	Items        int // entries of items
	Lines        int // entries of items and of subItems at every level that is within the limit
	SubItemDepth int // levels of subItems with an entry; counting ends one above the limit
}

type scanState uint8

const (
	wantValue scanState = iota // a value may begin
	wantKey                    // a member name may begin
	idle                       // after a name or a value
	inString
	inStringEscape
	inKey
	inKeyEscape
	inKeyHex1
	inKeyHex2
	inKeyHex3
	inKeyHex4
)

type scanFrame uint8

const (
	rootObject scanFrame = iota
	invoiceObject
	lineObject
	itemsArray
	subItemsArray
)

type memberName uint8

const (
	otherMember memberName = iota
	invoiceMember
	itemsMember
	subItemsMember
)

// noTally says that no limit is passed.
const noTally = -1

// NewScanner prepares a Scanner for one text.
func NewScanner(limits Limits) *Scanner {
	limits = limits.withDefaults()
	return &Scanner{limits: limits, over: noTally, frames: make([]scanFrame, 0, 2*limits.MaxSubItemDepth+8)}
}

// Write reads the next part of the text. It takes all of p and never fails, so that a Scanner can sit behind an
// io.TeeReader.
func (s *Scanner) Write(p []byte) (int, error) {
	for i := 0; i < len(p); {
		switch {
		case s.state >= inKey:
			i = s.readKey(p, i)
		case s.state >= inString:
			i = s.skipString(p, i)
		case s.skip > 0:
			i = s.skipContainer(p, i)
		default:
			i = s.readToken(p, i)
		}
	}
	return len(p), nil
}

// readToken takes the bytes between strings in a container that may lead to lines.
func (s *Scanner) readToken(p []byte, i int) int {
	for ; i < len(p); i++ {
		switch p[i] {
		case ' ', '\t', '\n', '\r':
		case '"':
			return s.beginString(p, i+1)
		case '{', '[':
			if s.open(p[i]); s.skip > 0 {
				return i + 1
			}
		case '}', ']':
			s.close()
		case ',':
			s.state = wantValue
			if n := len(s.frames); n > 0 && s.frames[n-1] <= lineObject {
				s.state = wantKey
			}
		case ':':
			s.state = wantValue
		default:
			s.beginValue()
			s.state = idle
		}
	}
	return i
}

// beginString starts a member name or a string value at its first byte. A name that ends within p has no state of its own.
func (s *Scanner) beginString(p []byte, i int) int {
	if s.state != wantKey {
		s.beginValue()
		s.state = inString
		return i
	}
	end := stringStop(p, i)
	if end < len(p) && p[end] == '"' {
		s.endKey(p[i:end])
		return end + 1
	}
	s.state, s.keyLen = inKey, 0
	return i
}

// beginValue counts a value where it is a line.
func (s *Scanner) beginValue() {
	n := len(s.frames)
	if s.state != wantValue || n == 0 || s.frames[n-1] < itemsArray {
		return
	}
	t := &s.tally[s.of]
	if t.SubItemDepth = max(t.SubItemDepth, s.level); s.level > s.limits.MaxSubItemDepth {
		if s.over == noTally {
			s.deep = t.Items - 1
		}
		s.exceed(s.of)
		return
	}
	t.Lines++
	if s.level == 0 {
		t.Items++
	}
	if t.Items > s.limits.MaxItems || t.Lines > s.limits.MaxLines {
		s.exceed(s.of)
	}
}

func (s *Scanner) exceed(tally int) {
	if s.over == noTally {
		s.over = tally
	}
}

// open enters an object or an array.
func (s *Scanner) open(bracket byte) {
	s.beginValue()
	frame, ok := s.next(bracket)
	if !ok {
		s.skip = 1
		s.state = idle
	} else {
		s.enter(frame)
	}
	s.depth = max(s.depth, len(s.frames)+s.skip)
}

// next tells what a container is that begins here; false when no line can be in it.
func (s *Scanner) next(bracket byte) (scanFrame, bool) {
	member := s.member
	s.member = otherMember
	n := len(s.frames)
	if n == 0 {
		return rootObject, bracket == '{'
	}
	switch parent := s.frames[n-1]; {
	case parent >= itemsArray:
		return lineObject, bracket == '{'
	case s.state != wantValue:
		return 0, false
	case member == invoiceMember && parent == rootObject:
		return invoiceObject, bracket == '{'
	case member == itemsMember && parent <= invoiceObject:
		return itemsArray, bracket == '['
	case member == subItemsMember && parent == lineObject:
		return subItemsArray, bracket == '[' && s.level <= s.limits.MaxSubItemDepth
	}
	return 0, false
}

func (s *Scanner) enter(frame scanFrame) {
	s.state = wantKey
	switch frame {
	case invoiceObject:
		s.nested = true
	case itemsArray:
		s.of = int(s.frames[len(s.frames)-1]) // rootObject or invoiceObject
		s.state = wantValue
	case subItemsArray:
		s.level++
		s.state = wantValue
	}
	s.frames = append(s.frames, frame)
}

// close leaves the innermost container.
func (s *Scanner) close() {
	s.state = idle
	n := len(s.frames) - 1
	if n < 0 {
		return
	}
	if s.frames[n] == subItemsArray {
		s.level--
	}
	s.frames = s.frames[:n]
}

// skipContainer passes over the rest of a container in which no line can be.
func (s *Scanner) skipContainer(p []byte, i int) int {
	for ; i < len(p); i++ {
		switch p[i] {
		case '"':
			s.state = inString
			return i + 1
		case '{', '[':
			s.skip++
			s.depth = max(s.depth, len(s.frames)+s.skip)
		case '}', ']':
			if s.skip--; s.skip == 0 {
				return i + 1
			}
		}
	}
	return i
}

// skipString passes over the rest of a string value.
func (s *Scanner) skipString(p []byte, i int) int {
	if s.state == inStringEscape {
		s.state = inString
		return i + 1
	}
	i = stringStop(p, i)
	if i == len(p) {
		return i
	}
	s.state = inStringEscape
	if p[i] == '"' {
		s.state = idle
	}
	return i + 1
}

// stringStop gives the position of the next quote or backslash in p from i on, or len(p). It looks at eight bytes at a time:
// x-ones &^ x & highs marks the bytes of x that are zero, exactly up to the first of them.
func stringStop(p []byte, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(p); i += 8 {
		word := binary.LittleEndian.Uint64(p[i:])
		quote, slash := word^(ones*'"'), word^(ones*'\\')
		if found := ((quote-ones)&^quote | (slash-ones)&^slash) & highs; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(p) && p[i] != '"' && p[i] != '\\'; i++ {
	}
	return i
}
