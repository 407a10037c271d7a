package ledger

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"einvoiced/storage/account"
	"einvoiced/storage/blob"
	"einvoiced/storage/clock"
	"einvoiced/storage/db"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bell records what was rung.
type bell struct {
	mu    sync.Mutex
	rings []Ring
}

func (b *bell) RingSoon(queue, jobID string, run int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rings = append(b.rings, Ring{JobID: jobID, Queue: queue, Run: run})
}

// fixture is a ledger on files of its own, with a clock that the test moves.
type fixture struct {
	*Ledger
	dir     string
	db      *db.DB
	blobs   *blob.Folder
	bell    *bell
	clock   *clock.Hand
	account string
}

// newFixture opens a ledger in a new folder, with one account.
func newFixture(t testing.TB) *fixture {
	t.Helper()
	f := openFixture(t, t.TempDir(), clock.NewHand(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)))
	accounts, err := account.New(account.Config{Clock: f.clock}, f.db)
	if err != nil {
		t.Fatal(err)
	}
	a, err := accounts.CreateAccount(t.Context(), "Musterfirma")
	if err != nil {
		t.Fatal(err)
	}
	f.account = a.ID
	return f
}

// openFixture opens a ledger on the files of a folder, as a starting process does.
func openFixture(t testing.TB, dir string, hand *clock.Hand) *fixture {
	t.Helper()
	database, err := db.Open(t.Context(), db.Config{Path: filepath.Join(dir, "einvoiced.db")})
	if err != nil {
		t.Fatal(err)
	}
	blobs, err := blob.OpenFolder(filepath.Join(dir, "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{dir: dir, db: database, blobs: blobs, bell: &bell{}, clock: hand}
	if f.Ledger, err = New(Config{Clock: hand}, database, blobs, f.bell); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { database.Close(); blobs.Close() })
	return f
}

// accept takes over a job with the request.
func (f *fixture) accept(t testing.TB, request string) Job {
	t.Helper()
	job, err := f.Accept(t.Context(), NewJob{Account: f.account, Mode: account.Test, KeyID: "key_1", Kind: "generate", Request: strings.NewReader(request)})
	if err != nil {
		t.Fatal(err)
	}
	return job
}

// claim claims the job.
func (f *fixture) claim(t testing.TB, job Job) Job {
	t.Helper()
	claimed, err := f.Claim(t.Context(), job.ID)
	if err != nil {
		t.Fatal(err)
	}
	return claimed
}

// get reads the job.
func (f *fixture) get(t testing.TB, job Job) Job {
	t.Helper()
	got, err := f.Get(context.Background(), f.account, account.Test, job.ID)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestJobGoesFromAcceptedToSucceeded(t *testing.T) {
	f := newFixture(t)
	job := f.accept(t, `{"invoice":{}}`)
	run := f.claim(t, job)
	input, err := f.Input(t.Context(), run)
	if err != nil || string(input) != `{"invoice":{}}` {
		t.Fatalf("input %q, error %v", input, err)
	}
	if err := f.Beat(t.Context(), run, 40); err != nil {
		t.Fatal(err)
	}
	out := Output{Status: 200, Answer: []byte(`{"success":true}`), Document: &Document{"re.xml", "application/xml", []byte("<Invoice/>")}}
	if err := f.Finish(t.Context(), run, out); err != nil {
		t.Fatal(err)
	}
	done := f.get(t, job)
	if done.State != Succeeded || done.Progress != 100 || done.Status != 200 || done.Artifact.Filename != "re.xml" || done.Artifact.Size != 10 {
		t.Fatalf("finished job: %+v", done)
	}
	if answer, err := f.Answer(t.Context(), done); err != nil || string(answer) != `{"success":true}` {
		t.Fatalf("answer %q, error %v", answer, err)
	}
}
