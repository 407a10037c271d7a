package decimal

import (
	"math"
	"testing"
)

func TestNoNumberCountsAsZeroAndStaysNoNumber(t *testing.T) {
	var none Decimal
	two := MustParse("2.50")
	if none.IsSet() || none.Sign() != 0 || none.Scale() != 0 || none.String() != "" || none.Float64() != 0 {
		t.Error("no number shows a value")
	}
	if _, ok := none.Int64(); ok {
		t.Error("no number is an integer")
	}
	unary := map[string]Decimal{
		"Neg": none.Neg(), "Abs": none.Abs(), "Trim": none.Trim(), "Round": none.Round(2, HalfUp),
		"Rescale": none.Rescale(2, HalfUp), "WithMinScale": none.WithMinScale(2), "Round(-2)": none.Round(-2, Up),
	}
	for name, got := range unary {
		if got != (Decimal{}) {
			t.Errorf("%s of no number gives %+v", name, got)
		}
	}
	binary := map[string][2]string{
		none.Add(two).String(): {"2.50", "none + 2.50"}, two.Sub(none).String(): {"2.50", "2.50 - none"},
		none.Sub(two).String(): {"-2.50", "none - 2.50"}, none.Mul(two).String(): {"0.00", "none × 2.50"},
		none.Add(none).String(): {"0", "none + none"},
	}
	for got, want := range binary {
		if got != want[0] {
			t.Errorf("%s = %s, want %s", want[1], got, want[0])
		}
	}
	if _, ok := two.Quo(none, 2, HalfUp); ok {
		t.Error("division by no number")
	}
}

func TestNoNumberEqualsOnlyNoNumber(t *testing.T) {
	var none Decimal
	if none.Equal(New(0, 0)) || New(0, 0).Equal(none) || !none.Equal(Decimal{}) {
		t.Error("no number must equal only no number")
	}
	if none.Cmp(New(0, 2)) != 0 {
		t.Error("no number counts as 0 in Cmp")
	}
}

func TestNew(t *testing.T) {
	cases := []struct {
		coef  int64
		scale int
		want  string
	}{
		{1050, 2, "10.50"}, {-5, 3, "-0.005"}, {0, 2, "0.00"}, {5, -2, "500"}, {math.MinInt64, 0, "-9223372036854775808"},
		{math.MaxInt64, 19, "0.9223372036854775807"},
	}
	for _, c := range cases {
		if got := New(c.coef, c.scale).String(); got != c.want {
			t.Errorf("New(%d, %d) = %s, want %s", c.coef, c.scale, got, c.want)
		}
	}
}

func TestRoundingModesAtTies(t *testing.T) {
	names := []string{"HalfUp", "HalfEven", "HalfTowardsPositive", "Down", "Up", "Floor", "Ceiling"}
	cases := []struct {
		in   string
		want [7]string
	}{
		{"2.5", [7]string{"3", "2", "3", "2", "3", "2", "3"}},
		{"-2.5", [7]string{"-3", "-2", "-2", "-2", "-3", "-3", "-2"}},
		{"3.5", [7]string{"4", "4", "4", "3", "4", "3", "4"}},
		{"-3.5", [7]string{"-4", "-4", "-3", "-3", "-4", "-4", "-3"}},
		{"2.4", [7]string{"2", "2", "2", "2", "3", "2", "3"}},
		{"-2.6", [7]string{"-3", "-3", "-3", "-2", "-3", "-3", "-2"}},
		{"-0.2", [7]string{"0", "0", "0", "0", "-1", "-1", "0"}},
		{"2.0", [7]string{"2", "2", "2", "2", "2", "2", "2"}},
	}
	for _, c := range cases {
		for mode, want := range c.want {
			if got := MustParse(c.in).Round(0, Rounding(mode)).String(); got != want {
				t.Errorf("%s %s = %s, want %s", c.in, names[mode], got, want)
			}
		}
	}
}

func TestRoundBeyondTheCoefficient(t *testing.T) {
	tiny := MustParse("0.0000000000000000000000000000000000000000000001") // 46 places
	cases := []struct {
		got  Decimal
		want string
	}{
		{tiny.Round(2, HalfUp), "0.00"}, {tiny.Round(2, Up), "0.01"}, {tiny.Neg().Round(2, Floor), "-0.01"},
		{MustParse("1250").Round(-2, HalfUp), "1300"}, {MustParse("49").Round(-2, HalfUp), "0"}, {MustParse("1").Round(-3, Up), "1000"},
		{MustParse("1.005").Round(2, HalfUp), "1.01"}, {MustParse("7").Round(2, HalfUp), "7"}, {MustParse("7").Rescale(2, HalfUp), "7.00"},
		{MustParse("7.129").Rescale(2, Down), "7.12"}, {MustParse("0").Round(-5, Up), "0"},
	}
	for _, c := range cases {
		if got := c.got.String(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestInt64(t *testing.T) {
	cases := []struct {
		in   string
		want int64
		ok   bool
	}{
		{"10.0", 10, true}, {"-3", -3, true}, {"0.00", 0, true}, {"10.5", 0, false},
		{"9223372036854775807", math.MaxInt64, true}, {"9223372036854775808", 0, false},
		{"-9223372036854775808", math.MinInt64, true}, {"-9223372036854775809", 0, false},
		{"18446744073709551616", 0, false}, {"999999999999999999999999999999999999999999", 0, false},
	}
	for _, c := range cases {
		got, ok := MustParse(c.in).Int64()
		if ok != c.ok || ok && got != c.want {
			t.Errorf("%s: got %d %v, want %d %v", c.in, got, ok, c.want, c.ok)
		}
	}
}

func TestPrecisionAndWholeness(t *testing.T) {
	cases := []struct {
		in        string
		precision int
		whole     bool
	}{
		{"0", 1, true}, {"0.00", 1, true}, {"10.50", 4, false}, {"0.05", 1, false}, {"100.0", 4, true},
		{"340282366920938463463374607431768211456.00", 41, true}, {"340282366920938463463374607431768211456.01", 41, false},
	}
	for _, c := range cases {
		d := MustParse(c.in)
		if d.Precision() != c.precision || d.IsInt() != c.whole {
			t.Errorf("%s: precision %d, whole %v", c.in, d.Precision(), d.IsInt())
		}
	}
}

func TestFloat64IsTheNearest(t *testing.T) {
	for in, want := range map[string]float64{"0.1": 0.1, "-1e0"[:2]: -1, "123456789012345678901234567890": 123456789012345678901234567890} {
		if got := MustParse(in).Float64(); got != want {
			t.Errorf("%s: got %v, want %v", in, got, want)
		}
	}
}

func TestSmallArithmeticDoesNotAllocate(t *testing.T) {
	a, b := MustParse("12345678901234.5678"), MustParse("-0.19")
	var sink Decimal
	var buf [64]byte
	allocs := testing.AllocsPerRun(100, func() {
		sink = a.Add(b).Mul(b).Sub(a).Round(2, HalfUp).Trim().Neg()
		sink, _ = sink.Quo(b, 18, HalfEven)
		sink.AppendText(buf[:0])
		sink, _ = Parse("1234567.89")
		if sink.Cmp(a) == 0 {
			panic("equal")
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}
