package decimal

import (
	"math/big"
	"strings"
)

// This file continues arithmetic where 128 bits end. Results that fit 128 bits come back to them, so that equal numbers of
// equal scale have one form.

// fromLarge makes a number of any magnitude; it keeps mag when that has more than 128 bits.
func fromLarge(mag *big.Int, scale int, neg bool) Decimal {
	if mag.BitLen() > 128 {
		return Decimal{large: mag, form: makeForm(scale, neg)}
	}
	var buf [16]byte
	mag.FillBytes(buf[:])
	var coef u128
	for i, b := range buf {
		if i < 8 {
			coef.hi = coef.hi<<8 | uint64(b)
		} else {
			coef.lo = coef.lo<<8 | uint64(b)
		}
	}
	return small(coef, scale, neg)
}

// magnitude gives |d| × 10^scale, not to be changed by the caller.
func (d Decimal) magnitude() *big.Int {
	if d.large != nil {
		return d.large
	}
	mag := new(big.Int).SetUint64(d.coef.hi)
	return mag.Lsh(mag, 64).Or(mag, new(big.Int).SetUint64(d.coef.lo))
}

func bigPow10(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// alignLarge gives both magnitudes, with the signs of d and e, at the larger scale.
func alignLarge(d, e Decimal) (a, b *big.Int, scale int) {
	scale = max(d.Scale(), e.Scale())
	a = new(big.Int).Mul(d.magnitude(), bigPow10(scale-d.Scale()))
	b = new(big.Int).Mul(e.magnitude(), bigPow10(scale-e.Scale()))
	if d.neg() {
		a.Neg(a)
	}
	if e.neg() {
		b.Neg(b)
	}
	return a, b, scale
}

func addLarge(d, e Decimal) Decimal {
	a, b, scale := alignLarge(d, e)
	a.Add(a, b)
	neg := a.Sign() < 0
	return fromLarge(a.Abs(a), scale, neg)
}

func mulLarge(d, e Decimal) Decimal {
	product := new(big.Int).Mul(d.magnitude(), e.magnitude())
	return fromLarge(product, d.Scale()+e.Scale(), d.neg() != e.neg())
}

func shiftLarge(d Decimal, n int) Decimal {
	return fromLarge(new(big.Int).Mul(d.magnitude(), bigPow10(n)), d.Scale(), d.neg())
}

// quoLarge gives the coefficients' quotient × 10^shift as a rounded integer of scale 0.
func quoLarge(d, e Decimal, shift int, mode Rounding) Decimal {
	num, den, neg := d.magnitude(), e.magnitude(), d.neg() != e.neg()
	if shift >= 0 {
		num = new(big.Int).Mul(num, bigPow10(shift))
	} else {
		den = new(big.Int).Mul(den, bigPow10(-shift))
	}
	q, r := new(big.Int).QuoRem(num, den, new(big.Int))
	if r.Sign() != 0 {
		half := new(big.Int).Lsh(r, 1).Cmp(den)
		if mode.up(half, neg, q.Bit(0) == 1) {
			q.Add(q, big.NewInt(1))
		}
	}
	return fromLarge(q, 0, neg)
}

func trimLarge(d Decimal) Decimal {
	text := d.large.Text(10)
	cut := min(len(text)-len(strings.TrimRight(text, "0")), d.Scale())
	if cut == 0 {
		return d
	}
	return fromLarge(new(big.Int).Quo(d.large, bigPow10(cut)), d.Scale()-cut, d.neg())
}
