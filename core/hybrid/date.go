package hybrid

import (
	"strings"
	"time"
)

// date reads a date (ISO 32000-1 §7.9.4): D:YYYYMMDDHHmmSSOHH'mm', of which all after the year may be missing. What is none is the zero time.
func date(text string) time.Time {
	text = strings.TrimPrefix(strings.TrimSpace(text), "D:")
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	stamp, zone := text[:digits], strings.NewReplacer("'", "", ":", "").Replace(text[digits:])
	const whole = "20060102150405"
	if len(stamp) > len(whole) || len(stamp) < len("2006") || len(stamp)%2 != 0 {
		return time.Time{}
	}
	if zone = strings.TrimPrefix(zone, "Z"); zone == "" || zone == "0000" {
		zone = "+0000"
	}
	if len(zone) == len("+00") {
		zone += "00"
	}
	at, err := time.Parse(whole[:len(stamp)]+"-0700", stamp+zone)
	if err != nil {
		return time.Time{}
	}
	return at
}
