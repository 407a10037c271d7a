package regex

import (
	"slices"
	"strings"
	"unicode"

	"github.com/einvoiced/einvoiced/core/engine/xmlname"
)

// escapable are the characters that stand for themselves after a backslash (XML Schema part 2, production 24); XPath adds $.
const escapable = `\|.?*+(){}-[]^`

// single reads what a backslash may stand before to mean one character; false, with nothing taken, for anything else.
func (p *parser) single() (rune, bool) {
	r := p.peek()
	switch {
	case r == 'n':
		r = '\n'
	case r == 'r':
		r = '\r'
	case r == 't':
		r = '\t'
	case r == '$' && !p.schema:
	case r < 0 || !strings.ContainsRune(escapable, r):
		return 0, false
	}
	p.take()
	return r, true
}

// escape reads what follows a backslash outside of a class.
func (p *parser) escape() node {
	if r, ok := p.single(); ok {
		return literal{r}
	}
	if r := p.peek(); '1' <= r && r <= '9' && !p.schema {
		p.fail("back-references are not supported, because they cannot be matched in linear time")
	}
	return p.classEscape()
}

// classes are the escapes for many characters without their negations (XML Schema part 2, production 37). \w is what is
// neither punctuation nor separator nor other.
var classes = map[rune]char{
	's': {text: `[ \t\n\r]`, set: func() set { return set{{'\t', '\n'}, {'\r', '\r'}, {' ', ' '}} }},
	'd': {text: `\p{Nd}`, set: func() set { return fromTable(unicode.Nd) }},
	'i': {set: func() set { return fromTable(xmlname.Start) }},
	'c': {set: func() set { return fromTable(xmlname.Start, xmlname.Extra) }},
	'w': {text: `[^\p{P}\p{Z}\p{C}]`, set: func() set { return fromTable(unicode.P, unicode.Z, unicode.C).not() }},
}

// negatedClasses are the capital escapes where package regexp has a text for them.
var negatedClasses = map[rune]string{'S': `[^ \t\n\r]`, 'D': `\P{Nd}`, 'W': `[\p{P}\p{Z}\p{C}]`}

// classEscape reads an escape for many characters from behind the backslash.
func (p *parser) classEscape() char {
	r := p.take()
	if r == 'p' || r == 'P' {
		return p.property(r == 'P')
	}
	if c, ok := classes[r]; ok {
		return c
	}
	if c, ok := classes[unicode.ToLower(r)]; ok {
		return char{text: negatedClasses[r], set: func() set { return c.set().not() }}
	}
	p.fail("\\%c means nothing", r)
	return char{}
}

// categories are the general categories of XML Schema part 2, production 29.
var categories = []string{"L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No",
	"P", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Z", "Zs", "Zl", "Zp", "S", "Sm", "Sc", "Sk", "So",
	"C", "Cc", "Cf", "Co", "Cn"}

// property reads {category} or {IsBlock}.
func (p *parser) property(negated bool) char {
	rest := p.pattern[p.at:]
	end := strings.IndexByte(rest, '}')
	if !strings.HasPrefix(rest, "{") || end < 0 {
		p.fail("\\p needs a name in braces")
	}
	p.at += end + 1
	name := rest[1:end]
	if slices.Contains(categories, name) {
		table := unicode.Categories[name]
		return signed(char{text: map[bool]string{false: `\p{`, true: `\P{`}[negated] + name + "}",
			set: func() set { return fromTable(table) }}, negated)
	}
	block, ok := findBlock(name)
	if !ok {
		p.fail("there is no category or block %q", name)
	}
	return signed(char{set: func() set { return block }}, negated)
}

// signed negates the set of c, not its text, if asked to.
func signed(c char, negated bool) char {
	if !negated {
		return c
	}
	return char{text: c.text, set: func() set { return c.set().not() }}
}

// findBlock gives the block that a name of the form IsBlock means.
func findBlock(name string) (set, bool) {
	name, ok := strings.CutPrefix(name, "Is")
	i, found := slices.BinarySearchFunc(blocks, name, func(b block, name string) int { return strings.Compare(b.name, name) })
	if !ok || !found {
		return nil, false
	}
	return set{{blocks[i].lo, blocks[i].hi}}, true
}

// classExpr reads a class from behind its opening bracket to its end.
func (p *parser) classExpr() char {
	s := p.class()
	return char{set: func() set { return s }}
}

// class is the set of a class. Case is folded before the set is negated, so that [^q] with the flag i matches neither q nor
// Q.
func (p *parser) class() set {
	p.enter()
	defer func() { p.nesting-- }()
	negated := p.accept("^")
	s, subtracted := p.classItems()
	if p.fold {
		s = s.fold()
	}
	if negated {
		s = s.not()
	}
	return s.minus(subtracted)
}

// classItems reads the items of a class and what is subtracted from it, up to and with the closing bracket.
func (p *parser) classItems() (s, subtracted set) {
	for first := true; ; first = false {
		switch {
		case !first && p.accept("]"):
			return s.normal(), nil
		case !first && p.accept("-["):
			subtracted = p.class()
			if !p.accept("]") {
				p.fail("nothing may follow a subtraction in a class")
			}
			return s.normal(), subtracted
		case p.peek() == '-':
			p.take()
			if !first && p.peek() != ']' {
				p.fail("a hyphen stands for itself only at the start or end of a class")
			}
			s = s.add('-', '-')
		default:
			s = p.classItem(s)
		}
	}
}

// classItem reads a range, a character or an escape and adds it to s.
func (p *parser) classItem(s set) set {
	low, many := p.classChar()
	if many != nil {
		return append(s, many...)
	}
	rest := p.pattern[p.at:]
	if !strings.HasPrefix(rest, "-") || strings.HasPrefix(rest, "-]") || strings.HasPrefix(rest, "-[") {
		return s.add(low, low)
	}
	p.take()
	if p.peek() == '-' {
		p.fail("a hyphen cannot end a range")
	}
	high, many := p.classChar()
	if many != nil || high < low {
		p.fail("a range needs two characters in ascending order")
	}
	return s.add(low, high)
}

// classChar reads one character of a class, or an escape for many.
func (p *parser) classChar() (r rune, many set) {
	switch r = p.take(); r {
	case '[', ']':
		p.fail("%q must be escaped in a class", r)
	case '\\':
		if r, ok := p.single(); ok {
			return r, nil
		}
		return 0, p.classEscape().set()
	}
	return r, nil
}
