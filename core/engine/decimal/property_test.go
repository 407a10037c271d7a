package decimal

import (
	"testing"

	shop "github.com/shopspring/decimal"
	"pgregory.net/rapid"
)

func TestArithmeticAgreesWithReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawPair(t, "a"), drawPair(t, "b")
		agree(t, "parse", a.ours, a.ref)
		agree(t, "add", a.ours.Add(b.ours), a.ref.Add(b.ref))
		agree(t, "sub", a.ours.Sub(b.ours), a.ref.Sub(b.ref))
		agree(t, "mul", a.ours.Mul(b.ours), a.ref.Mul(b.ref))
		agree(t, "neg", a.ours.Neg(), a.ref.Neg())
		agree(t, "abs", a.ours.Abs(), a.ref.Abs())
		if got, want := a.ours.Cmp(b.ours), a.ref.Cmp(b.ref); got != want {
			t.Fatalf("%s cmp %s: got %d, want %d", a.text, b.text, got, want)
		}
		if a.ours.Equal(b.ours) != a.ref.Equal(b.ref) || a.ours.Sign() != a.ref.Sign() {
			t.Fatalf("equal or sign of %s and %s", a.text, b.text)
		}
	})
}

func TestScalesOfExactResults(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawPair(t, "a").ours, drawPair(t, "b").ours
		if got, want := a.Add(b).Scale(), max(a.Scale(), b.Scale()); got != want {
			t.Fatalf("scale of sum %d, want %d", got, want)
		}
		if got, want := a.Mul(b).Scale(), a.Scale()+b.Scale(); got != want {
			t.Fatalf("scale of product %d, want %d", got, want)
		}
	})
}

func TestRoundingAgreesWithReference(t *testing.T) {
	modes := map[Rounding]func(shop.Decimal, int32) shop.Decimal{
		HalfUp:   shop.Decimal.Round,
		HalfEven: shop.Decimal.RoundBank,
		Down:     shop.Decimal.RoundDown,
		Up:       shop.Decimal.RoundUp,
		Floor:    shop.Decimal.RoundFloor,
		Ceiling:  shop.Decimal.RoundCeil,
		HalfTowardsPositive: func(d shop.Decimal, places int32) shop.Decimal {
			half := shop.New(5, -places-1)
			return d.Add(half).RoundFloor(places)
		},
	}
	rapid.Check(t, func(t *rapid.T) {
		a := drawPair(t, "a")
		places := rapid.IntRange(-45, 32).Draw(t, "places")
		for mode, reference := range modes {
			got := a.ours.Round(places, mode)
			want := a.ref
			if places < a.ours.Scale() {
				want = reference(a.ref, int32(places))
			}
			agree(t, "round", got, want)
			if got.Scale() != max(0, min(places, a.ours.Scale())) {
				t.Fatalf("scale %d after rounding %s to %d", got.Scale(), a.text, places)
			}
		}
	})
}

func TestQuotientAgreesWithReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawPair(t, "a"), drawPair(t, "b")
		places := rapid.IntRange(-3, 30).Draw(t, "places")
		got, ok := a.ours.Quo(b.ours, places, HalfUp)
		if b.ref.IsZero() {
			if ok {
				t.Fatal("division by zero gave a number")
			}
			return
		}
		agree(t, "quo", got, a.ref.DivRound(b.ref, int32(places)))
		if got.Scale() != max(places, 0) {
			t.Fatalf("scale of quotient %d, want %d", got.Scale(), places)
		}
		q, r, _ := a.ours.QuoRem(b.ours)
		wantQ, wantR := a.ref.QuoRem(b.ref, 0)
		agree(t, "whole quotient", q, wantQ)
		agree(t, "remainder", r, wantR)
	})
}

func TestTextRoundTripKeepsTheScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawPair(t, "a")
		again, err := ParseBytes([]byte(a.ours.String()))
		if err != nil || again.Scale() != a.ours.Scale() || !again.Equal(a.ours) {
			t.Fatalf("%s came back as %s (%v)", a.ours, again, err)
		}
	})
}

func TestZerosChangeOnlyTheScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawPair(t, "a").ours
		n := rapid.IntRange(0, 60).Draw(t, "n")
		padded := a.WithMinScale(n)
		checkForm(t, "padded", padded)
		if !padded.Equal(a) || padded.Scale() != max(n, a.Scale()) {
			t.Fatalf("%s padded to %d is %s", a, n, padded)
		}
		trimmed := padded.Trim()
		checkForm(t, "trimmed", trimmed)
		if !trimmed.Equal(a) || trimmed.Scale() > a.Scale() || trimmed.String() != a.Trim().String() {
			t.Fatalf("%s trimmed is %s", padded, trimmed)
		}
		if text := trimmed.String(); trimmed.Scale() > 0 && text[len(text)-1] == '0' {
			t.Fatalf("%s still ends in 0", text)
		}
	})
}

func TestLongDivisionAgreesWithBig(t *testing.T) {
	word := rapid.OneOf(rapid.Uint64(), rapid.SampledFrom([]uint64{0, 1, 2, 1 << 63, 1<<64 - 1, 1<<63 - 1}))
	rapid.Check(t, func(t *rapid.T) {
		u, v := u128{word.Draw(t, "a"), word.Draw(t, "b")}, u128{word.Draw(t, "c"), word.Draw(t, "d")}
		if v.zero() {
			return
		}
		q, r := u.div(v)
		back, ok := q.mul(v)
		sum, ok2 := back.add(r)
		if !ok || !ok2 || sum != u || r.cmp(v) >= 0 {
			t.Fatalf("%v / %v = %v rest %v", u, v, q, r)
		}
		if got, want := u.digits(), len(u.appendDigits(nil)); got != want {
			t.Fatalf("digits of %v: %d, want %d", u, got, want)
		}
	})
}
