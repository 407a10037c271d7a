package clock_test

import (
	"fmt"
	"time"

	"github.com/einvoiced/einvoiced/storage/clock"
)

// Whether an invoice is overdue is asked of a clock that is handed in: a service gives the machine's, this one is moved by hand. Times are
// stored as milliseconds.
func ExampleHand() {
	due := time.Date(2026, 4, 4, 0, 0, 0, 0, time.UTC) // BT-9
	overdue := func(c clock.Clock) bool { return c.Now().After(due.AddDate(0, 0, 1)) }
	hand := clock.NewHand(time.Date(2026, 4, 4, 18, 0, 0, 0, time.UTC))
	fmt.Println(overdue(hand))
	hand.Add(7 * time.Hour)
	fmt.Println(overdue(hand))
	fmt.Println(clock.Millis(due), clock.Time(clock.Millis(due)).Format(time.DateOnly), clock.Millis(time.Time{}))
	// Output:
	// false
	// true
	// 1775260800000 2026-04-04 0
}
