package xdm

import "testing"

func TestCompare(t *testing.T) {
	const utcPlus1 = 60
	for _, c := range []struct {
		a    string
		at   Type
		r    Relation
		b    string
		bt   Type
		want string // true, false or a code
	}{
		{"a", String, Less, "b", Token, "true"},
		{"\uFFFD", String, Less, "\U00010000", String, "true"},
		{"a", UntypedAtomic, Equal, "a", AnyURI, "true"},
		{"10", UntypedAtomic, Less, "9", UntypedAtomic, "true"},
		{"1", String, Equal, "1", Integer, "XPTY0004"},
		{"1.0", Decimal, Equal, "1", Byte, "true"},
		{"0.1", Decimal, Equal, "0.1", Double, "true"},
		{"0.1", Float, Equal, "0.1", Double, "false"},
		{"0.1", Float, Equal, "0.1", Decimal, "true"},
		{"NaN", Double, Equal, "NaN", Double, "false"},
		{"NaN", Double, NotEqual, "NaN", Double, "true"},
		{"NaN", Double, GreaterOrEqual, "1", Integer, "false"},
		{"0", Double, Equal, "-0", Double, "true"},
		{"true", Boolean, Greater, "false", Boolean, "true"},
		{"true", Boolean, Equal, "1", Integer, "XPTY0004"},
		{"2024-01-01", Date, Less, "2024-01-02", Date, "true"},
		{"2024-01-01Z", Date, Greater, "2024-01-01", Date, "true"},
		{"2024-01-01T00:00:00Z", DateTime, Equal, "2024-01-01T01:00:00", DateTime, "true"},
		{"12:00:00+01:00", Time, LessOrEqual, "11:00:00Z", Time, "true"},
		{"2024-01-01", Date, Equal, "2024-01-01T00:00:00", DateTime, "XPTY0004"},
		{"2024", GYear, Equal, "2024+01:00", GYear, "true"},
		{"2024", GYear, Less, "2025", GYear, "XPTY0004"},
		{"P1Y", Duration, Equal, "P12M", YearMonthDuration, "true"},
		{"P1Y", YearMonthDuration, Equal, "P365D", DayTimeDuration, "false"},
		{"PT0S", DayTimeDuration, Equal, "P0M", YearMonthDuration, "true"},
		{"P1Y", YearMonthDuration, Less, "P13M", YearMonthDuration, "true"},
		{"P1Y", Duration, Less, "P13M", Duration, "XPTY0004"},
		{"P1D", DayTimeDuration, GreaterOrEqual, "PT24H", DayTimeDuration, "true"},
		{"0A", HexBinary, Equal, "0a", HexBinary, "true"},
		{"0A", HexBinary, Less, "0b", HexBinary, "XPTY0004"},
		{"0A", HexBinary, Equal, "Cg==", Base64Binary, "XPTY0004"},
	} {
		holds, err := Compare(c.r, mustParse(t, c.a, c.at), mustParse(t, c.b, c.bt), utcPlus1)
		got := Bool(holds).String()
		if err != nil {
			got = code(err)
		}
		if got != c.want {
			t.Errorf("%v(%s) %v %v(%s): %s, want %s", c.at, c.a, c.r, c.bt, c.b, got, c.want)
		}
	}
}

func TestGeneralCompareConvertsUntyped(t *testing.T) {
	for _, c := range []struct {
		a    string
		r    Relation
		b    string
		bt   Type
		want string
	}{
		{"1.0", Equal, "1", Integer, "true"},
		{"0.1", Equal, "0.1", Decimal, "true"},
		{"x", Equal, "1", Integer, "FORG0001"},
		{"1.0", Equal, "1", String, "false"},
		{"1.0", Equal, "1", UntypedAtomic, "false"},
		{"1", Equal, "true", Boolean, "true"},
		{"2024-01-01", Less, "2024-01-02", Date, "true"},
		{"2024", Less, "2024-01-02", Date, "FORG0001"},
		{"P1D", Equal, "PT24H", DayTimeDuration, "true"},
		{"a:b", Equal, "4D", HexBinary, "FORG0001"},
	} {
		a, b := Untyped(c.a), mustParse(t, c.b, c.bt)
		for _, swapped := range []bool{false, true} {
			x, y, r := a, b, c.r
			if swapped {
				x, y, r = b, a, c.r.Mirrored()
			}
			holds, err := GeneralCompare(r, x, y, 0)
			got := Bool(holds).String()
			if err != nil {
				got = code(err)
			}
			if got != c.want {
				t.Errorf("untyped %q %v %v(%s), swapped %v: %s, want %s", c.a, c.r, c.bt, c.b, swapped, got, c.want)
			}
		}
	}
	if _, err := GeneralCompare(Equal, Untyped("a"), QualifiedName(Name{Local: "a"}), 0); code(err) != "XPTY0004" {
		t.Errorf("against a QName: %v", err)
	}
}

func TestNamesAreEqualByNamespaceAndLocalPart(t *testing.T) {
	a := QualifiedName(Name{Space: "u", Local: "x", Prefix: "p"})
	for _, c := range []struct {
		b    Name
		want bool
	}{{Name{"u", "x", "q"}, true}, {Name{"v", "x", "p"}, false}, {Name{"u", "y", "p"}, false}} {
		if got, err := Compare(Equal, a, QualifiedName(c.b), 0); err != nil || got != c.want {
			t.Errorf("%v: %v, %v", c.b, got, err)
		}
	}
	if _, err := Compare(Less, a, a, 0); code(err) != "XPTY0004" {
		t.Errorf("order of names: %v", err)
	}
}

func TestMirroredRelations(t *testing.T) {
	for r := Equal; r <= GreaterOrEqual; r++ {
		for _, order := range []int{-1, 0, 1} {
			if r.Holds(order) != r.Mirrored().Holds(-order) || r.Holds(order) != r.HoldsFloat(float64(order), 0) {
				t.Errorf("%v at %d", r, order)
			}
		}
	}
}

func TestInZone(t *testing.T) {
	for _, c := range []struct {
		in   string
		t    Type
		zone int
		want string
	}{
		{"2024-03-01T00:30:00Z", DateTime, -60, "2024-02-29T23:30:00-01:00"},
		{"2024-03-01T00:30:00", DateTime, -60, "2024-03-01T00:30:00-01:00"},
		{"2024-03-01T00:30:00Z", DateTime, NoZone, "2024-03-01T00:30:00"},
		{"2024-03-01Z", Date, -60, "2024-02-29-01:00"},
		{"00:30:00Z", Time, 600, "10:30:00+10:00"},
		{"00:30:00Z", Time, -60, "23:30:00-01:00"},
	} {
		m := mustParse(t, c.in, c.t).Moment().InZone(c.t, c.zone)
		if got := MomentItem(c.t, m).String(); got != c.want {
			t.Errorf("%s in zone %d: %s, want %s", c.in, c.zone, got, c.want)
		}
	}
}
