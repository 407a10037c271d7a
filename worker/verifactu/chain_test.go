package verifactu

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	core "github.com/einvoiced/einvoiced/core/verifactu"

	"github.com/einvoiced/einvoiced/internal/taxoffice"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/kinds"
	"github.com/einvoiced/einvoiced/job/registration"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/chain"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
)

// sendingOf is a chain of the store that is sent to a double, on a clock that stands.
type sendingOf struct {
	*registration.Registrar
	hand    *clock.Hand
	owner   chain.Owner
	at      *taxoffice.Office
	kind    job.Kind
	pattern core.Record // of what is appended
	jobs    int
	records int
}

func newSending(t *testing.T) *sendingOf {
	t.Helper()
	text, err := os.ReadFile("../../testdata/verifactu/installation.yaml")
	if err != nil {
		t.Fatal(err)
	}
	installed, err := core.Load(text)
	if err != nil {
		t.Fatal(err)
	}
	s := &sendingOf{hand: clock.NewHand(time.Date(2026, 6, 30, 10, 0, 0, 0, time.UTC)), at: taxoffice.Start(t), pattern: *sample(t).Records[0]}
	database := dbtest.Open(t)
	s.Registrar = &registration.Registrar{Database: database, Chains: chain.New(s.hand, database), Installation: installed}
	accounts, err := account.New(account.Config{}, database)
	if err != nil {
		t.Fatal(err)
	}
	one, err := accounts.CreateAccount(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	s.owner = chain.Owner{Account: one.ID, Mode: account.Live, Issuer: "B12345674"}
	s.kind = kinds.Submit(s.Chains, officeOf(t, s.at, asked{timeout: time.Minute}))
	return s
}

// append registers an invoice that the double's schema takes, and cancels every fifth.
func (s *sendingOf) append(t *testing.T) {
	t.Helper()
	record := s.pattern
	record.Invoice = core.InvoiceID{Issuer: s.owner.Issuer, Number: fmt.Sprintf("A-%d", s.records), Date: "30-06-2026"}
	err := s.Database.Write(t.Context(), func(tx *db.Tx) error {
		_, err := s.Register(tx, s.owner.Account, s.owner.Mode, registration.Of(&record))
		return err
	})
	if err == nil && s.records%5 == 0 {
		s.records++
		err = s.Cancel(t.Context(), s.owner.Account, s.owner.Mode, record.Invoice, func(*db.Tx, chain.Record, bool) error { return nil })
	}
	s.records++
	if err != nil {
		t.Fatal(err)
	}
}

// run makes the job that is due and does it; killed, it dies when the office has answered.
func (s *sendingOf) run(t *testing.T, killed bool) (ran bool) {
	t.Helper()
	due, err := s.Chains.Due(t.Context(), s.owner.Mode, core.MostRecords, 9)
	if err != nil {
		t.Fatal(err)
	}
	if len(due) == 0 {
		return false
	}
	s.jobs++
	jobID := fmt.Sprintf("job_%d", s.jobs)
	if err := s.Database.Write(t.Context(), func(tx *db.Tx) error { return s.Chains.Claim(tx, due[0], jobID) }); err != nil {
		t.Fatal(err)
	}
	order := job.Order{Parameters: &kinds.SubmitParameters{Chain: due[0].Chain}}
	kind := s.kind
	if killed {
		kind = kinds.Submit(forgetful{s.Chains}, officeOf(t, s.at, asked{timeout: time.Minute}))
	}
	_, _ = kind.Run(t.Context(), job.Run{ID: jobID, Number: 1}, &order) // what came of it stands in the database
	return true
}

// forgetful is a store whose process dies before it writes down what the office has said.
type forgetful struct{ *chain.Store }

func (forgetful) Settle(context.Context, chain.Attempt, []chain.Outcome, time.Duration) error {
	return context.Canceled
}

func (forgetful) NoteFault(context.Context, chain.Attempt, string, time.Duration) error {
	return context.Canceled
}

// TestChainIsSentWhole sends a chain that grows while the office answers in all ways and workers die: in the end every record has an outcome, the office has
// each once, in the order of the chain, and what it has is what was accepted.
func TestChainIsSentWhole(t *testing.T) {
	s := newSending(t)
	random := rand.New(rand.NewPCG(1, 2))
	ways := []taxoffice.Behaviour{taxoffice.Correct, taxoffice.Partly, taxoffice.Fault, taxoffice.Broken, taxoffice.Garbage, taxoffice.Other, taxoffice.Lost, taxoffice.Rejected}
	for round := range 60 {
		for range random.IntN(4) {
			s.append(t)
		}
		before := len(s.at.Batches())
		s.at.Next(ways[random.IntN(len(ways))])
		if !s.run(t, round%7 == 3) || len(s.at.Batches()) == before {
			s.hand.Add(time.Hour)
			s.run(t, false)
		}
		s.hand.Add(time.Duration(random.IntN(90)) * time.Second)
	}
	for {
		s.hand.Add(time.Hour)
		if !s.run(t, false) {
			break
		}
	}
	s.check(t)
}

func (s *sendingOf) check(t *testing.T) {
	t.Helper()
	found, err := s.Chains.Find(t.Context(), s.owner)
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := found.Outcomes(t.Context(), 1, int64(s.records))
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, o := range outcomes {
		counts[o.State]++
	}
	if len(outcomes) != s.records || s.at.Registered() != counts[core.Accepted]+counts[core.AcceptedWithErrors] || counts[core.Rejected] == 0 {
		t.Errorf("%d records, %d outcomes %v, the office has %d", s.records, len(outcomes), counts, s.at.Registered())
	}
	if complaints := s.at.Complaints(); len(complaints) > 0 {
		t.Errorf("%d complaints: %s", len(complaints), complaints[0])
	}
	t.Logf("%d records in %d submissions by %d jobs: %v", s.records, len(s.at.Batches()), s.jobs, counts)
}

// TestBatchOfAThousand ensures that more than a thousand records go in batches of a thousand, without a pause between them while a whole batch waits.
func TestBatchOfAThousand(t *testing.T) {
	s := newSending(t)
	for s.records < 2*core.MostRecords+1 {
		s.append(t)
	}
	for range 2 {
		if !s.run(t, false) {
			t.Error("a whole batch waits, and is not sent")
		}
	}
	if s.run(t, false) {
		t.Error("the pause is not kept")
	}
	s.hand.Add(time.Minute)
	s.run(t, false)
	var sizes []int
	for _, b := range s.at.Batches() {
		sizes = append(sizes, len(b.Records))
	}
	if fmt.Sprint(sizes[:2]) != "[1000 1000]" || len(sizes) != 3 || len(s.at.Complaints()) > 0 {
		t.Errorf("%v %v", sizes, s.at.Complaints())
	}
}
