package xdm

import (
	"math"
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
)

func TestArithmetic(t *testing.T) {
	for _, c := range []struct {
		a   string
		at  Type
		op  Op
		b   string
		bt  Type
		out string
	}{
		{"1", Integer, Add, "2", Integer, "3"},
		{"1", Int, Add, "2", Byte, "3"},
		{"9223372036854775807", Integer, Add, "1", Integer, "9223372036854775808"},
		{"-9223372036854775808", Integer, Subtract, "1", Integer, "-9223372036854775809"},
		{"0.1", Decimal, Add, "0.25", Decimal, "0.35"},
		{"1", Integer, Subtract, "0.9", Decimal, "0.1"},
		{"3037000500", Integer, Multiply, "3037000500", Integer, "9223372037000250000"},
		{"0.0000000001", Decimal, Multiply, "0.0000000001", Decimal, "0.00000000000000000001"},
		{"1", Integer, Divide, "4", Integer, "0.25"},
		{"1", Integer, Divide, "3", Integer, "0.333333333333333333"},
		{"2", Integer, Divide, "3", Integer, "0.666666666666666667"},
		{"1", Integer, Divide, "524288", Integer, "0.000001907348632812"},
		{"-1", Integer, Divide, "524288", Integer, "-0.000001907348632812"},
		{"3", Integer, Divide, "-1", Integer, "-3"},
		{"1", Integer, Divide, "0", Integer, "FOAR0001"},
		{"1", Integer, Divide, "0.00", Decimal, "FOAR0001"},
		{"7", Integer, IntegerDivide, "-2", Integer, "-3"},
		{"7.5", Decimal, IntegerDivide, "2", Integer, "3"},
		{"1e0", Double, IntegerDivide, "0", Integer, "FOAR0001"},
		{"NaN", Double, IntegerDivide, "1", Integer, "FOAR0002"},
		{"1e0", Double, IntegerDivide, "INF", Double, "0"},
		{"-7.5", Double, IntegerDivide, "2", Integer, "-3"},
		{"-7", Integer, Modulo, "2", Integer, "-1"},
		{"7.5", Decimal, Modulo, "-2", Integer, "1.5"},
		{"210501700012345678131468", Integer, Modulo, "97", Integer, "1"},
		{"-9223372036854775808", Integer, Modulo, "-1", Integer, "0"},
		{"-9223372036854775808", Integer, IntegerDivide, "-1", Integer, "9223372036854775808"},
		{"1.5", Double, Modulo, "0", Integer, "NaN"},
		{"1", Integer, Divide, "0", Double, "INF"},
		{"1.1", Float, Multiply, "2", Integer, "2.2"},
		{"1.1", Float, Multiply, "1", Double, "1.100000023841858"},
		{"0.1", Double, Add, "0.2", Double, "0.30000000000000004"},
		{"P1Y", YearMonthDuration, Add, "P13M", YearMonthDuration, "P2Y1M"},
		{"P1D", DayTimeDuration, Subtract, "PT36H", DayTimeDuration, "-PT12H"},
		{"P1D", DayTimeDuration, Subtract, "P1M", YearMonthDuration, "XPTY0004"},
		{"P1D", DayTimeDuration, Multiply, "1.5", Decimal, "P1DT12H"},
		{"1.5", Double, Multiply, "P1D", DayTimeDuration, "P1DT12H"},
		{"P11M", YearMonthDuration, Multiply, "0.5", Double, "P6M"},
		{"P1Y", YearMonthDuration, Divide, "-2.5", Decimal, "-P5M"},
		{"P1D", DayTimeDuration, Divide, "0", Integer, "FODT0002"},
		{"P1D", DayTimeDuration, Divide, "INF", Double, "PT0S"},
		{"P1D", DayTimeDuration, Multiply, "NaN", Double, "FOCA0005"},
		{"P1D", DayTimeDuration, Multiply, "INF", Double, "FODT0002"},
		{"P1D", DayTimeDuration, Divide, "PT6H", DayTimeDuration, "4"},
		{"P1D", DayTimeDuration, Divide, "PT0S", DayTimeDuration, "FOAR0001"},
		{"P1Y", YearMonthDuration, Divide, "P5M", YearMonthDuration, "2.4"},
		{"P1Y", Duration, Add, "P1Y", Duration, "XPTY0004"},
		{"2024-01-31", Date, Add, "P1M", YearMonthDuration, "2024-02-29"},
		{"2024-02-29Z", Date, Subtract, "P1Y", YearMonthDuration, "2023-02-28Z"},
		{"0001-01-15", Date, Subtract, "P1M", YearMonthDuration, "-0001-12-15"},
		{"2024-02-28", Date, Add, "PT47H", DayTimeDuration, "2024-02-29"},
		{"P1D", DayTimeDuration, Add, "2024-02-28T23:30:00.5+01:00", DateTime, "2024-02-29T23:30:00.5+01:00"},
		{"23:30:00", Time, Add, "PT1H", DayTimeDuration, "00:30:00"},
		{"23:30:00", Time, Add, "P1M", YearMonthDuration, "XPTY0004"},
		{"2024-03-01", Date, Subtract, "2024-02-01", Date, "P29D"},
		{"2024-03-01T00:00:00+01:00", DateTime, Subtract, "2024-03-01T00:00:00Z", DateTime, "-PT1H"},
		{"12:00:00", Time, Subtract, "12:00:00.25", Time, "-PT0.25S"},
		{"2024-03-01", Date, Subtract, "12:00:00", Time, "XPTY0004"},
		{"2024-03-01", Date, Add, "2024-03-01", Date, "XPTY0004"},
		{"999999999-01-01", Date, Add, "P1Y", YearMonthDuration, "FODT0001"},
		{"2024-01-01", Date, Add, "P999999999999D", DayTimeDuration, "FODT0001"},
		{"1", Integer, Add, "a", String, "XPTY0004"},
	} {
		r, err := Arithmetic(c.op, mustParse(t, c.a, c.at), mustParse(t, c.b, c.bt), 0)
		got := r.String()
		if err != nil {
			got = code(err)
		}
		if got != c.out {
			t.Errorf("%v(%s) %v %v(%s): %s, want %s", c.at, c.a, c.op, c.bt, c.b, got, c.out)
		}
	}
}

func TestResultTypes(t *testing.T) {
	one := Int64(1).as(Byte)
	for _, c := range []struct {
		op   Op
		b    Item
		want Type
	}{
		{Add, Int64(2), Integer}, {Divide, Int64(2), Decimal}, {Add, Dec(decimal.New(1, 1)), Decimal}, {Multiply, Float32(1), Float},
		{Modulo, Float64(1), Double}, {IntegerDivide, Float64(1), Integer},
	} {
		r, err := Arithmetic(c.op, one, c.b, 0)
		if err != nil || r.Type() != c.want {
			t.Errorf("xs:byte %v %v: %v, %v", c.op, c.b.Type(), r.Type(), err)
		}
	}
}

func TestRounding(t *testing.T) {
	for _, c := range []struct {
		f    func(Item) Item
		in   string
		t    Type
		want string
	}{
		{Round, "2.5", Decimal, "3"}, {Round, "-2.5", Decimal, "-2"}, {Round, "-2.51", Decimal, "-3"}, {Round, "2.4999", Decimal, "2"},
		{Round, "2.5", Double, "3"}, {Round, "-2.5", Double, "-2"}, {Round, "0.49999999999999994", Double, "0"},
		{Round, "-0.2", Double, "-0"}, {Round, "NaN", Double, "NaN"}, {Round, "-INF", Double, "-INF"}, {Round, "7", Byte, "7"},
		{Round, "123456789012345678901234567890.5", Decimal, "123456789012345678901234567891"},
		{Floor, "-1.1", Decimal, "-2"}, {Floor, "1.9", Float, "1"}, {Ceiling, "-1.9", Decimal, "-1"}, {Ceiling, "1.1", Decimal, "2"},
		{Ceiling, "-0.5", Double, "-0"}, {Abs, "-1.50", Decimal, "1.5"}, {Abs, "-5", Short, "5"}, {Abs, "-0", Double, "0"},
		{Abs, "-9223372036854775808", Integer, "9223372036854775808"}, {Negate, "5", Int, "-5"}, {Negate, "0", Double, "-0"},
	} {
		got := c.f(mustParse(t, c.in, c.t))
		if got.String() != c.want || got.Type() != c.t.Primitive() {
			t.Errorf("%v(%s): %v(%s), want %s", c.t, c.in, got.Type(), got, c.want)
		}
	}
	for _, c := range []struct {
		in     string
		t      Type
		places int
		want   string
	}{
		{"0.5", Decimal, 0, "0"}, {"1.5", Decimal, 0, "2"}, {"3.567812", Decimal, 2, "3.57"}, {"35612.25", Decimal, -2, "35600"},
		{"150", Integer, -2, "200"}, {"250", Integer, -2, "200"}, {"4.7564e-3", Double, 2, "0"}, {"2.675", Double, 2, "2.67"},
		{"-0.1", Double, 0, "-0"}, {"1.1", Decimal, 1 << 40, "1.1"},
	} {
		if got := RoundHalfToEven(mustParse(t, c.in, c.t), c.places).String(); got != c.want {
			t.Errorf("%s to %d places: %s, want %s", c.in, c.places, got, c.want)
		}
	}
}

// genDecimal draws decimals of which many are close to the edges of 64 bits.
func genDecimal(t *rapid.T, name string) Item {
	d := decimal.New(rapid.Int64().Draw(t, name), rapid.IntRange(0, 18).Draw(t, name+" scale"))
	if rapid.Bool().Draw(t, name+" large") {
		d = d.Mul(decimal.New(rapid.Int64().Draw(t, name+" factor"), rapid.IntRange(0, 18).Draw(t, name+" factor scale")))
	}
	if rapid.Bool().Draw(t, name+" of a float") {
		i, err := floatToDecimal(d.Float64(), Decimal)
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	return Dec(d)
}

func rat(i Item) *big.Rat {
	r, _ := new(big.Rat).SetString(i.Decimal().String())
	return r
}

func TestDecimalsAgreeWithRationals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genDecimal(t, "a"), genDecimal(t, "b")
		x, y := rat(a), rat(b)
		check := func(name string, got Item, want *big.Rat) {
			if rat(got).Cmp(want) != 0 {
				t.Fatalf("%s %s %s: %s, want %s", a, name, b, got, want.FloatString(40))
			}
		}
		check("+", addDecimals(a, b), new(big.Rat).Add(x, y))
		check("-", addDecimals(a, negate(b)), new(big.Rat).Sub(x, y))
		check("*", multiplyDecimals(a, b), new(big.Rat).Mul(x, y))
		if compareDecimals(a, b) != x.Cmp(y) {
			t.Fatalf("%s against %s: %d", a, b, compareDecimals(a, b))
		}
		if y.Sign() == 0 {
			return
		}
		q := new(big.Rat).Quo(x, y)
		whole := new(big.Rat).SetInt(new(big.Int).Quo(q.Num(), q.Denom()))
		check("idiv", quotient(a, b), whole)
		check("mod", remainder(a, b), new(big.Rat).Sub(x, new(big.Rat).Mul(whole, y)))
		off := new(big.Rat).Sub(rat(divideDecimals(a, b)), q)
		if off.Abs(off).Cmp(big.NewRat(1, 2_000_000_000_000_000_000)) > 0 {
			t.Fatalf("%s div %s is off by %s", a, b, off.FloatString(40))
		}
	})
}

func TestDecimalsOfFloatsCompareExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, scale := rapid.Int64Range(-1<<60, 1<<60).Draw(t, "n"), rapid.IntRange(0, 18).Draw(t, "scale")
		d := Dec(decimal.New(n, scale))
		f := d.AsFloat()
		for range rapid.IntRange(0, 2).Draw(t, "ulps") {
			f = math.Nextafter(f, math.Inf(1))
		}
		b, err := floatToDecimal(f, Decimal)
		if err != nil {
			t.Fatal(err)
		}
		want := rat(d).Cmp(new(big.Rat).SetFloat64(f))
		if compareDecimals(d, b) != want || compareDecimals(b, d) != -want || compareDecimals(b, b) != 0 {
			t.Fatalf("%s against %s: %d, want %d", d, b, compareDecimals(d, b), want)
		}
	})
}

func TestFloorOfDecimals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := genDecimal(t, "a")
		x := rat(a)
		floor := rat(Floor(a))
		if rest := new(big.Rat).Sub(x, floor); !floor.IsInt() || rest.Sign() < 0 || rest.Cmp(big.NewRat(1, 1)) >= 0 {
			t.Fatalf("the floor of %s is %s", a, Floor(a))
		}
		if half := Floor(addDecimals(a, Dec(decimal.New(5, 1)))); compareDecimals(Round(a), half) != 0 {
			t.Fatalf("%s is rounded to %s, not %s", a, Round(a), half)
		}
		if compareDecimals(Ceiling(a), negate(Floor(negate(a)))) != 0 {
			t.Fatalf("the ceiling of %s is %s", a, Ceiling(a))
		}
	})
}

func TestFloatsBecomeExactDecimals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64().Draw(t, "f")
		if math.IsInf(f, 0) || math.IsNaN(f) {
			return
		}
		d, err := floatToDecimal(f, Decimal)
		if err != nil || rat(d).Cmp(new(big.Rat).SetFloat64(f)) != 0 {
			t.Fatalf("%v: %s, %v", f, d, err)
		}
		if d.AsFloat() != f {
			t.Fatalf("%v came back as %v", f, d.AsFloat())
		}
	})
}

func TestDaysAgreeWithPackageTime(t *testing.T) {
	epoch := dayNumber(1970, 1, 1)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(-700_000, 3_000_000).Draw(t, "day")
		want := time.Unix(n*secondsPerDay, 0).UTC()
		year, month, day := dateOf(epoch + n)
		if year != int64(want.Year()) || month != int(want.Month()) || day != want.Day() {
			t.Fatalf("day %d is %d-%d-%d, want %v", n, year, month, day, want)
		}
		if dayNumber(year, month, day) != epoch+n {
			t.Fatalf("%d-%d-%d is day %d, want %d", year, month, day, dayNumber(year, month, day)-epoch, n)
		}
	})
}

func TestDaysBeforeChristAreContiguous(t *testing.T) {
	for n := dayNumber(-5, 1, 1); n < dayNumber(1, 2, 1); n++ {
		year, month, day := dateOf(n)
		if year == 0 || day > daysIn(year, month) || dayNumber(year, month, day) != n {
			t.Fatalf("day %d is %d-%d-%d", n, year, month, day)
		}
	}
}

func BenchmarkDecimalArithmetic(b *testing.B) {
	x, y := Dec(decimal.New(123456, 2)), Dec(decimal.New(19, 0))
	b.ReportAllocs()
	for b.Loop() {
		p, _ := Arithmetic(Multiply, x, y, 0)
		q, _ := Arithmetic(Divide, p, Int64(100), 0)
		Round(q)
	}
}
