//go:build chaos

package chaos

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/internal/harness"
)

// raid is work for a system while its processes are killed.
type raid struct {
	jobs   int
	kills  int
	every  time.Duration                                    // between two kills. Default: they are spread over the time in which the jobs come.
	orders []string                                         // operations. Default: all.
	whom   func(h *harness.System) []*harness.Role          // who is killed
	hit    func(t *testing.T, victim *harness.Role, no int) // how a victim is killed. Default: SIGKILL.
	also   func(t *testing.T, h *harness.System, kill int)  // what else happens while a victim is dead
	beside func(t *testing.T, h *harness.System)            // done again and again while jobs come and until they have ended
	blamed int                                              // jobs that may be given up, where processes die of what jobs do
	slow   bool                                             // the delay of a single job says nothing
}

// run sends the jobs, kills beside it, waits for the end and audits rows, bytes, units and events. Every kill hits while jobs are there.
func (r raid) run(t *testing.T, h *harness.System, receiver *harness.Receiver) harness.Verdict {
	t.Helper()
	customer, audit := h.Customer(), h.Audit()
	orders := harness.Learn(t, customer, harness.Orders(t))
	if r.orders != nil {
		orders = harness.Only(orders, r.orders...)
	}
	books := harness.Keep(t, customer, receiver)
	load := &harness.Load{Client: customer, Orders: orders, Jobs: r.jobs, Beside: 8, Seed: 1}
	accepted, kills := r.send(t, h, load)
	if r.beside != nil {
		harness.Until(t, 10*time.Minute, "all jobs have ended", func() bool { r.beside(t, h); return audit.Unfinished() == 0 })
	}
	audit.Settled(10 * time.Minute)
	verdict := audit.Jobs(accepted, r.blamed)
	audit.Counted()
	rows := audit.Rows()
	books.Balance(rows, accepted, 2*time.Minute)
	delays := harness.Delays(rows, kills, resumed)
	t.Logf("%+v; %d kills; interrupted once: %d, ended after p50 %s, p99 %s, at most %s", verdict, len(kills), len(delays),
		harness.Percentile(delays, 50), harness.Percentile(delays, 99), harness.Percentile(delays, 100))
	if p99 := harness.Percentile(delays, 99); p99 > resumed && !r.slow {
		t.Errorf("interrupted jobs had ended after %s, p99; at most %s is promised", p99, resumed)
	}
	return verdict
}

// send lets the jobs come while the kills happen.
func (r raid) send(t *testing.T, h *harness.System, load *harness.Load) ([]harness.Accepted, []time.Time) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
	defer cancel()
	sent := make(chan error, 1)
	var accepted []harness.Accepted
	go func() {
		var err error
		accepted, err = load.Run(ctx)
		sent <- err
	}()
	kills := r.kill(t, h, load)
	harness.Until(t, 30*time.Minute, "all jobs are accepted", func() bool {
		if r.beside != nil {
			r.beside(t, h)
		}
		return load.Accepted() == r.jobs || len(sent) > 0
	})
	if err := <-sent; err != nil {
		t.Fatalf("of %d jobs %d were accepted: %v", r.jobs, load.Accepted(), err)
	}
	return accepted, kills
}

// await waits until the next kill is due.
func (r raid) await(t *testing.T, load *harness.Load, kill int, random *rand.Rand) {
	t.Helper()
	if r.every > 0 {
		harness.For(t, r.every/2+time.Duration(random.Int64N(int64(r.every))))
		return
	}
	goal := r.jobs * (kill + 1) / (r.kills + 1)
	harness.Until(t, 10*time.Minute, "the jobs for the next kill are accepted", func() bool { return load.Accepted() >= goal })
	harness.For(t, time.Duration(random.IntN(100))*time.Millisecond)
}

// kill kills at random and starts again at once.
func (r raid) kill(t *testing.T, h *harness.System, load *harness.Load) []time.Time {
	t.Helper()
	random, victims := rand.New(rand.NewPCG(7, 7)), r.whom(h)
	var kills []time.Time
	for i := range r.kills {
		r.await(t, load, i, random)
		victim := victims[random.IntN(len(victims))]
		if r.hit != nil {
			r.hit(t, victim, i)
		} else {
			victim.Kill()
		}
		kills = append(kills, time.Now())
		if r.also != nil {
			r.also(t, h, i)
		}
		victim.Start()
	}
	for _, victim := range victims {
		victim.Ready(t)
	}
	return kills
}

// raided opens a system with a receiver of its webhooks and runs a raid on it.
func raided(t *testing.T, s harness.Setup, r raid, change ...func(*harness.Plan)) harness.Verdict {
	t.Helper()
	receiver := harness.StartReceiver(t)
	h := open(t, s, append(change, reaches(receiver))...)
	v := r.run(t, h, receiver)
	h.StopAll()
	return v
}

// reaches lets the processes of a system reach the receiver, which is on a private address and has an authority of its own.
func reaches(r *harness.Receiver) func(*harness.Plan) {
	return with("EINVOICED_ALLOW_NETWORK", "127.0.0.1:"+r.Port, "SSL_CERT_FILE", r.CA)
}

// with sets environment variables, names and values in turn.
func with(settings ...string) func(*harness.Plan) {
	return func(p *harness.Plan) {
		if p.Env == nil {
			p.Env = map[string]string{}
		}
		for i := 0; i+1 < len(settings); i += 2 {
			p.Env[settings[i]] = settings[i+1]
		}
	}
}

// killAtWorkOnce kills the victim. The first kill takes all workers as well, at a moment when at least one is known to be at work: jobs are so
// short that kills at random may meet none.
func killAtWorkOnce(t *testing.T, h *harness.System, victim *harness.Role, no int) {
	t.Helper()
	if no > 0 {
		victim.Kill()
		return
	}
	stopAtWork(t, h)
	for _, w := range h.Workers() {
		if w.Kill(); w != victim {
			w.Start()
		}
	}
	if !slices.Contains(h.Workers(), victim) {
		victim.Kill()
	}
}

// A1: workers are killed at random while jobs come, and once all of them when at least one is known to be at work.
func TestA1_WorkersKilled(t *testing.T) {
	everywhere(t, func(t *testing.T, s harness.Setup) {
		var h *harness.System
		hit := func(t *testing.T, victim *harness.Role, no int) { killAtWorkOnce(t, h, victim, no) }
		whom := func(system *harness.System) []*harness.Role { h = system; return h.Workers() }
		v := raided(t, s, raid{jobs: size(500, 10_000), kills: size(4, 20), hit: hit, whom: whom})
		if v.Interrupted == 0 {
			t.Error("no kill has hit a running job: the test shows nothing")
		}
	})
}

// A2: API processes are killed while they accept. The client sends again under the same key.
func TestA2_APIsKilledWhileAccepting(t *testing.T) {
	t.Parallel() // embedded, it is A1
	raided(t, harness.Shared, raid{jobs: size(400, 4000), kills: size(4, 10), whom: (*harness.System).APIs})
}

// runningFreely counts the jobs that run, by the kind of database; on PostgreSQL without those whose rows a transaction may hold.
var runningFreely = map[string]string{
	harness.Embedded.Name: `SELECT count(*) FROM jobs WHERE state = 'running'`,
	harness.Shared.Name: `SELECT (SELECT count(*) FROM jobs WHERE state = 'running') -
		(SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction')`,
}

// stopAtWork stops all workers at a moment when at least one has a job.
func stopAtWork(t *testing.T, h *harness.System) {
	t.Helper()
	audit, workers := h.Audit(), h.Workers()
	harness.Until(t, time.Minute, "workers are stopped in the middle of work", func() bool {
		for _, w := range workers {
			w.Pause()
		}
		harness.For(t, 50*time.Millisecond) // in which the database ends what it was sent
		if audit.Number(runningFreely[h.Setup.Name]) > 0 {
			return true
		}
		for _, w := range workers {
			w.Resume()
		}
		return false
	})
}

// A4: workers are stopped for longer than their beats may be missing, and go on when their jobs are no longer theirs.
func TestA4_PausedWorkerCannotWrite(t *testing.T) {
	t.Parallel()
	var h *harness.System
	pause := func(t *testing.T, victim *harness.Role, _ int) {
		stopAtWork(t, h)
		harness.For(t, size(17*time.Second, 90*time.Second))
		for _, w := range h.Workers() {
			w.Resume()
		}
		harness.For(t, time.Second) // in which they would write
		victim.Kill()
	}
	whom := func(system *harness.System) []*harness.Role { h = system; return h.Workers() }
	v := raided(t, harness.Shared, raid{jobs: size(400, 3000), kills: size(1, 3), hit: pause, whom: whom, slow: true})
	if v.Interrupted == 0 {
		t.Error("no paused worker had a job: the test shows nothing")
	}
}

// A7: a stop in the middle of work lets requests end, gives the jobs back, and is over soon.
func TestA7_StopDrains(t *testing.T) {
	everywhere(t, func(t *testing.T, s harness.Setup) {
		stop := func(t *testing.T, victim *harness.Role, _ int) {
			if code := victim.Stop(30 * time.Second); code != 0 {
				t.Errorf("%s ended with %d", victim.Name, code)
			}
		}
		raided(t, s, raid{jobs: size(400, 2000), kills: size(2, 10), hit: stop, whom: func(h *harness.System) []*harness.Role { return h.Roles }})
	})
}

// stopTwice sends SIGTERM, and once more when the process has begun to stop: two that come at once are one. It tells whether the process had not
// ended by itself before the second.
func stopTwice(t *testing.T, victim *harness.Role) (forced bool) {
	t.Helper()
	const begins = `"msg":"stopping"`
	victim.Ready(t)
	before := strings.Count(victim.Log(), begins)
	victim.Signal(syscall.SIGTERM)
	harness.Until(t, time.Minute, "the process begins to stop", func() bool { return strings.Count(victim.Log(), begins) > before })
	victim.Signal(syscall.SIGTERM)
	switch code := victim.Ended(size(6*time.Second, 2*time.Second)); code {
	case 0:
		return false
	case 3:
		return true
	default:
		t.Errorf("%s ended with %d", victim.Name, code)
		return false
	}
}

// A8: a second SIGTERM ends at once.
func TestA8_SecondStopEndsAtOnce(t *testing.T) {
	everywhere(t, func(t *testing.T, s harness.Setup) {
		forced := 0
		twice := func(t *testing.T, victim *harness.Role, _ int) {
			if stopTwice(t, victim) {
				forced++
			}
		}
		raided(t, s, raid{jobs: size(300, 2000), kills: size(3, 10), hit: twice, whom: (*harness.System).Workers})
		if t.Logf("%d ended by the second signal", forced); forced == 0 {
			t.Error("all had ended before the second signal: the test shows nothing")
		}
	})
}

// A12: processes are killed more than once a second while jobs come. No job is blamed for it.
func TestA12_KilledManyTimesAMinute(t *testing.T) {
	everywhere(t, func(t *testing.T, s harness.Setup) {
		var h *harness.System
		hit := func(t *testing.T, victim *harness.Role, no int) { killAtWorkOnce(t, h, victim, no) }
		whom := func(system *harness.System) []*harness.Role { h = system; return h.Roles }
		v := raided(t, s, raid{jobs: size(600, 6600), kills: size(25, 100), every: 800 * time.Millisecond, slow: true, hit: hit, whom: whom})
		if v.Interrupted == 0 {
			t.Error("no kill has hit a running job: the test shows nothing")
		}
	})
}

// A11: a stop while requests are answered at once ends the longest of them with an answer, and the process ends well.
func TestA11_StopEndsWorkThatGoesOn(t *testing.T) {
	t.Parallel()
	path := built("never-done", func(into string) string {
		return harness.BuildFaulty(t, into, []harness.Fault{{Folder: "core/operation", Func: "Service.Parse", Code: "<-ctx.Done()"}}, nil)
	})
	h := open(t, harness.Embedded, func(p *harness.Plan) { p.Program = path })
	customer, order := h.Customer(), harness.Only(harness.Orders(t), "parse")[0]
	answers := make(chan harness.Answer, 1)
	go func() {
		a, _ := customer.Do(t.Context(), "POST", order.Path, order.Body) // without an answer the status is 0
		answers <- a
	}()
	harness.Until(t, time.Minute, "the request is being answered", func() bool { return h.Roles[0].Metric("http_server_active_requests") > 0 })
	began := time.Now()
	if code := h.Roles[0].Stop(30 * time.Second); code != 0 {
		t.Errorf("the process ended with %d", code)
	}
	a := <-answers
	t.Logf("the process ended after %s; status %d: %s", time.Since(began).Round(time.Millisecond), a.Status, a.Body)
	if a.Status != 503 {
		t.Errorf("status %d, want 503", a.Status)
	}
}
