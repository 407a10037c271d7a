package xpath

import (
	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// dateFunctions are the functions of F&O 5.2, 10.5 and 10.7.
var dateFunctions = []entry{
	{name: "dateTime", params: "xs:date? xs:time?", result: "xs:dateTime?", impl: itemFunc(dateTime)},
	{name: "years-from-duration", params: "xs:duration?", result: "xs:integer?", impl: onSpan(func(s xdm.Span) xdm.Item {
		return xdm.Int64(s.Months / 12)
	})},
	{name: "months-from-duration", params: "xs:duration?", result: "xs:integer?", impl: onSpan(func(s xdm.Span) xdm.Item {
		return xdm.Int64(s.Months % 12)
	})},
	{name: "days-from-duration", params: "xs:duration?", result: "xs:integer?", impl: onSpan(func(s xdm.Span) xdm.Item {
		days, _ := s.Days()
		whole, _ := xdm.Cast(xdm.Dec(days), xdm.Integer)
		return whole
	})},
	{name: "hours-from-duration", params: "xs:duration?", result: "xs:integer?", impl: onSpan(func(s xdm.Span) xdm.Item {
		return unitOf(s, 3600, 24)
	})},
	{name: "minutes-from-duration", params: "xs:duration?", result: "xs:integer?", impl: onSpan(func(s xdm.Span) xdm.Item {
		return unitOf(s, 60, 60)
	})},
	{name: "seconds-from-duration", params: "xs:duration?", result: "xs:decimal?", impl: onSpan(func(s xdm.Span) xdm.Item {
		_, rest, _ := s.Seconds.QuoRem(decimal.New(60, 0))
		return xdm.Dec(rest)
	})},
	{name: "year-from-dateTime", params: "xs:dateTime?", result: "xs:integer?", impl: onMoment(yearOf)},
	{name: "month-from-dateTime", params: "xs:dateTime?", result: "xs:integer?", impl: onMoment(monthOf)},
	{name: "day-from-dateTime", params: "xs:dateTime?", result: "xs:integer?", impl: onMoment(dayOf)},
	{name: "hours-from-dateTime", params: "xs:dateTime?", result: "xs:integer?", impl: onMoment(hoursOf)},
	{name: "minutes-from-dateTime", params: "xs:dateTime?", result: "xs:integer?", impl: onMoment(minutesOf)},
	{name: "seconds-from-dateTime", params: "xs:dateTime?", result: "xs:decimal?", impl: onMoment(secondsOf)},
	{name: "timezone-from-dateTime", params: "xs:dateTime?", result: "xs:dayTimeDuration?", impl: onMoment(zoneOf)},
	{name: "year-from-date", params: "xs:date?", result: "xs:integer?", impl: onMoment(yearOf)},
	{name: "month-from-date", params: "xs:date?", result: "xs:integer?", impl: onMoment(monthOf)},
	{name: "day-from-date", params: "xs:date?", result: "xs:integer?", impl: onMoment(dayOf)},
	{name: "timezone-from-date", params: "xs:date?", result: "xs:dayTimeDuration?", impl: onMoment(zoneOf)},
	{name: "hours-from-time", params: "xs:time?", result: "xs:integer?", impl: onMoment(hoursOf)},
	{name: "minutes-from-time", params: "xs:time?", result: "xs:integer?", impl: onMoment(minutesOf)},
	{name: "seconds-from-time", params: "xs:time?", result: "xs:decimal?", impl: onMoment(secondsOf)},
	{name: "timezone-from-time", params: "xs:time?", result: "xs:dayTimeDuration?", impl: onMoment(zoneOf)},
	{name: "adjust-dateTime-to-timezone", params: "xs:dateTime?", result: "xs:dateTime?", impl: itemFunc(adjust), needs: needsDocument},
	{name: "adjust-dateTime-to-timezone", params: "xs:dateTime? xs:dayTimeDuration?", result: "xs:dateTime?", impl: itemFunc(adjust)},
	{name: "adjust-date-to-timezone", params: "xs:date?", result: "xs:date?", impl: itemFunc(adjust), needs: needsDocument},
	{name: "adjust-date-to-timezone", params: "xs:date? xs:dayTimeDuration?", result: "xs:date?", impl: itemFunc(adjust)},
	{name: "adjust-time-to-timezone", params: "xs:time?", result: "xs:time?", impl: itemFunc(adjust), needs: needsDocument},
	{name: "adjust-time-to-timezone", params: "xs:time? xs:dayTimeDuration?", result: "xs:time?", impl: itemFunc(adjust)},
	{name: "current-dateTime", result: "xs:dateTime", impl: now(xdm.DateTime), needs: needsDocument},
	{name: "current-date", result: "xs:date", impl: now(xdm.Date), needs: needsDocument},
	{name: "current-time", result: "xs:time", impl: now(xdm.Time), needs: needsDocument},
	{name: "implicit-timezone", result: "xs:dayTimeDuration", impl: itemFunc(implicitZone), needs: needsDocument},
}

func onSpan(fn func(xdm.Span) xdm.Item) itemFunc {
	return func(_ *Machine, args []xdm.Item) xdm.Item {
		if !args[0].Exists() {
			return xdm.Item{}
		}
		return fn(args[0].Span())
	}
}

func onMoment(fn func(xdm.Moment) xdm.Item) itemFunc {
	return func(_ *Machine, args []xdm.Item) xdm.Item {
		if !args[0].Exists() {
			return xdm.Item{}
		}
		return fn(args[0].Moment())
	}
}

// unitOf gives the hours or minutes of a span: how often size seconds fit, without whole multiples of limit.
func unitOf(s xdm.Span, size, limit int64) xdm.Item {
	_, rest, _ := s.Seconds.QuoRem(decimal.New(size*limit, 0))
	whole, _, _ := rest.QuoRem(decimal.New(size, 0))
	n, _ := whole.Int64()
	return xdm.Int64(n)
}

func yearOf(m xdm.Moment) xdm.Item    { return xdm.Int64(m.Year) }
func monthOf(m xdm.Moment) xdm.Item   { return xdm.Int64(int64(m.Month)) }
func dayOf(m xdm.Moment) xdm.Item     { return xdm.Int64(int64(m.Day)) }
func hoursOf(m xdm.Moment) xdm.Item   { return xdm.Int64(int64(m.Hour)) }
func minutesOf(m xdm.Moment) xdm.Item { return xdm.Int64(int64(m.Minute)) }
func secondsOf(m xdm.Moment) xdm.Item { return xdm.Dec(decimal.New(m.Nano, 9).Trim()) }

func zoneOf(m xdm.Moment) xdm.Item {
	if !m.HasZone() {
		return xdm.Item{}
	}
	return zoneSpan(m.Zone)
}

// zoneSpan is a timezone as a duration.
func zoneSpan(minutes int) xdm.Item {
	return xdm.SpanItem(xdm.DayTimeDuration, xdm.Span{Seconds: decimal.New(int64(minutes)*60, 0)})
}

func dateTime(m *Machine, args []xdm.Item) xdm.Item {
	if !args[0].Exists() || !args[1].Exists() {
		return xdm.Item{}
	}
	date, time := args[0].Moment(), args[1].Moment()
	switch {
	case !date.HasZone():
		date.Zone = time.Zone
	case time.HasZone() && time.Zone != date.Zone:
		m.fail("FORG0008", "date and time have different timezones")
	}
	date.Hour, date.Minute, date.Nano = time.Hour, time.Minute, time.Nano
	return xdm.MomentItem(xdm.DateTime, date)
}

// maxZone is the largest distance of a timezone from Greenwich in seconds.
const maxZone = 14 * 3600

// adjust moves a moment to a timezone: the implicit one, the given one, or none.
func adjust(m *Machine, args []xdm.Item) xdm.Item {
	if !args[0].Exists() {
		return xdm.Item{}
	}
	zone := m.zone
	if len(args) > 1 {
		zone = xdm.NoZone
		if args[1].Exists() {
			seconds, whole := args[1].Span().Seconds.Int64()
			if !whole || seconds%60 != 0 || seconds > maxZone || seconds < -maxZone {
				m.fail("FODT0003", "%v is no timezone", args[1])
			}
			zone = int(seconds / 60)
		}
	}
	t := args[0].Type()
	return xdm.MomentItem(t, args[0].Moment().InZone(t, zone))
}

// now gives the current time as one of the types of moments.
func now(t xdm.Type) itemFunc {
	return func(m *Machine, _ []xdm.Item) xdm.Item {
		at := m.config.Now
		i := xdm.MomentItem(xdm.DateTime, xdm.Moment{
			Year: int64(at.Year()), Month: int(at.Month()), Day: at.Day(), Hour: at.Hour(), Minute: at.Minute(),
			Nano: int64(at.Second())*1e9 + int64(at.Nanosecond()), Zone: m.zone,
		})
		return m.cast(i, t)
	}
}

func implicitZone(m *Machine, _ []xdm.Item) xdm.Item { return zoneSpan(m.zone) }
