// Package decimal is exact decimal numbers for money, quantities and percentages.
//
// A number is a sign, a coefficient and a scale (digits after the point), so that 10.0 and 10 are equal and yet written as they
// came. Coefficients up to 128 bits (38 digits) live in the value itself and cost no allocation; larger ones continue in a
// big.Int without loss. There is no rounding except where a rounding mode is given.
package decimal

import (
	"math"
	"math/big"
	"strconv"
)

// Decimal is an exact decimal number that keeps its scale. It is a value: copy it freely; no method changes it.
//
// The zero value means "no number": it counts as 0 in arithmetic and comparison, IsSet tells it apart, and JSON leaves it out
// under omitzero. Two-operand arithmetic always gives a number; one-operand methods (Neg, Abs, Round, Trim …) leave "no
// number" as it is. Compare with Equal or Cmp, not with ==, which also sees the scale.
type Decimal struct {
	coef  u128     // magnitude when large is nil
	large *big.Int // magnitude of more than 128 bits, never changed after it was made
	form  form
}

// form is everything but the magnitude, in one word so that two numbers are passed in registers: the lowest bit is the sign
// (never set with a zero magnitude), the next one tells a number from "no number", the rest is the scale.
type form uint64

const (
	formNeg form = 1 << iota
	formSet
	formScale = iota // shift of the scale
)

// makeForm gives the form of a number; scale must not be negative.
func makeForm(scale int, neg bool) form {
	f := form(scale)<<formScale | formSet
	if neg {
		f |= formNeg
	}
	return f
}

func (d Decimal) neg() bool { return d.form&formNeg != 0 }

// New gives coef × 10^-scale; New(1050, 2) is 10.50. A negative scale multiplies: New(5, -2) is 500.
func New(coef int64, scale int) Decimal {
	mag := uint64(coef)
	if coef < 0 {
		mag = -mag
	}
	if scale < 0 {
		return small(u128{lo: mag}, 0, coef < 0).shift(-scale)
	}
	return small(u128{lo: mag}, scale, coef < 0)
}

// small makes a number of a 128-bit magnitude; zero loses its sign.
func small(coef u128, scale int, neg bool) Decimal {
	return Decimal{coef: coef, form: makeForm(scale, neg && !coef.zero())}
}

// IsSet tells whether d holds a number.
func (d Decimal) IsSet() bool { return d.form&formSet != 0 }

// Sign is -1, 0 or 1.
func (d Decimal) Sign() int {
	switch {
	case d.neg():
		return -1
	case d.large == nil && d.coef.zero():
		return 0
	}
	return 1
}

// Scale is the count of digits after the point, as sent or as computed, trailing zeros included.
func (d Decimal) Scale() int { return int(d.form >> formScale) }

// Precision is the count of digits of the coefficient without leading zeros; that of zero is 1.
func (d Decimal) Precision() int {
	if d.large != nil {
		return len(d.large.Text(10))
	}
	return d.coef.digits()
}

// Longer tells whether the coefficient has more than that many bits, of which there are at least 128.
func (d Decimal) Longer(bits int) bool { return d.large != nil && d.large.BitLen() > bits }

// IsInt tells whether d is a whole number, whatever its scale.
func (d Decimal) IsInt() bool { return d.Trim().Scale() == 0 }

// Cmp is -1, 0 or 1 as d is below, equal to or above e by value; the scale does not matter and "no number" counts as 0.
func (d Decimal) Cmp(e Decimal) int {
	if s, t := d.Sign(), e.Sign(); s != t || s == 0 {
		return compareInts(s, t)
	}
	c := compareMagnitudes(d, e)
	if d.neg() {
		return -c
	}
	return c
}

func compareInts(a, b int) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// compareMagnitudes compares |d| with |e|. A 128-bit magnitude that overflows on alignment is above every other one, so that
// only the big path needs big arithmetic.
func compareMagnitudes(d, e Decimal) int {
	if d.large != nil || e.large != nil {
		a, b, _ := alignLarge(d, e)
		return a.CmpAbs(b)
	}
	if d.Scale() > e.Scale() {
		return -compareMagnitudes(e, d)
	}
	a, ok := d.coef.mulPow10(e.Scale() - d.Scale())
	if !ok {
		return 1
	}
	return a.cmp(e.coef)
}

// Equal tells whether d and e are the same number by value: 10.0 equals 10. "No number" equals only "no number".
func (d Decimal) Equal(e Decimal) bool { return d.IsSet() == e.IsSet() && d.Cmp(e) == 0 }

// Neg is -d with the same scale; zero has no sign.
func (d Decimal) Neg() Decimal {
	if d.Sign() != 0 {
		d.form ^= formNeg
	}
	return d
}

// Abs is |d| with the same scale.
func (d Decimal) Abs() Decimal {
	d.form &^= formNeg
	return d
}

// Int64 gives the number as an integer; false when it is not whole, does not fit or is "no number".
func (d Decimal) Int64() (int64, bool) {
	t := d.Trim()
	if !d.IsSet() || t.Scale() != 0 || t.large != nil || t.coef.hi != 0 {
		return 0, false
	}
	if t.neg() {
		return -int64(t.coef.lo), t.coef.lo <= 1<<63
	}
	return int64(t.coef.lo), t.coef.lo <= math.MaxInt64
}

// Float64 is the nearest binary floating point number, for XPath's xs:double only; never use it for money.
func (d Decimal) Float64() float64 {
	if !d.IsSet() {
		return 0
	}
	f, _ := strconv.ParseFloat(d.String(), 64)
	return f
}
