// Package xmlname knows which characters make an XML name: Extensible Markup Language 1.0 (fifth edition), productions 4 and 4a,
// and Namespaces in XML 1.0 (third edition), production 4.
package xmlname

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Start holds the characters a name may start with, the colon included (NameStartChar).
var Start = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: ':', Hi: ':', Stride: 1},
		{Lo: 'A', Hi: 'Z', Stride: 1},
		{Lo: '_', Hi: '_', Stride: 1},
		{Lo: 'a', Hi: 'z', Stride: 1},
		{Lo: 0xC0, Hi: 0xD6, Stride: 1},
		{Lo: 0xD8, Hi: 0xF6, Stride: 1},
		{Lo: 0xF8, Hi: 0x2FF, Stride: 1},
		{Lo: 0x370, Hi: 0x37D, Stride: 1},
		{Lo: 0x37F, Hi: 0x1FFF, Stride: 1},
		{Lo: 0x200C, Hi: 0x200D, Stride: 1},
		{Lo: 0x2070, Hi: 0x218F, Stride: 1},
		{Lo: 0x2C00, Hi: 0x2FEF, Stride: 1},
		{Lo: 0x3001, Hi: 0xD7FF, Stride: 1},
		{Lo: 0xF900, Hi: 0xFDCF, Stride: 1},
		{Lo: 0xFDF0, Hi: 0xFFFD, Stride: 1},
	},
	R32:         []unicode.Range32{{Lo: 0x10000, Hi: 0xEFFFF, Stride: 1}},
	LatinOffset: 6,
}

// Extra holds the characters a name may continue with beside those of Start (NameChar without NameStartChar).
var Extra = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: '-', Hi: '.', Stride: 1},
		{Lo: '0', Hi: '9', Stride: 1},
		{Lo: 0xB7, Hi: 0xB7, Stride: 1},
		{Lo: 0x300, Hi: 0x36F, Stride: 1},
		{Lo: 0x203F, Hi: 0x2040, Stride: 1},
	},
	LatinOffset: 3,
}

// IsStart tells whether a name without colon may start with r.
func IsStart(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_'
	}
	return unicode.Is(Start, r)
}

// IsPart tells whether a name without colon may continue with r.
func IsPart(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-' || r == '.'
	}
	return unicode.In(r, Start, Extra)
}

// Scan gives the length in bytes of the NCName at the start of s, 0 where there is none.
func Scan(s string) int {
	for i, r := range s {
		switch {
		case i == 0 && !IsStart(r):
			return 0
		case i > 0 && !IsPart(r), r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			return i
		}
	}
	return len(s)
}

// IsNCName tells whether s is a name without colon.
func IsNCName(s string) bool { return s != "" && Scan(s) == len(s) }

// IsName tells whether s is a name, colons allowed anywhere.
func IsName(s string) bool {
	if s == "" || !utf8.ValidString(s) {
		return false
	}
	for i, r := range s {
		if i == 0 && !unicode.Is(Start, r) || !unicode.In(r, Start, Extra) {
			return false
		}
	}
	return true
}

// IsNmtoken tells whether s consists of name characters only, in any order, and has at least one.
func IsNmtoken(s string) bool {
	for _, r := range s {
		if !unicode.In(r, Start, Extra) {
			return false
		}
	}
	return s != "" && utf8.ValidString(s)
}

// SplitQName cuts a qualified name into prefix ("" for none) and local part; false when s is none.
func SplitQName(s string) (prefix, local string, ok bool) {
	prefix, local, colon := strings.Cut(s, ":")
	if !colon {
		return "", s, IsNCName(s)
	}
	return prefix, local, IsNCName(prefix) && IsNCName(local)
}
