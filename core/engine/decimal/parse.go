package decimal

import (
	"errors"
	"fmt"
	"math/big"
)

// ErrSyntax says that a text is not a number of the wanted form.
var ErrSyntax = errors.New("not a decimal number")

// LimitError says that a text is a number but beyond what is read.
type LimitError struct {
	What  string // "digits", "significant digits", "digits after the point" or "exponent"
	Limit int    // the largest one accepted
}

// Error names the limit.
func (e *LimitError) Error() string {
	if e.What == "exponent" {
		return fmt.Sprintf("an exponent beyond ±%d", e.Limit)
	}
	return fmt.Sprintf("more than %d %s", e.Limit, e.What)
}

// Limits of the parsers. XML Schema part 2, 3.2.3 asks for at least 18 digits.
const (
	MaxDigits       = 10_000 // digits of a text given to Parse
	MaxJSONDigits   = 30     // significant digits of a text given to ParseJSON
	MaxJSONExponent = 20     // exponent of a text given to ParseJSON, in both directions
	MaxJSONScale    = MaxJSONDigits + MaxJSONExponent
)

// Parse reads the lexical form of xs:decimal (XML Schema part 2, 3.2.3.1): an optional sign, digits with an optional point,
// also ".5" and "5."; no exponent. White space is not trimmed: that is the caller's, who knows the white space facet. The
// scale is the count of digits after the point. Errors are ErrSyntax and *LimitError.
func Parse(s string) (Decimal, error) { return parseXML(s) }

// ParseBytes is Parse on bytes, which it does not keep.
func ParseBytes(b []byte) (Decimal, error) { return parseXML(b) }

// MustParse is Parse for constants and tests; it panics where Parse fails.
func MustParse(s string) Decimal {
	d, err := Parse(s)
	if err != nil {
		panic(fmt.Sprintf("decimal.MustParse(%q): %v", s, err))
	}
	return d
}

// ParseJSON reads a JSON number (RFC 8259, section 6) of at most 30 significant digits and an exponent within ±20. The scale is
// the count of digits after the point as sent, less the exponent: 10.0 has 1, 1.50e1 has 1, 1e2 has 0. A negative zero
// becomes 0 and keeps its scale. Errors are ErrSyntax and *LimitError.
func ParseJSON(b []byte) (Decimal, error) {
	neg := len(b) > 0 && b[0] == '-'
	if neg {
		b = b[1:]
	}
	n := digitRun(b, 0)
	if n == 0 || n > 1 && b[0] == '0' {
		return Decimal{}, ErrSyntax
	}
	end := n
	if end < len(b) && b[end] == '.' {
		if end += 1 + digitRun(b, end+1); end == n+1 {
			return Decimal{}, ErrSyntax
		}
	}
	exp, err := parseExponent(b[end:])
	if err != nil {
		return Decimal{}, err
	}
	return jsonNumber(b[:end], max(end-n-1, 0), exp, neg)
}

// jsonNumber puts the checked parts of a JSON number together.
func jsonNumber(mantissa []byte, fraction, exp int, neg bool) (Decimal, error) {
	if significant(mantissa) > MaxJSONDigits {
		return Decimal{}, &LimitError{"significant digits", MaxJSONDigits}
	}
	scale := fraction - exp
	if scale > MaxJSONScale {
		return Decimal{}, &LimitError{"digits after the point", MaxJSONScale}
	}
	if scale < 0 {
		return small(accumulate(mantissa), 0, neg).shift(-scale), nil
	}
	return small(accumulate(mantissa), scale, neg), nil
}

// digitRun counts the digits of s from position i on.
func digitRun[T string | []byte](s T, i int) int {
	n := i
	for n < len(s) && s[n]-'0' <= 9 {
		n++
	}
	return n - i
}

// significant counts the digits of a mantissa from the first that is not 0.
func significant[T string | []byte](s T) int {
	i, n := 0, 0
	for i < len(s) && (s[i] == '0' || s[i] == '.') {
		i++
	}
	for ; i < len(s); i++ {
		if s[i] != '.' {
			n++
		}
	}
	return n
}

// parseExponent reads "", "e5", "E+05", "e-7".
func parseExponent(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	if b[0]|0x20 != 'e' {
		return 0, ErrSyntax
	}
	i := 1
	neg := i < len(b) && b[i] == '-'
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		i++
	}
	if n := digitRun(b, i); n == 0 || i+n != len(b) {
		return 0, ErrSyntax
	}
	exp := 0
	for ; i < len(b); i++ {
		if exp = exp*10 + int(b[i]-'0'); exp > MaxJSONExponent {
			return 0, &LimitError{"exponent", MaxJSONExponent}
		}
	}
	if neg {
		exp = -exp
	}
	return exp, nil
}

// accumulate gives the digits of a mantissa as an integer of at most 38 digits; it passes over the point.
func accumulate[T string | []byte](s T) u128 {
	var total u128
	part, width := uint64(0), 0
	for i := range len(s) {
		if s[i] == '.' {
			continue
		}
		if width == chunkDigits {
			total, part, width = total.join(part, width), 0, 0
		}
		part = part*10 + uint64(s[i]-'0')
		width++
	}
	return total.join(part, width)
}

// join gives u×10^width + part, which must fit.
func (u u128) join(part uint64, width int) u128 {
	u, _ = u.mulPow10(width)
	u, _ = u.add(u128{lo: part})
	return u
}

func parseXML[T string | []byte](s T) (Decimal, error) {
	start := 0
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		start = 1
	}
	neg := start == 1 && s[0] == '-'
	s = s[start:]
	whole, fraction := digitRun(s, 0), 0
	end := whole
	if end < len(s) && s[end] == '.' {
		fraction = digitRun(s, end+1)
		end += 1 + fraction
	}
	digits := whole + fraction
	switch {
	case digits == 0 || end != len(s):
		return Decimal{}, ErrSyntax
	case digits > MaxDigits:
		return Decimal{}, &LimitError{"digits", MaxDigits}
	case significant(s) > maxPow10:
		return parseLarge(string(s[:whole]), string(s[len(s)-fraction:]), neg), nil
	}
	return small(accumulate(s), fraction, neg), nil
}

// parseLarge reads checked digits of any count.
func parseLarge(whole, fraction string, neg bool) Decimal {
	mag, _ := new(big.Int).SetString(whole+fraction, 10)
	return fromLarge(mag, len(fraction), neg)
}
