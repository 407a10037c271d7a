package main

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestMedianIsTheMiddleInOrder(t *testing.T) {
	for _, c := range []struct {
		values []int
		want   int
	}{{nil, 0}, {[]int{7}, 7}, {[]int{9, 1, 5}, 5}, {[]int{4, 1, 3, 2}, 3}} {
		if got := median(c.values); got != c.want {
			t.Errorf("median of %v is %d, want %d", c.values, got, c.want)
		}
	}
}

func TestMedianLeavesItsValuesAlone(t *testing.T) {
	values := []int{3, 1, 2}
	median(values)
	if diff := cmp.Diff([]int{3, 1, 2}, values); diff != "" {
		t.Error(diff)
	}
}

func TestRatiosAreOfPairsThatWereMeasured(t *testing.T) {
	got := ratios([]time.Duration{600, 0, 100, 50}, []time.Duration{20, 10, 0, 100})
	if diff := cmp.Diff([]float64{30, 0.5}, got); diff != "" {
		t.Error(diff)
	}
	if !math.IsNaN(ratio(0, 1)) || !math.IsNaN(ratio(1, 0)) {
		t.Error("a ratio to something that was not measured")
	}
}

func TestFiguresAreShort(t *testing.T) {
	for _, c := range [][2]string{
		{times(math.NaN()), "-"}, {times(0), "-"}, {times(5.44), "5.4"}, {times(61.7), "62"},
		{in(time.Microsecond, 37_400), "37"}, {in(time.Millisecond, 1_234_567), "1.23"}, {in(time.Second, 0), "-"},
	} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}

func TestFiguresOfMemory(t *testing.T) {
	status := []byte("Name:\tbench\nVmHWM:\t  153600 kB\nVmRSS:\t   2048 kB\n")
	for figure, want := range map[string]int{"VmHWM": 150, "VmRSS": 2, "VmSwap": 0} {
		if got := statusFigure(status, figure); got != want {
			t.Errorf("%s is %d MB, want %d", figure, got, want)
		}
	}
}

func TestWorkIsRepeatedAndItsErrorGiven(t *testing.T) {
	runs := 0
	spent, err := timeRepeatedly(func() error { runs++; return nil })
	if err != nil || spent < 0 || runs < 6 {
		t.Errorf("%v for each of %d runs, %v", spent, runs, err)
	}
	if _, err := timeRepeatedly(func() error { return io.EOF }); !errors.Is(err, io.EOF) {
		t.Errorf("the error is %v", err)
	}
}

func TestProfilesAreOfTheWholeWork(t *testing.T) {
	name := filepath.Join(t.TempDir(), "cpu")
	for _, c := range []struct{ name, want string }{{"", ""}, {name, name}} {
		done := false
		if err := profiled(c.name, func() error { done = true; return io.EOF }); !errors.Is(err, io.EOF) || !done {
			t.Errorf("%q: the work was done: %v, %v", c.name, done, err)
		}
	}
	if profile, err := os.ReadFile(name); err != nil || len(profile) == 0 {
		t.Errorf("%d bytes, %v", len(profile), err)
	}
	if err := profiled(filepath.Join(name, "below", "a", "file"), nil); err == nil {
		t.Error("a profile that cannot be written is")
	}
}
