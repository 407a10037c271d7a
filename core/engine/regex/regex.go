// Package regex matches the regular expressions of XML Schema 1.0 (part 2, appendix F) and XPath 2.0 (XQuery 1.0 and XPath 2.0
// Functions and Operators, 7.6.1) in time linear in the text.
//
// A pattern is read by its own grammar and rewritten for package regexp. Three things are more than notation: character
// classes with subtraction become sets of code points, Unicode blocks come from a table, and counts that package regexp
// refuses are written out or, in patterns like ^(.{1,6826666})$, counted by a matcher of our own. Back-references cannot be
// matched in linear time and are refused; (?:…) is accepted although it came with XPath 3.0 only.
package regex

import (
	"fmt"
	"regexp"
	"strings"
)

// Error says why a pattern, its flags or a replacement is refused. Code is FORX0001 for flags, FORX0002 for the pattern,
// FORX0003 for a pattern that matches the empty string where it must not, and FORX0004 for the replacement.
type Error struct{ Code, Pattern, Reason string }

// Error gives pattern and reason.
func (e *Error) Error() string { return fmt.Sprintf("regular expression %q: %s", e.Pattern, e.Reason) }

// Regexp is a compiled pattern, safe for concurrent use.
type Regexp struct {
	pattern string
	re      *regexp.Regexp
	counted *counted // instead of re
	direct  *direct  // the short way; nil where there is none
	empty   bool
}

// Compile reads a pattern of XPath 2.0 with flags out of s, m, i and x. The error is an *Error.
func Compile(pattern, flags string) (*Regexp, error) {
	var d dialect
	for _, f := range flags {
		switch f {
		case 's':
			d.dotAll = true
		case 'm':
			d.multiline = true
		case 'i':
			d.fold = true
		case 'x':
			d.blanks = true
		default:
			return nil, &Error{"FORX0001", pattern, fmt.Sprintf("there is no flag %q", f)}
		}
	}
	return compile(pattern, d)
}

// CompileSchema reads a pattern of XML Schema, which a text matches as a whole or not at all. The error is an *Error.
func CompileSchema(pattern string) (*Regexp, error) { return compile(pattern, dialect{schema: true}) }

func compile(pattern string, d dialect) (*Regexp, error) {
	p := &parser{dialect: d, pattern: pattern}
	n, err := p.parse()
	if err != nil {
		return nil, err
	}
	r := &Regexp{pattern: pattern}
	text, err := translate(n, d, pattern)
	if err == nil {
		if r.re, err = regexp.Compile(text); err != nil {
			err = &Error{"FORX0002", pattern, err.Error()}
		}
	}
	if err != nil {
		if r.counted = newCounted(n, d); r.counted == nil {
			return nil, err
		}
	}
	if r.counted == nil {
		r.direct = newDirect(n, d)
	}
	// fn:replace and fn:tokenize refuse such patterns (F&O 7.6.3 and 7.6.4).
	r.empty = r.Match("")
	return r, nil
}

// Match tells whether the pattern matches somewhere in s, or all of s for a pattern of XML Schema.
func (r *Regexp) Match(s string) bool {
	if r.counted != nil {
		return r.counted.match(s)
	}
	if matches, ok := r.direct.answer(s); ok {
		return matches
	}
	return r.re.MatchString(s)
}

// MatchBytes is Match for bytes.
func (r *Regexp) MatchBytes(b []byte) bool {
	if r.counted != nil {
		return r.counted.match(string(b))
	}
	return r.re.Match(b)
}

// searchable refuses what fn:replace and fn:tokenize refuse.
func (r *Regexp) searchable() error {
	switch {
	case r.empty:
		return &Error{"FORX0003", r.pattern, "it matches the empty string"}
	case r.counted != nil:
		return &Error{"FORX0002", r.pattern, "the counts in the quantifiers are too large for a search"}
	}
	return nil
}

// Split cuts s at the matches of the pattern, as fn:tokenize does: nothing comes of an empty s, and neighbouring matches have
// an empty string between them. Errors are FORX0003 and FORX0002.
func (r *Regexp) Split(s string) ([]string, error) {
	if err := r.searchable(); err != nil || s == "" {
		return nil, err
	}
	if r.direct != nil && r.direct.single {
		return r.direct.split(s), nil
	}
	if r.direct.nowhere(s) {
		return []string{s}, nil
	}
	var parts []string
	start := 0
	for _, at := range r.re.FindAllStringIndex(s, -1) {
		parts = append(parts, s[start:at[0]])
		start = at[1]
	}
	return append(parts, s[start:]), nil
}

// Replace replaces the matches of the pattern in s, as fn:replace does: $N in the replacement stands for what group N
// matched, $0 for the whole match, \$ and \\ for the characters themselves. Errors are FORX0003, FORX0002 and FORX0004.
func (r *Regexp) Replace(s, replacement string) (string, error) {
	if err := r.searchable(); err != nil {
		return "", err
	}
	pieces, err := r.readReplacement(replacement)
	if err != nil {
		return "", err
	}
	if r.direct.nowhere(s) {
		return s, nil
	}
	var b strings.Builder
	start := 0
	for _, at := range r.re.FindAllStringSubmatchIndex(s, -1) {
		b.WriteString(s[start:at[0]])
		for _, p := range pieces {
			b.WriteString(p.text)
			if p.group >= 0 && at[2*p.group] >= 0 {
				b.WriteString(s[at[2*p.group]:at[2*p.group+1]])
			}
		}
		start = at[1]
	}
	b.WriteString(s[start:])
	return b.String(), nil
}

// piece is a part of a replacement: a text, then what a group matched unless group is -1.
type piece struct {
	text  string
	group int
}

// readReplacement cuts a replacement into pieces. A group number takes as many digits as make a group that exists; a group
// that does not exist stands for nothing.
func (r *Regexp) readReplacement(s string) ([]piece, error) {
	var pieces []piece
	var text strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] != '\\' && s[i] != '$':
			text.WriteByte(s[i])
			continue
		case i+1 == len(s) || s[i] == '\\' && s[i+1] != '\\' && s[i+1] != '$' || s[i] == '$' && !isDigit(s[i+1]):
			return nil, &Error{"FORX0004", r.pattern, fmt.Sprintf("the replacement %q has a %q that means nothing", s, s[i])}
		case s[i] == '\\':
			i++
			text.WriteByte(s[i])
			continue
		}
		i++
		n := int(s[i] - '0')
		for i+1 < len(s) && isDigit(s[i+1]) && n*10+int(s[i+1]-'0') <= r.re.NumSubexp() {
			i++
			n = n*10 + int(s[i]-'0')
		}
		if n > r.re.NumSubexp() {
			n = -1
		}
		pieces = append(pieces, piece{text.String(), n})
		text.Reset()
	}
	return append(pieces, piece{text.String(), -1}), nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
