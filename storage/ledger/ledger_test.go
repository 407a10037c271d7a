package ledger

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/blob"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
	"github.com/einvoiced/einvoiced/storage/id"
	"github.com/einvoiced/einvoiced/storage/outbox"
	"github.com/einvoiced/einvoiced/storage/outbox/outboxtest"
	"github.com/einvoiced/einvoiced/storage/queue/names"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(dbtest.OnEach(m)) }

// queue records what was enqueued.
type queue struct {
	mu       sync.Mutex
	messages []outbox.Message
}

func (b *queue) EnqueueSoon(queue, subject string, run int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.messages = append(b.messages, outbox.Message{Subject: subject, Queue: queue, Run: run})
}

// take gives what was enqueued since the last time.
func (b *queue) take() []outbox.Message {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer func() { b.messages = nil }()
	return b.messages
}

// place is where a ledger keeps things.
type place struct {
	db    db.Config
	blobs string // a folder
}

// fixture is a ledger in a place of its own, with a clock that the test moves.
type fixture struct {
	*Ledger
	place   place
	cfg     Config
	db      *db.DB
	blobs   *blob.Folder
	queue   *queue
	clock   *clock.Hand
	outbox  *outbox.Store
	account string
}

// newFixture opens a ledger in a new place, with one account. What publishes is set up as told does it.
func newFixture(t testing.TB, change ...func(*Config)) *fixture {
	t.Helper()
	cfg := Config{
		Clock: clock.NewHand(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)), Logger: slog.New(slog.DiscardHandler),
		Publisher: told{}, JobEvent: endOf,
	}
	for _, c := range change {
		c(&cfg)
	}
	f := openFixture(t, place{dbtest.Config(t), filepath.Join(t.TempDir(), "blobs")}, cfg)
	do(t, f.db.Write(t.Context(), func(tx *db.Tx) error { _, err := tx.Exec(tableOfTold); return err }))
	f.account = f.newAccount(t)
	return f
}

// Input gives the request's bytes.
func (f *fixture) Input(ctx context.Context, job Job) ([]byte, error) {
	return ReadAll(ctx, f.Ledger.Input(job))
}

// inBlobs keeps nothing beside the row.
func inBlobs(c *Config) { c.SmallBytes = -1 }

// openFixture opens a ledger in a place, as a starting process does.
func openFixture(t testing.TB, p place, cfg Config) *fixture {
	t.Helper()
	blobs, err := blob.OpenFolder(p.blobs)
	do(t, err)
	t.Cleanup(func() { blobs.Close() })
	f := &fixture{place: p, cfg: cfg, db: dbtest.Reopen(t, p.db), blobs: blobs, queue: &queue{}, clock: cfg.Clock.(*clock.Hand)}
	f.Ledger, err = New(cfg, f.db, blobs, f.queue)
	do(t, err)
	f.outbox, err = outbox.New(outbox.Config{Clock: cfg.Clock}, f.db)
	do(t, err)
	return f
}

func (f *fixture) newAccount(t testing.TB) string {
	t.Helper()
	accounts, err := account.New(account.Config{Clock: f.clock}, f.db)
	do(t, err)
	a, err := accounts.CreateAccount(t.Context(), "Musterfirma")
	do(t, err)
	return a.ID
}

// told is a Publisher that writes into a table of the test, so that what is undone is told to nobody.
type told struct{}

const tableOfTold = "CREATE TABLE told (account_id TEXT, type TEXT, object TEXT)"

func (told) Ask(tx *db.Tx, accountID string, mode account.Mode) (Publish, error) {
	return func(events ...Event) (published Published, err error) {
		for _, e := range events {
			if _, err := tx.Exec("INSERT INTO told (account_id, type, object) VALUES (?, ?, ?)", accountID, e.Type, string(e.Object)); err != nil {
				return Published{}, err
			}
			published.Messages = append(published.Messages, outbox.Entry{Kind: outbox.Enqueue, Subject: "dlv_of_" + e.Type, Queue: "webhook", Run: 1})
		}
		return published, nil
	}, nil
}

// endOf is a JobEvent.
func endOf(j Job, _ []byte) Event {
	return Event{Type: "job." + string(j.State), Object: []byte(j.ID)}
}

// told gives the types of the events that name the job, in order.
func (f *fixture) told(t testing.TB, job Job) string {
	t.Helper()
	var types []string
	do(t, f.db.Select(context.Background(), &types, "SELECT type FROM told WHERE object = ? ORDER BY type", job.ID))
	return strings.Join(types, " ")
}

// newJob is a job of the fixture's account.
func (f *fixture) newJob(request string) NewJob {
	return NewJob{Account: f.account, Mode: account.Test, KeyID: "key_1", RequestID: "req_1", Kind: "generate", Request: strings.NewReader(request)}
}

// accept takes over a job with the request.
func (f *fixture) accept(t testing.TB, request string) Job {
	t.Helper()
	job, err := f.Accept(t.Context(), f.newJob(request))
	if err != nil {
		t.Fatal(err)
	}
	return job
}

// claim claims the job, which has its turn or is a suspect.
func (f *fixture) claim(t testing.TB, job Job) Job {
	t.Helper()
	claimed, err := f.claimAny(t.Context(), job.ID)
	do(t, err)
	if claimed.ID != job.ID {
		t.Fatalf("it is the turn of %s, not of %s", claimed.ID, job.ID)
	}
	return claimed
}

// claimAny answers a message as a worker does: for a suspect in a second step.
func (f *fixture) claimAny(ctx context.Context, jobID string) (Job, error) {
	job, err := f.Claim(ctx, names.Default, jobID)
	if errors.Is(err, ErrSuspect) {
		return f.ClaimSuspect(ctx, jobID, alone)
	}
	return job, err
}

// alone and accompanied tell whether nothing else runs in the process of a suspect.
func alone(Job) bool       { return true }
func accompanied(Job) bool { return false }

// get reads the job.
func (f *fixture) get(t testing.TB, job Job) Job {
	t.Helper()
	got, err := f.Get(context.Background(), job.Account, job.Mode, job.ID)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// do fails the test with the first error.
func do(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// stored lists what is kept of all jobs, beside their rows and as blobs, sorted: job/run/name.
func (f *fixture) stored(t testing.TB) []string {
	t.Helper()
	keys := []string{}
	do(t, f.db.Select(context.Background(), &keys, "SELECT job_id || '/' || run || '/' || name FROM job_data"))
	return slices.Sorted(slices.Values(append(keys, f.storedBlobs(t)...)))
}

// storedBlobs lists the blobs among them.
func (f *fixture) storedBlobs(t testing.TB) []string {
	t.Helper()
	keys := []string{}
	do(t, f.blobs.List(context.Background(), "", func(o blob.Object) error {
		_, key, _ := strings.Cut(o.Key, "/")
		keys = append(keys, key)
		return nil
	}))
	slices.Sort(keys)
	return keys
}

// inBoth runs a test on jobs whose bytes are kept beside their rows, and on jobs whose bytes are blobs.
func inBoth(t *testing.T, test func(*testing.T, *fixture)) {
	t.Run("rows", func(t *testing.T) {
		f := newFixture(t)
		test(t, f)
		if left := f.storedBlobs(t); len(left) > 0 {
			t.Errorf("small bytes are stored as blobs %q", left)
		}
	})
	t.Run("blobs", func(t *testing.T) { test(t, newFixture(t, inBlobs)) })
}

// done is the output of a run that went well.
var done = Output{
	Status: 200, Answer: Bytes(`{"success":true}`), Document: &Document{"re.xml", "application/xml", Bytes("<Invoice/>")},
	Rulebooks: Rulebooks{3, "0a"},
}

func TestConfigIsChecked(t *testing.T) {
	for name, cfg := range map[string]Config{
		"time limit":    {TimeLimit: time.Millisecond},
		"retention":     {Retention: -1},
		"dead after":    {DeadAfter: time.Millisecond},
		"message again": {EnqueueAgain: time.Millisecond},
		"max attempts":  {MaxAttempts: -1},
		"max crashes":   {MaxCrashes: -1},
		"small bytes":   {SmallBytes: 1<<20 + 1},
	} {
		if _, err := New(cfg, nil, nil, nil); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestAcceptedJobIsQueuedOwedAMessageAndEnqueued(t *testing.T) {
	f := newFixture(t)
	job := f.accept(t, `{"invoice":{}}`)
	want := Job{
		ID: job.ID, Account: f.account, Mode: account.Test, KeyID: "key_1", RequestID: "req_1", Kind: "generate", Queue: names.Default, State: Queued,
		TimeLimit: 120 * time.Second, Created: f.clock.Now(), Input: blob.Info{Size: 14, SHA256: job.Input.SHA256},
	}
	if diff := cmp.Diff(want, f.get(t, job)); diff != "" || !id.Valid("job", job.ID) {
		t.Errorf("row of %s:\n%s", job.ID, diff)
	}
	if diff := cmp.Diff([]outbox.Message{{Subject: job.ID, Queue: names.Default, Run: 1}}, f.queue.messages); diff != "" {
		t.Errorf("enqueued:\n%s", diff)
	}
	f.clock.Add(30 * time.Second)
	if owed := outboxtest.Due(t, f.outbox); len(owed) != 1 || owed[0].Subject != job.ID || owed[0].Run != 1 {
		t.Errorf("owed %+v", owed)
	}
}

func TestNewJobIsChecked(t *testing.T) {
	f := newFixture(t)
	for name, change := range map[string]func(*NewJob){
		"no account":    func(n *NewJob) { n.Account = "" },
		"no kind":       func(n *NewJob) { n.Kind = "" },
		"no request":    func(n *NewJob) { n.Request = nil },
		"unknown queue": func(n *NewJob) { n.Queue = "fast" },
		"short limit":   func(n *NewJob) { n.TimeLimit = time.Millisecond },
	} {
		n := f.newJob("x")
		change(&n)
		if _, err := f.Accept(t.Context(), n); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: error %v, want ErrInvalid", name, err)
		}
	}
}

func TestJobThatIsNotAcceptedLeavesNothing(t *testing.T) {
	inBoth(t, func(t *testing.T, f *fixture) {
		for name, change := range map[string]func(*NewJob){
			"unknown account": func(n *NewJob) { n.Account = "acc_unknown" },
			"unknown mode":    func(n *NewJob) { n.Mode = "prod" },
			"broken request":  func(n *NewJob) { n.Request = brokenReader{} },
		} {
			n := f.newJob("x")
			change(&n)
			if _, err := f.Accept(t.Context(), n); err == nil {
				t.Errorf("%s: accepted", name)
			}
		}
		if left := f.stored(t); len(left) > 0 || len(f.queue.messages) > 0 {
			t.Errorf("left are blobs %q and messages %v", left, f.queue.take())
		}
	})
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("broken") }

func TestJobGoesFromAcceptedToSucceeded(t *testing.T) {
	inBoth(t, func(t *testing.T, f *fixture) {
		job := f.accept(t, `{"invoice":{}}`)
		f.clock.Add(time.Second)
		run := f.claim(t, job)
		if input, err := f.Input(t.Context(), run); err != nil || string(input) != `{"invoice":{}}` {
			t.Fatalf("input %q, error %v", input, err)
		}
		do(t, f.Beat(t.Context(), run, 40))
		if got := f.get(t, job); got.State != Running || got.Progress != 40 || got.Run != 1 {
			t.Errorf("running job: %+v", got)
		}
		f.clock.Add(time.Second)
		do(t, f.Finish(t.Context(), run, done))
		got := f.get(t, job)
		want := run
		want.Request = nil // a claim alone brings it
		want.State, want.Progress, want.Status = Succeeded, 100, 200
		want.Finished, want.Expires = f.clock.Now(), f.clock.Now().Add(7*24*time.Hour)
		want.Rulebooks = done.Rulebooks
		want.Answer, want.Artifact = got.Answer, &Artifact{"re.xml", "application/xml", got.Artifact.Info}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("finished job:\n%s", diff)
		}
		f.checkOutput(t, got)
	})
}

// checkOutput compares what is stored for the job with done.
func (f *fixture) checkOutput(t *testing.T, job Job) {
	t.Helper()
	if answer, err := f.Answer(t.Context(), job); err != nil || string(answer) != string(done.Answer.(Bytes)) {
		t.Errorf("answer %q, error %v", answer, err)
	}
	if document, err := f.document(t, job); err != nil || document != string(done.Document.Content.(Bytes)) {
		t.Errorf("artifact %q, error %v", document, err)
	}
}

func TestRefusalEndsTheJobWithItsBodyAndIsNotRepeated(t *testing.T) {
	f := newFixture(t)
	run := f.claim(t, f.accept(t, "x"))
	do(t, f.Finish(t.Context(), run, Output{Status: 400, Answer: Bytes(`{"error":"Bad Request"}`)}))
	got := f.get(t, run)
	if got.State != Failed || got.Status != 400 || got.Failure != nil || got.Artifact != nil || got.Attempts != 0 {
		t.Errorf("refused job: %+v", got)
	}
	if answer, err := f.Answer(t.Context(), got); err != nil || string(answer) != `{"error":"Bad Request"}` {
		t.Errorf("answer %q, error %v", answer, err)
	}
	if _, err := f.Artifact(t.Context(), got); !errors.Is(err, ErrGone) {
		t.Errorf("artifact: error %v, want ErrGone", err)
	}
}
