package decimal

// Rounding says what becomes of digits that are cut off.
type Rounding uint8

// The rounding modes. HalfUp is the commercial one, HalfTowardsPositive that of XPath's fn:round, HalfEven that of
// fn:round-half-to-even, Floor and Ceiling those of the functions of these names.
const (
	HalfUp              Rounding = iota // to the nearest, halves away from zero: 2.5 → 3, -2.5 → -3
	HalfEven                            // to the nearest, halves to the even neighbour: 2.5 → 2, 3.5 → 4
	HalfTowardsPositive                 // to the nearest, halves upwards: 2.5 → 3, -2.5 → -2
	Down                                // towards zero
	Up                                  // away from zero
	Floor                               // towards negative infinity
	Ceiling                             // towards positive infinity
)

// up tells whether the magnitude is raised by one unit. half is -1, 0 or 1 as what is cut off is below, equal to or above half a
// unit; it is not zero.
func (mode Rounding) up(half int, neg, odd bool) bool {
	switch mode {
	case Down:
		return false
	case Up:
		return true
	case Floor:
		return neg
	case Ceiling:
		return !neg
	}
	if half != 0 {
		return half > 0
	}
	switch mode {
	case HalfEven:
		return odd
	case HalfTowardsPositive:
		return !neg
	}
	return true
}

// divRound gives num/den as a rounded integer. Raising it cannot overflow: where there is a remainder, den is at least 2.
func divRound(num, den u128, neg bool, mode Rounding) u128 {
	q, r := num.div(den)
	if !r.zero() && mode.up(r.cmp(den.sub(r)), neg, q.lo&1 == 1) {
		q, _ = q.add(u128{lo: 1})
	}
	return q
}

// Round gives d with at most places digits after the point; it adds no zeros. Negative places round before the point:
// 1250 at -2 is 1300 with HalfUp, and has scale 0.
func (d Decimal) Round(places int, mode Rounding) Decimal {
	cut := d.Scale() - places
	switch {
	case cut <= 0 || !d.IsSet():
		return d
	case d.large != nil:
		return quoLarge(d, New(1, 0), -cut, mode).withScale(places)
	}
	return small(d.cutDigits(cut, mode), 0, d.neg()).withScale(places)
}

// cutDigits drops the last cut digits of a 128-bit coefficient. More than 38 leave less than half a unit.
func (d Decimal) cutDigits(cut int, mode Rounding) (q u128) {
	switch {
	case cut <= maxPow10:
		return divRound(d.coef, pow10[cut], d.neg(), mode)
	case !d.coef.zero() && mode.up(-1, d.neg(), false):
		q.lo = 1
	}
	return q
}

// Rescale gives d with exactly places digits after the point (0 when negative): rounded, or with zeros added.
func (d Decimal) Rescale(places int, mode Rounding) Decimal {
	return d.Round(places, mode).WithMinScale(places)
}

// WithMinScale gives the same number with zeros added until it has at least places digits after the point.
func (d Decimal) WithMinScale(places int) Decimal {
	add := places - d.Scale()
	if add <= 0 || !d.IsSet() {
		return d
	}
	return d.shift(add).withScale(places)
}

// Trim gives the same number without trailing zeros after the point.
func (d Decimal) Trim() Decimal {
	if d.large != nil {
		return trimLarge(d)
	}
	coef, scale := d.coef, d.Scale()
	if coef.zero() {
		scale = 0
	}
	for scale > 0 {
		q, r := coef.div(ten)
		if !r.zero() {
			break
		}
		coef, scale = q, scale-1
	}
	if scale == d.Scale() {
		return d
	}
	return small(coef, scale, d.neg())
}
