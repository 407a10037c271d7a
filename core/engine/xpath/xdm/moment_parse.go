package xdm

import "strings"

// parts says which parts of a Moment a type has.
type parts uint8

const (
	yearPart parts = 1 << iota
	monthPart
	dayPart
	timePart
)

// layout is the lexical form of a type: Y, M, D and H (for hh:mm:ss.s) stand for the parts, all else for itself. A timezone may
// follow.
type layout struct {
	text  string
	parts parts
}

// layouts are the forms of XML Schema part 2, 3.2.7 to 3.2.14.
var layouts = [typeCount]layout{
	DateTime:   {"Y-M-DTH", yearPart | monthPart | dayPart | timePart},
	Date:       {"Y-M-D", yearPart | monthPart | dayPart},
	Time:       {"H", timePart},
	GYearMonth: {"Y-M", yearPart | monthPart},
	GYear:      {"Y", yearPart},
	GMonthDay:  {"--M-D", monthPart | dayPart},
	GDay:       {"---D", dayPart},
	GMonth:     {"--M", monthPart},
}

// momentReader reads a lexical form from left to right; ok turns false at the first thing that is wrong.
type momentReader struct {
	rest     string
	ok       bool
	overflow bool // a year too large for us
}

// ParseMoment reads the lexical form of t, which is a type of Moment, white space at its ends included. The error is FORG0001,
// or FODT0001 for a year of more than nine digits.
func ParseMoment(t Type, s string) (Moment, error) {
	r := momentReader{rest: Trim(s), ok: true}
	m := Moment{Year: defaultYear, Month: defaultMonth, Day: defaultDay, Zone: NoZone}
	for _, c := range layouts[t].text {
		switch c {
		case 'Y':
			m.Year = r.year()
		case 'M':
			m.Month = r.two()
		case 'D':
			m.Day = r.two()
		case 'H':
			r.time(&m)
		default:
			r.literal(byte(c))
		}
	}
	m.Zone = r.zone()
	if !r.ok || r.rest != "" || !m.valid() {
		return m, lexicalError(s, t)
	}
	if r.overflow {
		return m, Errorf("FODT0001", "the year in %q is too large", s)
	}
	return m.normal(t), nil
}

// parseDay reads the most common of all moments, an xs:date with a year of four digits and without timezone; ok is false for all
// others, right or wrong.
func parseDay(s string) (day Item, ok bool) {
	s = Trim(s)
	if len(s) != len("2006-01-02") || s[4] != '-' || s[7] != '-' {
		return Item{}, false
	}
	year, ok1 := digits(s[:4])
	month, ok2 := digits(s[5:7])
	of, ok3 := digits(s[8:])
	if !ok1 || !ok2 || !ok3 || year == 0 || month < 1 || month > 12 || of < 1 || of > daysIn(int64(year), month) {
		return Item{}, false
	}
	return dayItem(int64(year), month, of), true
}

// digits is the number that a few digits are.
func digits(s string) (n int, ok bool) {
	for i := range len(s) {
		if s[i]-'0' > 9 {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}

func (m Moment) valid() bool {
	if m.Year == 0 || m.Month < 1 || m.Month > 12 || m.Day < 1 || m.Day > daysIn(m.Year, m.Month) {
		return false
	}
	if m.Hour == 24 {
		return m.Minute == 0 && m.Nano == 0
	}
	return m.Hour < 24 && m.Minute < 60 && m.Nano < nanoPerMinute
}

// normal makes 24:00:00 the start of the next day.
func (m Moment) normal(t Type) Moment {
	if m.Hour < 24 {
		return m
	}
	zone := m.Zone
	day, nano := Moment{Year: m.Year, Month: m.Month, Day: m.Day, Hour: 24}.line(0)
	m = atLine(day, nano, 0)
	m.Zone = zone
	return m.fitting(t)
}

func (r *momentReader) literal(c byte) {
	if r.rest == "" || r.rest[0] != c {
		r.ok = false
		return
	}
	r.rest = r.rest[1:]
}

// digits reads as many digits as there are.
func (r *momentReader) digits() string {
	n := 0
	for n < len(r.rest) && r.rest[n]-'0' <= 9 {
		n++
	}
	s := r.rest[:n]
	r.rest = r.rest[n:]
	return s
}

// year reads four or more digits with an optional minus sign; more than four do not begin with 0.
func (r *momentReader) year() int64 {
	neg := strings.HasPrefix(r.rest, "-")
	if neg {
		r.rest = r.rest[1:]
	}
	s := r.digits()
	if len(s) < 4 || len(s) > 4 && s[0] == '0' {
		r.ok = false
		return 0
	}
	year := int64(0)
	for i := range len(s) {
		year = year*10 + int64(s[i]-'0')
		if year >= maxYear {
			r.overflow = true
			year = maxYear
		}
	}
	if neg {
		return -year
	}
	return year
}

// two reads exactly two digits.
func (r *momentReader) two() int {
	if len(r.rest) < 2 || r.rest[0]-'0' > 9 || r.rest[1]-'0' > 9 {
		r.ok = false
		return 0
	}
	n := int(r.rest[0]-'0')*10 + int(r.rest[1]-'0')
	r.rest = r.rest[2:]
	return n
}

// time reads hours, minutes and seconds. Of a fraction of a second nine digits count.
func (r *momentReader) time(m *Moment) {
	m.Hour = r.two()
	r.literal(':')
	m.Minute = r.two()
	r.literal(':')
	m.Nano = int64(r.two()) * nanoPerSecond
	if !strings.HasPrefix(r.rest, ".") {
		return
	}
	r.rest = r.rest[1:]
	s := r.digits()
	if s == "" {
		r.ok = false
	}
	unit := int64(nanoPerSecond)
	for i := 0; i < len(s) && unit > 1; i++ {
		unit /= 10
		m.Nano += int64(s[i]-'0') * unit
	}
}

// maxZone is the largest distance from Greenwich in minutes.
const maxZone = 14 * 60

func (r *momentReader) zone() int {
	switch {
	case r.rest == "":
		return NoZone
	case r.rest == "Z":
		r.rest = ""
		return 0
	}
	sign := r.rest[0]
	if sign != '+' && sign != '-' {
		r.ok = false
		return NoZone
	}
	r.rest = r.rest[1:]
	hours := r.two()
	r.literal(':')
	minutes := r.two()
	zone := hours*60 + minutes
	if minutes > 59 || zone > maxZone {
		r.ok = false
	}
	if sign == '-' {
		return -zone
	}
	return zone
}
