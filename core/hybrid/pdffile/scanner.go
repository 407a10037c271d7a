package pdffile

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// maxDepth is how deep arrays and dictionaries may be in each other.
const maxDepth = 100

var (
	errSyntax = errors.New("not an object")
	errDeep   = fmt.Errorf("arrays or dictionaries are more than %d deep", maxDepth)
)

// scanner reads objects from bytes (ISO 32000-1 §7.2, §7.3).
type scanner struct {
	data  []byte
	pos   int
	spend func(values int) error // asked for each object
}

// The classes of bytes (§7.2.2).
func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDelimiter(c byte) bool { return bytes.IndexByte([]byte("()<>[]{}/%"), c) >= 0 }

func isRegular(c byte) bool { return !isSpace(c) && !isDelimiter(c) }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// skip passes white space and comments.
func (s *scanner) skip() {
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; {
		case isSpace(c):
			s.pos++
		case c == '%':
			end := bytes.IndexAny(s.data[s.pos:], "\r\n")
			if end < 0 {
				end = len(s.data) - s.pos
			}
			s.pos += end
		default:
			return
		}
	}
}

// word reads regular characters.
func (s *scanner) word() string {
	s.skip()
	from := s.pos
	for s.pos < len(s.data) && isRegular(s.data[s.pos]) {
		s.pos++
	}
	return string(s.data[from:s.pos])
}

// keyword passes a word where it is the one that is expected, and says whether it was. What follows may touch it.
func (s *scanner) keyword(word string) bool {
	s.skip()
	if !bytes.HasPrefix(s.data[s.pos:], []byte(word)) {
		return false
	}
	s.pos += len(word)
	return true
}

// whole reads a whole number that is not negative; where there is none, the position stays.
func (s *scanner) whole() (int, bool) {
	at := s.pos
	s.skip()
	from := s.pos
	for s.pos < len(s.data) && isDigit(s.data[s.pos]) {
		s.pos++
	}
	n, err := strconv.ParseInt(string(s.data[from:min(s.pos, from+20)]), 10, 0)
	if err != nil || s.pos-from > 20 {
		s.pos = at
		return 0, false
	}
	return int(n), true
}

// object reads one object.
func (s *scanner) object(depth int) (Object, error) {
	if depth > maxDepth {
		return nil, errDeep
	}
	if err := s.spend(1); err != nil {
		return nil, err
	}
	s.skip()
	if s.pos >= len(s.data) {
		return nil, errSyntax
	}
	switch c := s.data[s.pos]; {
	case c == '/':
		return s.name(), nil
	case c == '(':
		return s.literal(), nil
	case c == '<' && bytes.HasPrefix(s.data[s.pos:], []byte("<<")):
		return s.dict(depth)
	case c == '<':
		return s.hex(), nil
	case c == '[':
		return s.array(depth)
	case isDigit(c), c == '+', c == '-', c == '.':
		return s.number()
	}
	return s.constant()
}

func (s *scanner) constant() (Object, error) {
	at := s.pos
	switch s.word() {
	case "true":
		return true, nil
	case "false":
		return false, nil
	case "null":
		return nil, nil
	}
	s.pos = at
	return nil, errSyntax
}

// number reads a number, or the reference that two numbers and an R are.
func (s *scanner) number() (Object, error) {
	text := s.word()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return Real(text), nil
	}
	after := s.pos
	if generation, ok := s.whole(); ok && isDigit(text[0]) {
		if s.word() == "R" && n <= maxNumber && generation <= maxGeneration {
			return Ref{int(n), generation}, nil
		}
	}
	s.pos = after
	return Integer(n), nil
}

func (s *scanner) array(depth int) (Object, error) {
	s.pos++
	list := Array{}
	for {
		s.skip()
		if s.pos < len(s.data) && s.data[s.pos] == ']' {
			s.pos++
			return list, nil
		}
		o, err := s.object(depth + 1)
		if err != nil && !s.stray(err) {
			return nil, err
		}
		if err == nil {
			list = append(list, o)
		}
	}
}

func (s *scanner) dict(depth int) (Object, error) {
	s.pos += len("<<")
	if err := s.spend(dictValues); err != nil {
		return nil, err
	}
	dict := Dict{}
	for {
		s.skip()
		switch {
		case bytes.HasPrefix(s.data[s.pos:], []byte(">>")):
			s.pos += len(">>")
			return dict, nil
		case s.pos >= len(s.data) || s.data[s.pos] != '/':
			if _, err := s.object(depth + 1); err != nil && !s.stray(err) {
				return nil, err
			}
			continue
		}
		key := s.name()
		value, err := s.object(depth + 1)
		if err != nil {
			return nil, err
		}
		dict[key] = value
	}
}

// stray passes a word that has no place in an array or dictionary, as broken writers leave them, but not one that ends the object.
func (s *scanner) stray(err error) bool {
	if err != errSyntax {
		return false
	}
	switch s.word() {
	case "", "obj", "endobj", "stream", "endstream", "xref", "trailer", "startxref":
		return false
	}
	return true
}

// name reads a name with its escapes of two hexadecimal digits.
func (s *scanner) name() Name {
	s.pos++
	var text []byte
	for s.pos < len(s.data) && isRegular(s.data[s.pos]) {
		c := s.data[s.pos]
		s.pos++
		if c == '#' && s.pos+1 < len(s.data) {
			if n, err := strconv.ParseUint(string(s.data[s.pos:s.pos+2]), 16, 8); err == nil {
				c, s.pos = byte(n), s.pos+2
			}
		}
		text = append(text, c)
	}
	return Name(text)
}

// hex reads a string of hexadecimal digits; the last one may be missing.
func (s *scanner) hex() String {
	s.pos++
	end := bytes.IndexByte(s.data[s.pos:], '>')
	if end < 0 {
		end = len(s.data) - s.pos
	}
	text := unhex(s.data[s.pos : s.pos+end])
	s.pos = min(s.pos+end+1, len(s.data))
	return String(text)
}

// unhex decodes hexadecimal digits, passing what is none.
func unhex(digits []byte) []byte {
	out := make([]byte, 0, len(digits)/2+1)
	half, value := false, byte(0)
	for _, c := range digits {
		n := bytes.IndexByte([]byte("0123456789abcdef"), c|0x20)
		if n < 0 || c < '0' {
			continue
		}
		if value = value<<4 | byte(n); half {
			out = append(out, value)
		}
		half = !half
	}
	if half {
		out = append(out, value<<4)
	}
	return out
}

// literal reads a string in parentheses, which may hold pairs of them (§7.3.4.2).
func (s *scanner) literal() String {
	s.pos++
	var text []byte
	for open := 1; s.pos < len(s.data); {
		c := s.data[s.pos]
		s.pos++
		switch c {
		case '\\':
			text = s.escape(text)
			continue
		case '(':
			open++
		case ')':
			open--
		case '\r':
			c = '\n'
			if s.pos < len(s.data) && s.data[s.pos] == '\n' {
				s.pos++
			}
		}
		if open == 0 {
			return String(text)
		}
		text = append(text, c)
	}
	return String(text)
}

// escapes are the letters after a reverse solidus and what they stand for.
var escapes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'f': '\f'}

// escape reads what follows a reverse solidus: up to three octal digits, a letter, the end of a line that goes on, or itself.
func (s *scanner) escape(text []byte) []byte {
	if s.pos >= len(s.data) {
		return text
	}
	c := s.data[s.pos]
	s.pos++
	switch to, ok := escapes[c]; {
	case ok:
		return append(text, to)
	case '0' <= c && c <= '7':
		value := c - '0'
		for range 2 {
			if s.pos < len(s.data) && '0' <= s.data[s.pos] && s.data[s.pos] <= '7' {
				value = value<<3 | (s.data[s.pos] - '0')
				s.pos++
			}
		}
		return append(text, value)
	case c == '\r' && s.pos < len(s.data) && s.data[s.pos] == '\n':
		s.pos++
		return text
	case c == '\r', c == '\n':
		return text
	}
	return append(text, c)
}
