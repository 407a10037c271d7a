// Package clock tells the time to everything that stores it, so that tests can move it by hand.
package clock

import (
	"sync"
	"time"
)

// Clock tells the present time.
type Clock interface {
	Now() time.Time
}

// System is the machine's clock.
type System struct{}

// Now is time.Now.
func (System) Now() time.Time { return time.Now() }

// Hand is a clock that stands until it is moved. It is safe for concurrent use.
type Hand struct {
	mu  sync.Mutex
	now time.Time
}

// NewHand gives a clock that stands at now.
func NewHand(now time.Time) *Hand { return &Hand{now: now} }

// Now is where the hand stands.
func (h *Hand) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

// Add moves the hand; a negative d moves it back.
func (h *Hand) Add(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
}

// Millis is how times are stored: milliseconds since 1970 in UTC, 0 for the zero time.
func Millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// Time is the inverse of Millis, in UTC.
func Time(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
