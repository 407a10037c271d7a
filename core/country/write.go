package country

import (
	"strings"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// Format is how a language of a country writes days and numbers (Unicode CLDR, short date with four digits of the year, and the decimal
// pattern).
type Format struct {
	Date    string `yaml:"date"`    // with DD, MM and YYYY; D and M where there are no zeros in front
	Decimal string `yaml:"decimal"` // between units and decimals
	Group   string `yaml:"group"`   // between thousands
}

// Day writes a day; what is no day stays as it is.
func (f Format) Day(day invoice.Date) string {
	if !day.Valid() {
		return string(day)
	}
	s := string(day)
	year, month, date := s[:4], s[5:7], s[8:]
	return strings.NewReplacer("YYYY", year, "MM", month, "DD", date, "M", strings.TrimPrefix(month, "0"), "D", strings.TrimPrefix(date, "0")).Replace(f.Date)
}

// Number writes a number that is given with a point and without groups, such as -1234567.80.
func (f Format) Number(plain string) string {
	sign := ""
	if strings.HasPrefix(plain, "-") {
		sign, plain = "-", plain[1:]
	}
	units, decimals, some := strings.Cut(plain, ".")
	var b strings.Builder
	b.WriteString(sign)
	for i, digit := range units {
		if i > 0 && (len(units)-i)%3 == 0 {
			b.WriteString(f.Group)
		}
		b.WriteRune(digit)
	}
	if some {
		b.WriteString(f.Decimal + decimals)
	}
	return b.String()
}
