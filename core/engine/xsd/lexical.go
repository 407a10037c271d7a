package xsd

import (
	"bytes"
	"unicode/utf8"

	"github.com/einvoiced/einvoiced/core/engine/xmlname"
)

// allows tells whether text has the form that a built-in type derived from string asks for (XML Schema part 2, clause 3.3).
func (s special) allows(text []byte) bool {
	switch s {
	case specialLanguage:
		return isLanguage(text)
	case specialNMToken:
		return areNameChars(text)
	case specialName:
		return isName(text)
	case specialNCName, specialID, specialIDRef:
		return isNCName(text)
	case specialEntity:
		return false // only a DTD could declare an entity, and documents have none
	}
	return true
}

// isLanguage is RFC 3066 as clause 3.3.3 quotes it: parts of one to eight letters, digits too after the first.
func isLanguage(b []byte) bool {
	length, part := 0, 0
	for _, c := range b {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		switch {
		case c == '-' && length > 0:
			length, part = 0, part+1
		case (letter || part > 0 && c >= '0' && c <= '9') && length < 8:
			length++
		default:
			return false
		}
	}
	return length > 0
}

func areNameChars(b []byte) bool {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r != ':' && !xmlname.IsPart(r) {
			return false
		}
		i += n
	}
	return len(b) > 0
}

func isName(b []byte) bool {
	r, _ := utf8.DecodeRune(b)
	return len(b) > 0 && (r == ':' || xmlname.IsStart(r)) && areNameChars(b)
}

func isNCName(b []byte) bool {
	return bytes.IndexByte(b, ':') < 0 && isName(b)
}

// isURI refuses what cannot be made a URI reference by escaping (clause 3.2.17, RFC 2396 as changed by RFC 2732): a % that
// begins no escape, and a second #.
func isURI(b []byte) bool {
	hash := false
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '%' && (len(b) < i+3 || !isHex(b[i+1:i+3])):
			return false
		case b[i] == '#' && hash:
			return false
		case b[i] == '#':
			hash = true
		}
	}
	return true
}
