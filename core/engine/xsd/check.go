package xsd

import (
	"bytes"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// place is where a value stands, for what its prefixes mean.
type place struct {
	doc  *xmltree.Document
	node xmltree.Node
}

// scope looks a prefix up; the empty prefix is the default namespace.
func (p place) scope(prefix []byte) (uri string, ok bool) {
	if p.doc == nil {
		return "", len(prefix) == 0
	}
	return p.doc.LookupPrefix(p.node, string(prefix))
}

// checker checks values. It keeps the memory that this needs, for one goroutine.
type checker struct {
	text  []byte // white space normalised
	key   []byte
	place place
	fault fault
	// notations of the schema, for NOTATION values
	notations map[xmltree.Name]bool
}

// fault says what is wrong with a value; typ is the type that says so and facet the facet.
type fault struct {
	kind  Kind
	facet facet
	typ   *simpleType
}

// check tells whether raw is a value of t; if not, c.fault says why.
func (c *checker) check(t *simpleType, raw []byte) bool {
	if t.plain {
		return true
	}
	return c.checkNormalised(t, c.normalise(t.white, raw))
}

// normalise applies the white space facet; the result may lie in c.text and is good until the next call.
func (c *checker) normalise(w white, raw []byte) []byte {
	switch w {
	case replace:
		return c.replace(raw)
	case collapse:
		return c.collapse(raw)
	}
	return raw
}

func (c *checker) replace(raw []byte) []byte {
	if bytes.IndexByte(raw, '\n') < 0 && bytes.IndexByte(raw, '\t') < 0 && bytes.IndexByte(raw, '\r') < 0 {
		return raw
	}
	c.text = append(c.text[:0], raw...)
	for i, b := range c.text {
		if isBlank(b) {
			c.text[i] = ' '
		}
	}
	return c.text
}

// collapse is the white space facet of that name. Text that is collapsed already is given as it stands, which most is. Once
// trimmed it ends with no blank, so that behind a blank there is always another byte.
func (c *checker) collapse(raw []byte) []byte {
	raw = trimBlank(raw)
	double := false
	for i, b := range raw {
		if isBlank(b) && (b != ' ' || raw[i+1] == ' ') {
			double = true
			break
		}
	}
	if !double {
		return raw
	}
	c.text = c.text[:0]
	for i, b := range raw {
		switch {
		case !isBlank(b):
			c.text = append(c.text, b)
		case !isBlank(raw[i+1]):
			c.text = append(c.text, ' ')
		}
	}
	return c.text
}

func isBlank(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }

func trimBlank(b []byte) []byte {
	for len(b) > 0 && isBlank(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && isBlank(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

// checkNormalised is check for a text whose white space is normalised.
func (c *checker) checkNormalised(t *simpleType, text []byte) bool {
	switch t.variety {
	case varietyList:
		return c.checkList(t, text) && c.checkPatterns(t, text) && c.enumerated(t, text)
	case varietyUnion:
		return c.checkUnion(t, text) && c.checkPatterns(t, text) && c.enumerated(t, text)
	}
	var v value
	if !c.parse(t, text, &v) {
		return c.fails(t, KindDatatype, 0)
	}
	if t.checks {
		if f := t.bounded(&v, text); f != 0 {
			return c.fails(t, KindFacet, f)
		}
	}
	if !c.checkPatterns(t, text) {
		return false
	}
	if t.enum != nil {
		c.key = appendValueKey(c.key[:0], t.prim, &v, text)
		if !t.enum.has(c.key) {
			return c.fails(t, KindEnumeration, facetEnumeration)
		}
	}
	return true
}

func (c *checker) checkPatterns(t *simpleType, text []byte) bool {
	for _, step := range t.patterns {
		if !matchesAny(step, text) {
			return c.fails(t, KindFacet, facetPattern)
		}
	}
	return true
}

func (c *checker) fails(t *simpleType, kind Kind, f facet) bool {
	c.fault = fault{kind, f, t}
	return false
}

func matchesAny(step []pattern, text []byte) bool {
	for i := range step {
		if step[i].matches(text) {
			return true
		}
	}
	return false
}

func (e *enumeration) has(key []byte) bool {
	_, ok := e.keys[string(key)]
	return ok
}

// bounded checks the facets about size and digits and gives the one that is not kept, or 0. The length of a QName or NOTATION
// depends on its prefix, so every one keeps the length facets (part 2, clause 4.3.1). A value without an order to a bound,
// such as a time without a zone that is close to one with a zone, does not keep it.
func (t *simpleType) bounded(v *value, text []byte) facet {
	if t.length != anyLength && t.prim != primQName && t.prim != primNotation {
		if f := t.length.check(v.length(t.prim, text)); f != 0 {
			return f
		}
	}
	if t.total >= 0 && v.number.digits() > t.total {
		return facetTotalDigits
	}
	if t.fraction >= 0 && len(v.number.fraction) > t.fraction {
		return facetFractionDigits
	}
	if t.lower != nil {
		if c := v.compare(t.prim, &t.lower.value); c == 0 && t.lower.exclusive {
			return facetMinExclusive
		} else if c != 0 && c != 1 {
			return t.lower.facet(facetMinInclusive, facetMinExclusive)
		}
	}
	if t.upper != nil {
		if c := v.compare(t.prim, &t.upper.value); c == 0 && t.upper.exclusive {
			return facetMaxExclusive
		} else if c != 0 && c != -1 {
			return t.upper.facet(facetMaxInclusive, facetMaxExclusive)
		}
	}
	return 0
}

func (l *limit) facet(inclusive, exclusive facet) facet {
	if l.exclusive {
		return exclusive
	}
	return inclusive
}

func (b bounds) check(n int) facet {
	switch {
	case b.exact >= 0 && n != b.exact:
		return facetLength
	case b.min >= 0 && n < b.min:
		return facetMinLength
	case b.max >= 0 && n > b.max:
		return facetMaxLength
	}
	return 0
}

// checkList checks the items of a list, then its length.
func (c *checker) checkList(t *simpleType, text []byte) bool {
	items := 0
	for rest := text; len(rest) > 0; items++ {
		var item []byte
		item, rest, _ = bytes.Cut(rest, []byte{' '})
		if !c.checkNormalised(t.item, item) {
			return false
		}
	}
	if f := t.length.check(items); f != 0 {
		return c.fails(t, KindFacet, f)
	}
	return true
}

// checkUnion tries the members in order. The first one that takes the text gives it its value as well (part 2, clause
// 2.5.1.3), by which the enumeration is looked up.
func (c *checker) checkUnion(t *simpleType, text []byte) bool {
	if c.member(t, text) == nil {
		return c.fails(t, KindDatatype, 0)
	}
	return true
}

// member is the first member of a union that takes the text, nil if none does. The text is copied, because it may lie in the
// memory that the check of each member uses.
func (c *checker) member(t *simpleType, text []byte) *simpleType {
	raw := append([]byte(nil), text...)
	for _, m := range t.members {
		if c.check(m, raw) {
			return m
		}
	}
	return nil
}

func (c *checker) enumerated(t *simpleType, text []byte) bool {
	if t.enum == nil {
		return true
	}
	if key, ok := c.appendKey(nil, t, text); !ok || !t.enum.has(key) {
		return c.fails(t, KindEnumeration, facetEnumeration)
	}
	return true
}

// valueKey gives a text that values of any type share exactly when they are equal; ok is false where raw is not of type t.
func (c *checker) valueKey(t *simpleType, raw []byte) (key string, ok bool) {
	b, ok := c.appendKey(nil, t, append([]byte(nil), c.normalise(t.white, raw)...))
	return string(b), ok
}

func (c *checker) appendKey(dst []byte, t *simpleType, text []byte) ([]byte, bool) {
	switch t.variety {
	case varietyList:
		for len(text) > 0 {
			var item []byte
			item, text, _ = bytes.Cut(text, []byte{' '})
			var ok bool
			if dst, ok = c.appendKey(dst, t.item, item); !ok {
				return dst, false
			}
			dst = append(dst, ' ')
		}
		return dst, true
	case varietyUnion:
		m := c.member(t, text)
		if m == nil {
			return dst, false
		}
		return c.appendKey(dst, m, append([]byte(nil), c.normalise(m.white, text)...))
	}
	var v value
	if !c.parse(t, text, &v) {
		return dst, false
	}
	return appendValueKey(dst, t.prim, &v, text), true
}
