package lease

import (
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// step is something that happens to a process.
type step struct {
	after time.Duration
	who   int
	what  string
	much  time.Duration
}

// steps draws what happens: the database fails for a process, answers late, or carries writes out and does not say so; the
// process is stopped, killed and started, its clock jumps, and its work takes its time to stop.
func steps(t *rapid.T) []step {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		return step{
			after: time.Duration(rapid.IntRange(0, 12_000).Draw(t, "after")) * time.Millisecond,
			who:   rapid.IntRange(0, 2).Draw(t, "who"),
			what:  rapid.SampledFrom([]string{"cut", "mend", "lose", "slow", "stop", "kill", "start", "jump"}).Draw(t, "what"),
			much:  time.Duration(rapid.IntRange(-3600, 3600).Draw(t, "much")) * time.Second,
		}
	}), 1, 30).Draw(t, "steps")
}

// take lets a step happen to the process, which is nil while it does not run.
func (s *street) take(t *testing.T, p *process, do step) *process {
	if p == nil {
		if do.what == "start" {
			p = s.start(t, "p")
			p.stops = max(do.much, -do.much) / 3600 * 2 // up to 2 s, which the TTL leaves for it
		}
		return p
	}
	switch do.what {
	case "cut":
		p.store.cut.Store(true)
	case "mend":
		p.store.cut.Store(false)
		p.store.lost.Store(false)
		p.store.slow.Store(0)
	case "lose":
		p.store.lost.Store(true)
	case "slow":
		p.store.slow.Store(int64(max(do.much, -do.much) / 600)) // up to 6 s
	case "stop":
		p.stop()
		return nil
	case "kill":
		p.kill()
		return nil
	case "jump":
		p.clock.Add(do.much)
	}
	return p
}

// TestNeverTwoAreActive plays random troubles to three processes, and then gives them peace: one of them is active.
func TestNeverTwoAreActive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		play := steps(rt)
		onStreet(t, func(t *testing.T, s *street) {
			var processes [3]*process
			for _, do := range append([]step{{what: "start"}, {what: "start", who: 1}}, play...) {
				time.Sleep(do.after)
				processes[do.who] = s.take(t, processes[do.who], do)
			}
			running := 0
			for _, p := range processes {
				if p != nil {
					s.take(t, p, step{what: "mend"})
					running++
				}
			}
			time.Sleep(2 * ttl)
			synctest.Wait()
			if active := int(s.active.Load()); active != min(running, 1) {
				t.Errorf("%d of %d active in peace", active, running)
			}
			for _, p := range processes {
				if p != nil {
					p.stop()
				}
			}
			if s.worst.Load() > 1 {
				t.Errorf("%d were active at once", s.worst.Load())
			}
		})
		if t.Failed() {
			rt.Fatalf("failed: %+v", play)
		}
	})
}
