package ledger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/blob"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/outbox"
	"github.com/einvoiced/einvoiced/storage/outbox/outboxtest"
)

// finished gives a job that has succeeded.
func (f *fixture) finished(t testing.TB) Job {
	t.Helper()
	run := f.claim(t, f.accept(t, "x"))
	do(t, f.Finish(t.Context(), run, done))
	return f.get(t, run)
}

func TestErasedJobKeepsItsRowAndNothingElse(t *testing.T) {
	inBoth(t, func(t *testing.T, f *fixture) {
		kept, job := f.finished(t), f.finished(t)
		f.clock.Add(time.Hour)
		for range 2 { // erasing again changes nothing
			erased, err := f.Erase(t.Context(), f.account, account.Test, job.ID)
			if err != nil || erased.State != Expired || erased.Answer != nil || erased.Artifact != nil || !erased.Expires.Equal(f.clock.Now()) {
				t.Fatalf("erased job %+v, error %v", erased, err)
			}
		}
		for _, key := range f.stored(t) {
			if !strings.HasPrefix(key, kept.ID) {
				t.Errorf("left is %s", key)
			}
		}
		if _, err := f.Input(t.Context(), f.get(t, job)); !errors.Is(err, ErrGone) {
			t.Errorf("input: error %v, want ErrGone", err)
		}
		f.checkOutput(t, f.get(t, kept))
	})
}

func TestCanceledJobIsNeitherEnqueuedNorKeptOutputOf(t *testing.T) {
	inBoth(t, func(t *testing.T, f *fixture) {
		run := f.claim(t, f.accept(t, "x"))
		canceled, err := f.Cancel(t.Context(), f.account, account.Test, run.ID)
		if err != nil || canceled.State != Canceled || canceled.Finished.IsZero() || canceled.Expires.IsZero() {
			t.Fatalf("canceled job %+v, error %v", canceled, err)
		}
		if err := f.Finish(t.Context(), run, done); !errors.Is(err, ErrLost) {
			t.Errorf("finish: error %v, want ErrLost", err)
		}
		f.clock.Add(time.Hour)
		if owed := outboxtest.Due(t, f.outbox); len(owed) > 0 {
			t.Errorf("owed %+v", owed)
		}
		if got, want := f.stored(t), []string{run.ID + "/0/input"}; !slices.Equal(got, want) {
			t.Errorf("stored are %q, want %q", got, want)
		}
	})
}

func TestRetentionEndsWithExpiryAndPurge(t *testing.T) {
	inBoth(t, func(t *testing.T, f *fixture) {
		jobs := []Job{f.bring(t, Succeeded), f.bring(t, Failed), f.bring(t, Canceled)}
		running := f.bring(t, Running)
		f.clock.Add(7*24*time.Hour - time.Millisecond)
		if n, err := f.Expire(t.Context()); err != nil || n != 0 {
			t.Fatalf("%d expired early, error %v", n, err)
		}
		f.clock.Add(time.Millisecond)
		if n, err := f.Expire(t.Context()); err != nil || n != 3 {
			t.Fatalf("%d expired, error %v", n, err)
		}
		for _, job := range jobs {
			if got := f.get(t, job).State; got != Expired {
				t.Errorf("job is %s", got)
			}
		}
		want := 0 // of what was kept in rows nothing is left
		if f.Ledger.cfg.SmallBytes < 0 {
			want = 3
		}
		if n, err := f.Purge(t.Context(), 10); err != nil || n != want {
			t.Fatalf("%d purged, error %v, want %d", n, err, want)
		}
		if got, want := f.stored(t), []string{running.ID + "/0/input"}; !slices.Equal(got, want) {
			t.Errorf("stored are %q, want %q", got, want)
		}
		if n, err := f.Purge(t.Context(), 10); err != nil || n != 0 {
			t.Errorf("%d purged again, error %v", n, err)
		}
	})
}

func TestErasureRemovesWhatAnEarlierRunHasLeft(t *testing.T) {
	f := newFixture(t)
	first := f.claim(t, f.accept(t, "x"))
	f.clock.Add(11 * time.Second)
	_, err := f.Reap(t.Context())
	do(t, err)
	_, err = f.blobs.Put(t.Context(), blob.Key(f.account, first.ID, 1, artifactName), strings.NewReader("large"))
	do(t, err, f.Finish(t.Context(), f.claim(t, first), done))
	_, err = f.Erase(t.Context(), f.account, account.Test, first.ID)
	do(t, err)
	if left := f.stored(t); len(left) != 0 {
		t.Errorf("left are %q", left)
	}
}

// stubborn is a store that cannot delete while it is broken, stores one blob after the other, and tells of each.
type stubborn struct {
	blob.Store
	broken bool
	mu     sync.Mutex
	put    func(key string)
}

func (s *stubborn) DeleteAll(ctx context.Context, prefix string) error {
	if s.broken {
		return errors.New("the disk is read-only")
	}
	return s.Store.DeleteAll(ctx, prefix)
}

func (s *stubborn) Put(ctx context.Context, key string, r io.Reader) (blob.Info, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	info, err := s.Store.Put(ctx, key, r)
	if err == nil && s.put != nil {
		s.put(key)
	}
	return info, err
}

func TestPurgeThatFailsStaysOwed(t *testing.T) {
	f := newFixture(t, inBlobs)
	job := f.finished(t)
	store := &stubborn{Store: f.blobs, broken: true}
	f.Ledger.blobs = store
	if _, err := f.Erase(t.Context(), f.account, account.Test, job.ID); err != nil {
		t.Fatal(err)
	}
	if n, err := f.Purge(t.Context(), 10); err != nil || n != 0 {
		t.Errorf("%d purged before the minute is over, error %v", n, err)
	}
	f.clock.Add(time.Minute)
	if _, err := f.Purge(t.Context(), 10); err == nil {
		t.Error("the failure is not told")
	}
	store.broken = false
	f.clock.Add(time.Minute)
	if n, err := f.Purge(t.Context(), 10); err != nil || n != 1 || len(f.stored(t)) > 0 {
		t.Errorf("%d purged, error %v, left %q", n, err, f.stored(t))
	}
}

func TestSweepRemovesWhatBelongsToNobody(t *testing.T) {
	f := newFixture(t, inBlobs)
	finished, running := f.finished(t), f.claim(t, f.accept(t, "x"))
	canceled, erased := f.bring(t, Canceled), f.bring(t, Expired)
	queued := f.bring(t, Queued)
	key := func(j Job, run int64, name string) string { return blob.Key(f.account, j.ID, run, name) }
	orphans := []string{
		key(finished, 7, answerName), key(erased, 0, inputName), key(erased, 1, answerName), key(canceled, 1, artifactName),
		blob.Key(f.account, "job_never_accepted", 0, inputName),
	}
	own := []string{key(running, 1, answerName), "something/else", "a/b/c/d"}
	for _, k := range append(orphans, own...) {
		_, err := f.blobs.Put(t.Context(), k, strings.NewReader("x"))
		do(t, err)
	}
	before := len(f.stored(t))
	if n, err := f.Sweep(t.Context()); err != nil || n != 0 {
		t.Fatalf("%d young blobs swept, error %v", n, err)
	}
	f.clock.Add(time.Since(f.clock.Now()) + 2*time.Hour)
	if n, err := f.Sweep(t.Context()); err != nil || n != len(orphans) {
		t.Fatalf("%d swept, error %v, want %d", n, err, len(orphans))
	}
	if got := len(f.stored(t)); got != before-len(orphans) {
		t.Errorf("%d blobs are left of %d", got, before)
	}
	for _, k := range orphans {
		if _, err := f.blobs.Stat(t.Context(), k); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("%s: error %v, want ErrNotFound", k, err)
		}
	}
	if input, err := f.Input(t.Context(), f.get(t, queued)); err != nil || string(input) != "x" {
		t.Errorf("input of a queued job: %q, error %v", input, err)
	}
}

// TestRowsOfExpiredJobsAreForgotten ensures that the row of an expired job goes when its time has come, but not before its blobs, and not that of another job;
// and that rows count as stored with their metadata until then.
func TestRowsOfExpiredJobsAreForgotten(t *testing.T) {
	inBoth(t, func(t *testing.T, f *fixture) {
		job := f.bring(t, Expired)
		f.clock.Add(time.Minute)
		later := f.bring(t, Expired)
		f.accept(t, "y")
		owed := outbox.Entry{Kind: outbox.Purge, Subject: job.ID, Due: f.clock.Now()}
		do(t, f.db.Write(t.Context(), func(tx *db.Tx) error { return outbox.Add(tx, owed) }))
		forget := func(want int, when string) {
			t.Helper()
			if n, err := f.Forget(t.Context()); err != nil || n != want {
				t.Errorf("%s: %d forgotten, error %v, want %d", when, n, err, want)
			}
		}
		f.clock.Add(30*24*time.Hour - time.Minute - time.Millisecond)
		forget(0, "early")
		f.clock.Add(time.Millisecond)
		forget(0, "before its blobs are purged")
		do(t, f.db.Write(t.Context(), func(tx *db.Tx) error { return outbox.Remove(tx, outbox.Purge, job.ID) }))
		forget(1, "in time")
		if _, err := f.Get(t.Context(), f.account, account.Test, job.ID); !errors.Is(err, ErrNotFound) {
			t.Errorf("a job that was forgotten: error %v, want ErrNotFound", err)
		}
		f.get(t, later)
		f.clock.Add(time.Minute)
		forget(1, "a minute later")
		forget(0, "nothing is left that has expired")
		if got := f.counted(t, f.account); got != 1 {
			t.Errorf("%d bytes are counted beside the row that is left", got)
		}
	})
}

// TestRowsCountAsStored ensures that the rows of jobs count with their metadata, those of batches too, and that a batch leaves nothing else.
func TestRowsCountAsStored(t *testing.T) {
	f := newFixture(t)
	n := f.newJob("x")
	n.Metadata = map[string]string{"order": "Ü-1"}
	_, err := f.Accept(t.Context(), n)
	do(t, err)
	w, _ := f.openBatch(t, chunkJobs)
	n.Request = strings.NewReader("x")
	_, err = w.Add(t.Context(), n)
	do(t, err)
	_, err = w.Commit(t.Context())
	do(t, err)
	var counted int64
	do(t, f.db.Get(t.Context(), &counted, "SELECT CAST(sum(counted) AS BIGINT) FROM jobs"))
	if want := int64((chunkJobs+2)*rowBytes + 2*len(`{"order":"Ü-1"}`)); counted != want {
		t.Errorf("the rows count %d bytes, want %d", counted, want)
	}
	if got, want := f.counted(t, f.account), 2+inputsOf(chunkJobs); got != want {
		t.Errorf("%d bytes are counted beside the rows, want %d", got, want)
	}
	if left := f.batchRows(t); left["batches"] != 0 {
		t.Errorf("left are %v", left)
	}
}

// inputsOf is how many bytes the inputs of a batch of openBatch have.
func inputsOf(jobs int) (bytes int64) {
	for i := range jobs {
		bytes += int64(len(fmt.Sprint(i)))
	}
	return bytes
}
