package xsd

import (
	"bytes"
	"strconv"
)

// duration is months and seconds, both of the same sign (clause 3.2.6).
type duration struct {
	negative bool
	months   int64
	seconds  int64
	fraction []byte // of a second, without trailing zeros
}

// maxDurationDigits bounds each number of a duration so that sums stay exact.
const maxDurationDigits = 12

// durationUnits are the designators in order with what they count for; those after T are seconds.
var durationUnits = []struct {
	designator byte
	time       bool
	months     int64
	seconds    int64
}{
	{'Y', false, 12, 0}, {'M', false, 1, 0}, {'D', false, 0, secondsPerDay},
	{'H', true, 0, 3600}, {'M', true, 0, 60}, {'S', true, 0, 1},
}

// parseDuration reads PnYnMnDTnHnMnS (clause 3.2.6.1).
func parseDuration(b []byte) (d duration, ok bool) {
	r := reader{b: b, ok: true}
	if len(b) > 0 && b[0] == '-' {
		d.negative = true
		r.literal('-')
	}
	r.literal('P')
	time, unit, parts := false, 0, 0
	for r.ok && len(r.b) > 0 {
		if r.b[0] == 'T' && !time {
			time = true
			r.b = r.b[1:]
			r.ok = len(r.b) > 0
			continue
		}
		unit = r.durationPart(&d, unit, time)
		parts++
	}
	return d, r.ok && parts > 0
}

// durationPart reads a number and its designator, which must be one from unit on, and gives the one after it.
func (r *reader) durationPart(d *duration, unit int, time bool) int {
	n := digitsEnd(r.b, 0)
	if n == 0 || n > maxDurationDigits {
		r.ok = false
		return unit
	}
	value := int64(0)
	for _, c := range r.b[:n] {
		value = value*10 + int64(c-'0')
	}
	r.b = r.b[n:]
	fractional := len(r.b) > 0 && r.b[0] == '.'
	if fractional {
		n = digitsEnd(r.b, 1)
		d.fraction = bytes.TrimRight(r.b[1:n], "0")
		r.ok = n > 1
		r.b = r.b[n:]
	}
	for ; unit < len(durationUnits) && len(r.b) > 0; unit++ {
		u := durationUnits[unit]
		if u.designator == r.b[0] && u.time == time {
			r.b = r.b[1:]
			r.ok = r.ok && (!fractional || u.designator == 'S')
			d.months += value * u.months
			d.seconds += value * u.seconds
			return unit + 1
		}
	}
	r.ok = false
	return unit
}

// durationReferences are the days to which durations are added for comparing (clause 3.2.6.2).
var durationReferences = []struct {
	year  int64
	month int
}{{1696, 9}, {1697, 2}, {1903, 3}, {1903, 7}}

// compare is -1, 0 or 1, and 2 where the order depends on the months meant.
func (d duration) compare(o duration) int {
	result := 2
	for i, ref := range durationReferences {
		a, af := d.after(ref.year, ref.month)
		b, bf := o.after(ref.year, ref.month)
		c := a.compare(b)
		if c == 0 {
			c = bytes.Compare(af, bf)
			if d.negative && o.negative {
				c = -c
			} else if d.negative || o.negative {
				c = sign(!d.negative)
			}
			if len(af)+len(bf) == 0 {
				c = 0
			}
		}
		if i > 0 && c != result {
			return 2
		}
		result = c
	}
	return result
}

// after is the instant that the duration leads to from the first day of a month; the fraction has the sign of the duration.
func (d duration) after(year int64, month int) (instant, []byte) {
	months, seconds := d.months, d.seconds
	if d.negative {
		months, seconds = -months, -seconds
	}
	index := int64(month-1) + months
	year += floorDiv(index, 12)
	index -= floorDiv(index, 12) * 12
	return instantAt(daysBefore(year, int(index)+1, 1), seconds), d.fraction
}

// appendKey appends a text that equal durations share.
func (d duration) appendKey(dst []byte) []byte {
	if d.negative && (d.months != 0 || d.seconds != 0 || len(d.fraction) > 0) {
		dst = append(dst, '-')
	}
	dst = strconv.AppendInt(dst, d.months, 36)
	dst = strconv.AppendInt(append(dst, 'M'), d.seconds, 36)
	return append(append(dst, '.'), d.fraction...)
}
