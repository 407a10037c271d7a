package chain

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
)

// job puts a job into the database that is in a state.
func (f *fixture) job(t testing.TB, jobID, state string) {
	t.Helper()
	err := f.db.Write(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO jobs (id, account_id, mode, key_id, request_id, kind, queue, state, time_limit, created, input_size, input_sha256)
			VALUES (?, ?, 'test', '', '', 'verifactu', 'default', ?, 1000, 1, 0, '') ON CONFLICT (id) DO UPDATE SET state = excluded.state`, jobID, f.owner.Account, state)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) due(t testing.TB) []Due {
	t.Helper()
	due, err := f.Due(t.Context(), f.owner.Mode, mostOfTests, 10)
	if err != nil {
		t.Fatal(err)
	}
	return due
}

// mostOfTests is how many records a batch of the tests has at most.
const mostOfTests = 3

// claimed gives the chain that is due to a job that runs.
func (f *fixture) claimed(t testing.TB, jobID string) Due {
	t.Helper()
	due := f.due(t)
	if len(due) != 1 {
		t.Fatalf("due are %+v", due)
	}
	f.job(t, jobID, "running")
	if err := f.db.Write(t.Context(), func(tx *db.Tx) error { return f.Claim(tx, due[0], jobID) }); err != nil {
		t.Fatal(err)
	}
	return due[0]
}

func (f *fixture) begin(t testing.TB, chainID, jobID string, run int64) Attempt {
	t.Helper()
	a, err := f.Begin(t.Context(), chainID, jobID, run, mostOfTests)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// numbers are those of the records of an attempt.
func numbers(a Attempt) string {
	var list []string
	for _, r := range a.Records {
		list = append(list, r.Number)
	}
	return strings.Join(list, " ")
}

// said are outcomes with a state for each record of an attempt.
func said(a Attempt, state string) []Outcome {
	outcomes := make([]Outcome, len(a.Records))
	for i := range outcomes {
		outcomes[i] = Outcome{State: state, Code: "1", Message: "m", CSV: "c"}
	}
	return outcomes
}

func (f *fixture) append(t testing.TB, invoices ...string) {
	t.Helper()
	for _, number := range invoices {
		if _, _, err := f.add(t, f.owner, entry(number, "x")); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSending_InOrderWithPauses ensures that a chain is sent in its order and in batches, that each has an outcome, that the pause is kept unless a whole batch
// waits, and that a job that goes on keeps others away.
func TestSending_InOrderWithPauses(t *testing.T) {
	f := newFixture(t)
	if len(f.due(t)) > 0 {
		t.Error("a chain is due without records")
	}
	f.append(t, "A-1", "A-2")
	d := f.claimed(t, "job_1")
	if d.Account != f.owner.Account || d.Mode != account.Test || len(f.due(t)) > 0 {
		t.Errorf("%+v, due are %+v", d, f.due(t))
	}
	f.append(t, "A-3", "A-4")
	a := f.begin(t, d.Chain, "job_1", 1)
	if numbers(a) != "A-1 A-2 A-3" || a.Owner != f.owner || a.Tries != 1 || a.First.Number != "A-1" || string(a.Records[1].Document) != "<A-2/>" {
		t.Errorf("%+v", a)
	}
	if err := f.Settle(t.Context(), a, said(a, "accepted"), time.Minute); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Begin(t.Context(), d.Chain, "job_1", 2, mostOfTests); !errors.Is(err, ErrIdle) {
		t.Errorf("a job sends twice: %v", err)
	}
	f.job(t, "job_1", "succeeded")
	if len(f.due(t)) > 0 {
		t.Error("the pause is not kept")
	}
	f.append(t, "A-5", "A-6")
	if len(f.due(t)) != 1 {
		t.Error("a whole batch waits, and is not due")
	}
	a = f.begin(t, f.claimed(t, "job_2").Chain, "job_2", 1)
	if numbers(a) != "A-4 A-5 A-6" {
		t.Errorf("%+v", a)
	}
	if err := f.Settle(t.Context(), a, said(a, "rejected"), time.Minute); err != nil {
		t.Fatal(err)
	}
	f.append(t, "A-7")
	f.hand.Add(time.Minute)
	if numbers(f.begin(t, f.claimed(t, "job_3").Chain, "job_3", 1)) != "A-7" {
		t.Error("the pause is over, and the next is not sent")
	}
	f.wantOutcomes(t, "1 accepted, 2 accepted, 3 accepted, 4 rejected, 5 rejected, 6 rejected, 7 ")
}

func (f *fixture) wantOutcomes(t testing.TB, want string) {
	t.Helper()
	c, err := f.Find(t.Context(), f.owner)
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := c.Outcomes(t.Context(), 1, 100)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range int64(len(f.read(t, f.owner, Range{Most: 100}))) {
		got = append(got, fmt.Sprint(i+1, " ", outcomes[i+1].State))
	}
	if strings.Join(got, ", ") != want {
		t.Errorf("%s, want %s", strings.Join(got, ", "), want)
	}
}

// TestSending_SameRecordsAfterAFault ensures that what got no answer is sent again as it was, after the wait, by whoever comes next: another job after a fault,
// the next run after a death, another job where that was given up or canceled; and that who has lost the chain writes nothing.
func TestSending_SameRecordsAfterAFault(t *testing.T) {
	f := newFixture(t)
	f.append(t, "A-1")
	chainID := f.claimed(t, "job_1").Chain
	dead := f.begin(t, chainID, "job_1", 1)
	f.append(t, "A-2", "A-3", "A-4", "A-5")
	a := f.begin(t, chainID, "job_1", 2)
	if numbers(a) != "A-1" || a.Tries != 2 {
		t.Errorf("the next run sends %+v", a)
	}
	for name, err := range map[string]error{"an outcome": f.Settle(t.Context(), dead, said(dead, "accepted"), 0), "a fault": f.NoteFault(t.Context(), dead, "x", 0)} {
		if !errors.Is(err, ErrTaken) {
			t.Errorf("%s of a dead run: %v", name, err)
		}
	}
	if _, err := f.Begin(t.Context(), chainID, "job_1", 2, mostOfTests); !errors.Is(err, ErrTaken) {
		t.Errorf("the same run once more: %v", err)
	}
	if err := f.NoteFault(t.Context(), a, "no answer", time.Minute); err != nil {
		t.Fatal(err)
	}
	f.job(t, "job_1", "failed")
	c, err := f.Find(t.Context(), f.owner)
	if err != nil {
		t.Fatal(err)
	}
	if fault, err := c.Fault(t.Context()); fault != "no answer" || err != nil || len(f.due(t)) > 0 {
		t.Errorf("%q %v; due before the wait is over: %+v", fault, err, f.due(t))
	}
	f.hand.Add(time.Minute)
	f.claimed(t, "job_2")
	f.job(t, "job_2", "canceled")
	f.claimed(t, "job_3")
	if a = f.begin(t, chainID, "job_3", 1); numbers(a) != "A-1" || a.Tries != 3 {
		t.Errorf("%+v", a)
	}
	if err := f.Settle(t.Context(), a, said(a, "accepted_with_errors"), 0); err != nil {
		t.Fatal(err)
	}
	if fault, err := c.Fault(t.Context()); fault != "" || err != nil {
		t.Errorf("%q %v", fault, err)
	}
	if numbers(f.begin(t, f.claimed(t, "job_4").Chain, "job_4", 1)) != "A-2 A-3 A-4" {
		t.Error("what was appended meanwhile does not follow")
	}
}

// TestSending_OnceAmongMany lets several processes give one chain to jobs at once: one of them does.
func TestSending_OnceAmongMany(t *testing.T) {
	dbtest.EachConfig(t, func(t *testing.T, cfg db.Config) {
		f := fixtureOn(t, dbtest.Reopen(t, cfg))
		f.append(t, "A-1")
		stores := []*Store{f.Store, New(f.hand, dbtest.Reopen(t, cfg)), New(f.hand, dbtest.Reopen(t, cfg))}
		d := f.due(t)[0]
		for round := range 5 {
			var work sync.WaitGroup
			var won atomic.Int64
			jobs := make(chan string, 12)
			for i := range 12 {
				jobID := fmt.Sprintf("job_%d_%d", round, i)
				f.job(t, jobID, "failed")
				work.Go(func() {
					s := stores[i%len(stores)]
					err := s.db.Write(context.Background(), func(tx *db.Tx) error { return s.Claim(tx, d, jobID) })
					switch {
					case err == nil:
						won.Add(1)
						jobs <- jobID
					case !errors.Is(err, ErrTaken):
						t.Error(err)
					}
				})
			}
			work.Wait()
			if won.Load() != 1 {
				t.Fatalf("%d jobs have the chain", won.Load())
			}
			if d = f.due(t)[0]; d.Job != <-jobs {
				t.Errorf("%+v", d)
			}
		}
	})
}

// TestRowsStay ensures that the database itself refuses to change or delete rows of chains, whoever asks, and goes on to take new ones.
func TestRowsStay(t *testing.T) {
	dbtest.EachConfig(t, func(t *testing.T, cfg db.Config) {
		f := fixtureOn(t, dbtest.Reopen(t, cfg))
		f.append(t, "A-1")
		for _, statement := range []string{
			"UPDATE chain_records SET total = '0.00'", "UPDATE chain_records SET position = position + 1", "DELETE FROM chain_records", "UPDATE chains SET issuer = 'x'", "DELETE FROM chains",
		} {
			err := f.db.Write(t.Context(), func(tx *db.Tx) error {
				_, err := tx.Exec(statement)
				return err
			})
			if err == nil || !strings.Contains(err.Error(), "never") {
				t.Errorf("%s: %v", statement, err)
			}
		}
		if cfg.URL != "" {
			err := f.db.Write(t.Context(), func(tx *db.Tx) error {
				_, err := tx.Exec("TRUNCATE chain_records, chain_outcomes")
				return err
			})
			if err == nil || !strings.Contains(err.Error(), "never") {
				t.Errorf("TRUNCATE: %v", err)
			}
		}
		again := fixtureOf(New(f.hand, dbtest.Reopen(t, cfg)), f)
		again.append(t, "A-2")
		if records := again.read(t, f.owner, Range{Most: 9}); len(records) != 2 || records[0].Total != "1.21" {
			t.Errorf("%+v", records)
		}
	})
}

// fixtureOf is a fixture with another store on the same database.
func fixtureOf(s *Store, f *fixture) *fixture { return &fixture{s, s.db, f.hand, f.owner} }

// fixtureOn is a store with an account on a clock that stands.
func fixtureOn(t testing.TB, database *db.DB) *fixture {
	t.Helper()
	f := &fixture{db: database, hand: clock.NewHand(time.Date(2026, 6, 30, 10, 0, 0, 500, time.UTC))}
	f.Store = New(f.hand, f.db)
	accounts, err := account.New(account.Config{}, f.db)
	if err != nil {
		t.Fatal(err)
	}
	one, err := accounts.CreateAccount(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	f.owner = Owner{Account: one.ID, Mode: account.Test, Issuer: "B12345674", Installation: "I-1"}
	return f
}
