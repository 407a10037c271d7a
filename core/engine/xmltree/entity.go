package xmltree

import (
	"bytes"
	"unicode/utf8"
)

// longestReference bounds the search for the semicolon; leading zeros beyond that are nobody's honest reference.
const longestReference = 40

// reference decodes the entity or character reference at i (its &) onto dst and gives the position after it.
func (s *scanner) reference(dst []byte, i int) ([]byte, int) {
	window := s.src[i+1 : min(i+longestReference, len(s.src))]
	n := bytes.IndexByte(window, ';')
	if n < 0 {
		return dst, s.fail(NotWellFormed, i, "an ampersand must begin a reference that ends with a semicolon; write &amp; for the character itself")
	}
	name, next := window[:n], i+n+2
	if n > 1 && name[0] == '#' {
		r, ok := charReference(name[1:])
		switch {
		case !ok:
			return dst, s.fail(NotWellFormed, i, "&%s; is not a character reference", shown(name))
		case !legalRune(r):
			return dst, s.fail(IllegalCharacter, i, "&%s; refers to a character that XML 1.0 does not allow", shown(name))
		}
		return utf8.AppendRune(dst, r), next
	}
	if c := predefined(string(name)); c != 0 {
		return append(dst, c), next
	}
	if !isNCName(string(name)) {
		return dst, s.fail(NotWellFormed, i, "an ampersand must begin a reference; write &amp; for the character itself")
	}
	return dst, s.fail(UnknownEntity, i, "the entity &%s; is not defined; only amp, lt, gt, apos and quot are", shown(name))
}

// predefined is the character of a predefined entity (XML 1.0 clause 4.6), 0 for other names.
func predefined(name string) byte {
	switch name {
	case "amp":
		return '&'
	case "lt":
		return '<'
	case "gt":
		return '>'
	case "apos":
		return '\''
	case "quot":
		return '"'
	}
	return 0
}

// charReference reads the digits of a character reference, x for hexadecimal included. Values above Unicode stay above
// it. Otherwise a long run of digits would overflow into a character that is allowed.
func charReference(digits []byte) (r rune, ok bool) {
	base := rune(10)
	if digits[0] == 'x' {
		base, digits = 16, digits[1:]
	}
	for _, c := range digits {
		v := digit(c)
		if v >= base {
			return 0, false
		}
		r = min(r*base+v, utf8.MaxRune+1)
	}
	return r, len(digits) > 0
}

func digit(c byte) rune {
	switch {
	case c >= '0' && c <= '9':
		return rune(c - '0')
	case c >= 'a' && c <= 'f':
		return rune(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return rune(c-'A') + 10
	}
	return 16
}

// appendLines appends b with line ends made LF (XML 1.0 clause 2.11).
func appendLines(dst, b []byte) []byte {
	for {
		n := bytes.IndexByte(b, '\r')
		if n < 0 {
			return append(dst, b...)
		}
		dst = append(append(dst, b[:n]...), '\n')
		if b = b[n+1:]; len(b) > 0 && b[0] == '\n' {
			b = b[1:]
		}
	}
}
