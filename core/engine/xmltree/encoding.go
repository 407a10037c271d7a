package xmltree

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// charset is an encoding of documents.
type charset uint8

const (
	undeclared charset = iota
	charsetUTF8
	charsetUTF16
	charsetLatin1
	charsetASCII
	charsetOther
)

// charsets are the names of the encodings that are read, in lower case (XML 1.0 clause 4.3.3 and the IANA aliases in use).
var charsets = map[string]charset{
	"utf-8": charsetUTF8, "utf8": charsetUTF8,
	"utf-16": charsetUTF16, "utf-16le": charsetUTF16, "utf-16be": charsetUTF16,
	"iso-8859-1": charsetLatin1, "iso8859-1": charsetLatin1, "iso_8859-1": charsetLatin1, "latin1": charsetLatin1,
	"us-ascii": charsetASCII, "ascii": charsetASCII,
}

// mark is how the first bytes of a document tell its encoding family (XML 1.0 appendix F).
type mark struct {
	prefix  string
	skip    int // bytes of the byte order mark
	charset charset
	big     bool
	name    string
}

// marks are tried in order, so the longer ones stand first.
var marks = []mark{
	{"\x00\x00\xFE\xFF", 4, charsetOther, false, "UTF-32"},
	{"\xFF\xFE\x00\x00", 4, charsetOther, false, "UTF-32"},
	{"\x00\x00\x00<", 0, charsetOther, false, "UTF-32"},
	{"<\x00\x00\x00", 0, charsetOther, false, "UTF-32"},
	{"\x4C\x6F\xA7\x94", 0, charsetOther, false, "EBCDIC"},
	{"\xEF\xBB\xBF", 3, charsetUTF8, false, "UTF-8"},
	{"\xFE\xFF", 2, charsetUTF16, true, "UTF-16"},
	{"\xFF\xFE", 2, charsetUTF16, false, "UTF-16"},
	{"\x00<", 0, charsetUTF16, true, "UTF-16"},
	{"<\x00", 0, charsetUTF16, false, "UTF-16"},
}

// start brings the input to UTF-8 in s.src, checks every character and reads the XML declaration; it gives the position after it.
func (s *scanner) start(input []byte) int {
	s.src = input
	family, skip := undeclared, 0
	for _, m := range marks {
		if !bytes.HasPrefix(input, []byte(m.prefix)) {
			continue
		}
		family, skip = m.charset, m.skip
		if family == charsetOther {
			return s.fail(EncodingUnknown, 0, "the document is in %s; UTF-8, UTF-16, ISO-8859-1 and US-ASCII can be read", m.name)
		}
		if family == charsetUTF16 && !s.fromUTF16(input[skip:], m.big) {
			return -1
		}
		break
	}
	if family == charsetUTF16 {
		skip = 0
	}
	d := xmlDecl{next: skip}
	if bytes.HasPrefix(s.src[skip:], []byte("<?xml")) && len(s.src) > skip+5 && isSpace(s.src[skip+5]) {
		if d = s.xmlDeclaration(skip + 5); d.next < 0 {
			return -1
		}
	}
	if !s.reconcile(family, d) {
		return -1
	}
	return s.checkChars(d)
}

// reconcile holds the declared encoding against the byte order mark, and converts what is not UTF-8. A document whose
// declaration could be read byte by byte cannot be in UTF-16, whatever it declares.
func (s *scanner) reconcile(family charset, d xmlDecl) bool {
	if len(d.encoding) == 0 {
		return true
	}
	declared := charsetUTF8
	if string(d.encoding) != "UTF-8" {
		declared = charsets[strings.ToLower(string(d.encoding))]
	}
	switch {
	case declared == undeclared:
		s.fail(EncodingUnknown, d.encodingAt, "the encoding %q cannot be read; UTF-8, UTF-16, ISO-8859-1 and US-ASCII can", shown(d.encoding))
	case family != undeclared && declared != family, family == undeclared && declared == charsetUTF16:
		s.fail(EncodingError, d.encodingAt, "the document declares the encoding %s, but its first bytes say otherwise", shown(d.encoding))
	case declared == charsetLatin1:
		s.src = fromLatin1(s.src)
		return s.sizeAllowed()
	case declared == charsetASCII:
		return s.checkASCII()
	default:
		return true
	}
	return false
}

func (s *scanner) checkASCII() bool {
	for i, c := range s.src {
		if c >= 0x80 {
			s.fail(EncodingError, i, "the document declares US-ASCII, but holds the byte 0x%02X", c)
			return false
		}
	}
	return true
}

// checkChars checks the characters, all but those of ASCII: see firstMalformed. A DOCTYPE is read by nothing that stops
// at control characters: where one is accepted, they are all checked here.
func (s *scanner) checkChars(d xmlDecl) int {
	if i := firstMalformed(s.src); i >= 0 || s.subset {
		return s.checkEachChar(d.next)
	}
	return d.next
}

// checkEachChar checks all characters and gives next when they are legal.
func (s *scanner) checkEachChar(next int) int {
	i := firstIllegal(s.src)
	if i < 0 {
		return next
	}
	r, n := utf8.DecodeRune(s.src[i:])
	if r == utf8.RuneError && n <= 1 {
		return s.fail(EncodingError, i, "the byte 0x%02X does not belong to a UTF-8 character here", s.src[i])
	}
	return s.fail(IllegalCharacter, i, "the character U+%04X is not allowed in XML 1.0", r)
}

// sizeAllowed holds the limit again for what was converted: ISO-8859-1 can double, and UTF-16 grow by half.
func (s *scanner) sizeAllowed() bool {
	if len(s.src) > s.limits.Size {
		s.src = nil
		s.fail(LimitSize, 0, "the document has more than %d bytes", s.limits.Size)
		return false
	}
	return true
}

func fromLatin1(b []byte) []byte {
	high := 0
	for _, c := range b {
		high += int(c >> 7)
	}
	if high == 0 {
		return b
	}
	out := make([]byte, 0, len(b)+high)
	for _, c := range b {
		out = utf8.AppendRune(out, rune(c))
	}
	return out
}

// fromUTF16 converts b into s.src.
func (s *scanner) fromUTF16(b []byte, big bool) bool {
	out := make([]byte, 0, len(b)/2+len(b)/8)
	bad := len(b)%2 != 0
	unit := func(i int) rune {
		if big {
			return rune(b[i])<<8 | rune(b[i+1])
		}
		return rune(b[i+1])<<8 | rune(b[i])
	}
	for i := 0; i+1 < len(b) && !bad; i += 2 {
		r := unit(i)
		if utf16.IsSurrogate(r) {
			low := rune(0)
			if i+3 < len(b) {
				low = unit(i + 2)
			}
			if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
				bad = true
				break
			}
			i += 2
		}
		out = utf8.AppendRune(out, r)
	}
	s.src = out
	if bad {
		s.fail(EncodingError, len(out), "the bytes are not valid UTF-16 from here on")
		return false
	}
	return s.sizeAllowed()
}
