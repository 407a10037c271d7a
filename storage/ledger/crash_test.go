package ledger

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
	"github.com/einvoiced/einvoiced/storage/outbox/outboxtest"
	"github.com/einvoiced/einvoiced/storage/queue/names"
)

// crash opens the ledger on a copy of all that is kept at this moment, which is what a killed process leaves.
func (f *fixture) crash(t *testing.T) *fixture {
	t.Helper()
	p := place{f.place.db, filepath.Join(t.TempDir(), "blobs")}
	do(t, os.CopyFS(p.blobs, os.DirFS(f.place.blobs)))
	if p.db.Path == "" {
		p.db = f.copySchema(t)
	} else {
		dir := t.TempDir()
		do(t, os.CopyFS(dir, os.DirFS(filepath.Dir(p.db.Path))))
		p.db.Path = filepath.Join(dir, filepath.Base(p.db.Path))
	}
	after := openFixture(t, p, f.cfg)
	after.account = f.account
	return after
}

// copySchema copies what is committed in PostgreSQL to a new schema.
func (f *fixture) copySchema(t *testing.T) db.Config {
	t.Helper()
	server := os.Getenv(dbtest.Variable)
	to := dbtest.PostgreSQL(t, server)
	var tables []string
	do(t, f.db.Select(t.Context(), &tables, "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"))
	var statements []string
	for _, table := range tables {
		from, to := schemaOf(t, f.place.db)+"."+table, schemaOf(t, to)+"."+table
		statements = append(statements, "CREATE TABLE "+to+" (LIKE "+from+" INCLUDING ALL)", "INSERT INTO "+to+" SELECT * FROM "+from)
	}
	dbtest.Admin(t, server, statements...)
	return to
}

func schemaOf(t *testing.T, cfg db.Config) string {
	t.Helper()
	u, err := url.Parse(cfg.URL)
	do(t, err)
	return u.Query().Get("search_path")
}

// recover does what the next process does with the job: it finds what is owed, runs it and finishes it.
func (f *fixture) recover(t *testing.T, job Job) Job {
	t.Helper()
	f.clock.Add(11 * time.Second)
	_, reaped := f.Reap(t.Context())
	do(t, reaped)
	outboxtest.MakeDue(t, f.outbox)
	for _, r := range outboxtest.Due(t, f.outbox) {
		run, err := f.claimAny(t.Context(), r.Subject)
		do(t, err)
		do(t, f.Finish(t.Context(), run, done))
	}
	return f.get(t, job)
}

// lives are the steps of a job's life, by the names of the moments after them. A moment within a step is a key of the blob store.
var lives = []struct {
	moment string
	step   func(f *fixture, run Job) (Job, error)
}{
	{"accept", func(_ *fixture, run Job) (Job, error) { return run, nil }},
	{"claim", func(f *fixture, run Job) (Job, error) { return f.claimAny(context.Background(), run.ID) }},
	{"beat", func(f *fixture, run Job) (Job, error) { return run, f.Beat(context.Background(), run, 50) }},
	{"release", func(f *fixture, run Job) (Job, error) { return run, f.Release(context.Background(), run) }},
	{"second claim", func(f *fixture, run Job) (Job, error) { return f.claimAny(context.Background(), run.ID) }},
	{"retry", func(f *fixture, run Job) (Job, error) { return run, f.Retry(context.Background(), run) }},
	{"third claim", func(f *fixture, run Job) (Job, error) {
		f.clock.Add(2 * time.Second)
		return f.claimAny(context.Background(), run.ID)
	}},
	{"finish", func(f *fixture, run Job) (Job, error) { return run, f.Finish(context.Background(), run, done) }},
}

func TestAcceptedJobSurvivesACrashAtEveryStep(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Config){"in rows": func(*Config) {}, "in blobs": inBlobs} {
		for last, life := range lives {
			t.Run(strings.ReplaceAll(name+" after "+life.moment, " ", "_"), func(t *testing.T) {
				f := newFixture(t, change)
				job := f.acceptCharged(t, "request")
				run := job
				for _, l := range lives[:last+1] {
					var err error
					run, err = l.step(f, run)
					do(t, err)
				}
				f.crash(t).checkRecovered(t, job)
			})
		}
	}
}

// checkRecovered lets the next process do its work and checks that the job has its effects, each once.
func (f *fixture) checkRecovered(t *testing.T, job Job) {
	t.Helper()
	got := f.recover(t, job)
	if input, err := f.Input(t.Context(), got); err != nil || string(input) != "request" || got.State != Succeeded {
		t.Errorf("the job ends %s with input %q, error %v", got.State, input, err)
	}
	f.checkOutput(t, got)
	f.checkEffects(t, job, "job.succeeded", 1)
}

func TestCrashWhileOutputIsStoredLeavesOneOutput(t *testing.T) {
	for _, name := range []string{answerName, artifactName} {
		f := newFixture(t, inBlobs)
		job := f.acceptCharged(t, "request")
		run := f.claim(t, job)
		var after *fixture
		f.Ledger.blobs = &stubborn{Store: f.blobs, put: func(key string) {
			if strings.HasSuffix(key, name) {
				after = f.crash(t)
				after.checkRecovered(t, job)
			}
		}}
		do(t, f.Finish(t.Context(), run, done)) // what the killed process would have done
		got := after.get(t, job)
		if got.Run != 2 || got.Crashes != 1 {
			t.Errorf("recovered job %+v", got)
		}
		f.clock.Add(time.Since(f.clock.Now()) + 2*time.Hour)
		if n, err := after.Sweep(t.Context()); err != nil || n < 1 || n > 2 {
			t.Errorf("%d swept, error %v, want those of the first run", n, err)
		}
		want := []string{job.ID + "/0/input", job.ID + "/2/answer", job.ID + "/2/artifact"}
		if stored := after.stored(t); !slices.Equal(stored, want) {
			t.Errorf("stored are %q, want %q", stored, want)
		}
		after.checkOutput(t, got)
		after.checkEffects(t, job, "job.succeeded", 1)
	}
}

func TestCrashBetweenInputAndRowLeavesNoJob(t *testing.T) {
	f := newFixture(t, inBlobs)
	var after *fixture
	f.Ledger.blobs = &stubborn{Store: f.blobs, put: func(string) {
		after = f.crash(t)
		if jobs, _, err := after.List(t.Context(), f.account, account.Test, Page{}); err != nil || len(jobs) != 0 {
			t.Errorf("%d jobs, error %v", len(jobs), err)
		}
		before := f.clock.Now()
		f.clock.Add(time.Since(before) + 2*time.Hour)
		if n, err := after.Sweep(t.Context()); err != nil || n != 1 || len(after.stored(t)) != 0 {
			t.Errorf("%d swept, error %v, left %q", n, err, after.stored(t))
		}
	}}
	f.accept(t, "x")
	if after == nil {
		t.Error("no input was stored: the test shows nothing")
	}
}

func TestCrashBetweenErasureAndPurgeIsMadeUpFor(t *testing.T) {
	f := newFixture(t, inBlobs)
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

func TestWipedQueueIsEnqueuedAnewForAllThatWaits(t *testing.T) {
	f := newFixture(t)
	for i := range 20 {
		f.accept(t, fmt.Sprint(i))
	}
	for range 5 {
		_, err := f.Claim(t.Context(), names.Default, "job_of_any_ring")
		do(t, err)
	}
	if n := outboxtest.MakeDue(t, f.outbox); n != 15 {
		t.Fatalf("%d made due", n)
	}
	if owed := outboxtest.Due(t, f.outbox); len(owed) != 15 {
		t.Fatalf("%d owed", len(owed))
	}
}
