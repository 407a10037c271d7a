package profile

import "github.com/einvoiced/einvoiced/core/invoice"

// words are the sentences that are derived, in one language. That of a country stands in the file of the country, or of the first one
// that has the language.
type words struct {
	dueNow, dueDays, dueOn string // %d is a number of days, %s a date
	retention, of, payable string
	discountDays           string // %s is a percentage, %d a number of days
	day                    func(invoice.Date) string
}

// words are those of the country that the document is for; in English where the country's language is not known.
func (d *Draft) words() *words {
	if n, ok := nations[d.Profile.Country]; ok {
		return n.words
	}
	return english
}

// The ways to write a date.

// dotted is 31.01.2027.
func dotted(day invoice.Date) string { return dateParts(day, ".") }

// slashed is 31/01/2027.
func slashed(day invoice.Date) string { return dateParts(day, "/") }

// hyphened is 31-01-2027.
func hyphened(day invoice.Date) string { return dateParts(day, "-") }

// isoDay is 2027-01-31.
func isoDay(day invoice.Date) string { return string(day) }

func dateParts(day invoice.Date, between string) string {
	if !day.Valid() {
		return string(day)
	}
	return string(day[8:]) + between + string(day[5:7]) + between + string(day[:4])
}
