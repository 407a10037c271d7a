//go:build chaos

package chaos

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"einvoiced/internal/stage"
)

// raid is work for a house while its processes are killed.
type raid struct {
	jobs  int
	kills int
	whom  func(h *stage.House) []*stage.Role // who is killed
	also  func(t *testing.T, h *stage.House, kill int)
}

// run sends the jobs, kills beside it, waits for the end and audits. Every kill hits while jobs are there.
func (r raid) run(t *testing.T, h *stage.House) {
	t.Helper()
	customer, audit := h.Customer(), h.Audit()
	orders := stage.Learn(t, customer, stage.Orders(t))
	before := len(audit.Rows())
	load := &stage.Load{Client: customer, Orders: orders, Jobs: r.jobs, Beside: 8, Seed: 1}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	sent := make(chan error, 1)
	var accepted []stage.Accepted
	go func() {
		var err error
		accepted, err = load.Run(ctx)
		sent <- err
	}()
	kills := r.kill(t, h, load)
	if err := <-sent; err != nil {
		t.Fatalf("of %d jobs %d were accepted: %v", r.jobs, load.Accepted(), err)
	}
	audit.Settled(10 * time.Minute)
	verdict := audit.Jobs(accepted, r.kills/10)
	if before != 0 {
		t.Errorf("%d jobs were there before", before)
	}
	delays := stage.Delays(audit.Rows(), kills)
	t.Logf("%+v; %d kills; interrupted once: %d, ended after p50 %s, p99 %s, at most %s", verdict, len(kills), len(delays),
		stage.Percentile(delays, 50), stage.Percentile(delays, 99), stage.Percentile(delays, 100))
	if p99 := stage.Percentile(delays, 99); p99 > resumed {
		t.Errorf("interrupted jobs had ended after %s, p99; at most %s is promised", p99, resumed)
	}
	if r.kills > 0 && verdict.Interrupted == 0 {
		t.Error("no kill has hit a running job: the test shows nothing")
	}
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
		victim.Kill()
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

// A1: workers are killed at random while jobs come.
func TestA1_WorkersKilled(t *testing.T) {
	everywhere(t, func(t *testing.T, s stage.Setup) {
		raid{jobs: size(600, 10_000), kills: size(4, 20), whom: (*stage.House).Workers}.run(t, open(t, s))
	})
}
