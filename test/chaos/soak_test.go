//go:build chaos

package chaos

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/internal/harness"
)

// G1: hours of mixed work at half of what the machine can do leave memory, files and goroutines where they were.
func TestG1_Soak(t *testing.T) {
	length := *soak
	if length == 0 {
		length = size(10*time.Second, time.Hour)
	}
	inTurn(t, func(t *testing.T, s harness.Setup) {
		receiver := harness.StartReceiver(t)
		h := open(t, s, reaches(receiver))
		customer := h.Customer()
		orders := harness.Learn(t, customer, harness.Orders(t))
		harness.Keep(t, customer, receiver)
		m := &mix{client: customer, orders: orders}
		m.run(t, length/5, time.Millisecond) // as much as there is: what the machine can do, and a warm start
		pause := 2 * (length / 5) * mixers / time.Duration(max(1, m.answered.Load()))
		m = &mix{client: customer, orders: orders}
		watch, looks := look(h), max(10, int(length/time.Minute))
		for range looks {
			m.run(t, length/time.Duration(looks), pause)
			watch = append(watch, look(h)...)
		}
		h.Audit().Settled(2 * time.Minute)
		h.Audit().Counted()
		if n := m.failed.Load(); n > 0 {
			t.Errorf("%d of %d requests were answered with 5xx", n, m.answered.Load())
		}
		judge(t, watch, length)
		accepted := m.jobs
		seen := map[string]bool{}
		harness.Until(t, 2*time.Minute, "the events of all jobs have come", func() bool {
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
	client           *harness.Client
	orders           []harness.Order
	answered, failed atomic.Int64

	mu   sync.Mutex
	jobs []harness.Accepted
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
			m.jobs = append(m.jobs, harness.Accepted{ID: id[len("/api/v1/jobs/"):], Order: o, At: time.Now()})
		}
	}
}

// sight is what a process takes at a moment.
type sight struct {
	role, command   string
	at              time.Time
	memory, spare   float64 // resident, and of these what the runtime keeps to use again
	heap            float64 // reachable
	files, routines float64
}

// look collects garbage and looks at all processes.
func look(h *harness.System) []sight {
	var all []sight
	for _, r := range h.Roles {
		_ = r.Collect() // a process without profiles is seen as it is
		now := r.Metrics("process_resident_memory_bytes", "go_memstats_heap_idle_bytes", "go_memstats_heap_released_bytes", "go_memstats_heap_alloc_bytes",
			"process_open_fds", "go_goroutines")
		all = append(all, sight{r.Name, r.Command, time.Now(), now[0], now[1] - now[2], now[3], now[4], now[5]})
	}
	return all
}

// judge compares what was seen in the second half: files and goroutines of each process, memory of the processes of each command together,
// since a leak is of all of them. What the runtime keeps of memory that it has freed follows the work of the last minutes and is left out.
// The slope of memory needs half an hour to say something.
func judge(t *testing.T, watch []sight, length time.Duration) {
	t.Helper()
	byRole, byCommand := map[string][]sight{}, map[string][][]sight{}
	for _, s := range watch {
		byRole[s.role] = append(byRole[s.role], s)
	}
	for role, all := range byRole {
		all = all[len(all)/2:]
		first, last := all[0], all[len(all)-1]
		t.Logf("%s: %.1f MB, of these %.1f MB reachable and %.1f MB spare; files %.0f to %.0f, goroutines %.0f to %.0f", role, last.memory/mb, last.heap/mb,
			last.spare/mb, first.files, last.files, first.routines, last.routines)
		if last.files > first.files+20 || last.routines > first.routines+50 {
			t.Errorf("%s: files or goroutines grow", role)
		}
		byCommand[last.command] = append(byCommand[last.command], all)
	}
	for command, roles := range byCommand {
		for what, of := range map[string]func(sight) float64{
			"resident memory in use": func(s sight) float64 { return s.memory - s.spare }, "reachable memory": func(s sight) float64 { return s.heap },
		} {
			slope, spread := trend(roles, of)
			t.Logf("%s of %s grows by %.2f ± %.2f MB/h", what, command, slope/mb, spread/mb)
			if length >= 30*time.Minute && slope-surely*spread > mb {
				t.Errorf("%s of %s grows by %.2f ± %.2f MB/h", what, command, slope/mb, spread/mb)
			}
		}
	}
}

const (
	mb     = 1 << 20
	surely = 2.6 // standard errors that chance exceeds once in a hundred times
)

// trend is the slope, in bytes per hour, of the lines of least squares through what processes take, one slope for all of them, and its
// standard error.
func trend(roles [][]sight, of func(sight) float64) (slope, spread float64) {
	var sxx, sxy, syy, n float64
	for _, all := range roles {
		var mx, my float64
		for _, s := range all {
			mx += s.at.Sub(all[0].at).Hours() / float64(len(all))
			my += of(s) / float64(len(all))
		}
		for _, s := range all {
			x, y := s.at.Sub(all[0].at).Hours()-mx, of(s)-my
			sxx, sxy, syy, n = sxx+x*x, sxy+x*y, syy+y*y, n+1
		}
	}
	free := n - float64(len(roles)) - 1
	if sxx == 0 || free < 1 {
		return 0, math.Inf(1)
	}
	slope = sxy / sxx
	return slope, math.Sqrt(max(0, syy-slope*sxy) / free / sxx)
}

// TestTrend ensures that growth is told from noise.
func TestTrend(t *testing.T) {
	random, began := rand.New(rand.NewPCG(1, 2)), time.Now()
	grow := func(perHour float64) (roles [][]sight) {
		for range 3 {
			var all []sight
			for minute := range 30 {
				at := began.Add(time.Duration(minute) * time.Minute)
				all = append(all, sight{at: at, memory: 60*mb + perHour*at.Sub(began).Hours() + 2*mb*random.NormFloat64()})
			}
			roles = append(roles, all)
		}
		return roles
	}
	for _, c := range []struct {
		perHour float64
		grows   bool
	}{{0, false}, {-5 * mb, false}, {12 * mb, true}} {
		slope, spread := trend(grow(c.perHour), func(s sight) float64 { return s.memory })
		if math.Abs(slope-c.perHour) > 4*spread || spread > 3*mb || (slope-surely*spread > mb) != c.grows {
			t.Errorf("%.0f MB/h: %.2f ± %.2f MB/h", c.perHour/mb, slope/mb, spread/mb)
		}
	}
}

// F5: workers are killed while events are delivered. Each event arrives; what arrives twice has the same delivery id.
func TestF5_KilledWhileDelivering(t *testing.T) {
	everywhere(t, func(t *testing.T, s harness.Setup) {
		receiver := harness.StartReceiver(t)
		h := open(t, s, reaches(receiver))
		customer := h.Customer()
		orders := harness.Only(harness.Learn(t, customer, harness.Orders(t)), "generate")
		for i := range 3 {
			receiver.Subscribe(t, customer, fmt.Sprintf("/f5/%d", i), "job.succeeded", "job.failed")
		}
		r := raid{jobs: size(200, 3400), kills: size(3, 20), whom: (*harness.System).Workers}
		load := &harness.Load{Client: customer, Orders: orders, Jobs: r.jobs, Beside: 8, Seed: 12}
		accepted, _ := r.send(t, h, load)
		h.Audit().Settled(5 * time.Minute)
		h.Audit().Counted()
		want := 3 * len(accepted)
		arrived := func() int { _, all := receiver.Resent(); return all }
		harness.Until(t, 5*time.Minute, fmt.Sprintf("%d deliveries have arrived", want), func() bool { return arrived() >= want })
		twice, all := receiver.Resent()
		t.Logf("%d deliveries, %d of them more than once", all, twice)
		if all != want {
			t.Errorf("%d delivery ids, want %d", all, want)
		}
		// At a kill up to three deliveries of each job that somebody waits for may be under way.
		if limit := size(3*load.Beside*r.kills, want/100); twice > limit {
			t.Errorf("%d deliveries came more than once, at most %d may", twice, limit)
		}
	})
}

// G6: a start with many rows is as quick as one with few.
func TestG6_StartWithManyRows(t *testing.T) {
	h := open(t, harness.Embedded)
	customer, audit := h.Customer(), h.Audit()
	orders := harness.Learn(t, customer, harness.Orders(t))
	job := jobOf(t, customer.Want(t, 202, "POST", orders[0].Path, orders[0].Body, "Prefer", "respond-async"))
	audit.Settled(time.Minute)
	audit.Counted()
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
