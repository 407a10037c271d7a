package xsd

import (
	"bytes"
	"cmp"
	"strconv"
)

// moment is a value of one of the date and time types (XML Schema part 2, clauses 3.2.7 to 3.2.14); what a type does not
// have is 1 for day and month, and 1972 for the year.
type moment struct {
	year     int64
	month    int
	day      int
	seconds  int64  // of the day
	fraction []byte // of a second, without trailing zeros
	zoned    bool
	zone     int // minutes east
}

const (
	maxYearDigits  = 15
	secondsPerDay  = 24 * 60 * 60
	maxZoneMinutes = 14 * 60
	leapYear       = 1972 // stands for the year of dates without one, which may be the 29th of February
)

// reader takes a text apart from its start.
type reader struct {
	b  []byte
	ok bool
}

func (r *reader) literal(c byte) {
	if len(r.b) == 0 || r.b[0] != c {
		r.ok = false
		return
	}
	r.b = r.b[1:]
}

// two reads exactly two digits between lo and hi.
func (r *reader) two(lo, hi int) int {
	if len(r.b) < 2 || digitsEnd(r.b[:2], 0) != 2 {
		r.ok = false
		return lo
	}
	n := int(r.b[0]-'0')*10 + int(r.b[1]-'0')
	if n < lo || n > hi {
		r.ok = false
	}
	r.b = r.b[2:]
	return n
}

// year reads at least four digits; more than four must not begin with 0, and there is no year 0 (clause 3.2.7.1).
func (r *reader) year() int64 {
	negative := len(r.b) > 0 && r.b[0] == '-'
	if negative {
		r.b = r.b[1:]
	}
	n := digitsEnd(r.b, 0)
	if n < 4 || n > maxYearDigits || n > 4 && r.b[0] == '0' {
		r.ok = false
		return 0
	}
	y := int64(0)
	for _, c := range r.b[:n] {
		y = y*10 + int64(c-'0')
	}
	r.b = r.b[n:]
	if y == 0 {
		r.ok = false
	}
	if negative {
		return -y + 1 // the year before 1 is -0001
	}
	return y
}

// clock reads hh:mm:ss with a fraction; 24:00:00 is the end of the day.
func (r *reader) clock(m *moment) {
	h := r.two(0, 24)
	r.literal(':')
	min := r.two(0, 59)
	r.literal(':')
	s := r.two(0, 59)
	if r.ok && len(r.b) > 0 && r.b[0] == '.' {
		n := digitsEnd(r.b, 1)
		m.fraction = bytes.TrimRight(r.b[1:n], "0")
		r.ok = n > 1
		r.b = r.b[n:]
	}
	m.seconds = int64(h)*3600 + int64(min)*60 + int64(s)
	if m.seconds == secondsPerDay && len(m.fraction) > 0 || m.seconds > secondsPerDay {
		r.ok = false
	}
}

// zone reads what is left: nothing, Z, or an offset of up to 14 hours.
func (r *reader) zone(m *moment) {
	if !r.ok || len(r.b) == 0 {
		return
	}
	m.zoned = true
	c := r.b[0]
	r.b = r.b[1:]
	switch c {
	case 'Z':
	case '+', '-':
		h := r.two(0, 14)
		r.literal(':')
		m.zone = h*60 + r.two(0, 59)
		if m.zone > maxZoneMinutes {
			r.ok = false
		}
		if c == '-' {
			m.zone = -m.zone
		}
	default:
		r.ok = false
	}
	if len(r.b) > 0 {
		r.ok = false
	}
}

// momentParts says what a date or time type is made of, in the order of its text.
type momentParts struct {
	year, month, day, time bool
	hyphens                int // before the month, for types without year
}

// parse reads a text of these parts. Those that it has not are of the first day of a leap year, because --02-29 is a day.
func (p momentParts) parse(b []byte) (m moment, ok bool) {
	m = moment{year: leapYear, month: 1, day: 1}
	r := reader{b: b, ok: true}
	for range p.hyphens {
		r.literal('-')
	}
	if p.year {
		m.year = r.year()
	}
	if p.month {
		if p.year {
			r.literal('-')
		}
		m.month = r.two(1, 12)
	}
	if p.day {
		if p.month || !p.year {
			r.literal('-')
		}
		m.day = r.two(1, 31)
	}
	if p.time {
		if p.day {
			r.literal('T')
		}
		r.clock(&m)
	}
	r.zone(&m)
	return m, r.ok && m.day <= daysIn(m.year, m.month)
}

func daysIn(year int64, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// daysBefore is the number of days from 1 January of year 1 to the day; years count through 0.
func daysBefore(year int64, month, day int) int64 {
	y := year - 1
	days := y*365 + floorDiv(y, 4) - floorDiv(y, 100) + floorDiv(y, 400)
	for m := 1; m < month; m++ {
		days += int64(daysIn(year, m))
	}
	return days + int64(day-1)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// instant is a second on the time line, as a day and what is past of it: the seconds of the years that may be written are too many for
// one number.
type instant struct {
	days    int64 // from 1 January of year 1
	seconds int64 // of the day
}

// instantAt is some seconds, which may be more than a day or less than none, after the beginning of a day.
func instantAt(days, seconds int64) instant {
	more := floorDiv(seconds, secondsPerDay)
	return instant{days + more, seconds - more*secondsPerDay}
}

func (i instant) after(seconds int64) instant { return instantAt(i.days, i.seconds+seconds) }

// compare is -1, 0 or 1.
func (i instant) compare(o instant) int {
	return cmp.Or(cmp.Compare(i.days, o.days), cmp.Compare(i.seconds, o.seconds))
}

// instant is at UTC where the zone is known.
func (m moment) instant() instant {
	return instantAt(daysBefore(m.year, m.month, m.day), m.seconds-int64(m.zone)*60)
}

// compare is -1, 0 or 1, and 2 where the order depends on the unknown zone of one of them (clause 3.2.7.4).
func (m moment) compare(o moment) int {
	a, b := m.instant(), o.instant()
	if m.zoned == o.zoned {
		return compareInstants(a, m.fraction, b, o.fraction)
	}
	const span = maxZoneMinutes * 60 // what the unknown zone may add or take
	switch {
	case compareInstants(a.after(span), m.fraction, b, o.fraction) < 0:
		return -1
	case compareInstants(a.after(-span), m.fraction, b, o.fraction) > 0:
		return 1
	}
	return 2
}

func compareInstants(a instant, af []byte, b instant, bf []byte) int {
	return cmp.Or(a.compare(b), bytes.Compare(af, bf))
}

// appendKey appends a text that equal moments share; with and without zone are never equal.
func (m moment) appendKey(dst []byte) []byte {
	i := m.instant()
	dst = strconv.AppendInt(dst, i.days, 36)
	dst = strconv.AppendInt(append(dst, 'T'), i.seconds, 36)
	if m.zoned {
		dst = append(dst, 'Z')
	}
	if len(m.fraction) > 0 {
		dst = append(append(dst, '.'), m.fraction...)
	}
	return dst
}
