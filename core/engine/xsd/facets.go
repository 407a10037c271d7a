package xsd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// facet is a constraining facet (XML Schema part 2, clause 4.3).
type facet uint8

const (
	facetLength facet = 1 + iota
	facetMinLength
	facetMaxLength
	facetPattern
	facetEnumeration
	facetWhiteSpace
	facetMaxInclusive
	facetMaxExclusive
	facetMinInclusive
	facetMinExclusive
	facetTotalDigits
	facetFractionDigits
)

// facetNames are the elements that set facets.
var facetNames = map[string]facet{
	"length": facetLength, "minLength": facetMinLength, "maxLength": facetMaxLength,
	"pattern": facetPattern, "enumeration": facetEnumeration, "whiteSpace": facetWhiteSpace,
	"maxInclusive": facetMaxInclusive, "maxExclusive": facetMaxExclusive,
	"minInclusive": facetMinInclusive, "minExclusive": facetMinExclusive,
	"totalDigits": facetTotalDigits, "fractionDigits": facetFractionDigits,
}

// facetSet has the bit 1<<f for each facet f in it.
type facetSet uint16

const (
	lengthFacets = 1<<facetLength | 1<<facetMinLength | 1<<facetMaxLength
	commonFacets = 1<<facetPattern | 1<<facetEnumeration | 1<<facetWhiteSpace
	boundFacets  = 1<<facetMaxInclusive | 1<<facetMaxExclusive | 1<<facetMinInclusive | 1<<facetMinExclusive
	digitFacets  = 1<<facetTotalDigits | 1<<facetFractionDigits
)

// applicable are the facets that a type may have (clause 4.1.5).
func (t *simpleType) applicable() facetSet {
	switch {
	case t.variety == varietyList:
		return lengthFacets | commonFacets
	case t.variety == varietyUnion:
		return 1<<facetPattern | 1<<facetEnumeration
	}
	switch t.prim {
	case primAny:
		return 0
	case primBoolean:
		return 1<<facetPattern | 1<<facetWhiteSpace
	case primDecimal:
		return commonFacets | boundFacets | digitFacets
	case primString, primAnyURI, primQName, primNotation, primHexBinary, primBase64Binary:
		return commonFacets | lengthFacets
	}
	return commonFacets | boundFacets
}

// facetValue is a facet as a schema sets it.
type facetValue struct {
	facet facet
	name  string // of the element
	text  string
	fixed bool
	place place
}

// restrict derives a type from base by facets. The error says in a sentence which facet is wrong and why. Patterns of one
// step are alternatives, those of different steps must all match (part 2, clause 4.3.4). An enumeration replaces that of the
// base, whose values its own are checked against.
func restrict(base *simpleType, facets []facetValue, c *checker) (*simpleType, error) {
	t := *base
	t.base, t.by, t.builtin, t.fixed = base, byRestriction, false, base.fixed
	t.depth = base.depth + 1
	own := ownFacets{t: &t, base: base, checker: c}
	for _, f := range facets {
		if err := own.set(f); err != nil {
			return nil, fmt.Errorf("facet %s %q: %w", f.name, f.text, err)
		}
	}
	if own.patterns != nil {
		t.patterns = append(slices.Clone(base.patterns), own.patterns)
	}
	if own.enum != nil {
		t.enum = own.enum
	}
	t.seal()
	return &t, own.consistent()
}

// seal computes what follows from the facets.
func (t *simpleType) seal() {
	t.checks = t.length != anyLength || t.total >= 0 || t.fraction >= 0 && t.special != specialInteger ||
		t.lower != nil || t.upper != nil || t.enum != nil
	t.plain = t.variety == varietyAtomic && t.prim <= primString && t.special == 0 && len(t.patterns) == 0 && !t.checks
	t.weight = 1
	switch t.variety {
	case varietyList:
		t.identity, t.weight = t.item.identity, 1+t.item.weight
	case varietyUnion:
		t.identity = slices.ContainsFunc(t.members, func(m *simpleType) bool { return m.identity })
		for _, m := range t.members {
			t.weight += m.weight
		}
	}
}

// ownFacets gathers the facets of one derivation step.
type ownFacets struct {
	t, base  *simpleType
	checker  *checker
	seen     facetSet
	patterns []pattern
	enum     *enumeration
}

// set takes in a facet. Only pattern and enumeration may stand several times in one step, where they are alternatives (part
// 2, clauses 4.3.4 and 4.3.5).
func (o *ownFacets) set(f facetValue) error {
	bit := facetSet(1) << f.facet
	switch {
	case o.base.applicable()&bit == 0:
		return fmt.Errorf("the type %s has no such facet", o.base.describe())
	case o.seen&bit != 0 && f.facet != facetPattern && f.facet != facetEnumeration:
		return fmt.Errorf("it is set twice")
	}
	o.seen |= bit
	if f.fixed {
		o.t.fixed |= bit
	}
	switch f.facet {
	case facetPattern:
		p, err := newPattern(f.text)
		if err != nil {
			return err
		}
		o.patterns = append(o.patterns, p)
		return nil
	case facetEnumeration:
		return o.enumerate(f)
	case facetWhiteSpace:
		return o.setWhite(f)
	case facetLength, facetMinLength, facetMaxLength, facetTotalDigits, facetFractionDigits:
		return o.setNumber(f)
	}
	return o.setLimit(f)
}

func (o *ownFacets) frozen(f facet) bool { return o.base.fixed&(1<<f) != 0 }

var errFrozen = fmt.Errorf("the base type fixes another value")

func (o *ownFacets) enumerate(f facetValue) error {
	if o.enum == nil {
		o.enum = &enumeration{keys: map[string]struct{}{}}
	}
	o.checker.place = f.place
	if !o.checker.check(o.base, []byte(f.text)) {
		return fmt.Errorf("it is no value of the base type %s", o.base.describe())
	}
	key, _ := o.checker.valueKey(o.base, []byte(f.text)) // just checked
	o.enum.keys[key] = struct{}{}
	o.enum.texts = append(o.enum.texts, f.text)
	return nil
}

func (o *ownFacets) setWhite(f facetValue) error {
	w := map[string]white{"preserve": preserve, "replace": replace, "collapse": collapse}[f.text]
	switch {
	case w != o.base.white && o.frozen(facetWhiteSpace):
		return errFrozen
	case w < o.base.white:
		return fmt.Errorf("the base type already changes more")
	}
	o.t.white = w
	return nil
}

// setNumber sets a facet whose value is a number of characters, items or digits.
func (o *ownFacets) setNumber(f facetValue) error {
	n, err := strconv.Atoi(strings.TrimPrefix(f.text, "+"))
	if err != nil || n > maxCount {
		n = maxCount
	}
	have, least := o.slot(f.facet)
	old := *have
	switch {
	case old >= 0 && old != n && o.frozen(f.facet):
		return errFrozen
	case old >= 0 && (f.facet == facetLength && n != old || least && n < old || !least && n > old):
		return fmt.Errorf("the base type allows only %d", old)
	}
	*have = n
	return nil
}

// maxCount stands for every larger number in a schema.
const maxCount = 1<<31 - 1

// slot is where the value of a number facet is kept, and whether it is a minimum.
func (o *ownFacets) slot(f facet) (at *int, least bool) {
	switch f {
	case facetLength:
		return &o.t.length.exact, false
	case facetMinLength:
		return &o.t.length.min, true
	case facetMaxLength:
		return &o.t.length.max, false
	case facetTotalDigits:
		return &o.t.total, false
	}
	return &o.t.fraction, false
}

// setLimit sets a lower or upper bound.
func (o *ownFacets) setLimit(f facetValue) error {
	l := &limit{text: f.text, exclusive: f.facet == facetMinExclusive || f.facet == facetMaxExclusive}
	text := append([]byte(nil), o.checker.normalise(o.base.white, []byte(f.text))...)
	if !o.checker.parse(o.base, text, &l.value) {
		return fmt.Errorf("it is no value of the base type %s", o.base.describe())
	}
	lower := f.facet == facetMinInclusive || f.facet == facetMinExclusive
	have, want := &o.t.upper, -1
	other := facetSet(1<<facetMaxInclusive | 1<<facetMaxExclusive)
	if lower {
		have, want = &o.t.lower, 1
		other = 1<<facetMinInclusive | 1<<facetMinExclusive
	}
	old := *have
	same := old != nil && old.exclusive == l.exclusive && l.value.compare(o.base.prim, &old.value) == 0
	switch {
	case o.seen&other == other:
		return fmt.Errorf("the bound is set twice, with and without the value itself")
	case old != nil && !same && o.frozen(f.facet) && old.exclusive == l.exclusive:
		return errFrozen
	case old != nil && !same && !old.allows(l, o.base.prim, want), !o.insideOther(l, lower):
		return fmt.Errorf("it is outside the range of the base type")
	}
	*have = l
	return nil
}

// allows tells whether a bound may replace old, on its inner side being want (1 above, -1 below).
func (l *limit) allows(next *limit, p primitive, want int) bool {
	c := next.value.compare(p, &l.value)
	return c == want || c == 0 && (next.exclusive || !l.exclusive)
}

// insideOther tells whether a bound keeps to the base type's bound on the other side.
func (o *ownFacets) insideOther(l *limit, lower bool) bool {
	against, want := o.base.lower, 1
	if lower {
		against, want = o.base.upper, -1
	}
	if against == nil {
		return true
	}
	c := l.value.compare(o.base.prim, &against.value)
	return c == want || c == 0 && !against.exclusive
}

// consistent checks the facets of the new type against each other (the schema component constraints of clause 4.3).
func (o *ownFacets) consistent() error {
	t, n := o.t, o.t.length
	switch {
	case n.min >= 0 && n.max >= 0 && n.min > n.max:
		return fmt.Errorf("minLength is larger than maxLength")
	case n.exact >= 0 && (n.min > n.exact || n.max >= 0 && n.max < n.exact):
		return fmt.Errorf("length is not between minLength and maxLength")
	case o.seen&(1<<facetLength) != 0 && (o.seen&(1<<facetMinLength) != 0 && o.base.length.min != n.min ||
		o.seen&(1<<facetMaxLength) != 0 && o.base.length.max != n.max):
		return fmt.Errorf("length stands beside minLength or maxLength")
	case t.total >= 0 && t.fraction > t.total:
		return fmt.Errorf("fractionDigits is larger than totalDigits")
	case t.lower == nil || t.upper == nil:
		return nil
	}
	c := t.lower.value.compare(t.prim, &t.upper.value)
	if c == 1 || c == 0 && t.lower.exclusive != t.upper.exclusive {
		return fmt.Errorf("the lower bound is above the upper bound")
	}
	return nil
}

// describe names a type in a message.
func (t *simpleType) describe() string {
	if t.name.Local == "" {
		return "without name"
	}
	return t.name.Local
}
