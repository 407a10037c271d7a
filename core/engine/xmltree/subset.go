package xmltree

import (
	"bytes"
	"unicode/utf8"
)

// Bounds for the entities of an internal subset. The longest chain in a published schema is about twenty deep.
// An entity that expands to nothing costs time without making the document longer, hence a bound for their number beside
// Limits.Size.
const (
	maxEntityDepth = 64
	maxExpansions  = 1 << 16
)

// subset reads an internal DTD subset and writes the document anew without it.
type subset struct {
	s        *scanner
	entities map[string]entity
	open     []string // entities being expanded
	count    int
	out      []byte
}

// entity is a general entity; outside ones are declared, but there is nothing that a reference could be replaced by.
type entity struct {
	text    []byte
	outside bool
}

// withoutSubset replaces s.src by the same document without DOCTYPE and with its entities expanded, and gives the position
// after the XML declaration again. Line ends of the DOCTYPE are kept, so that lines keep their numbers.
func (s *scanner) withoutSubset(i int) int {
	from := doctype(s.src, i)
	if from < 0 {
		return i
	}
	x := subset{s: s, entities: map[string]entity{}}
	to := x.doctype(from)
	if to < 0 {
		return -1
	}
	x.out = append(make([]byte, 0, len(s.src)), s.src[:from]...)
	for _, c := range s.src[from:to] {
		if c == '\n' || c == '\r' {
			x.out = append(x.out, c)
		}
	}
	if !x.body(to) {
		return -1
	}
	s.src = x.out
	return i
}

// doctype is where the DOCTYPE of a document begins whose prolog goes on at i, -1 if there is none.
func doctype(b []byte, i int) int {
	for {
		i = skipSpace(b, i)
		rest, end := b[i:], ""
		switch {
		case bytes.HasPrefix(rest, []byte("<!DOCTYPE")):
			return i
		case bytes.HasPrefix(rest, []byte("<!--")):
			end = "-->"
		case bytes.HasPrefix(rest, []byte("<?")):
			end = "?>"
		default:
			return -1
		}
		n := bytes.Index(rest, []byte(end))
		if n < 0 {
			return -1
		}
		i += n + len(end)
	}
}

// doctype reads the DOCTYPE at i (XML 1.0 clause 2.8); an external subset is never fetched.
func (x *subset) doctype(i int) int {
	src := x.s.src
	j := x.declarationEnd(i)
	if j < 0 || src[j] == '>' {
		return j + 1
	}
	for j++; ; {
		if j = skipSpace(src, j); j >= len(src) {
			return x.unfinished(i)
		}
		switch rest := src[j:]; {
		case rest[0] == ']':
			if j = skipSpace(src, j+1); j >= len(src) || src[j] != '>' {
				return x.unfinished(i)
			}
			return j + 1
		case rest[0] == '%':
			return x.s.fail(NotWellFormed, j, "a DOCTYPE that refers to parameter entities is not accepted")
		case bytes.HasPrefix(rest, []byte("<!--")):
			j = x.after(j, "-->")
		case bytes.HasPrefix(rest, []byte("<?")):
			j = x.after(j, "?>")
		case bytes.HasPrefix(rest, []byte("<!ENTITY")) && len(rest) > 8 && isSpace(rest[8]):
			j = x.entity(j)
		case bytes.HasPrefix(rest, []byte("<!ELEMENT")), bytes.HasPrefix(rest, []byte("<!ATTLIST")), bytes.HasPrefix(rest, []byte("<!NOTATION")):
			if j = x.declarationEnd(j); j >= 0 {
				j++
			}
		default:
			j = x.s.fail(NotWellFormed, j, "this is no declaration of a DOCTYPE")
		}
		if j < 0 {
			return j
		}
	}
}

func (x *subset) unfinished(i int) int {
	return x.s.fail(NotWellFormed, i, "the DOCTYPE has no end")
}

func (x *subset) after(i int, end string) int {
	n := bytes.Index(x.s.src[i:], []byte(end))
	if n < 0 {
		return x.unfinished(i)
	}
	return i + n + len(end)
}

// declarationEnd is where the declaration at i ends: its > or, for a DOCTYPE, its [. Quoted values are skipped, as both
// signs may stand in them.
func (x *subset) declarationEnd(i int) int {
	src := x.s.src
	for j := i + 1; j < len(src); j++ {
		switch c := src[j]; c {
		case '"', '\'':
			n := bytes.IndexByte(src[j+1:], c)
			if n < 0 {
				return x.unfinished(i)
			}
			j += n + 1
		case '>', '[':
			return j
		case '<':
			return x.unfinished(i)
		}
	}
	return x.unfinished(i)
}

// entity reads the entity declaration at i (XML 1.0 clause 4.2). The first declaration of a name counts.
func (x *subset) entity(i int) int {
	src, end := x.s.src, x.declarationEnd(i)
	if end < 0 || src[end] != '>' {
		return x.unfinished(i)
	}
	j := skipSpace(src, i+len("<!ENTITY"))
	if src[j] == '%' {
		return end + 1
	}
	to := j
	for to < end && !isSpace(src[to]) && src[to] != '"' && src[to] != '\'' {
		to++
	}
	name := string(src[j:to])
	if !isNCName(name) {
		return x.s.fail(NotWellFormed, j, "%q is not the name of an entity", shown(src[j:to]))
	}
	if j = skipSpace(src, to); src[j] != '"' && src[j] != '\'' {
		x.declare(name, entity{outside: true})
		return end + 1
	}
	value := src[j+1 : j+1+bytes.IndexByte(src[j+1:], src[j])]
	text, ok := x.literal(value, j+1)
	if !ok {
		return -1
	}
	x.declare(name, entity{text: text})
	return end + 1
}

func (x *subset) declare(name string, e entity) {
	if _, known := x.entities[name]; !known {
		x.entities[name] = e
	}
}

// literal decodes the character references of an entity's value and leaves its entity references (XML 1.0 clause 4.5).
func (x *subset) literal(value []byte, at int) (text []byte, ok bool) {
	for i := 0; i < len(value); i++ {
		n := bytes.IndexByte(value[i:], ';')
		switch {
		case value[i] == '%':
			x.s.fail(NotWellFormed, at+i, "a DOCTYPE that refers to parameter entities is not accepted")
			return nil, false
		case value[i] != '&' || n < 3 || value[i+1] != '#':
			text = append(text, value[i])
			continue
		}
		r, isChar := charReference(value[i+2 : i+n])
		if !isChar || !legalRune(r) {
			x.s.fail(NotWellFormed, at+i, "%s refers to no character of XML 1.0", shown(value[i:i+n+1]))
			return nil, false
		}
		text = utf8.AppendRune(text, r)
		i += n
	}
	return text, true
}

// body copies the document from i on and expands entities in its text and attribute values. An ampersand elsewhere in a tag
// is left to the scanner, which refuses it.
func (x *subset) body(i int) bool {
	src, quote, tag := x.s.src, byte(0), false
	for i < len(src) {
		c := src[i]
		switch {
		case c == '&' && (quote != 0 || !tag):
			next, ok := x.reference(src, i, i, quote)
			if !ok {
				return false
			}
			i = next
			continue
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case tag && (c == '"' || c == '\''):
			quote = c
		case tag && c == '>':
			tag = false
		case c == '<':
			if n := opaque(src[i:]); n > 0 {
				x.out = append(x.out, src[i:i+n]...)
				i += n
				continue
			}
			tag = true
		}
		x.out = append(x.out, c)
		i++
	}
	return true
}

// opaque is the length of the comment, CDATA section or instruction at the start of b, 0 for anything else.
func opaque(b []byte) int {
	for _, p := range [][2]string{{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}} {
		if n := bytes.Index(b, []byte(p[1])); n > 0 && bytes.HasPrefix(b, []byte(p[0])) {
			return n + len(p[1])
		}
	}
	return 0
}

// reference writes what the reference at i of b stands for and gives the position after it; at is the place in the document.
// Character references, predefined entities and what is no reference stay as they are.
func (x *subset) reference(b []byte, i, at int, quote byte) (next int, ok bool) {
	n := bytes.IndexByte(b[i:min(i+x.s.limits.NameBytes, len(b))], ';')
	if n < 2 || b[i+1] == '#' || predefined(string(b[i+1:i+n])) != 0 {
		x.out = append(x.out, '&')
		return i + 1, true
	}
	name := string(b[i+1 : i+n])
	e, known := x.entities[name]
	switch {
	case !known:
		x.out = append(x.out, '&')
		return i + 1, true
	case e.outside:
		x.s.fail(UnknownEntity, at, "the entity &%s; refers to something outside the document", shown([]byte(name)))
	case bytes.IndexByte(e.text, '<') >= 0:
		x.s.fail(UnknownEntity, at, "the entity &%s; holds markup, which is not accepted", shown([]byte(name)))
	default:
		return i + n + 1, x.expand(name, e.text, at, quote)
	}
	return 0, false
}

// expand writes the text of an entity, and the entities in it. A quote in it does not end the attribute value around the
// reference (XML 1.0 clause 4.4.5), so it is written as a reference itself. The list of open entities finds those that
// contain themselves.
func (x *subset) expand(name string, text []byte, at int, quote byte) bool {
	if x.count++; x.count > maxExpansions || len(x.open) >= maxEntityDepth || len(x.out)+len(text) > x.s.limits.Size {
		x.s.fail(LimitSize, at, "the entities of the document are nested too deep or expand to too much")
		return false
	}
	for _, outer := range x.open {
		if outer == name {
			x.s.fail(UnknownEntity, at, "the entity &%s; refers to itself", shown([]byte(name)))
			return false
		}
	}
	x.open = append(x.open, name)
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '&':
			next, ok := x.reference(text, i, at, quote)
			if !ok {
				return false
			}
			i = next
			continue
		case c == quote && c == '"':
			x.out = append(x.out, "&quot;"...)
		case c == quote && c == '\'':
			x.out = append(x.out, "&apos;"...)
		default:
			x.out = append(x.out, c)
		}
		i++
	}
	x.open = x.open[:len(x.open)-1]
	return true
}
