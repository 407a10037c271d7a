package scheduler_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/einvoiced/einvoiced/scheduler"
)

func TestMain(m *testing.M) {
	if child() {
		return
	}
	goleak.VerifyTestMain(m)
}

// start runs a scheduler until the test ends or the returned function is called.
func start(t testing.TB, chores ...scheduler.Chore) (stop func()) {
	t.Helper()
	s, err := scheduler.New(scheduler.Config{Logger: slog.New(slog.DiscardHandler)}, chores...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { s.Run(ctx); close(done) }()
	stop = sync.OnceFunc(func() { cancel(); <-done })
	t.Cleanup(stop)
	return stop
}

func TestChoresAreChecked(t *testing.T) {
	do := func(context.Context) error { return nil }
	for name, c := range map[string]scheduler.Chore{
		"no name": {"", time.Second, do}, "no interval": {"x", 0, do}, "nothing to do": {"x", time.Second, nil},
	} {
		if _, err := scheduler.New(scheduler.Config{}, c); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := scheduler.New(scheduler.Config{Slowest: -1}); err == nil {
		t.Error("negative Slowest is accepted")
	}
}

// times runs a chore every 5 s for the duration, which ends as outcome says, and gives the seconds at which it ran.
func times(t *testing.T, duration time.Duration, outcome func(n int) error) (seconds []int) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		stop := start(t, scheduler.Chore{Name: "x", Every: 5 * time.Second, Do: func(context.Context) error {
			seconds = append(seconds, int(time.Since(begin).Seconds()))
			return outcome(len(seconds))
		}})
		time.Sleep(duration)
		stop()
	})
	return seconds
}

func TestChoreIsDoneAtTheStartAndAtItsInterval(t *testing.T) {
	got := times(t, 21*time.Second, func(int) error { return nil })
	if want := []int{0, 5, 10, 15, 20}; !slices.Equal(got, want) {
		t.Errorf("ran at %v s, want %v", got, want)
	}
}

func TestChoreThatFailsBacksOffAndRecovers(t *testing.T) {
	for name, failure := range map[string]func() error{"error": func() error { return errors.New("away") }, "panic": func() error { panic("boom") }} {
		got := times(t, 143*time.Second, func(n int) error {
			if n <= 5 {
				return failure()
			}
			return nil
		})
		if want := []int{0, 10, 30, 60, 90, 120, 125, 130, 135, 140}; !slices.Equal(got, want) {
			t.Errorf("%s: ran at %v s, want %v", name, got, want)
		}
	}
}

func TestSlowChoreDelaysNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		stop := start(t,
			scheduler.Chore{Name: "slow", Every: time.Second, Do: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }},
			scheduler.Chore{Name: "quick", Every: time.Second, Do: func(context.Context) error { n++; return nil }})
		time.Sleep(10500 * time.Millisecond)
		stop()
		if n != 11 {
			t.Errorf("the quick chore ran %d times, want 11", n)
		}
	})
}

func TestStartAndStopLeaveNothingRunning(t *testing.T) {
	for range 50 {
		var ran sync.WaitGroup
		ran.Add(1)
		once := sync.OnceFunc(ran.Done)
		stop := start(t, scheduler.Chore{Name: "x", Every: time.Hour, Do: func(context.Context) error { once(); return nil }})
		ran.Wait()
		stop()
	}
	goleak.VerifyNone(t)
}
