package xdm

import "github.com/einvoiced/einvoiced/core/engine/decimal"

// parseSmall reads the lexical form of xs:decimal without white space when it has at most 18 digits; false when it has more or
// is of another form.
func parseSmall(s string) (n int64, scale int, ok bool) {
	i, neg := 0, false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		i, neg = 1, s[0] == '-'
	}
	digits, point := 0, -1
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c-'0' <= 9:
			n = n*10 + int64(c-'0')
			if digits++; digits > maxSmallScale {
				return 0, 0, false
			}
		case c == '.' && point < 0:
			point = i
		default:
			return 0, 0, false
		}
	}
	if digits == 0 {
		return 0, 0, false
	}
	if point >= 0 {
		scale = len(s) - point - 1
	}
	if neg {
		n = -n
	}
	return n, scale, true
}

// ParseDecimal reads the lexical form of xs:decimal (XML Schema part 2, 3.2.3.1), white space at its ends included. It costs no
// memory for up to 18 digits.
func ParseDecimal(s string) (Item, bool) {
	s = Trim(s)
	if n, scale, ok := parseSmall(s); ok {
		return Item{typ: Decimal, num: n, scale: uint8(scale)}, true
	}
	d, err := decimal.Parse(s)
	if err != nil {
		return Item{}, false
	}
	return number(Decimal, d), true
}

// ParseInteger reads the lexical form of xs:integer (XML Schema part 2, 3.3.13.1), white space at its ends included.
func ParseInteger(s string) (Item, bool) {
	s = Trim(s)
	for i := range len(s) {
		if s[i] == '.' {
			return Item{}, false
		}
	}
	i, ok := ParseDecimal(s)
	return i.as(Integer), ok
}

// ParseBoolean reads the lexical form of xs:boolean (XML Schema part 2, 3.2.2.1), white space at its ends included.
func ParseBoolean(s string) (value, ok bool) {
	switch Trim(s) {
	case "true", "1":
		return true, true
	case "false", "0":
		return false, true
	}
	return false, false
}
