package invoice

import "time"

// Valid tells whether the date is a day of the Gregorian calendar in the form YYYY-MM-DD.
func (d Date) Valid() bool {
	_, err := time.Parse(time.DateOnly, string(d))
	return err == nil
}

// AddDays gives the date n days later; a date that is not valid stays as it is.
func (d Date) AddDays(n int) Date {
	day, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		return d
	}
	return Date(day.AddDate(0, 0, n).Format(time.DateOnly))
}
