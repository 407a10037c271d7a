package xdm

import "strings"

// IsSpace tells whether c is white space of XML.
func IsSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// Trim removes white space at both ends.
func Trim(s string) string {
	for len(s) > 0 && IsSpace(s[0]) {
		s = s[1:]
	}
	for len(s) > 0 && IsSpace(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// Collapse removes white space at both ends and makes each run inside one blank, as fn:normalize-space does. It costs no
// memory where there is nothing to change.
func Collapse(s string) string {
	s = Trim(s)
	for i := 0; i < len(s); i++ {
		if IsSpace(s[i]) && (s[i] != ' ' || IsSpace(s[i+1])) {
			return collapseFrom(s, i)
		}
	}
	return s
}

// collapseFrom collapses a trimmed string whose first i bytes need no change.
func collapseFrom(s string, i int) string {
	b := append(make([]byte, 0, len(s)), s[:i]...)
	for ; i < len(s); i++ {
		switch {
		case !IsSpace(s[i]):
			b = append(b, s[i])
		case len(b) > 0 && b[len(b)-1] != ' ':
			b = append(b, ' ')
		}
	}
	return string(b)
}

// replaceSpaces makes each white space character a blank (XML Schema part 2, 4.3.6, replace).
func replaceSpaces(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' {
			return ' '
		}
		return r
	}, s)
}
