package xdm

import (
	"math"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
)

// Arithmetic is a binary operator of XPath on two atomic items of which none is untyped (appendix B.2). Errors are XPTY0004,
// FOAR0001, FOAR0002, FOCA0005, FODT0001 and FODT0002; zone is the implicit timezone in minutes.
func Arithmetic(op Op, a, b Item, zone int) (Item, error) {
	switch {
	case a.typ.IsNumeric() && b.typ.IsNumeric():
		return numericOp(op, a, b)
	case isSubtype(a.typ) && isSubtype(b.typ):
		return spanOp(op, a, b)
	case isSubtype(a.typ) && b.typ.IsNumeric() && (op == Multiply || op == Divide):
		return scaleSpan(op, a, b)
	case a.typ.IsNumeric() && isSubtype(b.typ) && op == Multiply:
		return scaleSpan(op, b, a)
	case isPoint(a.typ) && isSubtype(b.typ) && (op == Add || op == Subtract):
		return moveMoment(op, a, b)
	case isSubtype(a.typ) && isPoint(b.typ) && op == Add:
		return moveMoment(op, b, a)
	case isPoint(a.typ) && a.typ == b.typ && op == Subtract:
		return distance(a, b, zone), nil
	}
	return Item{}, Errorf("XPTY0004", "the operator %v is not defined for the types %v and %v", op, a.typ, b.typ)
}

func isSubtype(t Type) bool { return t == DayTimeDuration || t == YearMonthDuration }

func isPoint(t Type) bool { return t == DateTime || t == Date || t == Time }

// spanOp adds, subtracts or divides two durations of the same subtype (F&O 10.6).
func spanOp(op Op, a, b Item) (Item, error) {
	x, y := a.Span(), b.Span()
	switch {
	case a.typ != b.typ || op != Add && op != Subtract && op != Divide:
		return Item{}, Errorf("XPTY0004", "the operator %v is not defined for the types %v and %v", op, a.typ, b.typ)
	case op == Divide && a.typ == YearMonthDuration:
		return decimalOp(Divide, Int64(x.Months), Int64(y.Months))
	case op == Divide:
		return decimalOp(Divide, Dec(x.Seconds), Dec(y.Seconds))
	case op == Subtract:
		y = y.negative()
	}
	months := x.Months + y.Months
	if magnitude(months) > math.MaxInt64/2 {
		return Item{}, Errorf("FODT0002", "the duration is too large")
	}
	return SpanItem(a.typ, Span{months, x.Seconds.Add(y.Seconds)}), nil
}

// scaleSpan multiplies or divides a duration by a number.
func scaleSpan(op Op, a, n Item) (Item, error) {
	if !n.typ.IsDecimal() {
		f := n.Float()
		switch {
		case math.IsNaN(f):
			return Item{}, Errorf("FOCA0005", "a duration cannot be scaled by NaN")
		case math.IsInf(f, 0) && op == Divide:
			return SpanItem(a.typ, Span{0, decimal.New(0, 0)}), nil
		case math.IsInf(f, 0), f == 0 && op == Divide:
			return Item{}, Errorf("FODT0002", "the duration is too large")
		}
		n, _ = floatToDecimal(f, Decimal)
	}
	if op == Divide && n.sign() == 0 {
		return Item{}, Errorf("FODT0002", "a duration cannot be divided by zero")
	}
	return scaleBy(op, a, n.Decimal())
}

// spanScale is the number of digits after the point that seconds keep in a product or quotient.
const spanScale = 9

// scaleBy multiplies or divides by an exact number. Months are rounded as fn:round does (F&O 10.6.3, 10.6.4).
func scaleBy(op Op, a Item, n decimal.Decimal) (Item, error) {
	s := a.Span()
	amount := s.Seconds
	if a.typ == YearMonthDuration {
		amount = decimal.New(s.Months, 0)
	}
	if op == Multiply {
		amount = amount.Mul(n)
	} else {
		amount, _ = amount.Quo(n, quotientScale, decimal.HalfEven)
	}
	if a.typ == DayTimeDuration {
		return SpanItem(a.typ, Span{0, amount.Round(spanScale, decimal.HalfEven)}), nil
	}
	months, ok := amount.Round(0, decimal.HalfTowardsPositive).Int64()
	if !ok || magnitude(months) > math.MaxInt64/2 {
		return Item{}, Errorf("FODT0002", "the duration is too large")
	}
	return SpanItem(a.typ, Span{months, decimal.New(0, 0)}), nil
}

// moveMoment adds a duration to a moment or subtracts it (F&O 10.8).
func moveMoment(op Op, a, b Item) (Item, error) {
	s := b.Span()
	if op == Subtract {
		s = s.negative()
	}
	switch {
	case b.typ == DayTimeDuration:
		return addSeconds(a.typ, a.Moment(), s)
	case a.typ == Time:
		return Item{}, Errorf("XPTY0004", "the operator %v is not defined for the types %v and %v", op, a.typ, b.typ)
	}
	return addMonths(a.typ, a.Moment(), s.Months)
}

// maxDays is more days than maxYear years have.
const maxDays = maxYear * 366

func addSeconds(t Type, m Moment, s Span) (Item, error) {
	whole, rest := s.Days()
	days, ok := whole.Int64()
	if !ok || magnitude(days) > maxDays {
		return Item{}, outOfRange(t)
	}
	nanos, _ := rest.Mul(decimal.New(nanoPerSecond, 0)).Round(0, decimal.HalfEven).Int64()
	zone := m.Zone
	m.Zone = 0
	day, nano := m.line(0)
	m = atLine(day+days, nano+nanos, 0).fitting(t)
	m.Zone = zone
	return checkedMoment(t, m)
}

// addMonths keeps the day unless the month is too short for it. XML Schema 1.0 has no year 0: the year -1 is the one before
// 1.
func addMonths(t Type, m Moment, months int64) (Item, error) {
	if magnitude(months) > maxYear*12 {
		return Item{}, outOfRange(t)
	}
	year := m.Year
	if year < 0 {
		year++
	}
	total := year*12 + int64(m.Month-1) + months
	m.Year = floorDiv(total, 12)
	m.Month = int(total-m.Year*12) + 1
	if m.Year <= 0 {
		m.Year--
	}
	m.Day = min(m.Day, daysIn(m.Year, m.Month))
	return checkedMoment(t, m)
}

func checkedMoment(t Type, m Moment) (Item, error) {
	if magnitude(m.Year) >= maxYear {
		return Item{}, outOfRange(t)
	}
	return MomentItem(t, m), nil
}

func outOfRange(t Type) error { return Errorf("FODT0001", "the %v is out of range", t) }

// distance is the duration from b to a.
func distance(a, b Item, zone int) Item {
	aDay, aNano := a.Moment().line(zone)
	bDay, bNano := b.Moment().line(zone)
	seconds := decimal.New(aDay-bDay, 0).Mul(decimal.New(secondsPerDay, 0)).Add(decimal.New(aNano-bNano, 9))
	return SpanItem(DayTimeDuration, Span{0, seconds})
}
