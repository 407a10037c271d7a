package xdm

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// lexicalError says that a text is not of the lexical form of a type.
func lexicalError(s string, t Type) error {
	if len(s) > 100 {
		s = s[:100] + "…"
	}
	return Errorf("FORG0001", "%q is not of type %v", s, t)
}

func castError(i Item, t Type) error {
	return Errorf("XPTY0004", "a value of type %v cannot be cast to %v", i.typ, t)
}

// Cast casts an atomic item to a concrete atomic type (F&O 17). A string cannot be cast to xs:QName or xs:NOTATION here,
// because that needs namespaces. Errors: FORG0001 for a text or number outside of the type, XPTY0004 where the types have no
// cast, FOCA0001, FOCA0002, FODT0001 and FODT0002 as the function specification says.
func Cast(i Item, t Type) (Item, error) {
	if i.typ == t {
		return i, nil
	}
	if i.typ.Primitive() == String || i.typ == UntypedAtomic {
		return Parse(i.Text(), t)
	}
	switch p := t.Primitive(); p {
	case UntypedAtomic:
		return Untyped(i.String()), nil
	case String:
		return Parse(i.String(), t)
	case Decimal, Integer:
		return castToDecimal(i, t)
	case Double, Float:
		return castToFloat(i, t)
	case Boolean:
		return castToBoolean(i)
	case Duration, DayTimeDuration, YearMonthDuration:
		return castToSpan(i, p)
	case HexBinary, Base64Binary:
		return castToBinary(i, p)
	default:
		return castToMoment(i, t)
	}
}

// Parse casts a string to a concrete atomic type. Errors are those of Cast.
func Parse(s string, t Type) (Item, error) {
	item, ok, err := parse(s, t)
	if err == nil && !ok {
		err = lexicalError(s, t)
	}
	if err != nil {
		return Item{}, err
	}
	return item, nil
}

// Castable tells whether Cast would succeed.
func Castable(i Item, t Type) bool {
	if i.typ != UntypedAtomic && i.typ != String {
		_, err := Cast(i, t)
		return err == nil
	}
	_, ok, err := parse(i.Text(), t)
	return ok && err == nil
}

func parse(s string, t Type) (item Item, ok bool, err error) {
	switch t.Primitive() {
	case String:
		item, ok = parseText(s, t)
	case UntypedAtomic:
		item, ok = Untyped(s), true
	case AnyURI:
		item, ok = parseURI(s)
	case Boolean:
		var b bool
		b, ok = ParseBoolean(s)
		item = Bool(b)
	case Decimal:
		item, ok = ParseDecimal(s)
	case Integer:
		if item, ok = ParseInteger(s); ok {
			item, ok = inRange(item, t)
		}
	case Double:
		var f float64
		f, ok = ParseFloat(s, 64)
		item = Float64(f)
	case Float:
		var f float64
		f, ok = ParseFloat(s, 32)
		item = Float32(float32(f))
	case HexBinary, Base64Binary:
		item, ok = parseBinary(s, t)
	default:
		return parseComposed(s, t)
	}
	return item, ok, nil
}

// parseComposed reads durations and moments, whose readers have errors of their own.
func parseComposed(s string, t Type) (item Item, ok bool, err error) {
	switch {
	case t == QName || t == NOTATION:
		return Item{}, false, Errorf("XPTY0004", "a string cannot be cast to %v here", t)
	case t == Date:
		if day, ok := parseDay(s); ok {
			return day, true, nil
		}
	case t.Is(Duration):
		span, err := ParseSpan(t, s)
		return SpanItem(t, span), true, err
	}
	m, err := ParseMoment(t, s)
	return MomentItem(t, m), true, err
}

// parseURI accepts what RFC 2396 with escaping (XML Schema part 2, 3.2.17) does not plainly forbid.
func parseURI(s string) (Item, bool) {
	s = Collapse(s)
	for i := strings.IndexByte(s, '%'); i >= 0 && i < len(s); i++ {
		if s[i] == '%' && (i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2])) {
			return Item{}, false
		}
	}
	scheme, _, found := strings.Cut(s, ":")
	if found && scheme == "" || strings.Count(s, "#") > 1 {
		return Item{}, false
	}
	return URI(s), utf8.ValidString(s)
}

func isHex(c byte) bool { return c-'0' <= 9 || c|0x20 >= 'a' && c|0x20 <= 'f' }

// parseBinary reads hexadecimal digits or base64; white space is allowed between the characters of base64. The bits that the
// last character of base64 has too many must be 0 (XML Schema part 2, 3.2.16), of which Strict takes care.
func parseBinary(s string, t Type) (Item, bool) {
	if t == HexBinary {
		b, err := hex.DecodeString(Trim(s))
		return stringItem(t, string(b)), err == nil
	}
	s = strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && IsSpace(byte(r)) {
			return -1
		}
		return r
	}, s)
	b, err := base64.StdEncoding.Strict().DecodeString(s)
	return stringItem(t, string(b)), err == nil
}

// castToDecimal casts to xs:decimal and the integers, which drops the fraction (F&O 17.1.3.4).
func castToDecimal(i Item, t Type) (Item, error) {
	p := t.Primitive()
	var n Item
	switch {
	case i.typ == Boolean:
		n = Item{typ: p, num: i.num}
	case i.typ == Double || i.typ == Float:
		var err error
		if n, err = floatToDecimal(i.Float(), p); err != nil {
			return Item{}, err
		}
	case i.typ.IsDecimal() && p == Decimal:
		return i.as(Decimal), nil
	case i.typ.IsInteger():
		n = i
	case i.typ.IsDecimal():
		n = quotient(i, Int64(1))
	default:
		return Item{}, castError(i, t)
	}
	if p == Decimal {
		return n, nil
	}
	if r, ok := inRange(n, t); ok {
		return r, nil
	}
	return Item{}, lexicalError(n.String(), t)
}

func castToFloat(i Item, t Type) (Item, error) {
	switch {
	case i.typ == Boolean && t == Double:
		return Float64(float64(i.num)), nil
	case i.typ == Boolean:
		return Float32(float32(i.num)), nil
	case !i.typ.IsNumeric():
		return Item{}, castError(i, t)
	case t == Float:
		return Float32(float32(i.asFloat32())), nil
	}
	return Float64(i.AsFloat()), nil
}

// castToBoolean makes 0 and NaN false and every other number true (F&O 17.1.6).
func castToBoolean(i Item) (Item, error) {
	switch {
	case i.typ.IsDecimal():
		return Bool(i.sign() != 0), nil
	case i.typ.IsNumeric():
		f := i.Float()
		return Bool(f != 0 && f == f), nil
	}
	return Item{}, castError(i, Boolean)
}

func castToSpan(i Item, t Type) (Item, error) {
	if !i.typ.Is(Duration) {
		return Item{}, castError(i, t)
	}
	return SpanItem(t, i.Span().fitting(t)), nil
}

func castToBinary(i Item, t Type) (Item, error) {
	if i.typ != HexBinary && i.typ != Base64Binary {
		return Item{}, castError(i, t)
	}
	return i.as(t), nil
}

// castToMoment casts xs:dateTime and xs:date to the types with fewer parts and xs:date to xs:dateTime.
func castToMoment(i Item, t Type) (Item, error) {
	from, to := layouts[i.typ].parts, layouts[t].parts
	whole := i.typ == DateTime || i.typ == Date && t != Time
	if from == 0 || to == 0 || !whole {
		return Item{}, castError(i, t)
	}
	return MomentItem(t, i.Moment().fitting(t)), nil
}
