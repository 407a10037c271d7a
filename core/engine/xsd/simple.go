package xsd

import (
	"unicode/utf8"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// variety tells atomic values, lists and unions apart (XML Schema part 2, clause 2.5.1).
type variety uint8

const (
	varietyAtomic variety = iota
	varietyList
	varietyUnion
)

// white says what happens to white space before a value is read (clause 4.3.6).
type white uint8

const (
	preserve white = iota
	replace
	collapse
)

// simpleType is a simple type definition with all facets in effect, its own and those of its bases.
type simpleType struct {
	name    xmltree.Name
	base    *simpleType // nil for anySimpleType
	by      derivations
	depth   int // derivations away from anySimpleType
	final   derivations
	variety variety
	prim    primitive
	item    *simpleType   // of a list
	members []*simpleType // of a union
	special special       // what a built-in type adds to its primitive type
	builtin bool
	number  uint32 // of the type in its schema, from 1

	white    white
	length   bounds // in characters, bytes or items
	total    int    // totalDigits, -1 for any
	fraction int    // fractionDigits, -1 for any
	lower    *limit
	upper    *limit
	patterns [][]pattern // each step must match, by one of its patterns
	enum     *enumeration
	fixed    facetSet // facets that derived types must not change
	checks   bool     // whether any facet but patterns asks for a check
	plain    bool     // whether every text is a value
	weight   int      // types that a check may have to ask
	identity bool     // whether the type holds ID, IDREF or IDREFS, or a part that does
}

// bounds limits a length; -1 is no limit.
type bounds struct{ min, max, exact int }

var anyLength = bounds{-1, -1, -1}

// limit is a lower or upper bound.
type limit struct {
	text      string
	value     value
	exclusive bool
}

// enumeration is the list of values allowed. keys holds them in a form in which equal values are equal texts.
type enumeration struct {
	texts []string
	keys  map[string]struct{}
}

// length is the length of an atomic value: characters, or bytes of binary data (clause 4.3.1).
func (v *value) length(p primitive, text []byte) int {
	if p == primHexBinary || p == primBase64Binary {
		return v.size
	}
	return utf8.RuneCount(text)
}
