package xdm

import (
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/engine/xmlname"
)

// textFacet is what a type derived from xs:string demands of a value whose white space is already as it should be.
var textFacet = [typeCount]func(string) bool{
	Language: isLanguage,
	NMTOKEN:  xmlname.IsNmtoken,
	XMLName:  xmlname.IsName,
	NCName:   xmlname.IsNCName,
	ID:       xmlname.IsNCName,
	IDREF:    xmlname.IsNCName,
	ENTITY:   xmlname.IsNCName,
}

// isLanguage tells whether s has the form [a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})* (XML Schema part 2, 3.3.3).
func isLanguage(s string) bool {
	for n, part := range strings.Split(s, "-") {
		if len(part) < 1 || len(part) > 8 {
			return false
		}
		for i := range len(part) {
			letter := part[i]|0x20 >= 'a' && part[i]|0x20 <= 'z'
			if !letter && (n == 0 || part[i]-'0' > 9) {
				return false
			}
		}
	}
	return true
}

// parseText applies the white space and the facet of a type derived from xs:string, or xs:string itself.
func parseText(s string, t Type) (Item, bool) {
	switch t {
	case String:
	case NormalizedString:
		s = replaceSpaces(s)
	default:
		s = Collapse(s)
	}
	facet := textFacet[t]
	return stringItem(t, s), facet == nil || facet(s)
}

// integerRange holds the bounds of a type derived from xs:integer; an unset one is no bound.
type integerRange struct{ low, high decimal.Decimal }

func between(low, high string) integerRange {
	var r integerRange
	if low != "" {
		r.low = decimal.MustParse(low)
	}
	if high != "" {
		r.high = decimal.MustParse(high)
	}
	return r
}

// integerRanges are the bounds of XML Schema part 2, 3.3.14 to 3.3.25.
var integerRanges = [typeCount]integerRange{
	NonPositiveInteger: between("", "0"),
	NegativeInteger:    between("", "-1"),
	Long:               between("-9223372036854775808", "9223372036854775807"),
	Int:                between("-2147483648", "2147483647"),
	Short:              between("-32768", "32767"),
	Byte:               between("-128", "127"),
	NonNegativeInteger: between("0", ""),
	UnsignedLong:       between("0", "18446744073709551615"),
	UnsignedInt:        between("0", "4294967295"),
	UnsignedShort:      between("0", "65535"),
	UnsignedByte:       between("0", "255"),
	PositiveInteger:    between("1", ""),
}

// inRange gives an integer as one of type t; false when it is outside of the bounds.
func inRange(i Item, t Type) (Item, bool) {
	if t != Integer {
		r, d := integerRanges[t], i.Decimal()
		if r.low.IsSet() && d.Cmp(r.low) < 0 || r.high.IsSet() && d.Cmp(r.high) > 0 {
			return Item{}, false
		}
	}
	return i.as(t), true
}
