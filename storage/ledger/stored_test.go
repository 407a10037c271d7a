package ledger

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/volume"
)

// counted is what is counted as stored for an account, beside the rows of its jobs.
func (f *fixture) counted(t testing.TB, accountID string) (bytes int64) {
	t.Helper()
	do(t, f.db.Get(t.Context(), &bytes, `SELECT (SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM stored_inputs WHERE account_id = ?)
		- (SELECT CAST(coalesce(sum(counted), 0) AS BIGINT) FROM jobs WHERE account_id = ?)`, accountID, accountID))
	return bytes
}

// TestStoredInputsAreCounted ensures that the inputs of jobs are counted from their acceptance, small or large, alone or in a batch, until they
// are erased, expire, or their batch is given up.
func TestStoredInputsAreCounted(t *testing.T) {
	f := newFixture(t)
	want := func(bytes int64, when string) {
		t.Helper()
		if got := f.counted(t, f.account); got != bytes {
			t.Errorf("%s: %d bytes are counted, want %d", when, got, bytes)
		}
	}
	large := strings.Repeat("x", 100_000)
	small := f.claim(t, f.accept(t, "small"))
	f.claim(t, f.accept(t, large))
	want(100_005, "two jobs")
	do(t, f.Fail(t.Context(), small, Failure{CodeTimedOut, "too late"}))
	want(100_005, "one has ended")
	for range 2 {
		_, err := f.Erase(t.Context(), f.account, account.Test, small.ID)
		do(t, err)
	}
	want(100_000, "one was erased, twice")
	w, _ := f.openBatch(t, 300)
	open := f.counted(t, f.account)
	if open <= 100_000 {
		t.Errorf("an open batch is not counted: %d", open)
	}
	do(t, w.Abort(t.Context()))
	want(100_000, "a batch was given up")
	f.acceptBatch(t, 300)
	if got := f.counted(t, f.account); got < open {
		t.Errorf("%d bytes are counted after a batch, want at least %d", got, open)
	}
	do(t, f.db.Write(t.Context(), func(tx *db.Tx) error {
		return tx.Later("UPDATE jobs SET state = 'canceled', expires = ? WHERE state IN ('queued', 'running')", f.now())
	}))
	for n, err := 1, error(nil); n > 0; {
		n, err = f.Expire(t.Context())
		do(t, err)
	}
	want(0, "all has expired")
}

// TestBatchIsCountedOutOnce ensures that a batch counts as stored no more, and not twice, where its writer and the scheduler remove it beside each other.
func TestBatchIsCountedOutOnce(t *testing.T) {
	inBoth(t, func(t *testing.T, f *fixture) {
		f.accept(t, "other")
		w, _ := f.openBatch(t, chunkJobs)
		page, err := f.readEntries(t.Context(), w.Batch().ID)
		if do(t, err); len(page) != chunkJobs {
			t.Fatalf("%d jobs of the batch were written", len(page))
		}
		do(t, w.Abort(t.Context()))
		do(t, f.forgetEntries(t.Context(), page))
		if got := f.counted(t, f.account); got != int64(len("other")) {
			t.Errorf("%d bytes are counted after both", got)
		}
	})
}

// TestOutputsOfJobsAreCounted ensures that what a job has made counts from its end, with what webhooks are owed for it, small or large, until it is
// erased or expires; and that what a run made that came too late does not.
func TestOutputsOfJobsAreCounted(t *testing.T) {
	inBoth(t, func(t *testing.T, f *fixture) {
		f.Ledger.cfg.Publisher = heavy{told{}, 777}
		job := f.claim(t, f.accept(t, "input"))
		f.clock.Add(time.Minute)
		_, err := f.Reap(t.Context())
		do(t, err)
		output := func() Output {
			return Output{Status: 200, Answer: Bytes(strings.Repeat("a", 50_000)), Document: &Document{"f.xml", "application/xml", Bytes("artifact")}, Events: []Event{{"invoice.created", []byte("{}")}}}
		}
		if err := f.Finish(t.Context(), job, output()); !errors.Is(err, ErrLost) || f.counted(t, f.account) != 5 {
			t.Errorf("too late: error %v, %d bytes are counted", err, f.counted(t, f.account))
		}
		do(t, f.Finish(t.Context(), f.claim(t, f.get(t, job)), output()))
		if got := f.counted(t, f.account); got != 5+50_000+8+777 {
			t.Errorf("%d bytes are counted at the end", got)
		}
		_, err = f.Erase(t.Context(), f.account, account.Test, job.ID)
		do(t, err)
		if got := f.counted(t, f.account); got != 777 {
			t.Errorf("%d bytes are counted when the job was erased", got)
		}
	})
}

// heavy is a Publisher whose events take room.
type heavy struct {
	Publisher
	bytes int64
}

func (h heavy) Ask(tx *db.Tx, accountID string, mode account.Mode) (Publish, error) {
	publish, err := h.Publisher.Ask(tx, accountID, mode)
	return func(events ...Event) (Published, error) {
		published, err := publish(events...)
		published.Bytes += h.bytes
		return published, err
	}, err
}

// TestAccountStoresNoMoreThanItMay ensures that what would be more is refused and leaves nothing, that other accounts are not refused, and that
// there is room again when something has gone.
func TestAccountStoresNoMoreThanItMay(t *testing.T) {
	f := newFixture(t)
	f.Ledger.cfg.Stored = volume.NewLimit(f.db, f.clock, 250_000)
	large := strings.Repeat("x", 100_000)
	first, before := f.claim(t, f.accept(t, large)), 0
	f.accept(t, large)
	before = len(f.stored(t))
	for range 2 {
		_, err := f.Accept(t.Context(), f.newJob(large))
		if full, ok := errors.AsType[*volume.ExceededError](err); !ok || full.Current != 200_000+2*rowBytes || full.Limit != 250_000 {
			t.Errorf("error %v", err)
		}
	}
	if now := len(f.stored(t)); now != before {
		t.Errorf("%d things are stored, before %d", now, before)
	}
	f.accept(t, large[:40_000])
	n := f.newJob(large)
	n.Account = f.newAccount(t)
	_, err := f.Accept(t.Context(), n)
	do(t, err)
	do(t, f.Fail(t.Context(), first, Failure{CodeTimedOut, "too late"}))
	_, err = f.Erase(t.Context(), f.account, account.Test, first.ID)
	do(t, err)
	f.clock.Add(time.Second)
	f.accept(t, large)
}

// TestInputsOfFailedJobsGoEarlier ensures that the inputs of jobs that have failed or were canceled go before those of others, small or large, are
// counted out once, and that answer and reason stay.
func TestInputsOfFailedJobsGoEarlier(t *testing.T) {
	inBoth(t, func(t *testing.T, f *fixture) {
		succeeded, crashed, canceled := f.finished(t), f.claim(t, f.accept(t, "crashed")), f.accept(t, strings.Repeat("x", 100_000))
		do(t, f.Fail(t.Context(), crashed, Failure{CodeTimedOut, "too late"}))
		_, err := f.Cancel(t.Context(), f.account, account.Test, canceled.ID)
		do(t, err)
		refused := f.claim(t, f.accept(t, "refused"))
		do(t, f.Finish(t.Context(), refused, Output{Status: 422, Answer: Bytes([]byte("{}"))}))
		dropped := func(want int, when string) {
			t.Helper()
			if n, err := f.DropInputs(t.Context()); err != nil || n != want {
				t.Errorf("%s: the inputs of %d jobs are dropped, want %d: %v", when, n, want, err)
			}
		}
		f.clock.Add(24*time.Hour - time.Millisecond)
		dropped(0, "a moment before")
		f.clock.Add(time.Millisecond)
		dropped(3, "after a day")
		dropped(0, "once more")
		want := succeeded.Input.Size + succeeded.Answer.Size + succeeded.Artifact.Size + int64(len("{}"))
		if got := f.counted(t, f.account); got != want {
			t.Errorf("%d bytes are counted, want %d", got, want)
		}
		for _, key := range f.stored(t) {
			if strings.HasSuffix(key, "/0/input") && !strings.HasPrefix(key, succeeded.ID) {
				t.Errorf("left is %s", key)
			}
		}
		if answer, err := f.Answer(t.Context(), f.get(t, refused)); err != nil || string(answer) != "{}" {
			t.Errorf("the answer of a refused job is %q, %v", answer, err)
		}
		if got := f.get(t, crashed); got.State != Failed || got.Failure == nil {
			t.Errorf("the job that timed out is %+v", got)
		}
		f.clock.Add(7 * 24 * time.Hour)
		if n, err := f.Expire(t.Context()); err != nil || n != 4 {
			t.Errorf("%d expired, error %v", n, err)
		}
		if got := f.counted(t, f.account); got != 0 {
			t.Errorf("%d bytes are counted when all has expired", got)
		}
	})
}

// TestInputOfAFailedJobGoesWithTheRestWhereThatIsSooner ensures that a retention shorter than that of failed inputs holds for both.
func TestInputOfAFailedJobGoesWithTheRestWhereThatIsSooner(t *testing.T) {
	f := newFixture(t)
	f.Ledger.cfg.Retention = time.Hour
	job := f.claim(t, f.accept(t, "x"))
	do(t, f.Fail(t.Context(), job, Failure{CodeTimedOut, "too late"}))
	f.clock.Add(time.Hour)
	if n, err := f.DropInputs(t.Context()); err != nil || n != 0 {
		t.Errorf("the inputs of %d jobs are dropped, error %v", n, err)
	}
	if n, err := f.Expire(t.Context()); err != nil || n != 1 || f.counted(t, f.account) != 0 {
		t.Errorf("%d expired, %d bytes are counted, error %v", n, f.counted(t, f.account), err)
	}
}
