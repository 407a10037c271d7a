package invoice

// Valid tells whether d is a day of the calendar in the form YYYY-MM-DD, from year 1 on.
func (d Date) Valid() bool {
	if len(d) != 10 || d[4] != '-' || d[7] != '-' {
		return false
	}
	year, ok1 := digits(d[0:4])
	month, ok2 := digits(d[5:7])
	day, ok3 := digits(d[8:10])
	return ok1 && ok2 && ok3 && year >= 1 && 1 <= month && month <= 12 && 1 <= day && day <= daysIn(year, month)
}

func daysIn(year, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// digits reads a number of decimal digits only.
func digits[T ~string](s T) (n int, ok bool) {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}

// base64Values holds 0 to 63 for the characters of the standard alphabet and notBase64 for all others.
var base64Values = func() (table [256]byte) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for i := range table {
		table[i] = notBase64
	}
	for i := range len(alphabet) {
		table[alphabet[i]] = byte(i)
	}
	return table
}()

const notBase64 = 0xFF

// base64Size gives how many bytes strict base64 text (RFC 4648, section 4) decodes to; false when it is not strict: other
// characters, padding that is wrong, or bits behind the end that are not zero (section 3.5).
func base64Size(b []byte) (int, bool) {
	if len(b)%4 != 0 {
		return 0, false
	}
	padding := 0
	for padding < 2 && padding < len(b) && b[len(b)-1-padding] == '=' {
		padding++
	}
	b = b[:len(b)-padding]
	var all byte
	for _, c := range b {
		all |= base64Values[c]
	}
	if all > 63 {
		return 0, false
	}
	unused := [...]byte{0, 0b11, 0b1111}[padding]
	if padding > 0 && base64Values[b[len(b)-1]]&unused != 0 {
		return 0, false
	}
	return (len(b)+padding)/4*3 - padding, true
}
