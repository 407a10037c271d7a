package xsd

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// lexicalSpaces gives texts that are values of a built-in type and texts that are not.
var lexicalSpaces = []struct {
	typ     string
	valid   string // separated by |
	invalid string
}{
	{"string", "| x \n|ä", ""},
	{"boolean", "true|false|1|0| true ", "TRUE|yes||2"},
	{"decimal", "0|-0|+1.50|.5|5.|00012|-123456789012345678901234567890.123456789012345678901234567890", "|.|1e3|1,5|--1|1.2.3|INF|+|1 2"},
	{"integer", "0|-7|+007|123456789012345678901234567890", "1.0|.|1.|"},
	{"long", "9223372036854775807|-9223372036854775808", "9223372036854775808|-9223372036854775809"},
	{"int", "2147483647|-2147483648", "2147483648"},
	{"short", "32767", "32768|-32769"},
	{"byte", "127|-128|+1", "128|-129"},
	{"nonNegativeInteger", "0|-0|7", "-1"},
	{"positiveInteger", "1", "0|-1"},
	{"nonPositiveInteger", "0|-1", "1"},
	{"negativeInteger", "-1", "0"},
	{"unsignedLong", "18446744073709551615", "18446744073709551616|-1"},
	{"unsignedInt", "4294967295", "4294967296"},
	{"unsignedShort", "65535", "65536"},
	{"unsignedByte", "255|0", "256|-1"},
	{"float", "1|-1.5E3|1e-3|INF|-INF|NaN|.5e+2|1e400", "|+INF|inf|nan|1e|e5|0x1p3|1_0|1e1.5"},
	{"double", "1|-1.5E3|INF|NaN", "infinity|1d"},
	{"date", "2026-01-31|2024-02-29|2026-01-31Z|2026-01-31+14:00|2026-01-31-05:30|-0044-03-15|12026-01-01", "2026-1-31|2025-02-29|2026-13-01|2026-01-32|26-01-31|2026-01-31+14:01|2026-01-31+1:00|0000-01-01|02026-01-01|2026-01-31T00:00:00|20260131|+2026-01-31"},
	{"time", "12:00:00|23:59:59.999999999999|24:00:00|00:00:00Z|12:00:00-14:00", "24:00:01|24:00:00.1|12:60:00|12:00:60|12:00|1:00:00|12:00:00.|12:00:00z"},
	{"dateTime", "2026-01-31T12:00:00|2026-01-31T24:00:00Z|2026-01-31T12:00:00.5+01:00", "2026-01-31|2026-01-31 12:00:00|2026-01-31T12:00|2026-02-30T12:00:00"},
	{"gYear", "2026|-0001|2026Z|12345", "26|0000|+2026"},
	{"gYearMonth", "2026-01|2026-12Z", "2026-13|2026-1|2026"},
	{"gMonth", "--01|--12Z", "--13|-01|01|--1"},
	{"gDay", "---01|---31+01:00", "---32|--01|---1|31"},
	{"gMonthDay", "--01-31|--02-29", "--02-30|--04-31|01-31"},
	{"duration", "P1Y|P1Y2M3DT4H5M6.7S|-P1D|PT0S|P0Y|PT1M", "|P|PT|1Y|P1S|PT1Y|P1YT|P1M1Y|P1.5Y|P-1Y|PT1.S|+P1Y"},
	{"hexBinary", "|0aFF|00", "0|0g|0 a"},
	{"base64Binary", "|TWFu|TWE=|TQ==|TW Fu| T Q = = ", "TWF|TWFu=|TW=u|====|TWE*|TR==|TWF="},
	{"anyURI", "|http://example.org/a?b#c|urn:x|../a%20b|ä ö", "%zz|a#b#c|%2"},
	{"QName", "a|p:a", "q:a|:a|a:|1|p:a:b|"},
	{"NOTATION", "", "a"},
	{"normalizedString", "a\nb| x ", ""},
	{"token", " a  b ", ""},
	{"language", "en|de-AT|x-abcdefgh-1", "|e1|abcdefghi|en-|-en|en_US"},
	{"NMTOKEN", "a|-1|.x:y", "|a b|a,b"},
	{"NMTOKENS", "a|a b  c", "|  |a ,"},
	{"Name", "a|_b:c|:x|ä", "|1a|-a|a b"},
	{"NCName", "a|_b.c-1|ä", "|a:b|1"},
	{"ID", "a", "1|a:b"},
	{"IDREF", "a", "1"},
	{"IDREFS", "a b", "1|"},
	{"ENTITY", "", "a"},
	{"ENTITIES", "", "a|"},
	{"anySimpleType", "|anything <>", ""},
}

func TestBuiltInTypesHaveTheLexicalSpacesOfTheStandard(t *testing.T) {
	doc := parse(t, `<x xmlns:p="u"/>`)
	c := &checker{place: place{doc, doc.Root()}}
	seen := map[string]bool{}
	for _, row := range lexicalSpaces {
		seen[row.typ] = true
		typ := builtins[row.typ]
		if row.valid != "" || row.invalid == "" {
			for text := range strings.SplitSeq(row.valid, "|") {
				if !c.check(typ, []byte(text)) {
					t.Errorf("%q is no %s, want it to be one", text, row.typ)
				}
			}
		}
		if row.invalid != "" {
			for text := range strings.SplitSeq(row.invalid, "|") {
				if c.check(typ, []byte(text)) {
					t.Errorf("%q is a %s, want it not to be", text, row.typ)
				}
			}
		}
	}
	for name := range builtins {
		if !seen[name] {
			t.Errorf("the type %s is not tested", name)
		}
	}
}

func TestEqualValuesHaveEqualKeys(t *testing.T) {
	doc := parse(t, `<x xmlns="d" xmlns:p="u" xmlns:q="u"/>`)
	c := &checker{place: place{doc, doc.Root()}}
	for _, row := range []struct{ typ, equal, other string }{
		{"decimal", "1|1.0|+01.|1.000", "1.1|-1|10"},
		{"decimal", "0|-0|.0|00.00", "1"},
		{"integer", "7|+07", "70"},
		{"boolean", "true|1", "false|0"},
		{"float", "1|1.0e0|10E-1", "1.1"},
		{"double", "0|-0|0e5", "1"},
		{"double", "NaN", "INF|1"},
		{"dateTime", "2026-01-31T12:00:00Z|2026-01-31T13:00:00+01:00|2026-01-31T12:00:00.000Z", "2026-01-31T12:00:00|2026-01-31T12:00:01Z"},
		{"dateTime", "2026-01-31T24:00:00|2026-02-01T00:00:00", "2026-01-31T00:00:00"},
		{"date", "2026-01-31+00:00|2026-01-31Z", "2026-01-31|2026-01-31+01:00"},
		{"duration", "P1Y|P12M", "P365D|P1M"},
		{"duration", "PT60M|PT1H|PT3600.0S", "-PT1H|PT1.5H"},
		{"hexBinary", "0aff|0AFF", "0a"},
		{"base64Binary", "TWFu|T W F u", "TWE="},
		{"QName", "p:a|q:a", "a|p:b"},
		{"string", "a", "a |A"},
		{"token", " a  b |a b", "ab"},
		{"NMTOKENS", "a b|a  b", "ab|a b c"},
		{"anyURI", "a", "A"},
	} {
		typ := builtins[row.typ]
		key := func(text string) string {
			k, _ := c.valueKey(typ, []byte(text))
			return k
		}
		equal := strings.Split(row.equal, "|")
		for _, text := range equal {
			if key(text) != key(equal[0]) {
				t.Errorf("%s: %q and %q have different keys", row.typ, text, equal[0])
			}
		}
		for text := range strings.SplitSeq(row.other, "|") {
			if key(text) == key(equal[0]) {
				t.Errorf("%s: %q and %q have the same key", row.typ, text, equal[0])
			}
		}
	}
	if a, b := fmt.Sprint(c.valueKey(builtins["string"], []byte("1"))), fmt.Sprint(c.valueKey(builtins["decimal"], []byte("1"))); a == b {
		t.Error("a string and a number have the same key")
	}
}

func TestOrderOfValues(t *testing.T) {
	c := &checker{}
	for _, row := range []struct {
		typ, a, b string
		want      int
	}{
		{"decimal", "9", "10", -1}, {"decimal", "-9", "-10", 1}, {"decimal", "-1", "1", -1}, {"decimal", "1.5", "1.45", 1}, {"decimal", "1", "1.0", 0},
		{"double", "1", "INF", -1}, {"double", "NaN", "1", 2}, {"double", "NaN", "NaN", 0},
		{"date", "2026-01-31", "2026-02-01", -1}, {"date", "-0001-12-31", "0001-01-01", -1},
		{"dateTime", "2026-01-31T12:00:00Z", "2026-01-31T12:00:00+01:00", 1},
		{"dateTime", "2026-01-31T12:00:00", "2026-01-31T12:00:00Z", 2},
		{"dateTime", "2026-01-30T12:00:00", "2026-01-31T12:00:00Z", -1},
		{"dateTime", "2026-01-31T12:00:00Z", "2026-01-30T12:00:00", 1},
		{"dateTime", "2026-01-31T12:00:00.12", "2026-01-31T12:00:00.2", -1},
		{"dateTime", "2026-01-01T01:00:00+02:00", "2025-12-31T23:00:00Z", 0}, {"dateTime", "0001-01-01T00:00:00Z", "-0001-12-31T23:59:59Z", 1},
		{"dateTime", "999999999999999-12-31T00:00:00Z", "2026-01-31T00:00:00Z", 1}, {"dateTime", "-999999999999999-12-31T00:00:00Z", "2026-01-31T00:00:00Z", -1},
		{"gYear", "584554049254", "2026", 1}, {"gYear", "584554049254", "584554049255", -1},
		{"time", "12:00:00", "11:59:59.9", 1},
		{"gMonthDay", "--02-29", "--03-01", -1},
		{"duration", "P1M", "P30D", 2}, {"duration", "P1M", "P32D", -1}, {"duration", "P1Y", "P13M", -1},
		{"duration", "P5M", "P153D", 2}, {"duration", "-P1D", "P1D", -1}, {"duration", "PT1.5S", "PT1.50S", 0}, {"duration", "-PT1.5S", "-PT1.4S", -1},
		{"duration", "P999999999999Y", "P1Y", 1}, {"duration", "-P999999999999Y", "P1Y", -1}, {"duration", "P999999999999D", "P999999999998D", 1},
	} {
		typ := builtins[row.typ]
		var a, b value
		if !c.parse(typ, []byte(row.a), &a) || !c.parse(typ, []byte(row.b), &b) {
			t.Fatalf("%s: %q or %q is no value", row.typ, row.a, row.b)
		}
		if got := a.compare(typ.prim, &b); got != row.want {
			t.Errorf("%s: %s compared with %s is %d, want %d", row.typ, row.a, row.b, got, row.want)
		}
		inverse := row.want
		if inverse != 2 {
			inverse = -inverse
		}
		if got := b.compare(typ.prim, &a); got != inverse {
			t.Errorf("%s: %s compared with %s is %d, want %d", row.typ, row.b, row.a, got, inverse)
		}
	}
}

func TestNumbersCompareAsRationalsDo(t *testing.T) {
	digits := rapid.StringMatching(`[+-]?([0-9]{1,25}(\.[0-9]{0,25})?|\.[0-9]{1,25})`)
	rapid.Check(t, func(t *rapid.T) {
		x, y := digits.Draw(t, "x"), digits.Draw(t, "y")
		a, okA := parseNumber([]byte(x))
		b, okB := parseNumber([]byte(y))
		if !okA || !okB {
			t.Fatalf("%q or %q is not read", x, y)
		}
		want := rational(x).Cmp(rational(y))
		if got := a.compare(b); got != want {
			t.Fatalf("%s compared with %s is %d, want %d", x, y, got, want)
		}
		if same := string(a.appendKey(nil)) == string(b.appendKey(nil)); same != (want == 0) {
			t.Fatalf("the keys of %s and %s are the same: %v", x, y, same)
		}
	})
}

func rational(text string) *big.Rat {
	text = strings.TrimSuffix(text, ".")
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic(text)
	}
	return r
}

func TestFacets(t *testing.T) {
	type facetCase struct{ base, facets, valid, invalid string }
	for _, c := range []facetCase{
		{"string", `length 3`, "abc|äöü|😀😀😀", "ab|abcd"},
		{"string", `minLength 1; maxLength 2`, "a|ab", "|abc"},
		{"hexBinary", `length 2`, "0aff", "0a"},
		{"base64Binary", `maxLength 2`, "TQ==|TWE=", "TWFu"},
		{"NMTOKENS", `maxLength 2`, "a b", "a b c"},
		{"decimal", `totalDigits 4; fractionDigits 2`, "12.34|0012.3400|.12|-1234", "123.45|1.234|12345"},
		{"decimal", `minInclusive -1; maxExclusive 1`, "-1|0.999", "-1.001|1|1.0"},
		{"int", `minExclusive 0; maxInclusive 10`, "1|10", "0|11"},
		{"date", `minInclusive 2000-01-01`, "2000-01-01|2026-01-31Z", "1999-12-31|2000-01-01Z"},
		{"double", `maxInclusive 1e3`, "1000|-INF", "1001|NaN"},
		{"duration", `minExclusive P1M`, "P32D", "P30D|P1M"},
		{"string", `pattern [A-Z]{2}`, "AB", "ABC|ab|^AB$"},
		{"string", `pattern a+; pattern b+`, "aa|b", "ab"},
		{"decimal", `pattern \d+\.\d{2}`, "1.00| 1.00 ", "1.0|1"},
		{"string", `enumeration a; enumeration b c`, "a|b c", "b|c|a "},
		{"decimal", `enumeration 1.0`, "1|01.00", "2"},
		{"boolean", `pattern true|false`, "true", "1"},
		{"string", `whiteSpace collapse; length 3`, " a  b |abc", "a  bc d"},
		{"token", `enumeration a b`, " a  b ", "ab"},
		{"NMTOKENS", `enumeration a b`, "a  b", "b a|a"},
		{"QName", `enumeration p:a`, "p:a|q:a", "p:b|a"},
	} {
		var body strings.Builder
		for facet := range strings.SplitSeq(c.facets, "; ") {
			name, text, _ := strings.Cut(facet, " ")
			fmt.Fprintf(&body, `<xs:%s value="%s"/>`, name, text)
		}
		s := compile(t, map[string]string{"s.xsd": `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:p="u">
			<xs:element name="root"><xs:simpleType><xs:restriction base="xs:` + c.base + `">` + body.String() + `</xs:restriction></xs:simpleType></xs:element></xs:schema>`})
		valid := func(text string) bool {
			return len(violations(t, s, `<root xmlns:p="u" xmlns:q="u">`+text+`</root>`)) == 0
		}
		for text := range strings.SplitSeq(c.valid, "|") {
			if !valid(text) {
				t.Errorf("%s with %s: %q is refused", c.base, c.facets, text)
			}
		}
		for text := range strings.SplitSeq(c.invalid, "|") {
			if valid(text) {
				t.Errorf("%s with %s: %q is accepted", c.base, c.facets, text)
			}
		}
	}
}

func TestListsAndUnions(t *testing.T) {
	for _, c := range []construct{
		{"list", `<xs:simpleType name="l"><xs:list itemType="xs:int"/></xs:simpleType><xs:element name="root"><xs:simpleType><xs:restriction base="l"><xs:minLength value="2"/></xs:restriction></xs:simpleType></xs:element>`, []sample{
			{`<root> 1  2 </root>`, ""},
			{`<root>1</root>`, "facet /root"},
			{`<root>1 x</root>`, "datatype /root"},
		}},
		{"union", `<xs:simpleType name="u"><xs:union memberTypes="xs:int"><xs:simpleType><xs:restriction base="xs:token"><xs:enumeration value="no ne"/></xs:restriction></xs:simpleType></xs:union></xs:simpleType><xs:element name="root" type="u"/>`, []sample{
			{`<root> 1 </root>`, ""},
			{`<root> no  ne </root>`, ""},
			{`<root>x</root>`, "datatype /root"},
		}},
		{"enumeration of a union", `<xs:simpleType name="u"><xs:union memberTypes="xs:int xs:string"/></xs:simpleType><xs:element name="root"><xs:simpleType><xs:restriction base="u"><xs:enumeration value="1"/><xs:enumeration value="x"/></xs:restriction></xs:simpleType></xs:element>`, []sample{
			{`<root>01</root>`, ""},
			{`<root>x</root>`, ""},
			{`<root>2</root>`, "enumeration /root"},
		}},
		{"list of a union", `<xs:simpleType name="u"><xs:union memberTypes="xs:int xs:boolean"/></xs:simpleType><xs:element name="root"><xs:simpleType><xs:list itemType="u"/></xs:simpleType></xs:element>`, []sample{
			{`<root>1 true 7</root>`, ""},
			{`<root/>`, ""},
			{`<root>1 maybe</root>`, "datatype /root"},
		}},
	} {
		c.run(t)
	}
}
