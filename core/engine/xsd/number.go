package xsd

import (
	"bytes"
	"math"
	"strconv"
)

// number is a decimal of any length: its digits without superfluous zeros, as slices of the text it was read from.
type number struct {
	negative bool
	whole    []byte // without leading zeros
	fraction []byte // without trailing zeros
}

// parseNumber reads a decimal (XML Schema part 2, clause 3.2.3.1).
func parseNumber(b []byte) (n number, ok bool) {
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		n.negative = b[0] == '-'
		b = b[1:]
	}
	i := digitsEnd(b, 0)
	n.whole = b[:i]
	if i < len(b) && b[i] == '.' {
		n.fraction = b[i+1:]
	} else if i < len(b) {
		return n, false
	}
	if len(n.whole)+len(n.fraction) == 0 || digitsEnd(n.fraction, 0) < len(n.fraction) {
		return n, false
	}
	n.whole = bytes.TrimLeft(n.whole, "0")
	n.fraction = bytes.TrimRight(n.fraction, "0")
	if len(n.whole)+len(n.fraction) == 0 {
		n.negative = false
	}
	return n, true
}

// parseInteger is parseNumber for the integer types, which know no point.
func parseInteger(b []byte) (number, bool) {
	if bytes.IndexByte(b, '.') >= 0 {
		return number{}, false
	}
	return parseNumber(b)
}

func digitsEnd(b []byte, i int) int {
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	return i
}

// compare is -1, 0 or 1.
func (n number) compare(o number) int {
	switch {
	case n.negative != o.negative:
		return sign(o.negative)
	case n.negative:
		return -n.magnitude(o)
	}
	return n.magnitude(o)
}

func sign(positive bool) int {
	if positive {
		return 1
	}
	return -1
}

func (n number) magnitude(o number) int {
	if len(n.whole) != len(o.whole) {
		return sign(len(n.whole) > len(o.whole))
	}
	if c := bytes.Compare(n.whole, o.whole); c != 0 {
		return c
	}
	return bytes.Compare(n.fraction, o.fraction)
}

// digits is how many digits the value needs (clause 4.3.11).
func (n number) digits() int { return len(n.whole) + len(n.fraction) }

// appendKey appends a text that equal numbers share.
func (n number) appendKey(dst []byte) []byte {
	if n.negative {
		dst = append(dst, '-')
	}
	dst = append(dst, n.whole...)
	if len(n.fraction) > 0 {
		dst = append(append(dst, '.'), n.fraction...)
	}
	return dst
}

// parseFloat reads a float or double (clauses 3.2.4.1 and 3.2.5.1). What is out of range becomes infinite or zero.
func parseFloat(b []byte, bits int) (float64, bool) {
	switch string(b) {
	case "INF":
		return math.Inf(1), true
	case "-INF":
		return math.Inf(-1), true
	case "NaN":
		return math.NaN(), true
	}
	mantissa := b
	if e := bytes.IndexAny(b, "eE"); e >= 0 {
		if _, ok := parseInteger(b[e+1:]); !ok {
			return 0, false
		}
		mantissa = b[:e]
	}
	if _, ok := parseNumber(mantissa); !ok {
		return 0, false
	}
	f, _ := strconv.ParseFloat(string(b), bits) // the only error left is that of the range
	return f, true
}

// compareFloats is -1, 0 or 1, and 2 where there is no order; NaN equals itself (clause 3.2.4).
func compareFloats(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b, math.IsNaN(a) && math.IsNaN(b):
		return 0
	}
	return 2
}

func appendFloatKey(dst []byte, f float64) []byte {
	if f == 0 {
		f = 0 // of either sign
	}
	return strconv.AppendUint(dst, math.Float64bits(f), 36)
}
