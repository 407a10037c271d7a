package syntax

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/einvoiced/einvoiced/core/engine/xmlname"
)

// Error is a violation of the grammar, error XPST0003.
type Error struct {
	Offset int    // in bytes
	Reason string // what was found and what was expected
}

// Error gives the offset and the reason.
func (e *Error) Error() string { return fmt.Sprintf("offset %d: %s", e.Offset, e.Reason) }

type tokenKind uint8

const (
	endToken    tokenKind = iota
	nameToken             // prefix:local, local
	wildToken             // *:local, prefix:*; the bare * is a symbol
	numberToken           // literal tells the kind
	stringToken
	symbolToken
)

// token is a lexical unit. text is the symbol, the literal's value or the local name.
type token struct {
	kind    tokenKind
	literal LiteralKind
	at      int
	prefix  string
	text    string
}

// String is the token for messages.
func (t token) String() string {
	switch t.kind {
	case endToken:
		return "the end"
	case stringToken:
		return "a string"
	case nameToken, wildToken:
		return "'" + Name{t.prefix, t.text}.String() + "'"
	}
	return "'" + t.text + "'"
}

// symbols, the longer ones first. The first that fits is taken, and the longest must be (A.2).
var symbols = []string{"//", "..", "::", "!=", "<=", ">=", "<<", ">>",
	"/", ".", "=", "<", ">", "+", "-", "*", "(", ")", "[", "]", ",", "|", "@", "$", "?"}

// lexer cuts a text into tokens. XPath 2.0 can be cut without knowing the grammar, as the only ambiguity, that of * and of
// names used as keywords, does not change the tokens (A.2).
type lexer struct {
	text   string
	at     int
	tokens []token
}

// tokenize gives the tokens of text, the last of kind endToken.
func tokenize(text string) ([]token, error) {
	if !utf8.ValidString(text) {
		return nil, &Error{0, "the text is not UTF-8"}
	}
	l := &lexer{text: text, tokens: make([]token, 0, len(text)/3+2)}
	for {
		if err := l.skipBlanks(); err != nil {
			return nil, err
		}
		if l.at == len(text) {
			l.add(token{kind: endToken}, 0)
			return l.tokens, nil
		}
		if err := l.next(); err != nil {
			return nil, err
		}
	}
}

// add appends a token that is size bytes long.
func (l *lexer) add(t token, size int) {
	t.at = l.at
	l.tokens = append(l.tokens, t)
	l.at += size
}

func (l *lexer) rest() string { return l.text[l.at:] }

// skipBlanks passes over white space and comments, which nest.
func (l *lexer) skipBlanks() error {
	depth, start := 0, l.at
	for l.at < len(l.text) {
		rest := l.rest()
		switch {
		case strings.HasPrefix(rest, "(:"):
			if depth++; depth == 1 {
				start = l.at
			}
			l.at += 2
		case depth > 0 && strings.HasPrefix(rest, ":)"):
			depth--
			l.at += 2
		case depth > 0 || strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			l.at++
		default:
			return nil
		}
	}
	if depth > 0 {
		return &Error{start, "the comment has no end"}
	}
	return nil
}

func (l *lexer) next() error {
	rest := l.rest()
	switch c := rest[0]; {
	case c == '"' || c == '\'':
		return l.str(c)
	case isDigit(c), c == '.' && len(rest) > 1 && isDigit(rest[1]):
		return l.number()
	}
	if xmlname.Scan(rest) > 0 || strings.HasPrefix(rest, "*:") {
		if l.name() {
			return nil
		}
	}
	for _, s := range symbols {
		if strings.HasPrefix(rest, s) {
			l.add(token{kind: symbolToken, text: s}, len(s))
			return nil
		}
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return &Error{l.at, fmt.Sprintf("%q begins no token", r)}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// str reads a string literal; a doubled quote stands for one.
func (l *lexer) str(quote byte) error {
	rest := l.rest()
	for i := 1; i < len(rest); i++ {
		if rest[i] != quote {
			continue
		}
		if i+1 < len(rest) && rest[i+1] == quote {
			i++
			continue
		}
		q := string(quote)
		l.add(token{kind: stringToken, text: strings.ReplaceAll(rest[1:i], q+q, q)}, i+1)
		return nil
	}
	return &Error{l.at, "the string has no end"}
}

// number reads a numeric literal, which no name may follow without a blank.
func (l *lexer) number() error {
	rest, kind := l.rest(), IntegerLiteral
	n := digits(rest, 0)
	if n < len(rest) && rest[n] == '.' {
		kind = DecimalLiteral
		n += 1 + digits(rest, n+1)
	}
	if n < len(rest) && rest[n]|0x20 == 'e' {
		exp := n + 1
		if exp < len(rest) && (rest[exp] == '+' || rest[exp] == '-') {
			exp++
		}
		size := digits(rest, exp)
		if size == 0 {
			return &Error{l.at, "the exponent has no digits"}
		}
		kind, n = DoubleLiteral, exp+size
	}
	if xmlname.Scan(rest[n:]) > 0 {
		return &Error{l.at + n, "a blank is missing between a number and a name"}
	}
	l.add(token{kind: numberToken, literal: kind, text: rest[:n]}, n)
	return nil
}

func digits(s string, from int) int {
	n := from
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n - from
}

// name reads a qualified name or a wildcard with a colon; false for a plain *.
func (l *lexer) name() bool {
	rest := l.rest()
	if rest[0] == '*' {
		n := xmlname.Scan(rest[2:])
		if n > 0 {
			l.add(token{kind: wildToken, prefix: "*", text: rest[2 : 2+n]}, 2+n)
		}
		return n > 0
	}
	n := xmlname.Scan(rest)
	after := rest[n:]
	if strings.HasPrefix(after, ":*") {
		l.add(token{kind: wildToken, prefix: rest[:n], text: "*"}, n+2)
		return true
	}
	if strings.HasPrefix(after, ":") {
		if m := xmlname.Scan(after[1:]); m > 0 {
			l.add(token{kind: nameToken, prefix: rest[:n], text: after[1 : 1+m]}, n+1+m)
			return true
		}
	}
	l.add(token{kind: nameToken, text: rest[:n]}, n)
	return true
}
