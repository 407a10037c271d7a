package ledger

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
	"github.com/einvoiced/einvoiced/storage/seal"
)

// again begins a request that is expected not to be this one's to answer.
func (f *fixture) again(t testing.TB, r Request) Ticket {
	t.Helper()
	ticket, err := f.Begin(t.Context(), r)
	do(t, err)
	if ticket.yours() {
		t.Fatal("the request is executed again")
	}
	return ticket
}

func TestFiftyRequestsWithOneKeyAreExecutedOnce(t *testing.T) {
	f := newInline(t, "free")
	processes := []*Ledger{f.Ledger, f.elsewhere(t, "process_2")}
	var executions, replays atomic.Int64
	var callers sync.WaitGroup
	deadline := time.Now().Add(time.Minute)
	for i := range 50 {
		callers.Go(func() {
			for time.Now().Before(deadline) {
				ticket, err := processes[i%2].Begin(context.Background(), f.keyed("k", "body", create))
				switch {
				case err != nil:
					t.Error(err)
					return
				case ticket.Elsewhere:
					<-time.After(5 * time.Millisecond) // between two questions; the answer decides
					continue
				case ticket.Stored != nil:
					if string(ticket.Stored.Body) != "the answer" {
						t.Errorf("replayed %q", ticket.Stored.Body)
					}
					replays.Add(1)
					return
				}
				executions.Add(1)
				if err := processes[i%2].Settle(context.Background(), ticket, ok("the answer")); err != nil {
					t.Error(err)
				}
				return
			}
			t.Error("nobody has answered")
		})
	}
	callers.Wait()
	if executions.Load() != 1 || replays.Load() != 49 {
		t.Errorf("%d executions, %d replays", executions.Load(), replays.Load())
	}
	f.wantUsed(t, create, 0, 1)
}

func TestReplayIsTheAnswerByteForByte(t *testing.T) {
	t.Parallel()
	f := newInline(t, "free")
	for i, want := range []Stored{
		{Status: 200, ContentType: "application/json", Body: []byte(`{"success":true,"filename":"ä.xml"}`)},
		{Status: 201, ContentType: "application/pdf", Header: map[string]string{"X-Hash": "ab", "Content-Disposition": "attachment; filename=\"a\nb\""}, Body: []byte("%PDF\n\x00\xff\nx")},
		{Status: 204, Body: []byte{}},
		{Status: 400, ContentType: "application/json", Body: []byte(`{"error":"Bad Request"}`)},
		{Status: 422, ContentType: "application/json", Body: []byte(strings.Repeat("x", 100_000))},
	} {
		r := f.keyed(fmt.Sprint(i), "body", create)
		do(t, f.Settle(t.Context(), f.begin(t, r), Settlement{Success: want.Status < 300, Stored: &want}))
		for range 2 {
			if diff := cmp.Diff(&want, f.again(t, r).Stored); diff != "" {
				t.Errorf("status %d:\n%.500s", want.Status, diff)
			}
		}
	}
	f.wantUsed(t, create, 0, 3)
}

func TestAnswersThatMayChangeReleaseTheKey(t *testing.T) {
	f := newInline(t, "free")
	r := f.keyed("k", "body", create)
	for _, status := range []int{0, 302, 401, 403, 404, 409, 413, 415, 429, 500, 503} {
		s := Settlement{Stored: &Stored{Status: status}}
		if status == 0 {
			s.Stored = nil
		}
		do(t, f.Settle(t.Context(), f.begin(t, r), s))
	}
	do(t, f.Drop(t.Context(), f.begin(t, r)))
	f.begin(t, r)
	f.wantUsed(t, create, 1, 0)
}

func TestKeyOfAnotherRequestIsAConflictThatCostsNothing(t *testing.T) {
	f := newInline(t, "free")
	ticket := f.begin(t, f.keyed("k", "body", create))
	for _, moment := range []string{"under way", "answered"} {
		if _, err := f.Begin(t.Context(), f.keyed("k", "another body", create)); !errors.Is(err, ErrConflict) {
			t.Errorf("%s: error %v, want ErrConflict", moment, err)
		}
		f.wantUsed(t, createFR, 0, 0)
		if moment == "under way" {
			do(t, f.Settle(t.Context(), ticket, ok("{}")))
		}
	}
	f.wantUsed(t, create, 0, 1)
}

func TestKeysOfAnotherApiKeyAreIndependent(t *testing.T) {
	f := newInline(t, "free")
	first := f.keyed("k", "body", create)
	other := first // another account, or the other mode: in any case another API key
	other.KeyID, other.Mode = "key_2", account.Test
	do(t, f.Settle(t.Context(), f.begin(t, first), ok("first")))
	do(t, f.Settle(t.Context(), f.begin(t, other), ok("other")))
	if a, b := f.again(t, first), f.again(t, other); string(a.Stored.Body) != "first" || string(b.Stored.Body) != "other" {
		t.Errorf("replayed %q and %q", a.Stored.Body, b.Stored.Body)
	}
}

func TestKeyIsForgottenAfterADay(t *testing.T) {
	f := newInline(t, "free")
	r := f.keyed("k", "body", create)
	do(t, f.Settle(t.Context(), f.begin(t, r), ok("old")))
	f.clock.Add(24*time.Hour - time.Millisecond)
	if got := f.again(t, r); string(got.Stored.Body) != "old" {
		t.Errorf("replayed %q", got.Stored.Body)
	}
	f.clock.Add(time.Millisecond)
	do(t, f.Settle(t.Context(), f.begin(t, r), ok("new")))
	if got := f.again(t, r); string(got.Stored.Body) != "new" {
		t.Errorf("replayed %q", got.Stored.Body)
	}
	if n, err := f.ExpireIdempotency(t.Context()); n != 0 || err != nil {
		t.Errorf("%d forgotten (error %v), though the key was taken anew", n, err)
	}
	f.wantUsed(t, create, 0, 2)
}

func TestExpiredKeysAreForgottenByThePage(t *testing.T) {
	f := newInline(t, "")
	now := f.now()
	f.exec(t, `WITH RECURSIVE n (n) AS (SELECT CAST(? AS BIGINT) UNION ALL SELECT n + 1 FROM n WHERE n < CAST(? AS BIGINT))
		INSERT INTO idempotency_keys (key_id, idempotency_key, fingerprint, owner, expires) SELECT 'key', n, 'body', 'hold', n FROM n`, now-1199, now+1)
	for _, want := range []int{500, 500, 200, 0} {
		if n, err := f.ExpireIdempotency(t.Context()); n != want || err != nil {
			t.Errorf("%d forgotten, error %v, want %d", n, err, want)
		}
	}
	if n := f.rows(t, "idempotency_keys"); n != 1 {
		t.Errorf("%d keys are left, want 1", n)
	}
}

// TestQueriesOfKeysAndBatchesUseTheirIndexes ensures that chores and ends of jobs do not read through what is kept.
func TestQueriesOfKeysAndBatchesUseTheirIndexes(t *testing.T) {
	f := newInline(t, "")
	for query, index := range map[string]string{
		"SELECT * FROM idempotency_keys WHERE " + ofPage:                                   "idempotency_keys_by_expiry",
		"SELECT expires FROM idempotency_keys WHERE expires <= ? ORDER BY expires LIMIT ?": "idempotency_keys_by_expiry",
		"SELECT * FROM idempotency_keys WHERE owner = ?":                                   "idempotency_keys_by_owner",
		"SELECT * FROM reservations" + ofBatch:                                             "reservations_by_batch",
	} {
		dbtest.ReadsThrough(t, f.db, index, query, []any{"1", "1", "1"}[:strings.Count(query, "?")]...)
	}
}

func TestReplaysAreFreeAndOutliveQuotaAndSubscription(t *testing.T) {
	f := newInline(t, "free")
	r := f.keyed("k", "body", create)
	do(t, f.Settle(t.Context(), f.begin(t, r), ok("{}")))
	do(t, f.db.Write(t.Context(), use(f.account, create, 99)))
	var quota *QuotaError
	if _, err := f.Begin(t.Context(), f.keyed("l", "body", create)); !errors.As(err, &quota) {
		t.Errorf("error %v, want a QuotaError", err)
	}
	if n := f.rows(t, "idempotency_keys"); n != 1 {
		t.Errorf("%d keys: the refused one is kept", n)
	}
	f.setAccount(t, "lapsed = TRUE")
	f.again(t, r)
	f.wantUsed(t, create, 0, 100)
}

func TestKeptAnswersAreEncryptedForTheirRow(t *testing.T) {
	f := newInline(t, "")
	const canary = "Musterfirma-Kanarienvogel"
	for _, key := range []string{"k", "l"} {
		do(t, f.Settle(t.Context(), f.begin(t, f.keyed(key, "body")), ok(canary+key)))
	}
	var sealed []byte
	do(t, f.db.Get(t.Context(), &sealed, "SELECT sealed FROM idempotency_keys WHERE idempotency_key = 'k'"))
	if strings.Contains(string(sealed), canary) || len(sealed) < len(canary) {
		t.Errorf("the database holds %q", sealed)
	}
	f.exec(t, "UPDATE idempotency_keys SET sealed = ? WHERE idempotency_key = 'l'", sealed)
	if _, err := f.Begin(t.Context(), f.keyed("l", "body")); !errors.Is(err, seal.ErrDamaged) {
		t.Errorf("the answer of another row: error %v, want ErrDamaged", err)
	}
	stranger := f.process(t, "process_2", func(c *Config) {
		var err error
		c.Seal, err = seal.Open(seal.Config{Key: seal.NewKey()})
		do(t, err)
	})
	if _, err := stranger.Begin(t.Context(), f.keyed("k", "body")); !errors.Is(err, seal.ErrUnknownKey) {
		t.Errorf("another secret key: error %v, want ErrUnknownKey", err)
	}
	if _, err := f.process(t, "process_3", func(c *Config) { c.Seal = nil }).Begin(t.Context(), f.keyed("n", "body")); err == nil {
		t.Error("a key is taken whose answer could not be kept")
	}
}

// job takes the request over into a job.
func (f *fixture) job(t testing.TB, ticket Ticket) Job {
	t.Helper()
	n := f.newJob("x")
	n.Mode, n.KeyID, n.Ticket = account.Live, testKeyID, &ticket
	job, err := f.Accept(t.Context(), n)
	do(t, err)
	return job
}

func TestJobTakesKeyAndChargesOver(t *testing.T) {
	f := newInline(t, "")
	for _, planName := range []string{"", "free"} {
		for _, c := range []struct {
			name   string
			end    func(f *fixture, run Job) error
			joined bool  // the same key still leads to the job
			units  int64 // counted
		}{
			{"success", func(f *fixture, run Job) error { return f.Finish(t.Context(), run, done) }, true, 1},
			{"refusal 400", func(f *fixture, run Job) error {
				return f.Finish(t.Context(), run, Output{Status: 400, Answer: Bytes("{}")})
			}, true, 0},
			{"refusal 422", func(f *fixture, run Job) error {
				return f.Finish(t.Context(), run, Output{Status: 422, Answer: Bytes("{}")})
			}, true, 0},
			{"refusal 413", func(f *fixture, run Job) error {
				return f.Finish(t.Context(), run, Output{Status: 413, Answer: Bytes("{}")})
			}, false, 0},
			{"failure", func(f *fixture, run Job) error { return f.Fail(t.Context(), run, Failure{CodeTimedOut, "late"}) }, false, 0},
			{"cancellation", func(f *fixture, run Job) error {
				_, err := f.Cancel(t.Context(), f.account, account.Live, run.ID)
				return err
			}, false, 0},
		} {
			f.account = f.newAccount(t)
			f.setAccount(t, "plan = ?", planName)
			r := f.keyed(c.name+planName, "body", create)
			ticket := f.begin(t, r)
			job := f.job(t, ticket)
			if got := f.again(t, r); got.JobID != job.ID {
				t.Errorf("%s: queued: ticket %+v, want the job", c.name, got)
			}
			f.clock.Add(11 * time.Second) // the request's process may die now
			f.reapDead(t)
			do(t, c.end(f, f.claim(t, job)))
			f.wantUsed(t, create, 0, c.units)
			got, err := f.Begin(t.Context(), r)
			do(t, err)
			if c.joined != (got.JobID == job.ID) || c.joined == got.yours() {
				t.Errorf("%s: ended: ticket %+v", c.name, got)
			}
			if _, err := f.Begin(t.Context(), f.keyed(c.name+planName, "another body", create)); !errors.Is(err, ErrConflict) {
				t.Errorf("%s: another body: error %v", c.name, err)
			}
			if n := f.rows(t, "reservations WHERE process = '' AND account_id = '"+f.account+"'"); n > 0 {
				t.Errorf("%s: %d reservations of jobs are left", c.name, n)
			}
		}
	}
}

func TestErasedJobReleasesItsKey(t *testing.T) {
	f := newInline(t, "")
	r := f.keyed("k", "body", create)
	job := f.job(t, f.begin(t, r))
	do(t, f.Finish(t.Context(), f.claim(t, job), done))
	_, err := f.Erase(t.Context(), f.account, account.Live, job.ID)
	do(t, err)
	f.begin(t, r)
}

func TestJobOfALostTicketIsNotAccepted(t *testing.T) {
	f := newInline(t, "free")
	for name, r := range map[string]Request{"key": f.keyed("k", "body"), "reservation": f.live(create)} {
		ticket := f.begin(t, r)
		f.clock.Add(11 * time.Second)
		f.reapDead(t)
		n := f.newJob("x")
		n.Mode, n.Ticket = account.Live, &ticket
		if _, err := f.Accept(t.Context(), n); !errors.Is(err, ErrLost) {
			t.Errorf("%s: error %v, want ErrLost", name, err)
		}
	}
	n := f.newJob("x")
	n.Ticket = &Ticket{Elsewhere: true}
	if _, err := f.Accept(t.Context(), n); !errors.Is(err, ErrInvalid) {
		t.Errorf("another's ticket: error %v, want ErrInvalid", err)
	}
	if n := f.rows(t, "jobs"); n > 0 {
		t.Errorf("%d jobs", n)
	}
}

func TestTicketThatBecameAJobHoldsNothingAnyMore(t *testing.T) {
	f := newInline(t, "free")
	r := f.keyed("k", "body", create)
	ticket := f.begin(t, r)
	job := f.job(t, ticket)
	if err := f.Settle(t.Context(), ticket, ok("{}")); !errors.Is(err, ErrLost) {
		t.Errorf("settle: error %v, want ErrLost", err)
	}
	do(t, f.Drop(t.Context(), ticket))
	if got := f.again(t, r); got.JobID != job.ID {
		t.Errorf("ticket %+v, want the job", got)
	}
	f.wantUsed(t, create, 1, 0)
}

// refusing is a Publisher that cannot take events over.
type refusing struct{}

func (refusing) Ask(*db.Tx, string, account.Mode) (Publish, error) {
	return func(...Event) (Published, error) { return Published{}, errors.New("no place") }, nil
}

func TestAnswerWhoseEventsCannotBePublishedIsNotSettled(t *testing.T) {
	f := newInline(t, "free")
	l := f.process(t, "process_2", func(c *Config) { c.Publisher = refusing{} })
	ticket, err := l.Begin(t.Context(), f.keyed("k", "body", create))
	do(t, err)
	s := ok("{}")
	s.Events = []Event{{Type: "invoice.generated"}}
	if err := l.Settle(t.Context(), ticket, s); err == nil || !strings.Contains(err.Error(), "no place") {
		t.Errorf("error %v", err)
	}
	f.wantUsed(t, create, 1, 0)
	do(t, l.Drop(t.Context(), ticket))
	f.wantUsed(t, create, 0, 0)
	f.begin(t, f.keyed("k", "body"))
}

func TestAnswerThatGoesAlongIsKeptWithTheRest(t *testing.T) {
	f := newInline(t, "free")
	undone := errors.New("the rest has failed")
	ticket, err := f.Begin(t.Context(), f.keyed("k", "body", create))
	do(t, err)
	for _, fails := range []error{undone, nil} {
		err := f.db.Write(t.Context(), func(tx *db.Tx) error {
			return errors.Join(f.SettleAlong(tx, ticket, ok("the answer")), fails)
		})
		if !errors.Is(err, fails) {
			t.Fatal(err)
		}
		again := f.again(t, f.keyed("k", "body", create))
		if kept := again.Stored != nil; kept != (fails == nil) || again.Elsewhere == kept {
			t.Errorf("the rest ended with %v: %+v", fails, again)
		}
	}
	do(t, f.Drop(t.Context(), ticket))
	if again := f.again(t, f.keyed("k", "body", create)); again.Stored == nil || string(again.Stored.Body) != "the answer" {
		t.Errorf("replayed %+v", again)
	}
	f.wantUsed(t, create, 0, 1)
	with := ok("x")
	with.Events = []Event{{Type: "invoice.created"}}
	for what, err := range map[string]error{
		"settled twice": f.db.Write(t.Context(), func(tx *db.Tx) error { return f.SettleAlong(tx, ticket, ok("another")) }),
		"events":        f.db.Write(t.Context(), func(tx *db.Tx) error { return f.SettleAlong(tx, ticket, with) }),
		"no ticket":     f.db.Write(t.Context(), func(tx *db.Tx) error { return f.SettleAlong(tx, Ticket{}, ok("x")) }),
	} {
		if !errors.Is(err, ErrLost) && !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: error %v", what, err)
		}
	}
}

func TestSettledAnswerCountsAndPublishesOnce(t *testing.T) {
	for _, planName := range []string{"", "free"} {
		f := newInline(t, planName)
		ticket := f.begin(t, f.keyed("k", "body", create))
		s := ok("{}")
		s.Events = []Event{{Type: "invoice.generated", Object: []byte(`{"invoiceNumber":"1"}`)}}
		do(t, f.Settle(t.Context(), ticket, s))
		if enqueued := f.queue.take(); len(enqueued) != 1 || enqueued[0].Subject != "dlv_of_invoice.generated" {
			t.Errorf("enqueued %+v, want the event's delivery", enqueued)
		}
		lost := f.begin(t, f.keyed("l", "body", create))
		f.clock.Add(11 * time.Second)
		f.reapDead(t)
		for name, ticket := range map[string]Ticket{"settled": ticket, "lost": lost} {
			if err := f.Settle(t.Context(), ticket, s); !errors.Is(err, ErrLost) {
				t.Errorf("plan %q, %s ticket: error %v, want ErrLost", planName, name, err)
			}
		}
		if n := f.rows(t, "told"); n != 1 || len(f.queue.take()) > 0 {
			t.Errorf("%d events, want 1", n)
		}
		f.wantUsed(t, create, 0, 1)
	}
}
