package xdm

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
)

// floatPow10 are the powers of ten that a float64 holds exactly.
var floatPow10 = func() (table [23]float64) {
	table[0] = 1
	for i := 1; i < len(table); i++ {
		table[i] = table[i-1] * 10
	}
	return table
}()

// AsFloat gives a number as xs:double.
func (i Item) AsFloat() float64 {
	switch {
	case !i.typ.IsDecimal():
		return i.Float()
	case i.small():
		return scaled(i.num, int(i.scale))
	case i.isBinary():
		return i.Float()
	}
	return i.Decimal().Float64()
}

// scaled is the float64 nearest to n×10^-scale. The quotient of two exact float64 is correctly rounded.
func scaled(n int64, scale int) float64 {
	if magnitude(n) <= 1<<53 && scale < len(floatPow10) {
		return float64(n) / floatPow10[scale]
	}
	return decimal.New(n, scale).Float64()
}

// asFloat32 gives a number as xs:float.
func (i Item) asFloat32() float64 {
	if i.typ == Float {
		return i.Float()
	}
	if i.typ.IsDecimal() {
		f, _ := strconv.ParseFloat(i.Decimal().String(), 32)
		return f
	}
	return float64(float32(i.Float()))
}

// floatItem is a result of 64 or 32 bits.
func floatItem(f float64, bits int) Item {
	if bits == 32 {
		return Float32(float32(f))
	}
	return Float64(f)
}

// floatOp is arithmetic on xs:double, or on xs:float for 32 bits, after IEEE 754 as F&O 6.2 has it.
func floatOp(op Op, a, b float64, bits int) (Item, error) {
	switch op {
	case Add:
		return floatItem(a+b, bits), nil
	case Subtract:
		return floatItem(a-b, bits), nil
	case Multiply:
		return floatItem(a*b, bits), nil
	case Divide:
		return floatItem(a/b, bits), nil
	case Modulo:
		return floatItem(math.Mod(a, b), bits), nil
	}
	return floatQuotient(a, b)
}

// floatQuotient is a idiv b.
func floatQuotient(a, b float64) (Item, error) {
	switch {
	case b == 0:
		return Item{}, Errorf("FOAR0001", "division by zero")
	case math.IsNaN(a) || math.IsNaN(b) || math.IsInf(a, 0):
		return Item{}, Errorf("FOAR0002", "%v idiv %v has no result", a, b)
	case math.IsInf(b, 0):
		return Int64(0), nil
	}
	return floatToDecimal(math.Trunc(a/b), Integer)
}

// maxExact is where every float64 is a whole number that fits 64 bits.
const maxExact = 1 << 53

// floatToDecimal gives the exact value of f as xs:decimal, or what is before the point as xs:integer.
func floatToDecimal(f float64, t Type) (Item, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Item{}, Errorf("FOCA0002", "%s cannot become %v", formatFloat(f, 64), t)
	}
	if t != Decimal {
		f = math.Trunc(f)
	}
	if f == math.Trunc(f) && math.Abs(f) <= maxExact {
		return Item{typ: t, num: int64(f)}, nil
	}
	if t == Decimal {
		return Item{typ: t, num: int64(math.Float64bits(f)), ref: binary}, nil
	}
	return number(t, exactDecimal(f)), nil
}

// exactDecimal gives the exact value of a finite float64. It is m×2^e with a whole m, and has -e digits after the point when e
// is negative, at most 1,074.
func exactDecimal(f float64) decimal.Decimal {
	_, exp := math.Frexp(f)
	text := new(big.Float).SetFloat64(f).Text('f', max(53-exp, 0))
	if strings.ContainsRune(text, '.') {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return decimal.MustParse(text)
}

// formatFloat writes a float as F&O 17.1.2 has it: like a decimal from 0.000001 up to below 1000000, with an exponent outside.
func formatFloat(f float64, bits int) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "INF"
	case math.IsInf(f, -1):
		return "-INF"
	case f == 0 && math.Signbit(f):
		return "-0"
	case f == 0, math.Abs(f) >= 1e-6 && math.Abs(f) < 1e6:
		return strconv.FormatFloat(f, 'f', -1, bits)
	}
	mantissa, exp, _ := strings.Cut(strconv.FormatFloat(f, 'E', -1, bits), "E")
	if !strings.ContainsRune(mantissa, '.') {
		mantissa += ".0"
	}
	n, _ := strconv.Atoi(exp)
	return mantissa + "E" + strconv.Itoa(n)
}

// ParseFloat reads the lexical form of xs:double (XML Schema part 2, 3.2.5.1), white space at its ends included; bits is 64, or
// 32 for xs:float.
func ParseFloat(s string, bits int) (float64, bool) {
	s = Trim(s)
	if n, scale, ok := parseSmall(s); ok && magnitude(n) <= maxExact && scale < len(floatPow10) && bits == 64 {
		f := float64(n) / floatPow10[scale]
		if n == 0 && s[0] == '-' {
			f = math.Copysign(0, -1)
		}
		return f, true
	}
	switch s {
	case "INF":
		return math.Inf(1), true
	case "-INF":
		return math.Inf(-1), true
	case "NaN":
		return math.NaN(), true
	}
	if strings.Trim(s, "0123456789.eE+-") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, bits)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}
