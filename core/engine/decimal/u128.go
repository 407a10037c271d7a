package decimal

import "math/bits"

// u128 is an unsigned 128-bit integer.
type u128 struct{ hi, lo uint64 }

// maxPow10 is the largest power of ten that fits 128 bits.
const maxPow10 = 38

// chunk is the largest power of ten that fits 64 bits, and chunkDigits its exponent.
const (
	chunk       = 1e19
	chunkDigits = 19
)

var (
	pow10 = powers128()
	ten   = u128{lo: 10}
)

// powers128 computes 10^0 … 10^38.
func powers128() (table [maxPow10 + 1]u128) {
	table[0] = u128{lo: 1}
	for i := 1; i < len(table); i++ {
		table[i], _ = table[i-1].mul(ten)
	}
	return table
}

func (u u128) zero() bool { return u.hi|u.lo == 0 }

func (u u128) cmp(v u128) int {
	switch {
	case u == v:
		return 0
	case u.hi < v.hi || u.hi == v.hi && u.lo < v.lo:
		return -1
	}
	return 1
}

// add gives u+v; false on overflow.
func (u u128) add(v u128) (u128, bool) {
	lo, carry := bits.Add64(u.lo, v.lo, 0)
	hi, carry := bits.Add64(u.hi, v.hi, carry)
	return u128{hi, lo}, carry == 0
}

// sub gives u-v for u >= v.
func (u u128) sub(v u128) u128 {
	lo, borrow := bits.Sub64(u.lo, v.lo, 0)
	hi, _ := bits.Sub64(u.hi, v.hi, borrow)
	return u128{hi, lo}
}

// mul gives u×v; false on overflow.
func (u u128) mul(v u128) (u128, bool) {
	hi, lo := bits.Mul64(u.lo, v.lo)
	if u.hi|v.hi == 0 {
		return u128{hi, lo}, true
	}
	if u.hi != 0 && v.hi != 0 {
		return u128{}, false
	}
	over1, cross1 := bits.Mul64(u.hi, v.lo)
	over2, cross2 := bits.Mul64(u.lo, v.hi)
	hi, carry := bits.Add64(hi, cross1|cross2, 0) // one of the two is zero
	return u128{hi, lo}, over1|over2|carry == 0
}

// mulPow10 gives u×10^n; false on overflow.
func (u u128) mulPow10(n int) (u128, bool) {
	switch {
	case n == 0 || u.zero():
		return u, true
	case n > maxPow10:
		return u128{}, false
	}
	return u.mul(pow10[n])
}

// div gives the quotient and the remainder of u/v for v != 0.
func (u u128) div(v u128) (q, r u128) {
	if v.hi != 0 {
		return u.divLong(v)
	}
	if u.hi == 0 {
		return u128{lo: u.lo / v.lo}, u128{lo: u.lo % v.lo}
	}
	q.hi, r.lo = u.hi/v.lo, u.hi%v.lo
	q.lo, r.lo = bits.Div64(r.lo, u.lo, v.lo)
	return q, r
}

// divLong divides by a divisor of more than 64 bits: the quotient fits 64 bits, and the estimate from the divisor's leading
// 64 bits is at most one too high (Knuth, The Art of Computer Programming vol. 2, 4.3.1).
func (u u128) divLong(v u128) (q, r u128) {
	shift := uint(bits.LeadingZeros64(v.hi))
	top := v.hi<<shift | v.lo>>(64-shift)
	estimate, _ := bits.Div64(u.hi>>1, u.hi<<63|u.lo>>1, top)
	estimate >>= 63 - shift
	if estimate != 0 {
		estimate--
	}
	product, _ := v.mul(u128{lo: estimate})
	q.lo, r = estimate, u.sub(product)
	if r.cmp(v) >= 0 {
		q.lo, r = q.lo+1, r.sub(v)
	}
	return q, r
}

// digits counts the decimal digits of u; those of 0 are 1.
func (u u128) digits() int {
	n := max(1, (128-u.leadingZeros())*1233>>12) // 1233/4096 is just above log10(2), so n is exact or one too low
	if n <= maxPow10 && u.cmp(pow10[n]) >= 0 {
		n++
	}
	return n
}

func (u u128) leadingZeros() int {
	if u.hi != 0 {
		return bits.LeadingZeros64(u.hi)
	}
	return 64 + bits.LeadingZeros64(u.lo)
}

// appendDigits appends u in decimal.
func (u u128) appendDigits(dst []byte) []byte {
	var buf [40]byte
	i := len(buf)
	for u.hi != 0 {
		q, r := u.div(u128{lo: chunk})
		for range chunkDigits {
			i--
			buf[i] = byte('0' + r.lo%10)
			r.lo /= 10
		}
		u = q
	}
	for n := u.lo; n != 0 || i == len(buf); n /= 10 {
		i--
		buf[i] = byte('0' + n%10)
	}
	return append(dst, buf[i:]...)
}
