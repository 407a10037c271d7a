package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/blob"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/outbox/outboxtest"
	"github.com/einvoiced/einvoiced/storage/queue/names"
)

// openBatch opens a batch of the fixture's account and adds n jobs that ask for their number.
func (f *fixture) openBatch(t testing.TB, n int) (*BatchWriter, []string) {
	t.Helper()
	w, err := f.AcceptBatch(t.Context(), NewBatch{f.account, account.Test})
	do(t, err)
	var jobs []string
	for i := range n {
		jobID, err := w.Add(t.Context(), NewJob{KeyID: "key_1", RequestID: "req_1", Kind: "generate", Request: strings.NewReader(fmt.Sprint(i))})
		do(t, err)
		jobs = append(jobs, jobID)
	}
	return w, jobs
}

// acceptBatch accepts a batch of n jobs.
func (f *fixture) acceptBatch(t testing.TB, n int) Batch {
	t.Helper()
	w, _ := f.openBatch(t, n)
	b, err := w.Commit(t.Context())
	do(t, err)
	return b
}

// batchRows counts what stands in the tables that a batch touches.
func (f *fixture) batchRows(t testing.TB) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for _, table := range []string{"batches", "batch_jobs", "jobs", "job_data", "outbox", "reservations"} {
		var n int
		do(t, f.db.Get(t.Context(), &n, "SELECT count(*) FROM "+table))
		if n > 0 {
			counts[table] = n
		}
	}
	return counts
}

func TestBatchIsSeenWithItsCommitAndRunInItsOrder(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, f *fixture) {
		const n = soonEnqueued + 300 // more than two transactions
		w, ids := f.openBatch(t, n)
		if jobs, _, err := f.List(t.Context(), f.account, account.Test, Page{}); err != nil || len(jobs) != 0 {
			t.Errorf("%d jobs before the commit, error %v", len(jobs), err)
		}
		if _, err := f.Get(t.Context(), f.account, account.Test, ids[0]); !errors.Is(err, ErrNotFound) {
			t.Errorf("get before the commit: error %v, want ErrNotFound", err)
		}
		if _, err := f.Claim(t.Context(), names.Default, ids[0]); !errors.Is(err, ErrNotQueued) {
			t.Errorf("claim before the commit: error %v, want ErrNotQueued", err)
		}
		b, err := w.Commit(t.Context())
		do(t, err, w.Abort(t.Context()))
		if diff := cmp.Diff(Batch{w.batch.ID, f.account, account.Test, f.clock.Now(), n}, b); diff != "" {
			t.Error(diff)
		}
		if enqueued := f.queue.take(); len(enqueued) != soonEnqueued || enqueued[0].Subject != ids[0] || enqueued[0].Queue != names.Default {
			t.Errorf("%d enqueued with the commit", len(enqueued))
		}
		if owed := outboxtest.Due(t, f.outbox); len(owed) != n-soonEnqueued {
			t.Errorf("%d messages are due, error %v", len(owed), err)
		}
		f.clock.Add(f.Ledger.cfg.EnqueueAgain)
		if owed := outboxtest.Due(t, f.outbox); len(owed) != n {
			t.Errorf("%d messages are owed, error %v", len(owed), err)
		}
		for i := range 5 {
			job := f.claimNext(t)
			input, err := f.Input(t.Context(), job)
			if job.ID != ids[i] || job.Batch != b.ID || err != nil || string(input) != fmt.Sprint(i) {
				t.Errorf("claim %d is %+v with input %q, error %v", i, job, input, err)
			}
		}
	})
}

func TestAbortedBatchLeavesNothing(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, f *fixture) {
		w, _ := f.openBatch(t, 300)
		for range 2 {
			do(t, w.Abort(t.Context()))
		}
		if left := f.batchRows(t); len(left) > 0 || len(f.stored(t)) > 0 || len(f.queue.messages) > 0 {
			t.Errorf("left are rows %v, bytes %q and messages %v", left, f.stored(t), f.queue.messages)
		}
		if _, err := w.Commit(t.Context()); !errors.Is(err, ErrLost) {
			t.Errorf("commit afterwards: error %v, want ErrLost", err)
		}
	})
}

func TestBatchOfADeadProcessIsRemoved(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, f *fixture) {
		kept := f.acceptBatch(t, 2)
		w, _ := f.openBatch(t, 2*chunkJobs)
		next := openFixture(t, f.place, f.cfg)
		if n, err := next.ReapBatches(t.Context()); err != nil || n != 0 {
			t.Fatalf("%d batches of the living removed, error %v", n, err)
		}
		f.clock.Add(11 * time.Second)
		if n, err := next.ReapBatches(t.Context()); err != nil || n != 1 {
			t.Fatalf("%d removed, error %v", n, err)
		}
		if left := f.batchRows(t); left["batches"] != 0 || left["batch_jobs"] != 0 || left["jobs"] != kept.Jobs || len(f.stored(t)) != kept.Jobs {
			t.Errorf("left are %v and bytes %q", left, f.stored(t))
		}
		if _, err := w.Commit(t.Context()); !errors.Is(err, ErrLost) { // as a process finds out that was only paused
			t.Errorf("commit afterwards: error %v, want ErrLost", err)
		}
	})
}

// TestBatchOfAProcessThatDiesAfterTheCommitIsFinished ensures that what was decided is done, once, also by two at a time.
func TestBatchOfAProcessThatDiesAfterTheCommitIsFinished(t *testing.T) {
	f := newFixture(t)
	const n = chunkJobs + 200
	w, ids := f.openBatch(t, n)
	do(t, w.flush(t.Context()), f.db.Write(t.Context(), w.commit), f.db.Write(t.Context(), func(tx *db.Tx) error {
		_, err := f.moveEntries(tx, w.batch.ID, 0)
		return err
	}))
	if left := f.batchRows(t); left["jobs"] != chunkJobs || left["batch_jobs"] != 200 {
		t.Fatalf("rows %v", left)
	}
	f.clock.Add(11 * time.Second)
	next := []*fixture{openFixture(t, f.place, f.cfg), openFixture(t, f.place, f.cfg)}
	do(t, beside(
		func() error { _, err := next[0].ReapBatches(context.Background()); return err },
		func() error { _, err := next[1].ReapBatches(context.Background()); return err },
		func() error { return f.moveBatch(context.Background(), w.batch.ID, 0, func() {}) },
	)...)
	if left := f.batchRows(t); left["jobs"] != n || left["batch_jobs"] != 0 || left["outbox"] != n {
		t.Errorf("rows %v", left)
	}
	for i := range 3 {
		if got := f.claimNext(t); got.ID != ids[i] {
			t.Errorf("claim %d is %+v", i, got)
		}
	}
	if n, err := f.ReapBatches(t.Context()); err != nil || n != 0 {
		t.Errorf("%d reaped again, error %v", n, err)
	}
	do(t, w.Abort(t.Context())) // too late: nothing happens
	if left := f.batchRows(t); left["jobs"] != n {
		t.Errorf("rows %v", left)
	}
}

func TestBatchThatIsOpenTooLongIsRemovedAndNotCommitted(t *testing.T) {
	f := newFixture(t)
	w, _ := f.openBatch(t, 3)
	f.clock.Add(batchLimit)
	do(t, f.BeatHolder(t.Context()))
	if _, err := w.Commit(t.Context()); !errors.Is(err, ErrLost) {
		t.Errorf("commit: error %v, want ErrLost", err)
	}
	if n, err := f.ReapBatches(t.Context()); err != nil || n != 1 {
		t.Errorf("%d removed, error %v", n, err)
	}
}

func TestWhatABatchCannotTakeIsRefusedAndTheRestAccepted(t *testing.T) {
	f := newFixture(t)
	if _, err := f.AcceptBatch(t.Context(), NewBatch{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("without an account: error %v, want ErrInvalid", err)
	}
	w, _ := f.openBatch(t, 1)
	for name, n := range map[string]NewJob{
		"no kind":   {Request: strings.NewReader("x")},
		"a ticket":  {Kind: "generate", Request: strings.NewReader("x"), Ticket: &Ticket{}},
		"bad queue": {Kind: "generate", Request: strings.NewReader("x"), Queue: "fast"},
	} {
		if _, err := w.Add(t.Context(), n); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: error %v, want ErrInvalid", name, err)
		}
	}
	w.batch.Jobs = MostBatchJobs
	if _, err := w.Add(t.Context(), f.newJob("x")); !errors.Is(err, ErrBatchFull) {
		t.Errorf("one too many: error %v, want ErrBatchFull", err)
	}
	w.batch.Jobs = 1
	if b, err := w.Commit(t.Context()); err != nil || b.Jobs != 1 || f.batchRows(t)["jobs"] != 1 {
		t.Errorf("batch %+v, error %v, rows %v", b, err, f.batchRows(t))
	}
	empty, _ := f.openBatch(t, 0)
	if _, err := empty.Commit(t.Context()); !errors.Is(err, ErrInvalid) {
		t.Errorf("commit without jobs: error %v, want ErrInvalid", err)
	}
	do(t, empty.Abort(t.Context()))
}

func TestBatchTakesLargeInputAndAbortRemovesIt(t *testing.T) {
	f := newFixture(t)
	large := strings.Repeat("x", 40<<10)
	w, ids := f.openBatch(t, 1)
	jobID, err := w.Add(t.Context(), NewJob{Kind: "parse", Queue: names.Embed, Request: strings.NewReader(large)})
	do(t, err)
	_, err = w.Commit(t.Context())
	do(t, err)
	if got, want := f.storedBlobs(t), []string{jobID + "/0/input"}; !slices.Equal(got, want) {
		t.Errorf("stored are %q, want %q", got, want)
	}
	job, err := f.Claim(t.Context(), names.Embed, ids[0]) // the other queue has its own turns
	do(t, err)
	if input, err := f.Input(t.Context(), job); err != nil || string(input) != large || job.ID != jobID {
		t.Errorf("job %s with %d bytes of input, error %v", job.ID, len(input), err)
	}
	w, _ = f.openBatch(t, 1)
	waits, err := w.Add(t.Context(), NewJob{Kind: "parse", Request: strings.NewReader(large)})
	do(t, err)
	if _, err := f.blobs.Stat(t.Context(), blob.Key(f.account, waits, 0, inputName)); err != nil {
		t.Error(err)
	}
	do(t, w.Abort(t.Context()))
	if got := f.storedBlobs(t); len(got) != 1 {
		t.Errorf("after the abort are stored %q", got)
	}
}
