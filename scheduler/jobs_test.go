package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/einvoiced/einvoiced/scheduler"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/outbox"
	"github.com/einvoiced/einvoiced/storage/queue"
	"github.com/einvoiced/einvoiced/storage/queue/names"
)

// recorder is a queue that only remembers.
type recorder struct {
	mu       sync.Mutex
	epoch    string
	enqueued []string // job:run
	held     bool     // a worker has every message
	fails    func(n int) bool
	full     bool // there is room for 100 messages at a time, and none until they were taken
}

func (b *recorder) Room(_ context.Context, queue string) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case !b.full:
		return 10_000, nil
	case queue != names.Default:
		return 0, nil
	}
	return max(0, 100-len(b.enqueued)), nil
}

func (b *recorder) Epoch(context.Context) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.epoch, nil
}

func (b *recorder) Enqueue(_ context.Context, _, job string, run int64) (bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fails != nil && b.fails(len(b.enqueued)) {
		return false, errors.New("the queue is away")
	}
	b.enqueued = append(b.enqueued, fmt.Sprint(job, ":", run))
	return b.held, nil
}

// take gives what was enqueued since the last time.
func (b *recorder) take() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer func() { b.enqueued = nil }()
	return b.enqueued
}

// lose is what happens when the queue's memory is lost.
func (b *recorder) lose() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.epoch += "'"
}

func TestReconcilerMessagesEverythingAtTheStartAndAfterALoss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, b := open(t, plan{}, echo), &recorder{epoch: "a"}
		jobs := h.accept(t, h.account(t), 600)
		stop := start(t, scheduler.Jobs(h.ledger, h.outbox, b)...)
		synctest.Wait()
		if got := b.take(); len(got) != len(jobs) {
			t.Errorf("%d enqueued at the start, want %d", len(got), len(jobs))
		}
		time.Sleep(11 * time.Second)
		if got := b.take(); len(got) != 0 {
			t.Errorf("%d enqueued without need", len(got))
		}
		b.lose()
		time.Sleep(5 * time.Second)
		if got := b.take(); len(got) != len(jobs) {
			t.Errorf("%d enqueued after a loss, want %d", len(got), len(jobs))
		}
		stop()
	})
}

// TestReconcilerLeavesInTheDatabaseWhatAQueueHasNoRoomFor ensures that a queue does not hold all that waits, and gets more when some was taken.
func TestReconcilerLeavesInTheDatabaseWhatAQueueHasNoRoomFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, b := open(t, plan{}, echo), &recorder{epoch: "a", full: true}
		h.accept(t, h.account(t), 250)
		stop := start(t, scheduler.Jobs(h.ledger, h.outbox, b)...)
		all := map[string]bool{}
		for _, want := range []int{100, 100, 50} {
			time.Sleep(5 * time.Second)
			got := b.take()
			for _, r := range got {
				all[r] = true
			}
			if len(got) != want {
				t.Errorf("%d enqueued, want %d", len(got), want)
			}
		}
		if len(all) != 250 {
			t.Errorf("%d different ones", len(all))
		}
		stop()
	})
}

// TestReconcilerWakesAgainOnlySomeInARound ensures that the many that nobody took are enqueued again in parts, and do not stand before what is
// due for the first time.
func TestReconcilerWakesAgainOnlySomeInARound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, b := open(t, plan{}, echo), &recorder{epoch: "a"}
		owe := func(name string, n int) {
			if err := h.db.Write(t.Context(), func(tx *db.Tx) error {
				for i := range n {
					e := outbox.Entry{Kind: outbox.Enqueue, Subject: fmt.Sprint("dlv_", name, i), Queue: names.Webhook, Due: time.Now()}
					if err := outbox.Add(tx, e); err != nil {
						return err
					}
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		owe("old", 5000)
		stop := start(t, scheduler.Jobs(h.ledger, h.outbox, b)...)
		synctest.Wait()
		if got := b.take(); len(got) != 5000 {
			t.Errorf("%d enqueued for the first time", len(got))
		}
		time.Sleep(29 * time.Second)
		owe("new", 600)
		time.Sleep(2 * time.Second)
		got := b.take()
		if len(got) != 2600 || slices.ContainsFunc(got[:600], func(s string) bool { return !strings.HasPrefix(s, "dlv_new") }) {
			t.Errorf("%d enqueued in the round after, the first is %s", len(got), got[0])
		}
		time.Sleep(4 * time.Second)
		if got := b.take(); len(got) != 3000 {
			t.Errorf("%d enqueued in the two rounds after that", len(got))
		}
		stop()
	})
}

func TestReconcilerGoesOnWhereAFailedQueueStoppedIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, b := open(t, plan{}, echo), &recorder{epoch: "a"}
		jobs := h.accept(t, h.account(t), 30)
		down := true
		b.fails = func(n int) bool { return down && n == 20 }
		stop := start(t, scheduler.Jobs(h.ledger, h.outbox, b)...)
		synctest.Wait()
		first := b.take()
		b.mu.Lock()
		down = false
		b.mu.Unlock()
		time.Sleep(11 * time.Second)
		rest := b.take()
		all := map[string]bool{}
		for _, r := range append(first, rest...) {
			all[r] = true
		}
		if len(first) != 20 || len(rest) != 10 || len(all) != len(jobs) {
			t.Errorf("%d enqueued before and %d after the failure, %d different", len(first), len(rest), len(all))
		}
		stop()
	})
}

// TestJobOfADeadWorkerIsEnqueuedWithinSeventeenSeconds ensures that also where the message is lost that comes with the job's return.
func TestJobOfADeadWorkerIsEnqueuedWithinSeventeenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, b := open(t, plan{}, echo), &recorder{epoch: "a"}
		job := h.accept(t, h.account(t), 1)[0]
		stop := start(t, scheduler.Jobs(h.ledger, h.outbox, b)...)
		synctest.Wait()
		b.take()
		if _, err := h.ledger.Claim(t.Context(), names.Default, job.ID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(9 * time.Second)
		if got := b.take(); len(got) > 0 {
			t.Errorf("enqueued while it may live: %q", got)
		}
		time.Sleep(8 * time.Second)
		if got := b.take(); len(got) != 1 || got[0] != job.ID+":2" {
			t.Errorf("enqueued %q, want run 2", got)
		}
		stop()
	})
}

// TestMessageOfASuspectComesAgainSoonUntilItIsClaimed ensures that a job which was running when its worker died comes to another process soon when that dies, too,
// while the job waits there, as often as that happens; and that jobs which nobody has run come again as rarely as ever.
func TestMessageOfASuspectComesAgainSoonUntilItIsClaimed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, b := open(t, plan{}, echo), &recorder{epoch: "a"}
		job := h.accept(t, h.account(t), 1)[0]
		if _, err := h.ledger.Claim(t.Context(), names.Default, job.ID); err != nil {
			t.Fatal(err)
		}
		other := h.accept(t, h.account(t), 1)[0]
		stop := start(t, scheduler.Jobs(h.ledger, h.outbox, b)...)
		time.Sleep(17 * time.Second)
		if got := b.take(); !slices.Equal(got, []string{other.ID + ":1", job.ID + ":2"}) {
			t.Errorf("enqueued %q, want both once", got)
		}
		for i := range 3 {
			time.Sleep(7*time.Second + 100*time.Millisecond)
			if got := b.take(); !slices.Contains(got, job.ID+":2") {
				t.Errorf("time no. %d: enqueued %q, want the suspect", i+1, got)
			}
		}
		if _, err := h.ledger.ClaimSuspect(t.Context(), job.ID, func(ledger.Job) bool { return true }); err != nil {
			t.Fatal(err)
		}
		b.take()
		time.Sleep(9 * time.Second)
		if got := b.take(); len(got) > 0 {
			t.Errorf("after the claim: enqueued %q", got)
		}
		stop()
	})
}

// TestMessageThatAWorkerHoldsIsEnqueuedUnderTheNextNumber ensures that a message which a worker has taken, and never comes back with, is made
// up for at once and not only with the next round.
func TestMessageThatAWorkerHoldsIsEnqueuedUnderTheNextNumber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, b := open(t, plan{}, echo), &recorder{epoch: "a", held: true}
		job := h.accept(t, h.account(t), 1)[0]
		stop := start(t, scheduler.Jobs(h.ledger, h.outbox, b)...)
		synctest.Wait()
		if got := b.take(); len(got) != 2 || got[0] != job.ID+":1" || got[1] != job.ID+":2" {
			t.Errorf("enqueued %q, want runs 1 and 2", got)
		}
		time.Sleep(31 * time.Second)
		if got := b.take(); len(got) != 2 || got[0] != job.ID+":2" || got[1] != job.ID+":3" {
			t.Errorf("then enqueued %q, want runs 2 and 3", got)
		}
		stop()
	})
}

// TestLivingWorkersAreSparedAfterTheDatabaseWasAway ensures that jobs whose beats grew old because the database could not be
// reached are not taken from their workers before these could beat.
func TestLivingWorkersAreSparedAfterTheDatabaseWasAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, plan{}, echo)
		job := h.accept(t, h.account(t), 1)[0]
		run, err := h.ledger.Claim(t.Context(), job.Queue, job.ID)
		if err != nil {
			t.Fatal(err)
		}
		reap := scheduler.Jobs(h.ledger, h.outbox, &recorder{})[0].Do
		away, cancel := context.WithCancel(t.Context())
		cancel()
		if err := reap(away); err == nil {
			t.Fatal("reaped without a database")
		}
		time.Sleep(time.Minute)
		if err := reap(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := h.ledger.Beat(t.Context(), run, 50); err != nil { // what the worker does as soon as it can
			t.Errorf("the living lost its job: %v", err)
		}
		time.Sleep(time.Minute)
		if err := reap(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := h.ledger.Beat(t.Context(), run, 50); !errors.Is(err, ledger.ErrLost) {
			t.Errorf("the dead has kept its job: %v", err)
		}
	})
}

func TestPoisonJobFailsAndOthersAreDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, plan{}, echo)
		accountID := h.account(t)
		poison := h.accept(t, accountID, 1)[0]
		stop := start(t, h.chores...)
		for range 3 { // three workers die with it, which run nothing else
			for {
				if _, err := h.ledger.ClaimSuspect(t.Context(), poison.ID, func(ledger.Job) bool { return true }); err == nil {
					break
				}
				time.Sleep(time.Second)
			}
		}
		others := h.accept(t, accountID, 10)
		stopWork := h.work(t)
		if got := h.await(t, append(others, poison)); got[ledger.Succeeded] != 10 || got[ledger.Failed] != 1 {
			t.Errorf("states %v", got)
		}
		got, err := h.ledger.Get(t.Context(), accountID, poison.Mode, poison.ID)
		if err != nil || got.Failure == nil || got.Failure.Code != "JOB_CRASHED" || got.Crashes != 3 {
			t.Errorf("poison job %+v, error %v", got, err)
		}
		stopWork()
		stop()
	})
}

func TestRetentionRunsByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, plan{ledger: ledger.Config{Retention: 5 * time.Minute}}, echo)
		jobs := h.accept(t, h.account(t), 3)
		stop, stopWork := start(t, h.chores...), h.work(t)
		if got := h.await(t, jobs); got[ledger.Succeeded] != 3 {
			t.Errorf("states %v", got)
		}
		stopWork()
		time.Sleep(8 * time.Minute)
		stop()
		if got := h.await(t, jobs); got[ledger.Expired] != 3 {
			t.Errorf("after the retention: %v", got)
		}
		if _, err := ledger.ReadAll(t.Context(), h.ledger.Input(jobs[0])); !errors.Is(err, ledger.ErrGone) {
			t.Errorf("input: error %v, want ErrGone", err)
		}
	})
}

func TestJobsOfAWipedQueueAreAllDone(t *testing.T) {
	server := miniredis.RunT(t)
	var runs atomic.Int32
	h := open(t, plan{queue: queue.Config{Redis: "redis://" + server.Addr(), Poll: time.Millisecond}, places: 4, every: 20 * time.Millisecond},
		func(ctx context.Context, kind string, request []byte) (ledger.Output, error) {
			if n := runs.Add(1); n == 50 || n == 100 {
				server.FlushAll() // with jobs waiting and running
			}
			return echo(ctx, kind, request)
		})
	jobs := h.accept(t, h.account(t), 200)
	stop := h.serve(t)
	if got := h.await(t, jobs); got[ledger.Succeeded] != 200 || runs.Load() != 200 {
		t.Errorf("states %v after %d runs", got, runs.Load())
	}
	stop()
}

func TestThousandJobsEnqueuedTwiceAreRunOnce(t *testing.T) {
	var mu sync.Mutex
	runs := map[string]int{}
	h := open(t, plan{queue: queue.Config{Poll: time.Millisecond}, places: 8}, func(ctx context.Context, kind string, request []byte) (ledger.Output, error) {
		mu.Lock()
		runs[string(request)]++
		mu.Unlock()
		return echo(ctx, kind, request)
	})
	jobs := h.accept(t, h.account(t), 1000)
	for _, job := range jobs { // under another number, so that the queue delivers both
		if _, err := h.queue.Enqueue(t.Context(), job.Queue, job.ID, 2); err != nil {
			t.Fatal(err)
		}
	}
	stop := h.serve(t)
	if got := h.await(t, jobs); got[ledger.Succeeded] != 1000 {
		t.Errorf("states %v", got)
	}
	stop()
	for request, n := range runs {
		if n != 1 {
			t.Errorf("job %s ran %d times", request, n)
		}
	}
	if len(runs) != 1000 {
		t.Errorf("%d jobs ran", len(runs))
	}
}

func TestSystemStartsAndStops(t *testing.T) {
	dir := t.TempDir()
	for i := range 10 {
		h, err := build(dir, plan{queue: queue.Config{Poll: time.Millisecond}, every: time.Millisecond}, echo)
		if err != nil {
			t.Fatal(err)
		}
		jobs := h.accept(t, h.account(t), i%3)
		stop := h.serve(t)
		if i%2 == 0 {
			h.await(t, jobs)
		}
		stop()
		if err := h.close(); err != nil {
			t.Fatal(err)
		}
	}
}

// BenchmarkJobs measures jobs from their acceptance to their stored output on the embedded default.
func BenchmarkJobs(b *testing.B) {
	h := open(b, plan{queue: queue.Config{}, places: 8}, echo)
	accountID := h.account(b)
	stop := h.serve(b)
	b.ResetTimer()
	h.await(b, h.accept(b, accountID, b.N))
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
	stop()
}
