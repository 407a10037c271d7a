package xdm

import (
	"fmt"
	"math"
	"strings"
	"unsafe"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
)

// Span is the value of xs:duration and its two subtypes: months and seconds, neither of opposite sign to the other.
type Span struct {
	Months  int64
	Seconds decimal.Decimal
}

// SpanItem is a span as an item of xs:duration or one of its subtypes.
func SpanItem(t Type, s Span) Item { return Item{typ: t, ref: unsafe.Pointer(&s)} }

// Span gives the value of an item of xs:duration or one of its subtypes.
func (i Item) Span() Span {
	i.must(i.typ.Is(Duration))
	return *(*Span)(i.ref)
}

const secondsPerDay = 24 * 60 * 60

// designators are the parts of a duration with their length in months or seconds.
var designators = []struct {
	letter  byte
	inTime  bool
	months  int64
	seconds int64
}{
	{'Y', false, 12, 0}, {'M', false, 1, 0}, {'D', false, 0, secondsPerDay},
	{'H', true, 0, 3600}, {'M', true, 0, 60}, {'S', true, 0, 1},
}

// ParseSpan reads the lexical form of t, xs:duration or one of its subtypes (XML Schema part 2, 3.2.6.1; F&O 10.3), white
// space at its ends included. The error is FORG0001, or FODT0002 for more than 2^62 months.
func ParseSpan(t Type, s string) (Span, error) {
	r := spanReader{momentReader{rest: Trim(s), ok: true}}
	neg := strings.HasPrefix(r.rest, "-")
	if neg {
		r.rest = r.rest[1:]
	}
	r.literal('P')
	span, parts := r.read()
	if !r.ok || r.rest != "" || parts == 0 || !fitsType(t, s) {
		return Span{}, lexicalError(s, t)
	}
	if r.overflow {
		return Span{}, Errorf("FODT0002", "the duration %q is too large", s)
	}
	if neg {
		span = span.negative()
	}
	return span, nil
}

// fitsType refuses designators that a subtype does not know.
func fitsType(t Type, s string) bool {
	date, time, hasTime := strings.Cut(s, "T")
	switch t {
	case DayTimeDuration:
		return !strings.ContainsAny(date, "YM")
	case YearMonthDuration:
		return !hasTime && time == "" && !strings.Contains(date, "D")
	}
	return true
}

type spanReader struct{ momentReader }

// read reads the parts in their order and counts them.
func (r *spanReader) read() (s Span, parts int) {
	inTime := false
	s.Seconds = decimal.New(0, 0)
	for i := 0; i < len(designators) && r.rest != ""; i++ {
		if !inTime && designators[i].inTime {
			r.literal('T')
			inTime = true
			r.ok = r.ok && r.rest != ""
		}
		d := designators[i]
		digits, fraction := r.amount(d.letter)
		if digits == "" {
			continue
		}
		parts++
		r.add(&s, digits, fraction, d.months, d.seconds)
	}
	return s, parts
}

// amount reads a number and its designator; nothing is taken when the designator is another.
func (r *spanReader) amount(letter byte) (digits, fraction string) {
	before := r.rest
	digits = r.digits()
	if letter == 'S' && strings.HasPrefix(r.rest, ".") {
		r.rest = r.rest[1:]
		if fraction = r.digits(); fraction == "" {
			r.ok = false
		}
	}
	if digits == "" || r.rest == "" || r.rest[0] != letter {
		r.rest = before
		return "", ""
	}
	r.rest = r.rest[1:]
	return digits, fraction
}

func (r *spanReader) add(s *Span, digits, fraction string, months, seconds int64) {
	n, err := decimal.Parse(digits + "." + fraction)
	if err != nil {
		r.ok = false
		return
	}
	s.Seconds = s.Seconds.Add(n.Mul(decimal.New(seconds, 0)))
	if months == 0 {
		return
	}
	whole, ok := n.Mul(decimal.New(months, 0)).Int64()
	if !ok || whole > math.MaxInt64/2 {
		r.overflow = true
		return
	}
	s.Months += whole
	r.overflow = r.overflow || s.Months > math.MaxInt64/2
}

func (s Span) negative() Span { return Span{-s.Months, s.Seconds.Neg()} }

// fitting takes from a span the part that type t does not have.
func (s Span) fitting(t Type) Span {
	switch t {
	case DayTimeDuration:
		s.Months = 0
	case YearMonthDuration:
		s.Seconds = decimal.New(0, 0)
	}
	return s
}

// text writes the canonical form for type t.
func (s Span) text(t Type) string {
	if s.Months == 0 && s.Seconds.Sign() == 0 {
		if t == YearMonthDuration {
			return "P0M"
		}
		return "PT0S"
	}
	var b strings.Builder
	if s.Months < 0 || s.Seconds.Sign() < 0 {
		b.WriteByte('-')
		s = s.negative()
	}
	b.WriteByte('P')
	writePart(&b, s.Months/12, 'Y')
	writePart(&b, s.Months%12, 'M')
	s.writeTime(&b)
	return b.String()
}

func writePart(b *strings.Builder, n int64, letter byte) {
	if n != 0 {
		fmt.Fprintf(b, "%d%c", n, letter)
	}
}

// writeTime writes days and smaller parts.
func (s Span) writeTime(b *strings.Builder) {
	days, rest := s.Days()
	if days.Sign() != 0 {
		b.WriteString(days.String() + "D")
	}
	if rest.Sign() == 0 {
		return
	}
	b.WriteByte('T')
	whole, _, _ := rest.QuoRem(decimal.New(1, 0))
	n, _ := whole.Int64()
	writePart(b, n/3600, 'H')
	writePart(b, n/60%60, 'M')
	if seconds := rest.Sub(decimal.New(n-n%60, 0)); seconds.Sign() != 0 {
		b.WriteString(seconds.Trim().String() + "S")
	}
}

// Days cuts the seconds into whole days and what is left, both with the sign of the span.
func (s Span) Days() (days, rest decimal.Decimal) {
	days, rest, _ = s.Seconds.QuoRem(decimal.New(secondsPerDay, 0))
	return days, rest
}
