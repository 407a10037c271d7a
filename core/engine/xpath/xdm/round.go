package xdm

import (
	"math"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
)

// numericType is the type of the result of a function that keeps the type of its numeric argument: one of the four that
// F&O 6.4 names.
func numericType(t Type) Type { return t.Primitive() }

// Negate is the unary minus of a number.
func Negate(i Item) Item {
	switch i.typ {
	case Double:
		return Float64(-i.Float())
	case Float:
		return Float32(-float32(i.Float()))
	}
	return negate(i).as(numericType(i.typ))
}

// Abs is fn:abs of a number.
func Abs(i Item) Item {
	if !i.typ.IsDecimal() {
		return i.withFloat(math.Abs(i.Float()))
	}
	if i.sign() < 0 {
		i = negate(i)
	}
	return i.as(numericType(i.typ))
}

// withFloat gives another value to an xs:double or xs:float.
func (i Item) withFloat(f float64) Item {
	if i.typ == Float {
		return Float32(float32(f))
	}
	return Float64(f)
}

// Floor, Ceiling and Round are the functions of F&O 6.4.2 to 6.4.4 on a number. Round takes halves towards positive infinity.
func Floor(i Item) Item { return i.toWhole(math.Floor, decimal.Floor) }

// Ceiling is the smallest whole number not below i.
func Ceiling(i Item) Item { return i.toWhole(math.Ceil, decimal.Ceiling) }

// Round is the whole number nearest to i.
func Round(i Item) Item { return i.toWhole(roundFloat, decimal.HalfTowardsPositive) }

func (i Item) toWhole(ofFloat func(float64) float64, mode decimal.Rounding) Item {
	switch {
	case !i.typ.IsDecimal():
		return i.withFloat(ofFloat(i.Float()))
	case i.small() && i.scale == 0:
		return i.as(numericType(i.typ))
	case i.small():
		return Item{typ: Decimal, num: cutSmall(i.num, pow10[i.scale], mode)}
	}
	return number(numericType(i.typ), i.Decimal().Round(0, mode))
}

// cutSmall divides by a power of ten and rounds.
func cutSmall(n, unit int64, mode decimal.Rounding) int64 {
	q := floorDiv(n, unit)
	rest := n - q*unit
	if mode == decimal.Ceiling && rest > 0 || mode == decimal.HalfTowardsPositive && rest >= unit-rest {
		q++
	}
	return q
}

// roundFloat rounds to the nearest whole number, halves towards positive infinity; it keeps the sign of zeros.
func roundFloat(f float64) float64 {
	down := math.Floor(f)
	if f-down < 0.5 {
		return math.Copysign(down, f)
	}
	return math.Copysign(down+1, f)
}

// RoundHalfToEven is fn:round-half-to-even with a number of digits after the point, which may be negative (F&O 6.4.5).
func RoundHalfToEven(i Item, places int) Item {
	places = min(max(places, -maxPlaces), maxPlaces)
	if i.typ.IsDecimal() {
		return number(numericType(i.typ), i.Decimal().Round(places, decimal.HalfEven))
	}
	f := i.Float()
	if f == 0 || math.IsNaN(f) || math.IsInf(f, 0) {
		return i
	}
	exact, err := floatToDecimal(f, Decimal)
	if err != nil {
		return i
	}
	rounded := number(Decimal, exact.Decimal().Round(places, decimal.HalfEven))
	return i.withFloat(math.Copysign(rounded.AsFloat(), f))
}

// maxPlaces is beyond the digits of every float and of every decimal that can be read.
const maxPlaces = 10_000
