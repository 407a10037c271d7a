package worker

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/einvoiced/einvoiced/core/progress"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/blob"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/outbox"
	"github.com/einvoiced/einvoiced/storage/outbox/outboxtest"
	"github.com/einvoiced/einvoiced/storage/queue/names"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// runner is a Runner made of a function.
type runner func(ctx context.Context, kind string, request []byte) (ledger.Output, error)

func (r runner) Run(ctx context.Context, run job.Run, request ledger.Content) (ledger.Output, error) {
	data, err := ledger.ReadAll(ctx, request)
	if err != nil {
		return ledger.Output{}, err
	}
	return r(ctx, run.Kind, data)
}

// silentQueue enqueues nobody: the tests call the handler.
type silentQueue struct{}

func (silentQueue) EnqueueSoon(string, string, int64) {}

// fixture is a worker with a ledger on files of its own. Inside a synctest bubble its time is the bubble's.
type fixture struct {
	*Worker
	db      *db.DB
	outbox  *outbox.Store
	blobs   *brittle
	account string
	log     *bytes.Buffer
}

// brittle is a folder of blobs that can be made to fail.
type brittle struct {
	*blob.Folder
	broken atomic.Bool
	hold   chan struct{} // nothing is stored before it is closed; nil where nothing holds
}

func (b *brittle) Put(ctx context.Context, key string, r io.Reader) (blob.Info, error) {
	if b.hold != nil {
		<-b.hold
	}
	if b.broken.Load() {
		return blob.Info{}, errors.New("no space left on the disk")
	}
	return b.Folder.Put(ctx, key, r)
}

func newFixture(t testing.TB, run runner) *fixture {
	t.Helper()
	dir, log := t.TempDir(), new(bytes.Buffer)
	logger := slog.New(slog.NewTextHandler(log, nil))
	database, err := db.Open(t.Context(), db.Config{Path: filepath.Join(dir, "einvoiced.db"), Logger: logger})
	do(t, err)
	folder, err := blob.OpenFolder(filepath.Join(dir, "blobs"))
	do(t, err)
	t.Cleanup(func() { do(t, database.Close(), folder.Close()) })
	f := &fixture{db: database, blobs: &brittle{Folder: folder}, log: log}
	jobs, err := ledger.New(ledger.Config{Logger: logger, SmallBytes: -1}, database, f.blobs, silentQueue{}) // all bytes can be made to fail
	do(t, err)
	f.outbox, err = outbox.New(outbox.Config{}, database)
	do(t, err)
	f.Worker, err = New(Config{Logger: logger}, jobs, run)
	do(t, err)
	accounts, err := account.New(account.Config{}, database)
	do(t, err)
	a, err := accounts.CreateAccount(t.Context(), "Musterfirma")
	do(t, err)
	f.account = a.ID
	return f
}

// do fails the test with the first error.
func do(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) accept(t testing.TB, request string) ledger.Job {
	t.Helper()
	job, err := f.ledger.Accept(t.Context(), ledger.NewJob{Account: f.account, Mode: account.Test, Kind: "generate", Request: strings.NewReader(request)})
	do(t, err)
	return job
}

func (f *fixture) get(t testing.TB, job ledger.Job) ledger.Job {
	t.Helper()
	got, err := f.ledger.Get(context.Background(), f.account, account.Test, job.ID)
	do(t, err)
	return got
}

// answer reads the job's answer.
func (f *fixture) answer(t testing.TB, job ledger.Job) string {
	t.Helper()
	answer, err := f.ledger.Answer(t.Context(), f.get(t, job))
	do(t, err)
	return string(answer)
}

// echo answers with what it was asked.
func echo(_ context.Context, kind string, request []byte) (ledger.Output, error) {
	return ledger.Output{
		Status: 200, Answer: ledger.Bytes(kind + " " + string(request)), Document: &ledger.Document{Filename: "re.xml", MimeType: "application/xml", Content: ledger.Bytes(request)},
	}, nil
}

func TestConfigIsChecked(t *testing.T) {
	for _, cfg := range []Config{{Beat: -1}, {Settle: -1}, {Ends: -1}, {Look: -1}} {
		if _, err := New(cfg, nil, nil); err == nil {
			t.Errorf("%+v is accepted", cfg)
		}
	}
}

func TestJobIsRunAndItsOutputStored(t *testing.T) {
	f := newFixture(t, echo)
	job := f.accept(t, "request")
	f.Handle(t.Context(), "default", job.ID)
	got := f.get(t, job)
	if got.State != ledger.Succeeded || got.Status != 200 || got.Artifact == nil || got.Artifact.Filename != "re.xml" || f.answer(t, job) != "generate request" {
		t.Fatalf("job %+v", got)
	}
}

func TestRefusalIsTheJobsAnswerAndNotRetried(t *testing.T) {
	runs := 0
	f := newFixture(t, func(context.Context, string, []byte) (ledger.Output, error) {
		runs++
		return ledger.Output{Status: 400, Answer: ledger.Bytes(`{"error":"Bad Request"}`)}, nil
	})
	job := f.accept(t, "x")
	for range 3 {
		f.Handle(t.Context(), "default", job.ID)
	}
	got := f.get(t, job)
	if got.State != ledger.Failed || got.Status != 400 || got.Failure != nil || runs != 1 || f.answer(t, job) != `{"error":"Bad Request"}` {
		t.Fatalf("after %d runs: %+v", runs, got)
	}
}

// handle answers some enqueues the job, as far from each other as enqueues a job that is tried again.
func (f *fixture) handle(t *testing.T, job ledger.Job, messages int) ledger.Job {
	t.Helper()
	for range messages {
		f.Handle(t.Context(), "default", job.ID)
		time.Sleep(10 * time.Second) // of the bubble
	}
	return f.get(t, job)
}

func TestErrorsAndPanicsAreTriedThreeTimes(t *testing.T) {
	for name, run := range map[string]runner{
		"error": func(context.Context, string, []byte) (ledger.Output, error) {
			return ledger.Output{}, errors.New("no font")
		},
		"panic": func(context.Context, string, []byte) (ledger.Output, error) { panic("index out of range") },
		"vanish": func(context.Context, string, []byte) (ledger.Output, error) {
			runtime.Goexit()
			return ledger.Output{}, nil
		},
		"nothing": func(context.Context, string, []byte) (ledger.Output, error) { panic(nil) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				runs := 0
				f := newFixture(t, func(ctx context.Context, kind string, request []byte) (ledger.Output, error) {
					runs++
					return run(ctx, kind, request)
				})
				got := f.handle(t, f.accept(t, "x"), 5)
				if got.State != ledger.Failed || got.Failure == nil || got.Failure.Code != "JOB_FAILED" || got.Attempts != 3 || runs != 3 {
					t.Fatalf("after %d runs: %+v", runs, got)
				}
				if strings.Contains(got.Failure.Message, "font") || strings.Contains(got.Failure.Message, "index") {
					t.Errorf("the public message tells the cause: %s", got.Failure.Message)
				}
			})
		})
	}
}

func TestErrorThatPassesIsMadeGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		f := newFixture(t, func(ctx context.Context, kind string, request []byte) (ledger.Output, error) {
			if runs++; runs == 1 {
				return ledger.Output{}, errors.New("for the moment")
			}
			return echo(ctx, kind, request)
		})
		if got := f.handle(t, f.accept(t, "x"), 2); got.State != ledger.Succeeded || got.Attempts != 1 || got.Failure != nil {
			t.Fatalf("job %+v", got)
		}
	})
}

func TestOutputThatCannotBeStoredIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, echo)
		job := f.accept(t, "x")
		f.blobs.broken.Store(true)
		if got := f.handle(t, job, 1); got.State != ledger.Queued || got.Attempts != 1 {
			t.Fatalf("while the disk is full: %+v", got)
		}
		f.blobs.broken.Store(false)
		if got := f.handle(t, job, 1); got.State != ledger.Succeeded {
			t.Fatalf("afterwards: %+v", got)
		}
	})
}

func TestInputThatIsGoneFailsTheJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, echo)
		job := f.accept(t, "x")
		do(t, f.blobs.DeleteAll(t.Context(), f.account))
		if got := f.handle(t, job, 3); got.State != ledger.Failed || got.Failure.Code != "JOB_FAILED" {
			t.Fatalf("job %+v", got)
		}
	})
}

// held is how much memory the runtime has from the system, in bytes.
func held() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys - m.HeapReleased
}

func TestMemoryOfARunThatWentWrongIsGivenBack(t *testing.T) {
	f := newFixture(t, func(ctx context.Context, kind string, request []byte) (ledger.Output, error) {
		if string(request) != "eat" {
			return echo(ctx, kind, request)
		}
		eaten := bytes.Repeat([]byte("x"), 512<<20)
		return ledger.Output{Status: int(eaten[0])}, errors.New("no more")
	})
	before := held()
	job := f.accept(t, "eat")
	f.Handle(t.Context(), "default", job.ID)
	if after := held(); after > before*12/10+64<<20 {
		t.Errorf("%d MiB before and %d MiB after the run", before>>20, after>>20)
	}
	next := f.accept(t, "x")
	f.Handle(t.Context(), "default", next.ID)
	if got := f.get(t, next); got.State != ledger.Succeeded {
		t.Errorf("the next job %+v", got)
	}
}

// TestOutputsAreReleasedOnceTheyAreWrittenDown ensures that whatever comes of a run, what holds its output is let go once, and not before
// the output was read.
func TestOutputsAreReleasedOnceTheyAreWrittenDown(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		err    error
		late   bool // the run goes on after its time limit
		want   ledger.State
	}{
		"succeeded": {status: 200, want: ledger.Succeeded},
		"refused":   {status: 422, want: ledger.Failed},
		"failed":    {status: 200, err: errors.New("for the moment"), want: ledger.Queued},
		"abandoned": {status: 200, late: true, want: ledger.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var f *fixture
				var job ledger.Job
				var released atomic.Int32
				f = newFixture(t, func(ctx context.Context, _ string, request []byte) (ledger.Output, error) {
					if c.late {
						time.Sleep(time.Hour)
					}
					return ledger.Output{Status: c.status, Answer: ledger.Bytes(request), Release: func() {
						if got := f.get(t, job); got.State == ledger.Running {
							t.Error("released before the job has ended")
						}
						released.Add(1)
					}}, c.err
				})
				job = f.accept(t, "x")
				f.Handle(t.Context(), "default", job.ID)
				time.Sleep(2 * time.Hour)
				if got := f.get(t, job); got.State != c.want || released.Load() != 1 {
					t.Errorf("the job is %s, want %s; released %d times", got.State, c.want, released.Load())
				}
			})
		})
	}
}

func TestMessageForNothingDoesNothing(t *testing.T) {
	f := newFixture(t, func(context.Context, string, []byte) (ledger.Output, error) { panic("must not run") })
	f.Handle(t.Context(), "default", "job_unknown")
	do(t, f.db.Close())
	f.Handle(t.Context(), "default", "job_unknown")
	if !strings.Contains(f.log.String(), "no job could be claimed") {
		t.Errorf("the closed database is not logged: %s", f.log)
	}
}

func TestJobThatHangsHitsItsTimeLimit(t *testing.T) {
	for name, obeys := range map[string]bool{"obeying its context": true, "ignoring it": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				never := make(chan struct{})
				defer close(never)
				f := newFixture(t, func(ctx context.Context, kind string, request []byte) (ledger.Output, error) {
					switch {
					case string(request) != "hang":
						return echo(ctx, kind, request)
					case obeys:
						<-ctx.Done()
						return ledger.Output{}, ctx.Err()
					}
					<-never
					return ledger.Output{}, nil
				})
				job, start := f.accept(t, "hang"), time.Now()
				f.Handle(t.Context(), "default", job.ID)
				got := f.get(t, job)
				if took := time.Since(start); got.State != ledger.Failed || got.Failure == nil || got.Failure.Code != "JOB_TIMED_OUT" || took != 120*time.Second {
					t.Errorf("after %s: %+v", took, got)
				}
				if !strings.Contains(got.Failure.Message, job.ID) {
					t.Errorf("the message does not name the job: %s", got.Failure.Message)
				}
				next := f.accept(t, "next")
				f.Handle(t.Context(), "default", next.ID)
				if got := f.get(t, next).State; got != ledger.Succeeded {
					t.Errorf("the next job is %s", got)
				}
			})
		})
	}
}

func TestLongRunIsKeptAliveByBeatsThatTellItsProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f *fixture
		f = newFixture(t, func(ctx context.Context, kind string, request []byte) (ledger.Output, error) {
			for percent := range 100 {
				progress.Note(ctx, percent)
				time.Sleep(time.Second)
				if n, err := f.ledger.Reap(ctx); n != 0 || err != nil {
					t.Errorf("after %d s: %d taken, error %v", percent, n, err)
				}
			}
			return echo(ctx, kind, request)
		})
		job := f.accept(t, "x")
		done := make(chan struct{})
		go func() { f.Handle(t.Context(), "default", job.ID); close(done) }()
		time.Sleep(50500 * time.Millisecond)
		if got := f.get(t, job); got.State != ledger.Running || got.Progress < 45 || got.Progress > 50 {
			t.Errorf("after 50 s: %+v", got)
		}
		<-done
		if got := f.get(t, job); got.State != ledger.Succeeded || got.Run != 1 || got.Progress != 100 {
			t.Errorf("at the end: %+v", got)
		}
	})
}

func TestCanceledJobStopsItsRunWithTheNextBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cause error
		started := make(chan struct{})
		f := newFixture(t, func(ctx context.Context, _ string, _ []byte) (ledger.Output, error) {
			close(started)
			<-ctx.Done()
			cause = context.Cause(ctx)
			return ledger.Output{Status: 200, Answer: ledger.Bytes("too late")}, nil
		})
		job, done := f.accept(t, "x"), make(chan struct{})
		go func() { f.Handle(t.Context(), "default", job.ID); close(done) }()
		<-started
		_, err := f.ledger.Cancel(t.Context(), f.account, account.Test, job.ID)
		do(t, err)
		canceled := time.Now()
		<-done
		synctest.Wait()
		if got := f.get(t, job); got.State != ledger.Canceled || got.Answer != nil || !errors.Is(cause, ledger.ErrLost) || time.Since(canceled) > 3*time.Second {
			t.Errorf("after %s, cause %v: %+v", time.Since(canceled), cause, got)
		}
	})
}

func TestRunTakenByAnotherIsDiscarded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f *fixture
		f = newFixture(t, func(ctx context.Context, kind string, request []byte) (ledger.Output, error) {
			// What a stopped process does not notice: its beat grew old, and another worker has finished the job.
			var run ledger.Job
			do(t, f.db.Write(ctx, func(tx *db.Tx) error { _, err := tx.Exec("UPDATE jobs SET beat = 1"); return err }))
			_, err := f.ledger.Reap(ctx)
			do(t, err)
			run, err = f.ledger.ClaimSuspect(ctx, onlyJob(t, f).ID, func(ledger.Job) bool { return true })
			do(t, err, f.ledger.Finish(ctx, run, ledger.Output{Status: 200, Answer: ledger.Bytes("of the second run")}))
			return echo(ctx, kind, request)
		})
		job := f.accept(t, "x")
		f.Handle(t.Context(), "default", job.ID)
		if got := f.get(t, job); got.Run != 2 || f.answer(t, job) != "of the second run" || got.Artifact != nil {
			t.Errorf("job %+v with answer %q", got, f.answer(t, job))
		}
		if !strings.Contains(f.log.String(), "output discarded") {
			t.Errorf("not logged: %s", f.log)
		}
	})
}

// onlyJob gives the one job there is.
func onlyJob(t testing.TB, f *fixture) ledger.Job {
	t.Helper()
	jobs, _, err := f.ledger.List(context.Background(), f.account, account.Test, ledger.Page{})
	do(t, err)
	return jobs[0]
}

func TestStoppingWorkerGivesItsJobBackUncounted(t *testing.T) {
	f := newFixture(t, func(ctx context.Context, _ string, _ []byte) (ledger.Output, error) {
		<-ctx.Done()
		return ledger.Output{}, ctx.Err()
	})
	job := f.accept(t, "x")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	claimed, err := f.ledger.Claim(t.Context(), names.Default, job.ID)
	do(t, err)
	f.run(ctx, claimed, func() {})
	if got := f.get(t, job); got.State != ledger.Queued || got.Attempts+got.Crashes != 0 || got.Run != 1 {
		t.Fatalf("job %+v", got)
	}
	owed := outboxtest.Due(t, f.outbox)
	if len(owed) != 1 {
		t.Fatalf("owed %+v", owed)
	}
}

func TestLogTellsJobsButNotTheirContent(t *testing.T) {
	f := newFixture(t, echo)
	job := f.accept(t, "canary of the request")
	f.Handle(t.Context(), "default", job.ID)
	if log := f.log.String(); !strings.Contains(log, job.ID) || strings.Contains(log, "canary") {
		t.Errorf("log: %s", log)
	}
}

// TestEveryRunIsToldOf ensures that who waits for a job is told when a run has left it: done, refused or to be tried again.
func TestEveryRunIsToldOf(t *testing.T) {
	failing := false
	f := newFixture(t, func(context.Context, string, []byte) (ledger.Output, error) {
		if failing {
			return ledger.Output{}, errors.New("broken")
		}
		return ledger.Output{Status: 200, Answer: ledger.Bytes("{}")}, nil
	})
	var told []string
	f.cfg.Left = func(jobIDs ...string) { told = append(told, jobIDs...) }
	done, broken := f.accept(t, "x"), ledger.Job{}
	f.Handle(t.Context(), done.Queue, done.ID)
	failing, broken = true, f.accept(t, "x")
	f.Handle(t.Context(), broken.Queue, broken.ID)
	f.Handle(t.Context(), done.Queue, done.ID) // nothing to do
	if want := []string{done.ID, broken.ID}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	if f.get(t, done).State != ledger.Succeeded || f.get(t, broken).State != ledger.Queued {
		t.Errorf("%s and %s", f.get(t, done).State, f.get(t, broken).State)
	}
}
