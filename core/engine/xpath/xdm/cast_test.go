package xdm

import (
	"errors"
	"testing"
)

func code(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

func mustParse(t *testing.T, s string, typ Type) Item {
	t.Helper()
	i, err := Parse(s, typ)
	if err != nil {
		t.Fatalf("parse %q as %v: %v", s, typ, err)
	}
	return i
}

// The third column is the canonical form, or the code of the error.
func TestParseGivesCanonicalFormOrError(t *testing.T) {
	for _, c := range []struct {
		typ       Type
		text, out string
	}{
		{String, " a\n", " a\n"},
		{NormalizedString, " a\tb\n", " a b "},
		{Token, " a \t b\n", "a b"},
		{Language, "de-AT-1901", "de-AT-1901"},
		{Language, "1a", "FORG0001"},
		{Language, "abcdefghi", "FORG0001"},
		{NMTOKEN, "-1a", "-1a"},
		{NMTOKEN, "a b", "FORG0001"},
		{XMLName, "a:b", "a:b"},
		{NCName, " ID ", "ID"},
		{NCName, "a:b", "FORG0001"},
		{Boolean, " true ", "true"},
		{Boolean, "0", "false"},
		{Boolean, "TRUE", "FORG0001"},
		{Decimal, "+1.50", "1.5"},
		{Decimal, "-.0", "0"},
		{Decimal, "100.", "100"},
		{Decimal, "12345678901234567890123456789012345678901.25", "12345678901234567890123456789012345678901.25"},
		{Decimal, "0.00000000000000000000000000000000000000010", "0.0000000000000000000000000000000000000001"},
		{Decimal, "1e2", "FORG0001"},
		{Decimal, "", "FORG0001"},
		{Decimal, ".", "FORG0001"},
		{Decimal, "1 2", "FORG0001"},
		{Integer, " -007\n", "-7"},
		{Integer, "1.0", "FORG0001"},
		{Integer, "123456789012345678901234567890", "123456789012345678901234567890"},
		{Byte, "127", "127"},
		{Byte, "128", "FORG0001"},
		{UnsignedLong, "18446744073709551615", "18446744073709551615"},
		{UnsignedLong, "18446744073709551616", "FORG0001"},
		{NegativeInteger, "0", "FORG0001"},
		{PositiveInteger, "0", "FORG0001"},
		{Double, "1e6", "1.0E6"},
		{Double, "999999.5", "999999.5"},
		{Double, "0.000001", "0.000001"},
		{Double, "0.0000001", "1.0E-7"},
		{Double, "-0", "-0"},
		{Double, "INF", "INF"},
		{Double, "-INF", "-INF"},
		{Double, "NaN", "NaN"},
		{Double, "+INF", "FORG0001"},
		{Double, "inf", "FORG0001"},
		{Double, "0x1p-2", "FORG0001"},
		{Double, "1_0", "FORG0001"},
		{Double, "1e400", "INF"},
		{Double, "123456789.125", "1.23456789125E8"},
		{Float, "16777217", "1.6777216E7"},
		{Float, "0.1", "0.1"},
		{DateTime, "2024-02-29T24:00:00Z", "2024-03-01T00:00:00Z"},
		{DateTime, "-0001-12-31T24:00:00", "0001-01-01T00:00:00"},
		{DateTime, "2024-01-01T12:30:45.120+05:30", "2024-01-01T12:30:45.12+05:30"},
		{DateTime, "2023-02-29T00:00:00", "FORG0001"},
		{DateTime, "2024-01-01T24:00:01", "FORG0001"},
		{DateTime, "2024-01-01", "FORG0001"},
		{Date, "2024-01-01Z", "2024-01-01Z"},
		{Date, " 12024-01-01-14:00 ", "12024-01-01-14:00"},
		{Date, "2024-01-01+14:01", "FORG0001"},
		{Date, "02024-01-01", "FORG0001"},
		{Date, "0000-01-01", "FORG0001"},
		{Date, "224-01-01", "FORG0001"},
		{Date, "2024-13-01", "FORG0001"},
		{Date, "2024-1-01", "FORG0001"},
		{Date, "99999999999999-01-01", "FODT0001"},
		{Time, "24:00:00", "00:00:00"},
		{Time, "23:59:59.999999999", "23:59:59.999999999"},
		{Time, "23:59:60", "FORG0001"},
		{Time, "23:59:5.", "FORG0001"},
		{GYearMonth, "2024-02", "2024-02"},
		{GYear, "-2024Z", "-2024Z"},
		{GMonthDay, "--02-29", "--02-29"},
		{GMonthDay, "--02-30", "FORG0001"},
		{GDay, "---31", "---31"},
		{GMonth, "--12+01:00", "--12+01:00"},
		{Duration, "P1Y14M3DT25H61M1.50S", "P2Y2M4DT2H1M1.5S"},
		{Duration, "-P0D", "PT0S"},
		{Duration, "P", "FORG0001"},
		{Duration, "P1YT", "FORG0001"},
		{Duration, "P1M1Y", "FORG0001"},
		{Duration, "PT1.S", "FORG0001"},
		{Duration, "P-1Y", "FORG0001"},
		{Duration, "P99999999999999999999Y", "FODT0002"},
		{DayTimeDuration, "PT36H", "P1DT12H"},
		{DayTimeDuration, "P1Y", "FORG0001"},
		{DayTimeDuration, "P1M", "FORG0001"},
		{YearMonthDuration, "-P13M", "-P1Y1M"},
		{YearMonthDuration, "P0M", "P0M"},
		{YearMonthDuration, "P1D", "FORG0001"},
		{YearMonthDuration, "PT1M", "FORG0001"},
		{HexBinary, "0fB7", "0FB7"},
		{HexBinary, "0f7", "FORG0001"},
		{Base64Binary, " TW Fu\n", "TWFu"},
		{Base64Binary, "TWF", "FORG0001"},
		{AnyURI, " http://a/ b ", "http://a/ b"},
		{AnyURI, "%", "FORG0001"},
		{UntypedAtomic, " a", " a"},
		{QName, "a:b", "XPTY0004"},
	} {
		i, err := Parse(c.text, c.typ)
		got := i.String()
		if err != nil {
			got = code(err)
		}
		if got != c.out {
			t.Errorf("%q as %v: %s, want %s", c.text, c.typ, got, c.out)
		}
		if err == nil && i.Type() != c.typ {
			t.Errorf("%q as %v: type %v", c.text, c.typ, i.Type())
		}
	}
}

func TestCast(t *testing.T) {
	for _, c := range []struct {
		text     string
		from, to Type
		out      string
	}{
		{"1.9", Decimal, Integer, "1"},
		{"-1.9", Decimal, Integer, "-1"},
		{"300", Integer, Byte, "FORG0001"},
		{"5", Byte, Long, "5"},
		{"-1.9e0", Double, Int, "-1"},
		{"1e20", Double, Integer, "100000000000000000000"},
		{"1e20", Double, Long, "FORG0001"},
		{"NaN", Double, Integer, "FOCA0002"},
		{"INF", Float, Decimal, "FOCA0002"},
		{"0.1", Double, Decimal, "0.1000000000000000055511151231257827021181583404541015625"},
		{"0.5", Float, Decimal, "0.5"},
		{"1e-10", Double, Float, "1.0E-10"},
		{"1e300", Double, Float, "INF"},
		{"16777217", Integer, Float, "1.6777216E7"},
		{"9007199254740993", Integer, Double, "9.007199254740992E15"},
		{"true", Boolean, Decimal, "1"},
		{"true", Boolean, UnsignedByte, "1"},
		{"false", Boolean, Double, "0"},
		{"true", Boolean, Float, "1"},
		{"NaN", Double, Boolean, "false"},
		{"0.0", Decimal, Boolean, "false"},
		{"0.1", Decimal, Boolean, "true"},
		{"2024-02-29T12:00:00Z", DateTime, Date, "2024-02-29Z"},
		{"2024-02-29T12:00:00Z", DateTime, Time, "12:00:00Z"},
		{"2024-02-29+01:00", Date, DateTime, "2024-02-29T00:00:00+01:00"},
		{"2024-02-29", Date, GMonthDay, "--02-29"},
		{"2024-02-29", Date, GYear, "2024"},
		{"2024-02-29", Date, Time, "XPTY0004"},
		{"12:00:00", Time, DateTime, "XPTY0004"},
		{"2024", GYear, Date, "XPTY0004"},
		{"P1Y2DT3H", Duration, DayTimeDuration, "P2DT3H"},
		{"P1Y2DT3H", Duration, YearMonthDuration, "P1Y"},
		{"P1Y", YearMonthDuration, DayTimeDuration, "PT0S"},
		{"P1D", DayTimeDuration, Duration, "P1D"},
		{"4D61", HexBinary, Base64Binary, "TWE="},
		{"TWE=", Base64Binary, HexBinary, "4D61"},
		{"TWE=", Base64Binary, String, "TWE="},
		{"1.50", Decimal, String, "1.5"},
		{"1", Integer, Date, "XPTY0004"},
		{"2024-02-29", Date, Integer, "XPTY0004"},
		{"P1Y", Duration, Double, "XPTY0004"},
		{"true", Boolean, HexBinary, "XPTY0004"},
		{"1", Integer, AnyURI, "XPTY0004"},
		{"http://a", AnyURI, String, "http://a"},
		{"http://a", AnyURI, UntypedAtomic, "http://a"},
		{"http://a", AnyURI, Boolean, "XPTY0004"},
		{" 7 ", UntypedAtomic, Integer, "7"},
		{" 7 ", String, Token, "7"},
		{"x", UntypedAtomic, Double, "FORG0001"},
		{"1", Integer, QName, "XPTY0004"},
	} {
		i, err := Cast(mustParse(t, c.text, c.from), c.to)
		got := i.String()
		if err != nil {
			got = code(err)
		}
		if got != c.out {
			t.Errorf("%v(%q) to %v: %s, want %s", c.from, c.text, c.to, got, c.out)
		}
		if err == nil && i.Type() != c.to {
			t.Errorf("%v(%q) to %v: type %v", c.from, c.text, c.to, i.Type())
		}
	}
}

func TestTypes(t *testing.T) {
	for _, c := range []struct {
		t, base Type
		want    bool
	}{
		{Byte, Integer, true}, {Byte, Decimal, true}, {Byte, AnyAtomic, true}, {Byte, Numeric, true}, {Byte, UnsignedByte, false},
		{Integer, Byte, false}, {Double, Numeric, true}, {Double, Decimal, false}, {String, Numeric, false}, {None, AnyAtomic, false},
		{DayTimeDuration, Duration, true}, {ID, NCName, true}, {UntypedAtomic, String, false}, {Node, AnyAtomic, false},
	} {
		if got := c.t.Is(c.base); got != c.want {
			t.Errorf("%v is %v: %v", c.t, c.base, got)
		}
	}
	for local, want := range map[string]bool{"integer": true, "anyAtomicType": true, "numeric": false, "NMTOKENS": false, "Integer": false} {
		if typ, ok := TypeNamed(local); ok != want || ok && typ.String() != "xs:"+local {
			t.Errorf("xs:%s: %v, %v", local, typ, ok)
		}
	}
}

func TestCollapse(t *testing.T) {
	for s, want := range map[string]string{"": "", " ": "", "a": "a", " a\t\n b ": "a b", "a b": "a b", "a\nb": "a b", "a  b  c": "a b c"} {
		if got := Collapse(s); got != want {
			t.Errorf("%q: %q", s, got)
		}
	}
}

func FuzzParseAndFormat(f *testing.F) {
	for _, s := range []string{"-P1Y2M3DT4H5M6.7S", "2024-02-29T24:00:00-14:00", "1.50", "-1e-7", "TWE=", "--02-29", "---31Z", "0001-01-01"} {
		for t := UntypedAtomic; t < typeCount; t++ {
			f.Add(s, uint8(t))
		}
	}
	f.Fuzz(func(t *testing.T, s string, n uint8) {
		typ := UntypedAtomic + Type(n)%(typeCount-UntypedAtomic)
		i, err := Parse(s, typ)
		if err != nil {
			return
		}
		text := i.String()
		again, err := Parse(text, typ)
		if err != nil {
			t.Fatalf("%v: %q became %q: %v", typ, s, text, err)
		}
		if again.String() != text {
			t.Fatalf("%v: %q became %q and %q", typ, s, text, again.String())
		}
	})
}
