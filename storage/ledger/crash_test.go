package ledger

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"einvoiced/storage/account"
)

// crash opens the ledger on a copy of its files as they are at this moment, which is what a killed process leaves.
func (f *fixture) crash(t *testing.T) *fixture {
	t.Helper()
	dir := t.TempDir()
	do(t, os.CopyFS(dir, os.DirFS(f.dir)))
	after := openFixture(t, dir, f.clock)
	after.account = f.account
	return after
}

// recover does what the next process does with the job: it finds what is owed, runs it and finishes it.
func (f *fixture) recover(t *testing.T, job Job) Job {
	t.Helper()
	f.clock.Add(11 * time.Second)
	_, reaped := f.Reap(t.Context())
	_, owed := f.outbox.OweAll(t.Context())
	do(t, reaped, owed)
	rings, err := f.outbox.Owed(t.Context(), 10)
	do(t, err)
	for _, r := range rings {
		run, err := f.claimAny(t.Context(), r.Subject)
		do(t, err)
		do(t, f.Finish(t.Context(), run, done))
	}
	return f.get(t, job)
}

func TestAcceptedJobSurvivesACrashAtEveryStep(t *testing.T) {
	f := newFixture(t)
	job := f.accept(t, "request")
	check := func(moment string) {
		t.Helper()
		after := f.crash(t)
		got := after.recover(t, job)
		if got.State != Succeeded {
			t.Errorf("crash after %s: the job ends %s", moment, got.State)
		}
		if input, err := after.Input(t.Context(), got); err != nil || string(input) != "request" {
			t.Errorf("crash after %s: input %q, error %v", moment, input, err)
		}
		after.checkOutput(t, got)
	}
	check("accept")
	run := f.claim(t, job)
	check("claim")
	do(t, f.Beat(t.Context(), run, 50))
	check("beat")
	do(t, f.Release(t.Context(), run))
	check("release")
	run = f.claim(t, job)
	do(t, f.Retry(t.Context(), run))
	check("retry")
	run = f.claim(t, job)
	f.Ledger.blobs = &stubborn{Store: f.blobs, put: func(key string) { check("storing " + key[strings.LastIndex(key, "/")+1:]) }}
	do(t, f.Finish(t.Context(), run, done))
	check("finish")
}

func TestCrashBetweenOutputAndRowLeavesOneOutput(t *testing.T) {
	f := newFixture(t)
	job := f.accept(t, "x")
	var after *fixture // after the second of two blobs
	f.Ledger.blobs = &stubborn{Store: f.blobs, put: func(string) { after = f.crash(t) }}
	do(t, f.Finish(t.Context(), f.claim(t, job), done))
	got := after.recover(t, job)
	if got.Run != 2 || got.Crashes != 1 {
		t.Errorf("recovered job %+v", got)
	}
	f.clock.Add(time.Since(f.clock.Now()) + 2*time.Hour)
	if n, err := after.Sweep(t.Context()); err != nil || n != 2 {
		t.Errorf("%d swept, error %v, want the 2 of the first run", n, err)
	}
	want := []string{job.ID + "/0/input", job.ID + "/2/answer", job.ID + "/2/artifact"}
	if stored := after.stored(t); !slices.Equal(stored, want) {
		t.Errorf("stored are %q, want %q", stored, want)
	}
	after.checkOutput(t, got)
}

func TestCrashBetweenInputAndRowLeavesNoJob(t *testing.T) {
	f := newFixture(t)
	var after *fixture
	f.Ledger.blobs = &stubborn{Store: f.blobs, put: func(string) { after = f.crash(t) }}
	f.accept(t, "x")
	if jobs, _, err := after.List(t.Context(), f.account, account.Test, Page{}); err != nil || len(jobs) != 0 {
		t.Errorf("%d jobs, error %v", len(jobs), err)
	}
	f.clock.Add(time.Since(f.clock.Now()) + 2*time.Hour)
	if n, err := after.Sweep(t.Context()); err != nil || n != 1 || len(after.stored(t)) != 0 {
		t.Errorf("%d swept, error %v, left %q", n, err, after.stored(t))
	}
}

func TestCrashBetweenErasureAndPurgeIsMadeUpFor(t *testing.T) {
	f := newFixture(t)
	job := f.finished(t)
	f.Ledger.blobs = &stubborn{Store: f.blobs, broken: true}
	_, err := f.Erase(t.Context(), f.account, account.Test, job.ID)
	do(t, err)
	after := f.crash(t)
	f.clock.Add(time.Minute)
	if n, err := after.Purge(t.Context(), 10); err != nil || n != 1 || len(after.stored(t)) != 0 {
		t.Errorf("%d purged, error %v, left %q", n, err, after.stored(t))
	}
	if _, err := after.Input(t.Context(), after.get(t, job)); !errors.Is(err, ErrGone) {
		t.Errorf("input: error %v, want ErrGone", err)
	}
}

func TestWipedQueueIsRungAnewForAllThatWaits(t *testing.T) {
	f := newFixture(t)
	for i := range 20 {
		job := f.accept(t, fmt.Sprint(i))
		if i < 5 {
			f.claim(t, job)
		}
	}
	if n, err := f.outbox.OweAll(t.Context()); err != nil || n != 15 {
		t.Fatalf("%d made due, error %v", n, err)
	}
	if owed, err := f.outbox.Owed(t.Context(), 100); err != nil || len(owed) != 15 {
		t.Fatalf("%d owed, error %v", len(owed), err)
	}
}
