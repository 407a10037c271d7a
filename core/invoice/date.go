package invoice

import "time"

// calendarDays is more than the days of the years 1 to 9999.
const calendarDays = 10_000 * 366

// AddDays gives the date n days later; a date that is not valid stays as it is. Beyond the years 1 to 9999 there is none.
func (d Date) AddDays(n int) Date {
	day, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		return d
	}
	if n < -calendarDays || n > calendarDays {
		return ""
	}
	if day = day.AddDate(0, 0, n); day.Year() < 1 || day.Year() > 9999 {
		return ""
	}
	return Date(day.Format(time.DateOnly))
}
