package api

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/core/verifactu"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/kinds"
	"github.com/einvoiced/einvoiced/storage/chain"
	"github.com/einvoiced/einvoiced/storage/db"
)

// TestVerifactu_NothingElseAppends ensures that converting, judging, refusals and work that fails inside the service, at once or in a job, append nothing,
// also where the record was made before the failure.
func TestVerifactu_NothingElseAppends(t *testing.T) {
	t.Parallel()
	operations := must(operation.New(operation.Config{VeriFactu: installation(t)}))(t)
	f := newFixture(t, Config{}, func(d *Deps) {
		d.Operations = operations
		d.Kinds = kinds.All(operations)
		d.Kinds[0] = failing(t, d.Kinds[0])
	})
	made := f.ask(t, "full", "POST", spanishUBL, spanish(t, "A-1"))
	if made.status != 200 || f.chainOf(t, "full").Count != 1 {
		t.Fatalf("%d %s", made.status, made.body)
	}
	var answer struct{ Data string }
	unmarshal(t, made.body, &answer)
	document := answer.Data
	async := []string{"Prefer", "respond-async, wait=60"}
	unmade := spanish(t, "A-5", func(inv map[string]any) { inv["seller"].(map[string]any)["vatId"] = "DE123456789" })
	for _, step := range []struct {
		name, path, body string
		header           []string
		status           int
	}{
		{"convert", "/api/v1/invoice/convert", fmt.Sprintf(`{"data":%q,"targetCountry":"es","targetFormat":"facturae","validate":false}`, document), nil, 200},
		{"convert in a job", "/api/v1/invoice/convert", fmt.Sprintf(`{"data":%q,"targetCountry":"es","targetFormat":"ubl","validate":false}`, document), async, 200},
		{"validate an invoice", "/api/v1/invoice/es/validate", spanish(t, "A-2"), nil, 200},
		{"validate a document", "/api/v1/invoice/es/ubl/validate", fmt.Sprintf(`{"data":%q}`, document), nil, 200},
		{"validate in a job", "/api/v1/invoice/es/ubl/validate", spanish(t, "A-2"), async, 200},
		{"parse", "/api/v1/invoice/es/ubl/parse", fmt.Sprintf(`{"data":%q}`, document), nil, 200},
		{"422", spanishUBL, unmade, nil, 422},
		{"422 in a job", spanishUBL, unmade, async, 422},
		{"400 in a job", spanishUBL, `{"invoice":{"countrySpecific":{"verifactu":true}}}`, async, 400},
		{"a failure", spanishUBL, spanish(t, "FAILS"), nil, 500},
		{"a refusal when all is done, in a job", spanishUBL, spanish(t, "REFUSED"), async, 422},
	} {
		r := f.ask(t, "full", "POST", step.path, step.body, step.header...)
		if r.status != step.status {
			t.Errorf("%s: status %d, want %d: %.500s", step.name, r.status, step.status, r.body)
		}
		if view := f.chainOf(t, "full"); view.Count != 1 || !view.Valid {
			t.Errorf("%s: %+v", step.name, view)
		}
	}
}

// failing is a kind that fails for some invoices, and refuses others, when all is done.
func failing(t *testing.T, of job.Kind) job.Kind {
	run := of.Run
	of.Run = func(ctx context.Context, r job.Run, o *job.Order) (*job.Outcome, error) {
		out, err := run(ctx, r, o)
		for word, failure := range map[string]error{"FAILS": errors.New("disk full"), "REFUSED": &finding.Refusal{Kind: finding.Unprocessable, Message: "no"}} {
			if err == nil && strings.Contains(string(o.Body), word) {
				if len(out.Registrations) != 1 {
					t.Errorf("%d registrations", len(out.Registrations))
				}
				return out, failure
			}
		}
		return out, err
	}
	return of
}

// TestVerifactu_ShowsWhatTheOfficeSaid ensures that exports tell of each record what became of it, and why a chain waits.
func TestVerifactu_ShowsWhatTheOfficeSaid(t *testing.T) {
	installed := installation(t)
	installed.Sending = verifactu.SendLive
	f := newRegistering(t, installed)
	f.keys["full"] = f.keys["live"] // records of test keys are never sent
	for _, number := range []string{"A-1", "A-2", "A-3"} {
		f.registered(t, number)
	}
	key := must(f.accounts.Verify(t.Context(), f.keys["full"]))(t)
	due := must(f.records.Chains.Due(t.Context(), key.Mode, 2, 9))(t)
	if len(due) != 1 {
		t.Fatalf("%+v", due)
	}
	if err := f.database.Write(t.Context(), func(tx *db.Tx) error { return f.records.Chains.Claim(tx, due[0], "job_1") }); err != nil {
		t.Fatal(err)
	}
	a := must(f.records.Chains.Begin(t.Context(), due[0].Chain, "job_1", 1, 2))(t)
	err := f.records.Chains.Settle(t.Context(), a, []chain.Outcome{{State: "accepted_with_errors", Code: "2005", Message: "differs", CSV: "A-X"}, {State: "rejected", Code: "1109", Message: "no"}}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	const path = "/api/v1/verifactu/chain/B12345674/export"
	r := f.ask(t, "full", "GET", path, "")
	checkContract(t, "GET", path, r)
	view := f.chainOf(t, "full")
	var said []string
	for _, v := range view.Records {
		said = append(said, strings.TrimSpace(strings.Join([]string{v.State, v.ErrorCode, v.ErrorMessage, v.CSV}, " ")))
		if v.Answered.IsZero() != (v.State == verifactu.Pending) {
			t.Errorf("%+v", v)
		}
	}
	if strings.Join(said, ", ") != "accepted_with_errors 2005 differs A-X, rejected 1109 no, pending" || !view.Sending || view.Fault != "" {
		t.Errorf("%v %+v", said, view)
	}
	if r := f.ask(t, "full", "GET", path+"?format=xml", ""); r.header.Get("X-Pending-Records") != "1" {
		t.Errorf("%v", r.header)
	}
}

// TestVerifactu_LongChainIsCheckedInTurns ensures that the processor is free for others between two pieces of a chain that is checked, and that the check
// ends where none comes back.
func TestVerifactu_LongChainIsCheckedInTurns(t *testing.T) {
	f := newRegistering(t, installation(t))
	const records = verifactu.MostRecords + 1
	for i := range records {
		f.registered(t, fmt.Sprintf("A-%d", i))
	}
	key := must(f.accounts.Verify(t.Context(), f.keys["full"]))(t)
	found := must(f.records.Chains.Find(t.Context(), chain.Owner{Account: key.AccountID, Mode: key.Mode, Issuer: "B12345674"}))(t)
	turns, e := 0, &exporting{checks: &chainChecks{}}
	e.next = func() error {
		turns++
		return nil
	}
	whole, err := e.check(t.Context(), &found, chain.Range{})
	if err != nil || whole.Count != records || turns != 2 {
		t.Errorf("%d records in %d turns, %v", whole.Count, turns, err)
	}
	over := errors.New("over")
	e.next = func() error { return over }
	if _, err := e.check(t.Context(), &found, chain.Range{}); !errors.Is(err, over) {
		t.Errorf("%v", err)
	}
}

// TestVerifactu_LaterPagesGoOnWithTheCheck ensures that a page behind the first of an export reads no record a second time, but those that came since; that
// a first page and one that comes late check all of them again, and that another period has a check of its own.
func TestVerifactu_LaterPagesGoOnWithTheCheck(t *testing.T) {
	f := newRegistering(t, installation(t))
	for i := range 3 {
		f.registered(t, fmt.Sprintf("A-%d", i))
	}
	key := must(f.accounts.Verify(t.Context(), f.keys["full"]))(t)
	found := must(f.records.Chains.Find(t.Context(), chain.Owner{Account: key.AccountID, Mode: key.Mode, Issuer: "B12345674"}))(t)
	checks, reads := &chainChecks{}, 0
	check := func(after int64, p chain.Period, records, most int) {
		t.Helper()
		reads = 0
		e := &exporting{checks: checks, after: after, period: p, next: func() error { reads++; return nil }}
		within := must(found.Within(t.Context(), p))(t)
		if whole, err := e.check(t.Context(), &found, within); err != nil || whole.Count != records || whole.BrokenCount > 0 || reads != most {
			t.Errorf("%+v in %d reads, %v", whole, reads, err)
		}
	}
	all, another := chain.Period{}, chain.Period{To: time.Now().AddDate(1, 0, 0)}
	check(0, all, 3, 1)
	check(1, all, 3, 0)
	check(1, another, 3, 1)
	f.registered(t, "A-3")
	check(2, all, 4, 1)
	check(3, all, 4, 0)
	check(0, all, 4, 1)
	for of, c := range checks.kept {
		c.begun = c.begun.Add(-checkedFor)
		checks.keep(of, c)
	}
	check(3, all, 4, 1)
	check(3, all, 4, 0)
}
