package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// median is the middle of the values, that of the two middle ones which is larger where they are even; zero for none.
func median[T cmp.Ordered](values []T) T {
	var none T
	if len(values) == 0 {
		return none
	}
	return slices.Sorted(slices.Values(values))[len(values)/2]
}

// ratio is how many times a is b; NaN where one was not measured.
func ratio(a, b time.Duration) float64 {
	if a <= 0 || b <= 0 {
		return math.NaN()
	}
	return float64(a) / float64(b)
}

// ratios gives ratio for each pair.
func ratios(a, b []time.Duration) []float64 {
	var all []float64
	for i := range a {
		if r := ratio(a[i], b[i]); !math.IsNaN(r) {
			all = append(all, r)
		}
	}
	return all
}

// times writes a ratio, - for none.
func times(r float64) string {
	switch {
	case math.IsNaN(r) || r == 0:
		return "-"
	case r < 10:
		return fmt.Sprintf("%.1f", r)
	}
	return fmt.Sprintf("%.0f", r)
}

// in writes a duration in a unit, - for one that was not measured.
func in(unit, d time.Duration) string {
	if d <= 0 {
		return "-"
	}
	value := float64(d) / float64(unit)
	if value < 10 {
		return fmt.Sprintf("%.2f", value)
	}
	return fmt.Sprintf("%.0f", value)
}
