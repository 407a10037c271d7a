//go:build chaos

package chaos

import (
	"context"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/internal/stage"
)

// raid is work for a house while its processes are killed.
type raid struct {
	jobs   int
	kills  int
	orders []string                                       // operations. Default: all.
	whom   func(h *stage.House) []*stage.Role             // who is killed
	hit    func(t *testing.T, victim *stage.Role, no int) // how a victim is killed. Default: SIGKILL.
	also   func(t *testing.T, h *stage.House, kill int)   // what else happens while a victim is dead
	beside func(t *testing.T, h *stage.House)             // done again and again while jobs come and until they have ended
	blamed int                                            // jobs that may be given up for having been there at three kills
	slow   bool                                           // the delay of a single job says nothing
}

// run sends the jobs, kills beside it, waits for the end and audits rows, bytes, units and events. Every kill hits while jobs are there.
func (r raid) run(t *testing.T, h *stage.House, receiver *stage.Receiver) stage.Verdict {
	t.Helper()
	customer, audit := h.Customer(), h.Audit()
	orders := stage.Learn(t, customer, stage.Orders(t))
	if r.orders != nil {
		orders = stage.Only(orders, r.orders...)
	}
	books := stage.Keep(t, customer, receiver)
	load := &stage.Load{Client: customer, Orders: orders, Jobs: r.jobs, Beside: 8, Seed: 1}
	accepted, kills := r.send(t, h, load)
	if r.beside != nil {
		stage.Until(t, 10*time.Minute, "all jobs have ended", func() bool { r.beside(t, h); return audit.Unfinished() == 0 })
	}
	audit.Settled(10 * time.Minute)
	verdict := audit.Jobs(accepted, max(r.blamed, r.kills/10))
	rows := audit.Rows()
	books.Balance(rows, accepted, 2*time.Minute)
	delays := stage.Delays(rows, kills)
	t.Logf("%+v; %d kills; interrupted once: %d, ended after p50 %s, p99 %s, at most %s", verdict, len(kills), len(delays),
		stage.Percentile(delays, 50), stage.Percentile(delays, 99), stage.Percentile(delays, 100))
	if p99 := stage.Percentile(delays, 99); p99 > resumed && !r.slow {
		t.Errorf("interrupted jobs had ended after %s, p99; at most %s is promised", p99, resumed)
	}
	return verdict
}

// send lets the jobs come while the kills happen.
func (r raid) send(t *testing.T, h *stage.House, load *stage.Load) ([]stage.Accepted, []time.Time) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
	defer cancel()
	sent := make(chan error, 1)
	var accepted []stage.Accepted
	go func() {
		var err error
		accepted, err = load.Run(ctx)
		sent <- err
	}()
	kills := r.kill(t, h, load)
	stage.Until(t, 30*time.Minute, "all jobs are accepted", func() bool {
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

// kill kills at random, spread over the time in which the jobs come, and starts again at once.
func (r raid) kill(t *testing.T, h *stage.House, load *stage.Load) []time.Time {
	t.Helper()
	random, victims := rand.New(rand.NewPCG(7, 7)), r.whom(h)
	var kills []time.Time
	for i := range r.kills {
		goal := r.jobs * (i + 1) / (r.kills + 1)
		stage.Until(t, 10*time.Minute, "the jobs for the next kill are accepted", func() bool { return load.Accepted() >= goal })
		stage.For(t, time.Duration(random.IntN(100))*time.Millisecond)
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

// raided opens a house with a receiver of its webhooks and runs a raid on it.
func raided(t *testing.T, s stage.Setup, r raid, change ...func(*stage.Plan)) stage.Verdict {
	t.Helper()
	receiver := stage.StartReceiver(t)
	h := open(t, s, append(change, reaches(receiver))...)
	v := r.run(t, h, receiver)
	h.StopAll()
	return v
}

// reaches lets the processes of a house reach the receiver, which is on a private address and has an authority of its own.
func reaches(r *stage.Receiver) func(*stage.Plan) {
	return with("EINVOICED_ALLOW_NETWORK", "127.0.0.1:"+r.Port, "SSL_CERT_FILE", r.CA)
}

// with sets environment variables, names and values in turn.
func with(settings ...string) func(*stage.Plan) {
	return func(p *stage.Plan) {
		if p.Env == nil {
			p.Env = map[string]string{}
		}
		for i := 0; i+1 < len(settings); i += 2 {
			p.Env[settings[i]] = settings[i+1]
		}
	}
}

// A1: workers are killed at random while jobs come, and once all of them when at least one is known to be at work.
func TestA1_WorkersKilled(t *testing.T) {
	everywhere(t, func(t *testing.T, s stage.Setup) {
		var h *stage.House
		hit := func(t *testing.T, victim *stage.Role, no int) {
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
		}
		whom := func(house *stage.House) []*stage.Role { h = house; return h.Workers() }
		v := raided(t, s, raid{jobs: size(500, 10_000), kills: size(4, 20), hit: hit, whom: whom})
		if v.Interrupted == 0 {
			t.Error("no kill has hit a running job: the test shows nothing")
		}
	})
}

// A2: API processes are killed while they accept. The client sends again under the same key.
func TestA2_APIsKilledWhileAccepting(t *testing.T) {
	t.Parallel() // embedded, it is A1
	raided(t, stage.Shared, raid{jobs: size(400, 4000), kills: size(4, 10), whom: (*stage.House).APIs})
}

// runningFreely counts the jobs that run, by the kind of database; on PostgreSQL without those whose rows a transaction may hold.
var runningFreely = map[string]string{
	stage.Embedded.Name: `SELECT count(*) FROM jobs WHERE state = 'running'`,
	stage.Shared.Name: `SELECT (SELECT count(*) FROM jobs WHERE state = 'running') -
		(SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction')`,
}

// stopAtWork stops all workers at a moment when at least one has a job.
func stopAtWork(t *testing.T, h *stage.House) {
	t.Helper()
	audit, workers := h.Audit(), h.Workers()
	stage.Until(t, time.Minute, "workers are stopped in the middle of work", func() bool {
		for _, w := range workers {
			w.Pause()
		}
		stage.For(t, 50*time.Millisecond) // in which the database ends what it was sent
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
	var h *stage.House
	pause := func(t *testing.T, victim *stage.Role, _ int) {
		stopAtWork(t, h)
		stage.For(t, size(17*time.Second, 90*time.Second))
		for _, w := range h.Workers() {
			w.Resume()
		}
		stage.For(t, time.Second) // in which they would write
		victim.Kill()
	}
	whom := func(house *stage.House) []*stage.Role { h = house; return h.Workers() }
	v := raided(t, stage.Shared, raid{jobs: size(400, 3000), kills: size(1, 3), hit: pause, whom: whom, slow: true, blamed: 10})
	if v.Interrupted == 0 {
		t.Error("no paused worker had a job: the test shows nothing")
	}
}

// A7: a stop in the middle of work lets requests end, gives the jobs back, and is over soon.
func TestA7_StopDrains(t *testing.T) {
	everywhere(t, func(t *testing.T, s stage.Setup) {
		stop := func(t *testing.T, victim *stage.Role, _ int) {
			if code := victim.Stop(30 * time.Second); code != 0 {
				t.Errorf("%s ended with %d", victim.Name, code)
			}
		}
		raided(t, s, raid{jobs: size(400, 2000), kills: size(2, 10), hit: stop, whom: func(h *stage.House) []*stage.Role { return h.Roles }})
	})
}

// A8: a second SIGTERM ends at once.
func TestA8_SecondStopEndsAtOnce(t *testing.T) {
	everywhere(t, func(t *testing.T, s stage.Setup) {
		twice := func(t *testing.T, victim *stage.Role, _ int) {
			victim.Signal(syscall.SIGTERM)
			stage.For(t, 50*time.Millisecond)
			victim.Signal(syscall.SIGTERM)
			victim.Ended(2 * time.Second)
		}
		raided(t, s, raid{jobs: size(300, 2000), kills: size(2, 10), hit: twice, whom: (*stage.House).Workers})
	})
}
