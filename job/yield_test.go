package job

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestYielding_LetsOthersGoFirst ensures that work which takes long lets others go first as often as it is meant to, and only while another account
// is served.
func TestYielding_LetsOthersGoFirst(t *testing.T) {
	for _, c := range []struct {
		name   string
		serve  string
		work   time.Duration // between two questions
		asked  int
		yields int
	}{
		{"quick work", "other", 100 * time.Microsecond, 9, 0},
		{"long work", "other", 50 * time.Microsecond, 100, 1 + (5000-1000)/200},
		{"long work that asks seldom", "other", 700 * time.Microsecond, 10, 9},
		{"an account that is alone", "own", 100 * time.Microsecond, 100, 0},
		{"others that were served long ago", "", 100 * time.Microsecond, 100, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var r Recent
				r.Serve("other", time.Now())
				time.Sleep(time.Second + 1)
				if c.serve != "" {
					r.Serve(c.serve, time.Now())
				}
				ctx, yields := r.Yielding(t.Context(), "own").(*yielding), 0
				ctx.letOthers = func() { yields++ }
				for range c.asked {
					time.Sleep(c.work)
					if err := ctx.Err(); err != nil {
						t.Fatal(err)
					}
				}
				if yields != c.yields {
					t.Errorf("others went first %d times, want %d", yields, c.yields)
				}
			})
		})
	}
}

// TestYielding_EndsWithItsContext ensures that the context ends when the one that it is made of ends, and those made of it, with the cause.
func TestYielding_EndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("too long")
		parent, stop := context.WithTimeoutCause(t.Context(), 5*time.Millisecond, cause)
		defer stop()
		var r Recent
		r.Serve("other", time.Now())
		ctx := r.Yielding(parent, "own")
		child, stopChild := context.WithCancel(ctx)
		defer stopChild()
		time.Sleep(2 * time.Millisecond)
		if err := errors.Join(ctx.Err(), child.Err()); err != nil {
			t.Fatal(err)
		}
		<-child.Done()
		for _, c := range []context.Context{ctx, child} {
			if !errors.Is(c.Err(), context.DeadlineExceeded) || context.Cause(c) != cause {
				t.Errorf("ended with %v because of %v", c.Err(), context.Cause(c))
			}
		}
	})
}
