package xmltree

import (
	"encoding/binary"
	"math/bits"
)

// Eight bytes are looked at in one word. each(b) is b in every byte; zeros and below mark bytes by their top bit, exactly for
// the lowest marked byte, which is the only one used.
const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

func each(b byte) uint64 { return ones * uint64(b) }

// word is the word at i. Loops that ask for 0 <= i <= len(b)-8 in these words have no further checks in them.
func word(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i:]) }

func zeros(w uint64) uint64 { return (w - ones) &^ w & tops }

func below(w uint64, b byte) uint64 { return (w - each(b)) &^ w & tops }

func firstMark(m uint64) int { return bits.TrailingZeros64(m) >> 3 }

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func skipSpace(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

// firstIllegal is the offset of the first byte that is not part of a legal character (XML 1.0 clause 2.2) in UTF-8, or -1.
// Everything after this check may treat bytes from 0x80 on as one class.
func firstIllegal(b []byte) int {
	i := 0
	for i >= 0 && i <= len(b)-16 {
		m := notPlain(word(b, i))
		if m == 0 {
			i += 8
			if m = notPlain(word(b, i)); m == 0 {
				i += 8
				continue
			}
		}
		i += firstMark(m)
		n := charLen(b[i:])
		if n == 0 {
			return i
		}
		i += n
		for i < len(b) && b[i] >= 0x80 {
			if i+8 <= len(b) && isThreeBytes(word(b, i)) {
				i += 3
				continue
			}
			if n = charLen(b[i:]); n == 0 {
				return i
			}
			i += n
		}
	}
	for i < len(b) {
		n := charLen(b[i:])
		if n == 0 {
			return i
		}
		i += n
	}
	return -1
}

// firstMalformed is the offset of the first byte from 0x80 on that is not part of a legal character in UTF-8, or -1. What is left to
// check is that there are no control characters: it is done where the text is read that may hold one. That costs nothing
// there: textEnd, attrEnd and commentEnd stop at control characters anyway, and CDATA sections and processing
// instructions are checked as a whole.
func firstMalformed(b []byte) int {
	i := 0
	for i >= 0 && i <= len(b)-32 {
		if (word(b, i)|word(b, i+8)|word(b, i+16)|word(b, i+24))&tops == 0 {
			i += 32
			continue
		}
		for b[i] < 0x80 {
			m := word(b, i) & tops
			i += min(firstMark(m), 8)
		}
		if i = charsEnd(b, i); i < len(b) && b[i] >= 0x80 {
			return i
		}
	}
	for i < len(b) {
		if b[i] < 0x80 {
			i++
		} else if i = charsEnd(b, i); i < len(b) && b[i] >= 0x80 {
			return i
		}
	}
	return -1
}

// charsEnd is where the legal characters from i on end that are not of ASCII.
func charsEnd(b []byte, i int) int {
	for i < len(b) && b[i] >= 0x80 {
		switch {
		case i+8 <= len(b) && isThreeBytes(word(b, i)):
			i += 3
		default:
			n := charLen(b[i:])
			if n == 0 {
				return i
			}
			i += n
		}
	}
	return i
}

// notPlain marks the bytes that are neither a line feed nor a character of ASCII from the space on, each by its top bit. What is
// added to the lower bits of a byte carries into its top bit, and no further.
func notPlain(w uint64) uint64 {
	low := w &^ tops
	line := (low ^ each('\n')) + each(0x7F)
	return (w | ^(low+each(0x60))&line) & tops
}

// isThreeBytes tells whether a character of three bytes begins a word, without those whose second byte must be looked at.
func isThreeBytes(w uint64) bool {
	first := byte(w)
	return w&0xC0C0F0 == 0x8080E0 && first != 0xE0 && first != 0xED && first != 0xEF
}

// charLen is the length of the legal XML character at the start of b, 0 if there is none.
func charLen(b []byte) int {
	c := b[0]
	switch {
	case c >= ' ' && c < 0x80, c == '\n', c == '\t', c == '\r':
		return 1
	// C0 and C1 begin nothing but forms that are longer than needed, F5 and above what lies beyond U+10FFFF (RFC 3629,
	// 3).
	case c < 0xC2 || c > 0xF4:
		return 0
	case c < 0xE0:
		if len(b) >= 2 && b[1]&0xC0 == 0x80 {
			return 2
		}
		return 0
	case c < 0xF0:
		return charLen3(b)
	}
	return charLen4(b)
}

func charLen3(b []byte) int {
	if len(b) < 3 || b[1]&0xC0 != 0x80 || b[2]&0xC0 != 0x80 {
		return 0
	}
	switch {
	case b[0] == 0xE0 && b[1] < 0xA0, // longer than needed
		b[0] == 0xED && b[1] > 0x9F,                 // surrogates
		b[0] == 0xEF && b[1] == 0xBF && b[2] > 0xBD: // U+FFFE, U+FFFF
		return 0
	}
	return 3
}

func charLen4(b []byte) int {
	if len(b) < 4 || b[1]&0xC0 != 0x80 || b[2]&0xC0 != 0x80 || b[3]&0xC0 != 0x80 {
		return 0
	}
	// Longer than needed, and beyond U+10FFFF.
	if b[0] == 0xF0 && b[1] < 0x90 || b[0] == 0xF4 && b[1] > 0x8F {
		return 0
	}
	return 4
}

// legalRune tells whether r is a Char of XML 1.0 (clause 2.2).
func legalRune(r rune) bool {
	return r >= 0x20 && r <= 0xD7FF || r == '\t' || r == '\n' || r == '\r' || r >= 0xE000 && r <= 0xFFFD || r >= 0x10000 && r <= 0x10FFFF
}

type runeRange struct{ from, to rune }

// nameStartRanges and nameRanges are the productions NameStartChar and NameChar of XML 1.0 (clause 2.3) without the colon.
var nameStartRanges = []runeRange{
	{'A', 'Z'}, {'_', '_'}, {'a', 'z'}, {0xC0, 0xD6}, {0xD8, 0xF6}, {0xF8, 0x2FF}, {0x370, 0x37D}, {0x37F, 0x1FFF},
	{0x200C, 0x200D}, {0x2070, 0x218F}, {0x2C00, 0x2FEF}, {0x3001, 0xD7FF}, {0xF900, 0xFDCF}, {0xFDF0, 0xFFFD}, {0x10000, 0xEFFFF},
}

var nameRanges = []runeRange{{'-', '.'}, {'0', '9'}, {0xB7, 0xB7}, {0x300, 0x36F}, {0x203F, 0x2040}}

func within(r rune, ranges []runeRange) bool {
	for _, x := range ranges {
		if r >= x.from && r <= x.to {
			return true
		}
	}
	return false
}

// isNCName tells whether s, valid UTF-8, is an NCName (Namespaces in XML 1.0, clause 3): a name without colon.
func isNCName(s string) bool {
	for i, r := range s {
		if !within(r, nameStartRanges) && (i == 0 || !within(r, nameRanges)) {
			return false
		}
	}
	return s != ""
}

// nameEnd is the end of the name that begins at i: the first white space, slash, or byte of <=>?, none of which a name can
// hold. Whether what lies between is a name is asked once per name, when it is met first.
func nameEnd(b []byte, i int) int {
	for i >= 0 && i <= len(b)-8 {
		w := word(b, i)
		// The bytes <=>? are 0x3C to 0x3F: without their lowest two bits they are one value.
		m := below(w, 0x21) | zeros(w^each('/')) | zeros(w&each(0xFC)^each('<'))
		if m != 0 {
			return i + firstMark(m)
		}
		i += 8
	}
	for i < len(b) && !endsName[b[i]] {
		i++
	}
	return i
}

// endsName marks the bytes at which nameEnd stops.
var endsName = func() (ends [256]bool) {
	for c := range ends {
		ends[c] = c <= ' ' || c == '/' || c&0xFC == '<'
	}
	return ends
}()

// textEnd is the next byte from i on that ends plain text: < & > or a control character; len(b) if there is none. The two brackets
// differ in one bit. A > ends it because of ]]>, which text must not hold (XML 1.0 clause 2.4).
func textEnd(b []byte, i int) int {
	for i >= 0 && i <= len(b)-8 {
		w := word(b, i)
		m := zeros((w|each('<'^'>'))^each('>')) | zeros(w^each('&')) | below(w, ' ')
		if m != 0 {
			return i + firstMark(m)
		}
		i += 8
	}
	for i < len(b) && b[i] != '<' && b[i] != '>' && b[i] != '&' && b[i] >= ' ' {
		i++
	}
	return i
}

// commentEnd is the next place from i on where a comment ends or must not go on: two hyphens, or a control character that is no white
// space; len(b) if there is none.
func commentEnd(b []byte, i int) int {
	for i >= 0 && i < len(b)-8 {
		w := word(b, i)
		m := zeros(w^each('-'))&zeros(word(b, i+1)^each('-')) | below(w, ' ')
		if i += firstMark(m); m != 0 {
			if endsComment(b, i) {
				return i
			}
			i++
		}
	}
	for i < len(b) && !endsComment(b, i) {
		i++
	}
	return i
}

func endsComment(b []byte, i int) bool {
	return b[i] == '-' && i+1 < len(b) && b[i+1] == '-' || b[i] < ' ' && !isSpace(b[i])
}

// attrEnd is the next byte from i on that ends a plain attribute value: the quote, < & or white space other than the space.
func attrEnd(b []byte, i int, quote byte) int {
	for i >= 0 && i <= len(b)-8 {
		w := word(b, i)
		m := zeros(w^each(quote)) | zeros(w^each('<')) | zeros(w^each('&')) | below(w, ' ')
		if m != 0 {
			return i + firstMark(m)
		}
		i += 8
	}
	for i < len(b) && b[i] != quote && b[i] != '<' && b[i] != '&' && b[i] >= ' ' {
		i++
	}
	return i
}

// blankEnd is the first byte from i on that is not a space, line feed or tab. Indentation is a line feed and then spaces,
// so that whole words of spaces are what it looks for.
func blankEnd(b []byte, i int) int {
	if i < len(b) && b[i] == '\n' {
		i++
	}
	for i >= 0 && i <= len(b)-8 {
		m := word(b, i) ^ each(' ')
		if m == 0 {
			i += 8
			continue
		}
		if i += firstMark(m); b[i] != '\n' && b[i] != '\t' {
			return i
		}
		i++
	}
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t') {
		i++
	}
	return i
}
