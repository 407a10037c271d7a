package xsd

import "github.com/einvoiced/einvoiced/core/engine/xmltree"

// builtinRow describes a built-in simple type by what it adds to its base (XML Schema part 2, clauses 3.2 and 3.3).
type builtinRow struct {
	name     string
	base     string
	prim     primitive // of primitive types
	white    white
	special  special
	item     string // of lists
	min, max string // of the integer types
}

// builtinRows has each type behind the one that it is made of.
var builtinRows = []builtinRow{
	{name: "string", prim: primString, white: preserve},
	{name: "boolean", prim: primBoolean},
	{name: "decimal", prim: primDecimal},
	{name: "float", prim: primFloat},
	{name: "double", prim: primDouble},
	{name: "duration", prim: primDuration},
	{name: "dateTime", prim: primDateTime},
	{name: "time", prim: primTime},
	{name: "date", prim: primDate},
	{name: "gYearMonth", prim: primGYearMonth},
	{name: "gYear", prim: primGYear},
	{name: "gMonthDay", prim: primGMonthDay},
	{name: "gDay", prim: primGDay},
	{name: "gMonth", prim: primGMonth},
	{name: "hexBinary", prim: primHexBinary},
	{name: "base64Binary", prim: primBase64Binary},
	{name: "anyURI", prim: primAnyURI},
	{name: "QName", prim: primQName},
	{name: "NOTATION", prim: primNotation},

	{name: "normalizedString", base: "string", white: replace},
	{name: "token", base: "normalizedString"},
	{name: "language", base: "token", special: specialLanguage},
	{name: "NMTOKEN", base: "token", special: specialNMToken},
	{name: "Name", base: "token", special: specialName},
	{name: "NCName", base: "Name", special: specialNCName},
	{name: "ID", base: "NCName", special: specialID},
	{name: "IDREF", base: "NCName", special: specialIDRef},
	{name: "ENTITY", base: "NCName", special: specialEntity},
	{name: "NMTOKENS", item: "NMTOKEN"},
	{name: "IDREFS", item: "IDREF"},
	{name: "ENTITIES", item: "ENTITY"},

	{name: "integer", base: "decimal", special: specialInteger},
	{name: "nonPositiveInteger", base: "integer", max: "0"},
	{name: "negativeInteger", base: "nonPositiveInteger", max: "-1"},
	{name: "long", base: "integer", min: "-9223372036854775808", max: "9223372036854775807"},
	{name: "int", base: "long", min: "-2147483648", max: "2147483647"},
	{name: "short", base: "int", min: "-32768", max: "32767"},
	{name: "byte", base: "short", min: "-128", max: "127"},
	{name: "nonNegativeInteger", base: "integer", min: "0"},
	{name: "unsignedLong", base: "nonNegativeInteger", max: "18446744073709551615"},
	{name: "unsignedInt", base: "unsignedLong", max: "4294967295"},
	{name: "unsignedShort", base: "unsignedInt", max: "65535"},
	{name: "unsignedByte", base: "unsignedShort", max: "255"},
	{name: "positiveInteger", base: "nonNegativeInteger", min: "1"},
}

// anySimpleType is the simple ur-type definition (clause 4.1.1 of part 2).
var anySimpleType = &simpleType{
	name: schemaName("anySimpleType"), builtin: true, white: preserve, length: anyLength, total: -1, fraction: -1, plain: true, number: 1,
}

// builtins are the built-in simple types by name. They are never changed.
var builtins = makeBuiltins()

func schemaName(local string) xmltree.Name { return xmltree.Name{Space: schemaSpace, Local: local} }

func makeBuiltins() map[string]*simpleType {
	all := map[string]*simpleType{"anySimpleType": anySimpleType}
	for i, row := range builtinRows {
		t := row.make(all)
		t.number = uint32(i) + 2
		all[row.name] = t
	}
	return all
}

func (r builtinRow) make(known map[string]*simpleType) *simpleType {
	base := anySimpleType
	if r.base != "" {
		base = known[r.base]
	}
	t := *base
	t.name, t.base, t.by = schemaName(r.name), base, byRestriction
	if r.special != 0 {
		t.special = r.special
	}
	switch {
	case r.item != "":
		t.variety, t.item, t.white = varietyList, known[r.item], collapse
		// NMTOKENS, IDREFS and ENTITIES have one item at least (clauses 3.3.5, 3.3.10 and 3.3.12).
		t.length.min = 1
	case r.base == "":
		t.prim, t.white = r.prim, r.white
		if r.prim != primString {
			t.white = collapse
		}
	case r.name == "normalizedString":
		t.white = replace
	default:
		t.white = collapse
	}
	if r.min != "" {
		t.lower = integerLimit(r.min)
	}
	if r.max != "" {
		t.upper = integerLimit(r.max)
	}
	if r.special == specialInteger {
		t.fraction = 0
		t.fixed |= 1 << facetFractionDigits
	}
	if r.base == "" && r.prim != primString {
		t.fixed |= 1 << facetWhiteSpace
	}
	t.identity = t.special == specialID || t.special == specialIDRef
	t.seal()
	return &t
}

func integerLimit(text string) *limit {
	n, _ := parseInteger([]byte(text)) // a constant of the table
	return &limit{text: text, value: value{number: n}}
}
