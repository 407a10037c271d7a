package regex

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// dialect is what the uses of the syntax differ in.
type dialect struct {
	schema    bool // XML Schema: no anchors, no reluctant quantifiers, always the whole text
	dotAll    bool // flag s
	multiline bool // flag m
	fold      bool // flag i
	blanks    bool // flag x
}

// Limits of a pattern.
const (
	maxPattern = 1 << 16 // bytes
	maxNesting = 200     // groups and subtractions inside each other
)

// parser reads a pattern by recursive descent; its methods panic with *Error.
type parser struct {
	dialect
	pattern string
	at      int
	nesting int
}

func (p *parser) fail(format string, args ...any) {
	panic(&Error{Code: "FORX0002", Pattern: p.pattern, Reason: fmt.Sprintf("at %d: ", p.at) + fmt.Sprintf(format, args...)})
}

// parse reads a whole pattern.
func (p *parser) parse() (n node, err error) {
	defer func() {
		if r := recover(); r != nil {
			failure, ok := r.(*Error)
			if !ok {
				panic(r)
			}
			err = failure
		}
	}()
	if len(p.pattern) > maxPattern {
		p.fail("the pattern is too long")
	}
	if p.blanks {
		p.pattern = withoutBlanks(p.pattern)
	}
	n = p.choice()
	if p.at < len(p.pattern) {
		p.fail("a closing parenthesis without an opening one")
	}
	return n, nil
}

// withoutBlanks removes white space outside of character classes (flag x).
func withoutBlanks(s string) string {
	depth, escaped := 0, false
	return strings.Map(func(r rune) rune {
		switch {
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
		case r == '[':
			depth++
		case r == ']':
			depth--
		}
		if depth == 0 && strings.ContainsRune(" \t\r\n", r) {
			return -1
		}
		return r
	}, s)
}

// peek is the next character; -1 at the end.
func (p *parser) peek() rune {
	if p.at == len(p.pattern) {
		return -1
	}
	r, _ := utf8.DecodeRuneInString(p.pattern[p.at:])
	return r
}

func (p *parser) take() rune {
	r, size := utf8.DecodeRuneInString(p.pattern[p.at:])
	if size == 0 {
		p.fail("the pattern ends too early")
	}
	p.at += size
	return r
}

func (p *parser) accept(s string) bool {
	if !strings.HasPrefix(p.pattern[p.at:], s) {
		return false
	}
	p.at += len(s)
	return true
}

func (p *parser) enter() {
	if p.nesting++; p.nesting > maxNesting {
		p.fail("the pattern is nested too deeply")
	}
}

// choice reads branches between bars.
func (p *parser) choice() node {
	p.enter()
	defer func() { p.nesting-- }()
	branches := choice{p.branch()}
	for p.accept("|") {
		branches = append(branches, p.branch())
	}
	if len(branches) == 1 {
		return branches[0]
	}
	return branches
}

func (p *parser) branch() node {
	var parts sequence
	for {
		switch p.peek() {
		case -1, '|', ')':
			if len(parts) == 1 {
				return parts[0]
			}
			return parts
		}
		parts = append(parts, p.quantified(p.atom()))
	}
}

// atom reads one thing that a quantifier may follow.
func (p *parser) atom() node {
	switch r := p.take(); r {
	case '(':
		return p.group()
	case '[':
		return p.classExpr()
	case '\\':
		return p.escape()
	case '.':
		return p.wildcard()
	case '^', '$':
		if !p.schema {
			return edge{end: r == '$'}
		}
		return literal{r}
	case '?', '*', '+', '{', '}', ']':
		p.at--
		p.fail("%q must be escaped here", r)
		return nil
	default:
		return literal{r}
	}
}

func (p *parser) group() node {
	g := group{capture: !p.schema && !p.accept("?:")}
	g.part = p.choice()
	if !p.accept(")") {
		p.fail("a closing parenthesis is missing")
	}
	return g
}

// quantified reads the quantifier of an atom, if there is one.
func (p *parser) quantified(atom node) node {
	r := repeat{part: atom}
	switch p.peek() {
	case '?':
		r.min, r.max = 0, 1
	case '*':
		r.min, r.max = 0, -1
	case '+':
		r.min, r.max = 1, -1
	case '{':
		p.take()
		r.min, r.max = p.bounds()
	default:
		return atom
	}
	p.take()
	if !p.schema {
		r.lazy = p.accept("?")
	}
	return r
}

// bounds reads {n}, {n,} and {n,m} from behind the opening brace up to before the closing one.
func (p *parser) bounds() (low, high int) {
	low = p.count()
	high = low
	if p.accept(",") {
		high = -1
		if p.peek() != '}' {
			high = p.count()
		}
	}
	if p.peek() != '}' {
		p.fail("a closing brace is missing")
	}
	if high >= 0 && high < low {
		p.fail("the bounds {%d,%d} are the wrong way round", low, high)
	}
	return low, high
}

// maxCount is the largest number in a quantifier; greater ones cannot matter, as no text is that long.
const maxCount = 1 << 30

func (p *parser) count() int {
	n, start := 0, p.at
	for c := p.peek(); '0' <= c && c <= '9'; c = p.peek() {
		p.at++
		n = min(n*10+int(c-'0'), maxCount)
	}
	if p.at == start {
		p.fail("a number is missing in a quantifier")
	}
	return n
}

// wildcard is the dot: neither LF nor CR unless flag s is given.
func (p *parser) wildcard() node {
	if p.dotAll {
		return char{text: `[\x{0}-\x{10FFFF}]`, set: func() set { return everything }}
	}
	return char{text: `[^\n\r]`, set: func() set { return set{{'\n', '\n'}, {'\r', '\r'}}.not() }}
}
