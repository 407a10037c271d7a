package clock

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestStoredTimesComeBackToTheMillisecond(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ms := rapid.Int64Range(1, 1<<45).Draw(t, "ms")
		in := time.UnixMilli(ms).Add(time.Duration(rapid.IntRange(0, 999_999).Draw(t, "ns")))
		out := Time(Millis(in))
		if out.UnixMilli() != ms || out.Location() != time.UTC {
			t.Fatalf("%v came back as %v", in, out)
		}
	})
	if !Time(Millis(time.Time{})).IsZero() {
		t.Error("the zero time does not come back")
	}
}

func TestHandMovesOnlyWhenMoved(t *testing.T) {
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	hand := NewHand(start)
	hand.Add(time.Minute)
	hand.Add(-time.Second)
	if got, want := hand.Now(), start.Add(59*time.Second); !got.Equal(want) {
		t.Errorf("stands at %s, want %s", got, want)
	}
}

func TestSystemIsTheMachinesClock(t *testing.T) {
	before := time.Now()
	if now := (System{}).Now(); now.Before(before) || now.After(time.Now()) {
		t.Errorf("%s lies outside of the call", now)
	}
}
