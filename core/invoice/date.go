package invoice

import "time"

// AddDays gives the date n days later; a date that is not valid stays as it is.
func (d Date) AddDays(n int) Date {
	day, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		return d
	}
	return Date(day.AddDate(0, 0, n).Format(time.DateOnly))
}
