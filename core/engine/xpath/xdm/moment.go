package xdm

import (
	"fmt"
	"strings"
	"unsafe"
)

// NoZone stands for a missing timezone.
const NoZone = -1 << 15

// Moment is the value of xs:dateTime, xs:date, xs:time and the Gregorian fragments (XML Schema part 2, 3.2.7 to 3.2.14). Parts
// that a type does not have are those of 1972-01-01T00:00:00 (a leap year).
type Moment struct {
	Year         int64 // never 0; -1 is 1 BC
	Month, Day   int
	Hour, Minute int
	Nano         int64 // seconds × 10^9, below 60 × 10^9
	Zone         int   // minutes east of Greenwich, or NoZone
}

// The Moment of nothing given.
const (
	defaultYear  = 1972
	defaultMonth = 1
	defaultDay   = 1
)

const (
	nanoPerSecond = 1_000_000_000
	nanoPerMinute = 60 * nanoPerSecond
	nanoPerDay    = 24 * 60 * nanoPerMinute
	maxYear       = 1_000_000_000
)

// MomentItem is a moment as an item of one of the types of Moment.
func MomentItem(t Type, m Moment) Item {
	if t == Date && m.Zone == NoZone && m.Year > 0 && m.Year <= maxSmallYear {
		return dayItem(m.Year, m.Month, m.Day)
	}
	return largeMoment(t, m)
}

// largeMoment is an item for what dayItem cannot hold.
func largeMoment(t Type, m Moment) Item { return Item{typ: t, ref: unsafe.Pointer(&m)} }

// maxSmallYear is the last year of the dates that an Item holds without a Moment.
const maxSmallYear = 9999

// dayItem is an xs:date without timezone, held in a number that is in the order of dates.
func dayItem(year int64, month, day int) Item {
	return Item{typ: Date, num: year<<9 | int64(month)<<5 | int64(day)}
}

// isDay tells whether an item is what dayItem makes.
func (i Item) isDay() bool { return i.typ == Date && i.ref == nil }

// Moment gives the value of an item of one of the types of Moment.
func (i Item) Moment() Moment {
	if i.isDay() {
		return Moment{Year: i.num >> 9, Month: int(i.num >> 5 & 15), Day: int(i.num & 31), Zone: NoZone}
	}
	i.must(layouts[i.typ].text != "")
	return *(*Moment)(i.ref)
}

// HasZone tells whether m has a timezone.
func (m Moment) HasZone() bool { return m.Zone != NoZone }

// leap tells whether a year is a leap year of the proleptic Gregorian calendar without a year 0. XML Schema 1.0 has none
// (part 2, 3.2.7.1): 1 BC is -1, and counts as 0 in what is computed.
func leap(year int64) bool {
	if year < 0 {
		year++
	}
	return year%4 == 0 && (year%100 != 0 || year%400 == 0)
}

func daysIn(year int64, month int) int {
	switch month {
	case 2:
		if leap(year) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// dayNumber counts days from a fixed day. Years are taken to begin in March, which puts the day of leap years at their end;
// 400 of them, an era, always have 146,097 days.
func dayNumber(year int64, month, day int) int64 {
	if year < 0 {
		year++
	}
	if month <= 2 {
		year--
	}
	era := floorDiv(year, 400)
	ofEra := year - era*400
	ofYear := int64((153*((month+9)%12)+2)/5 + day - 1)
	return era*146_097 + ofEra*365 + ofEra/4 - ofEra/100 + ofYear
}

// dateOf is the inverse of dayNumber.
func dateOf(n int64) (year int64, month, day int) {
	era := floorDiv(n, 146_097)
	rest := n - era*146_097
	ofEra := (rest - rest/1460 + rest/36_524 - rest/146_096) / 365
	ofYear := rest - (365*ofEra + ofEra/4 - ofEra/100)
	m := (5*ofYear + 2) / 153
	day = int(ofYear-(153*m+2)/5) + 1
	month = int(m+2)%12 + 1
	year = ofEra + era*400
	if month <= 2 {
		year++
	}
	if year <= 0 {
		year--
	}
	return year, month, day
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// line gives the place of m on the time line in days and nanoseconds of the day, at Greenwich; zone is the timezone of a
// moment that has none.
func (m Moment) line(zone int) (day, nano int64) {
	if m.HasZone() {
		zone = m.Zone
	}
	day = dayNumber(m.Year, m.Month, m.Day)
	nano = int64(m.Hour*60+m.Minute-zone)*nanoPerMinute + m.Nano
	over := floorDiv(nano, nanoPerDay)
	return day + over, nano - over*nanoPerDay
}

// atLine gives the moment at a place on the time line at Greenwich, seen from a timezone.
func atLine(day, nano int64, zone int) Moment {
	offset := zone
	if zone == NoZone {
		offset = 0
	}
	nano += int64(offset) * nanoPerMinute
	over := floorDiv(nano, nanoPerDay)
	day, nano = day+over, nano-over*nanoPerDay
	m := Moment{Zone: zone}
	m.Year, m.Month, m.Day = dateOf(day)
	m.Hour, m.Minute = int(nano/(60*nanoPerMinute)), int(nano/nanoPerMinute%60)
	m.Nano = nano % nanoPerMinute
	return m
}

// compareMoments is -1, 0 or 1; zone is the implicit timezone in minutes.
func compareMoments(a, b Moment, zone int) int {
	aDay, aNano := a.line(zone)
	bDay, bNano := b.line(zone)
	switch {
	case aDay < bDay, aDay == bDay && aNano < bNano:
		return -1
	case aDay == bDay && aNano == bNano:
		return 0
	}
	return 1
}

// InZone gives the moment t seen from another timezone, as fn:adjust-dateTime-to-timezone and its siblings do: NoZone takes
// the timezone away; a moment without one gets it and stays otherwise as it is.
func (m Moment) InZone(t Type, zone int) Moment {
	if !m.HasZone() || zone == NoZone {
		m.Zone = zone
		return m
	}
	day, nano := m.line(0)
	m = atLine(day, nano, zone)
	return m.fitting(t)
}

// fitting takes from a moment the parts that type t does not have.
func (m Moment) fitting(t Type) Moment {
	parts := layouts[t].parts
	if parts&yearPart == 0 {
		m.Year = defaultYear
	}
	if parts&monthPart == 0 {
		m.Month = defaultMonth
	}
	if parts&dayPart == 0 {
		m.Day = defaultDay
	}
	if parts&timePart == 0 {
		m.Hour, m.Minute, m.Nano = 0, 0, 0
	}
	return m
}

// ZoneText writes a timezone: Z, +02:00, or nothing for NoZone.
func ZoneText(zone int) string {
	switch {
	case zone == NoZone:
		return ""
	case zone == 0:
		return "Z"
	case zone < 0:
		return fmt.Sprintf("-%02d:%02d", -zone/60, -zone%60)
	}
	return fmt.Sprintf("+%02d:%02d", zone/60, zone%60)
}

// text writes the canonical form for type t, in the moment's own timezone.
func (m Moment) text(t Type) string {
	var b strings.Builder
	for _, c := range layouts[t].text {
		switch c {
		case 'Y':
			writeYear(&b, m.Year)
		case 'M':
			fmt.Fprintf(&b, "%02d", m.Month)
		case 'D':
			fmt.Fprintf(&b, "%02d", m.Day)
		case 'H':
			fmt.Fprintf(&b, "%02d:%02d:%s", m.Hour, m.Minute, secondsText(m.Nano))
		default:
			b.WriteRune(c)
		}
	}
	return b.String() + ZoneText(m.Zone)
}

func writeYear(b *strings.Builder, year int64) {
	if year < 0 {
		b.WriteByte('-')
		year = -year
	}
	fmt.Fprintf(b, "%04d", year)
}

// secondsText writes nanoseconds as seconds with two digits before the point and no trailing zeros behind it.
func secondsText(nano int64) string {
	s := fmt.Sprintf("%02d.%09d", nano/nanoPerSecond, nano%nanoPerSecond)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}
