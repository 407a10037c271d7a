//go:build chaos

package chaos

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"einvoiced/internal/stage"
)

// G1: hours of mixed work at half of what the machine can do leave memory, files and goroutines where they were.
func TestG1_Soak(t *testing.T) {
	length := *soak
	if length == 0 {
		length = size(10*time.Second, time.Hour)
	}
	inTurn(t, func(t *testing.T, s stage.Setup) {
		receiver := stage.StartReceiver(t)
		h := open(t, s, reaches(receiver))
		customer := h.Customer()
		orders := stage.Learn(t, customer, stage.Orders(t))
		stage.Keep(t, customer, receiver)
		m := &mix{client: customer, orders: orders}
		m.run(t, length/5, time.Millisecond) // as much as there is: what the machine can do, and a warm start
		pause := 2 * (length / 5) * mixers / time.Duration(max(1, m.answered.Load()))
		m = &mix{client: customer, orders: orders}
		watch := look(h)
		for range 10 {
			m.run(t, length/10, pause)
			watch = append(watch, look(h)...)
		}
		h.Audit().Settled(2 * time.Minute)
		if n := m.failed.Load(); n > 0 {
			t.Errorf("%d of %d requests were answered with 5xx", n, m.answered.Load())
		}
		judge(t, watch, length)
		accepted := m.jobs
		seen := map[string]bool{}
		stage.Until(t, 2*time.Minute, "the events of all jobs have come", func() bool {
			for _, e := range receiver.Events() {
				seen[e.Job] = true
			}
			for _, job := range accepted {
				if !seen[job.ID] {
					return false
				}
			}
			return true
		})
		t.Logf("%d requests and %d jobs in %s", m.answered.Load(), len(accepted), length)
	})
}

// mixers is how many callers there are.
const mixers = 4

// mix is work of all kinds: inline requests and jobs.
type mix struct {
	client           *stage.Client
	orders           []stage.Order
	answered, failed atomic.Int64

	mu   sync.Mutex
	jobs []stage.Accepted
}

// run works for a time, with a pause after each request.
func (m *mix) run(t *testing.T, length, pause time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	var callers sync.WaitGroup
	for range mixers {
		callers.Go(func() {
			for ctx.Err() == nil {
				m.one(t.Context())
				timer := time.NewTimer(pause)
				select {
				case <-ctx.Done():
				case <-timer.C:
				}
				timer.Stop()
			}
		})
	}
	callers.Wait()
}

// one sends every fifth order as a job.
func (m *mix) one(ctx context.Context) {
	n := m.answered.Add(1)
	o := &m.orders[int(n)%len(m.orders)]
	var header []string
	if n%5 == 0 {
		header = []string{"Prefer", "respond-async", "Idempotency-Key", fmt.Sprintf("soak-%d-%p", n, m)}
	}
	a, err := m.client.Do(ctx, "POST", o.Path, o.Body, header...)
	if err != nil || a.Status >= 500 {
		m.failed.Add(1)
	}
	if err == nil && a.Status == 202 {
		m.mu.Lock()
		defer m.mu.Unlock()
		if id := a.Header.Get("Location"); len(id) > len("/api/v1/jobs/") {
			m.jobs = append(m.jobs, stage.Accepted{ID: id[len("/api/v1/jobs/"):], Order: o, At: time.Now()})
		}
	}
}

// sight is what a process takes at a moment.
type sight struct {
	role                    string
	at                      time.Time
	memory, files, routines float64
}

// look collects garbage and looks at all processes.
func look(h *stage.House) []sight {
	var all []sight
	for _, r := range h.Roles {
		_ = r.Collect() // a process without profiles is seen as it is
		all = append(all, sight{r.Name, time.Now(), r.Metric("process_resident_memory_bytes"), r.Metric("process_open_fds"), r.Metric("go_goroutines")})
	}
	return all
}

// judge compares the second half of what was seen. The slope of memory needs half an hour to say something.
func judge(t *testing.T, watch []sight, length time.Duration) {
	t.Helper()
	byRole := map[string][]sight{}
	for _, s := range watch {
		byRole[s.role] = append(byRole[s.role], s)
	}
	for role, all := range byRole {
		all = all[len(all)/2:]
		first, last := all[0], all[len(all)-1]
		slope := slopeOf(all) / (1 << 20)
		t.Logf("%s: %.1f MB, slope %.2f MB/h; files %.0f to %.0f, goroutines %.0f to %.0f", role, last.memory/(1<<20), slope,
			first.files, last.files, first.routines, last.routines)
		if last.files > first.files+20 || last.routines > first.routines+50 {
			t.Errorf("%s: files or goroutines grow", role)
		}
		if length >= 30*time.Minute && slope > 1 {
			t.Errorf("%s: memory grows by %.2f MB/h", role, slope)
		}
	}
}

// slopeOf is the slope of the line of least squares through the memory, in bytes per hour.
func slopeOf(all []sight) float64 {
	var n, sx, sy, sxx, sxy float64
	for _, s := range all {
		x := s.at.Sub(all[0].at).Hours()
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+s.memory, sxx+x*x, sxy+x*s.memory
	}
	if d := n*sxx - sx*sx; d > 0 {
		return (n*sxy - sx*sy) / d
	}
	return 0
}

// F5: workers are killed while events are delivered. Each event arrives; what arrives twice has the same delivery id.
func TestF5_KilledWhileDelivering(t *testing.T) {
	everywhere(t, func(t *testing.T, s stage.Setup) {
		receiver := stage.StartReceiver(t)
		h := open(t, s, reaches(receiver))
		customer := h.Customer()
		orders := stage.Only(stage.Learn(t, customer, stage.Orders(t)), "generate")
		for i := range 3 {
			receiver.Subscribe(t, customer, fmt.Sprintf("/f5/%d", i), "job.succeeded", "job.failed")
		}
		r := raid{jobs: size(200, 3400), kills: size(3, 20), whom: (*stage.House).Workers}
		load := &stage.Load{Client: customer, Orders: orders, Jobs: r.jobs, Beside: 8, Seed: 12}
		accepted, _ := r.send(t, h, load)
		h.Audit().Settled(5 * time.Minute)
		want := 3 * len(accepted)
		arrived := func() int { _, all := receiver.Resent(); return all }
		stage.Until(t, 5*time.Minute, fmt.Sprintf("%d deliveries have arrived", want), func() bool { return arrived() >= want })
		twice, all := receiver.Resent()
		t.Logf("%d deliveries, %d of them more than once", all, twice)
		if all != want {
			t.Errorf("%d delivery ids, want %d", all, want)
		}
		if limit := size(12, want/100); twice > limit {
			t.Errorf("%d deliveries came more than once, at most %d may", twice, limit)
		}
	})
}

// G6: a start with many rows is as quick as one with few.
func TestG6_StartWithManyRows(t *testing.T) {
	h := open(t, stage.Embedded)
	customer, audit := h.Customer(), h.Audit()
	orders := stage.Learn(t, customer, stage.Orders(t))
	job := jobOf(t, customer.Want(t, 202, "POST", orders[0].Path, orders[0].Body, "Prefer", "respond-async"))
	audit.Settled(time.Minute)
	h.StopAll()
	audit.Multiply(job, size(100_000, 1_000_000))
	began := time.Now()
	h.Roles[0].Restart(t)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("ready after %s", took)
	} else {
		t.Logf("ready after %s with %d rows", took, audit.Number("SELECT count(*) FROM jobs"))
	}
	customer.Want(t, 200, "GET", "/api/v1/jobs/"+job, nil)
}
