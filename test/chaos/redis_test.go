//go:build chaos

package chaos

import (
	"strings"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/internal/harness"
)

// nobody is whom to kill where only the queue is broken.
func nobody(*harness.System) []*harness.Role { return nil }

// outage kills the Redis server at every nth kill of a worker, and starts it again after a moment.
func outage(nth int) func(*testing.T, *harness.System, int) {
	return func(t *testing.T, h *harness.System, kill int) {
		if kill%nth == nth-1 {
			h.Redis.Kill()
			harness.For(t, 300*time.Millisecond)
			h.Redis.Start()
		}
	}
}

// B1: workers and an append-only Redis are killed.
func TestB1_AppendOnlyRedisKilled(t *testing.T) {
	t.Parallel()
	raided(t, harness.Shared, raid{jobs: size(500, 10_000), kills: size(3, 20), whom: (*harness.System).Workers, also: outage(size(2, 6)), slow: true})
}

// B2: the same with a Redis that keeps snapshots alone, which loses what it was told since the last.
func TestB2_SnapshotRedisKilled(t *testing.T) {
	t.Parallel()
	raided(t, harness.Shared, raid{jobs: size(500, 10_000), kills: size(3, 20), whom: (*harness.System).Workers, also: outage(size(1, 6)), slow: true},
		func(p *harness.Plan) { p.Keep = harness.Snapshots })
}

// flood fills the queue while no worker takes from it, lets something happen to it, and gives the workers back. It holds that the jobs
// have ended within a time after that.
func flood(t *testing.T, jobs int, within time.Duration, broken func(*testing.T, *harness.System), change ...func(*harness.Plan)) *harness.System {
	t.Helper()
	receiver := harness.StartReceiver(t)
	h := open(t, harness.Shared, append(change, reaches(receiver))...)
	customer, audit := h.Customer(), h.Audit()
	orders := harness.Learn(t, customer, harness.Orders(t))
	books := harness.Keep(t, customer, receiver)
	for _, w := range h.Workers() {
		w.Pause()
	}
	load := &harness.Load{Client: customer, Orders: orders, Jobs: jobs, Beside: 8, Seed: 2}
	accepted, _ := raid{jobs: jobs, whom: nobody}.send(t, h, load)
	broken(t, h)
	for _, w := range h.Workers() {
		w.Resume()
	}
	audit.Settled(within)
	audit.Jobs(accepted, 0)
	audit.Counted()
	books.Balance(audit.Rows(), accepted, time.Minute)
	return h
}

// B3: the queue is wiped while jobs wait in it.
func TestB3_WipedQueue(t *testing.T) {
	t.Parallel()
	h := flood(t, size(300, 5000), size(60*time.Second, 3*time.Minute), func(t *testing.T, h *harness.System) {
		if err := h.Redis.Client.FlushAll(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
	})
	queues, err := h.Redis.Client.SMembers(t.Context(), "asynq:queues").Result()
	if err != nil || len(queues) == 0 {
		t.Errorf("the queues that can be seen afterwards: %q, %v", queues, err)
	}
}

// B4: Redis is away. Requests are accepted all the same, readiness tells, and what was accepted is done soon after it is back.
func TestB4_RedisAway(t *testing.T) {
	t.Parallel()
	receiver := harness.StartReceiver(t)
	h := open(t, harness.Shared, reaches(receiver))
	customer, audit := h.Customer(), h.Audit()
	orders := harness.Learn(t, customer, harness.Orders(t))
	books := harness.Keep(t, customer, receiver)
	h.Redis.Kill()
	began := time.Now()
	load := &harness.Load{Client: customer, Orders: orders, Jobs: size(100, 3000), Beside: 4, Seed: 4}
	accepted, _ := raid{jobs: load.Jobs, whom: nobody}.send(t, h, load)
	for _, job := range accepted {
		if job.Tries > 1 {
			t.Errorf("a request had to be sent %d times while Redis was away", job.Tries)
			break
		}
	}
	harness.Until(t, 30*time.Second, "readiness tells that the queue is away", func() bool {
		a, err := customer.Do(t.Context(), "GET", "/readyz", nil)
		return err == nil && a.Status == 200 && strings.Contains(string(a.Body), "degraded")
	})
	if rest := size(5*time.Second, 5*time.Minute) - time.Since(began); rest > 0 {
		harness.For(t, rest)
	}
	h.Redis.Start()
	audit.Settled(2 * time.Minute)
	audit.Jobs(accepted, 0)
	audit.Counted()
	books.Balance(audit.Rows(), accepted, 2*time.Minute)
}

// B5: the leases of the queue are lost while workers hold jobs.
func TestB5_LeasesLost(t *testing.T) {
	t.Parallel()
	flood(t, size(200, 1000), time.Minute, func(t *testing.T, h *harness.System) {
		leases, err := h.Redis.Client.Keys(t.Context(), "asynq:*:lease").Result()
		if err == nil && len(leases) > 0 {
			err = h.Redis.Client.Del(t.Context(), leases...).Err()
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}

// B6: the network to Redis is slow, cuts connections, cuts everything into single bytes, and swallows everything for a while.
func TestB6_BadNetwork(t *testing.T) {
	t.Parallel()
	var proxy *harness.Proxy
	receiver := harness.StartReceiver(t)
	h := open(t, harness.Shared, reaches(receiver), func(p *harness.Plan) {
		p.RedisVia = func(t harness.T, port string) string {
			proxy = harness.StartProxy(t, "127.0.0.1:"+port)
			return "redis://127.0.0.1:" + proxy.Port + "/0"
		}
	})
	before := goroutines(t, h)
	weathers := []harness.Weather{
		{Latency: size(100*time.Millisecond, 500*time.Millisecond)}, {Reset: 0.01}, {Slice: 1}, {BlackHole: true}, {},
	}
	turn := 0
	began := time.Now()
	change := func(t *testing.T, h *harness.System) {
		if now := int(time.Since(began) / size(4*time.Second, 30*time.Second)); now >= turn && turn < len(weathers) {
			proxy.Set(weathers[turn])
			turn++
		}
	}
	raid{jobs: size(400, 5000), whom: nobody, beside: change, slow: true}.run(t, h, receiver)
	proxy.Set(harness.Weather{})
	harness.Until(t, 2*time.Minute, "as many goroutines as before", func() bool {
		for name, n := range goroutines(t, h) {
			if n > before[name]+10 {
				return false
			}
		}
		return true
	})
}

// goroutines counts them by process.
func goroutines(t *testing.T, h *harness.System) map[string]float64 {
	t.Helper()
	counts := map[string]float64{}
	for _, r := range h.Roles {
		counts[r.Name] = r.Metric("go_goroutines")
	}
	return counts
}

// B7: Redis is full and evicts nothing. Requests are accepted and enqueued later.
func TestB7_RedisFull(t *testing.T) {
	t.Parallel()
	receiver := harness.StartReceiver(t)
	h := open(t, harness.Shared, reaches(receiver))
	customer, audit := h.Customer(), h.Audit()
	orders := harness.Learn(t, customer, harness.Orders(t))
	books := harness.Keep(t, customer, receiver)
	limit := func(bytes string) {
		if err := h.Redis.Client.ConfigSet(t.Context(), "maxmemory", bytes).Err(); err != nil {
			t.Fatal(err)
		}
	}
	limit("1") // less than it has: every write is refused
	load := &harness.Load{Client: customer, Orders: orders, Jobs: size(100, 2000), Beside: 4, Seed: 6}
	accepted, _ := raid{jobs: load.Jobs, whom: nobody}.send(t, h, load)
	harness.For(t, size(3*time.Second, time.Minute))
	limit("0")
	audit.Settled(2 * time.Minute)
	audit.Jobs(accepted, 0)
	audit.Counted()
	books.Balance(audit.Rows(), accepted, 2*time.Minute)
}

// B8: the server dies and one takes its place that has missed the last second.
func TestB8_FailoverToAStaleReplica(t *testing.T) {
	t.Parallel()
	stale := func(t *testing.T, h *harness.System, _ int) {
		if err := h.Redis.Client.Save(t.Context()).Err(); err != nil { // what the replica has
			t.Fatal(err)
		}
		harness.For(t, time.Second)
		h.Redis.Kill()
		h.Redis.Start()
	}
	raided(t, harness.Shared, raid{jobs: size(400, 5000), kills: size(1, 5), whom: (*harness.System).Workers, also: stale, slow: true},
		func(p *harness.Plan) { p.Keep = harness.Snapshots })
}
