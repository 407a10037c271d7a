package xdm

import (
	"cmp"
	"testing"

	"pgregory.net/rapid"
)

// TestDaysAreTheMomentsTheyStandFor compares the dates that need no memory with the general way to read, write and compare dates.
func TestDaysAreTheMomentsTheyStandFor(t *testing.T) {
	texts := rapid.Custom(func(t *rapid.T) string {
		return rapid.StringMatching(`-?[0-9]{3,5}-(0[0-9]|1[0-4])-(0[0-9]|[1-2][0-9]|3[0-3])(Z|[+-]0[0-9]:00|x)?`).Draw(t, "text")
	})
	read := func(t *rapid.T, s string) (Item, Moment, bool) {
		m, wrong := ParseMoment(Date, s)
		i, err := Parse(s, Date)
		if (err == nil) != (wrong == nil) || Castable(Untyped(s), Date) != (err == nil) {
			t.Fatalf("%q: %v, but %v", s, err, wrong)
		}
		if err == nil && (i.Moment() != m || i.String() != MomentItem(Date, m).String()) {
			t.Fatalf("%q: %v, want %v", s, i.Moment(), m)
		}
		return i, m, err == nil
	}
	rapid.Check(t, func(t *rapid.T) {
		a, x, ok1 := read(t, texts.Draw(t, "a"))
		b, y, ok2 := read(t, texts.Draw(t, "b"))
		if !ok1 || !ok2 {
			return
		}
		for r := Equal; r <= GreaterOrEqual; r++ {
			if got, err := Compare(r, a, b, 60); err != nil || got != r.Holds(compareMoments(x, y, 60)) {
				t.Fatalf("%v %v %v: %v, %v", a, r, b, got, err)
			}
		}
	})
	small, _ := Parse(" 2024-02-29\n", Date)
	if !small.isDay() || Castable(Untyped("2023-02-29"), Date) || Castable(Untyped("0000-01-01"), Date) {
		t.Error("an ordinary date needs memory, or a day that never was is one")
	}
	if large, _ := Parse("12024-02-29", Date); large.isDay() || cmp.Compare(large.Moment().Year, 12024) != 0 {
		t.Errorf("%v", large)
	}
}

// TestDivisionsByTensAreExact compares the short way to divide by ten and its powers with multiplication.
func TestDivisionsByTensAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Item{typ: Decimal, num: rapid.Int64().Draw(t, "num"), scale: uint8(rapid.IntRange(0, maxSmallScale).Draw(t, "scale"))}
		by := Int64(rapid.SampledFrom([]int64{1, 10, 100, 1000, -100}).Draw(t, "by"))
		quotient, ok := DivideDecimals(a, by)
		if !ok || quotient.Type() != Decimal {
			t.Fatalf("%v div %v: %v", a, by, quotient)
		}
		if a.scale < maxSmallScale-2 && CompareDecimals(MultiplyDecimals(quotient, by), a) != 0 {
			t.Fatalf("%v div %v gives %v", a, by, quotient)
		}
	})
}
