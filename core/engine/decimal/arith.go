package decimal

// Add is d + e, exact; its scale is the larger of the two.
func (d Decimal) Add(e Decimal) Decimal {
	if d.large == nil && e.large == nil {
		if sum, ok := addSmall(d, e); ok {
			return sum
		}
	}
	return addLarge(d, e)
}

// Sub is d - e, exact; its scale is the larger of the two.
func (d Decimal) Sub(e Decimal) Decimal { return d.Add(e.Neg()) }

// addSmall adds within 128 bits; false on overflow.
func addSmall(d, e Decimal) (Decimal, bool) {
	if d.Scale() > e.Scale() {
		d, e = e, d
	}
	a, ok, scale := d.coef, true, e.Scale()
	if n := scale - d.Scale(); n > 0 {
		a, ok = a.mulPow10(n)
	}
	if d.neg() == e.neg() {
		sum, fits := a.add(e.coef)
		return small(sum, scale, d.neg()), ok && fits
	}
	if a.cmp(e.coef) >= 0 {
		return small(a.sub(e.coef), scale, d.neg()), ok
	}
	return small(e.coef.sub(a), scale, e.neg()), ok
}

// Mul is d × e, exact; its scale is the sum of the two.
func (d Decimal) Mul(e Decimal) Decimal {
	if d.large == nil && e.large == nil {
		if product, ok := d.coef.mul(e.coef); ok {
			return small(product, d.Scale()+e.Scale(), d.neg() != e.neg())
		}
	}
	return mulLarge(d, e)
}

// Quo is d / e rounded to places digits after the point, with exactly that scale (0 when places is negative); false when e is
// zero or "no number".
func (d Decimal) Quo(e Decimal, places int, mode Rounding) (Decimal, bool) {
	if e.Sign() == 0 {
		return Decimal{}, false
	}
	shift := places + e.Scale() - d.Scale()
	if d.large == nil && e.large == nil {
		num, ok1 := d.coef.mulPow10(max(shift, 0))
		den, ok2 := e.coef.mulPow10(max(-shift, 0))
		if ok1 && ok2 {
			neg := d.neg() != e.neg()
			return small(divRound(num, den, neg, mode), 0, neg).withScale(places), true
		}
	}
	return quoLarge(d, e, shift, mode).withScale(places), true
}

// QuoRem is the whole quotient of d / e cut towards zero, with scale 0, and the remainder d - e×quotient, which has the sign of
// d; false when e is zero or "no number".
func (d Decimal) QuoRem(e Decimal) (quotient, remainder Decimal, ok bool) {
	quotient, ok = d.Quo(e, 0, Down)
	if !ok {
		return Decimal{}, Decimal{}, false
	}
	return quotient, d.Sub(e.Mul(quotient)), true
}

// shift gives d × 10^n for n >= 0 with the same scale.
func (d Decimal) shift(n int) Decimal {
	if n == 0 || d.large == nil && d.coef.zero() {
		return d
	}
	if d.large == nil {
		if coef, ok := d.coef.mulPow10(n); ok {
			d.coef = coef
			return d
		}
	}
	return shiftLarge(d, n)
}

// withScale sets the scale of a freshly divided integer: places digits after the point, or zeros before it when negative.
func (d Decimal) withScale(places int) Decimal {
	if places < 0 {
		return d.shift(-places)
	}
	d.form = makeForm(places, d.neg())
	return d
}
