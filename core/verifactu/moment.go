package verifactu

import (
	"strings"
	"time"
)

// Moment writes a moment as records have it, with seconds and the offset of the Spanish peninsula (Directive 2000/84/EC: summer time from the
// last Sunday of March to that of October, 01:00 UTC).
func Moment(at time.Time) string { return at.In(spanishZone(at)).Format(momentLayout) }

// Day is the day in Spain at a moment, as YYYY-MM-DD.
func Day(at time.Time) string { return at.In(spanishZone(at)).Format(time.DateOnly) }

// StartOf is the moment at which a day, YYYY-MM-DD, begins in Spain. The error says that it is no day.
func StartOf(day string) (time.Time, error) {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return at, err
	}
	_, offset := at.In(spanishZone(at)).Zone() // it changes at 01:00 UTC
	return at.Add(-time.Duration(offset) * time.Second), nil
}

const momentLayout = "2006-01-02T15:04:05-07:00"

// spanishZone is the zone of the Spanish peninsula at a moment. It is computed, so that records do not hang on the files of the machine.
func spanishZone(at time.Time) *time.Location {
	at = at.UTC()
	if at.Before(lastSunday(at.Year(), time.March)) || !at.Before(lastSunday(at.Year(), time.October)) {
		return time.FixedZone("CET", 3600)
	}
	return time.FixedZone("CEST", 7200)
}

// lastSunday is 01:00 UTC on the last Sunday of a month of 31 days.
func lastSunday(year int, month time.Month) time.Time {
	end := time.Date(year, month, 31, 1, 0, 0, 0, time.UTC)
	return end.AddDate(0, 0, -int(end.Weekday()))
}

// before tells whether one moment of a record is before another; false where either is none.
func before(one, other string) bool {
	a, errA := time.Parse(time.RFC3339, strings.TrimSpace(one))
	b, errB := time.Parse(time.RFC3339, strings.TrimSpace(other))
	return errA == nil && errB == nil && a.Before(b)
}

// spanishDate writes YYYY-MM-DD as DD-MM-YYYY; what is no date stays as it is.
func spanishDate(iso string) string {
	d, err := time.Parse(time.DateOnly, iso)
	if err != nil {
		return iso
	}
	return d.Format(dateLayout)
}

const dateLayout = "02-01-2006"
