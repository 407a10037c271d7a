package kinds

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/verifactu"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/chain"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// oneChain is a SentChains with one attempt, which notes what is told of it.
type oneChain struct {
	chain.Attempt
	begin error
	told  string
}

func (o *oneChain) Begin(context.Context, string, string, int64, int) (chain.Attempt, error) {
	return o.Attempt, o.begin
}

func (o *oneChain) Settle(_ context.Context, _ chain.Attempt, outcomes []chain.Outcome, wait time.Duration) error {
	o.told = fmt.Sprintf("%+v %s", outcomes, wait)
	return nil
}

func (o *oneChain) NoteFault(_ context.Context, _ chain.Attempt, fault string, wait time.Duration) error {
	o.told = "again " + fault + " " + wait.String()
	return nil
}

// oneOffice is a TaxOffice that gives these, and notes what it was asked.
type oneOffice struct {
	err   error
	asked string
}

func (o *oneOffice) Submit(_ context.Context, b *verifactu.Batch) (*verifactu.Reply, []verifactu.Outcome, error) {
	o.asked = fmt.Sprintf("%s %s, %d records, delayed %v", b.Issuer.Name, b.Issuer.NIF, len(b.Records), b.Delayed)
	return &verifactu.Reply{CSV: "c", State: "Incorrecto", Wait: time.Minute}, []verifactu.Outcome{{State: verifactu.Accepted}, {State: verifactu.Rejected, Code: "1109", Message: "m"}}, o.err
}

// TestSubmit ensures what comes of a run: outcomes of each record with the pause that the office has told, a fault after which the same is sent again with a
// doubling wait, and nothing where another run has sent.
func TestSubmit(t *testing.T) {
	begun := time.Date(2026, 6, 30, 10, 5, 0, 0, time.UTC)
	attempt := func(mode account.Mode, age time.Duration, tries int) chain.Attempt {
		a := chain.Attempt{Owner: chain.Owner{Mode: mode, Issuer: "B12345674"}, Chain: "chn_1", Tries: tries, Begun: begun}
		for i, name := range []string{"Before", "Alfa", ""} {
			r := verifactu.Record{Invoice: verifactu.InvoiceID{Issuer: "B12345674", Number: fmt.Sprint(i), Date: "30-06-2026"}, IssuerName: name, Cancels: name == ""}
			document, err := r.XML()
			if err != nil {
				t.Fatal(err)
			}
			stored := chain.Record{Position: int64(i + 1), Document: document, Created: begun.Add(-age).UnixMilli()}
			if i == 0 {
				a.First = stored
				continue
			}
			a.Records = append(a.Records, stored)
		}
		return a
	}
	answered := "[{Position:0 State:accepted Code: Message: CSV:c Answered:0} {Position:0 State:rejected Code:1109 Message:m CSV:c Answered:0}] 1m0s"
	for name, c := range map[string]struct {
		chain  oneChain
		err    error
		want   string // the answer, refused or again
		told   string
		office string
	}{
		"live":                      {oneChain{Attempt: attempt(account.Live, 0, 1)}, nil, `{"vatId":"B12345674","from":2,"to":3,"state":"Incorrecto","csv":"c","accepted":1,"acceptedWithErrors":0,"rejected":1}`, answered, "Alfa B12345674, 2 records, delayed false"},
		"late":                      {oneChain{Attempt: attempt(account.Live, 5*time.Minute, 1)}, nil, `{"vatId":"B12345674","from":2,"to":3,"state":"Incorrecto","csv":"c","accepted":1,"acceptedWithErrors":0,"rejected":1}`, answered, "Alfa B12345674, 2 records, delayed true"},
		"a fault":                   {oneChain{Attempt: attempt(account.Live, 0, 1)}, &SendFault{Message: "no"}, "refused", "again no 1m0s", "Alfa B12345674, 2 records, delayed false"},
		"a third fault":             {oneChain{Attempt: attempt(account.Live, 0, 3)}, &SendFault{Message: "no"}, "refused", "again no 4m0s", "Alfa B12345674, 2 records, delayed false"},
		"faults for a day":          {oneChain{Attempt: attempt(account.Live, 0, 99)}, &SendFault{Message: "no"}, "refused", "again no 1h0m0s", "Alfa B12345674, 2 records, delayed false"},
		"our own failure":           {oneChain{Attempt: attempt(account.Live, 0, 1)}, errors.New("disk"), "again", "", "Alfa B12345674, 2 records, delayed false"},
		"sent by a run before":      {oneChain{begin: chain.ErrIdle}, nil, `{"accepted":0,"acceptedWithErrors":0,"rejected":0}`, "", ""},
		"another run has the chain": {oneChain{begin: chain.ErrTaken}, nil, "again", "", ""},
	} {
		office := oneOffice{err: c.err}
		kind := Submit(&c.chain, &office)
		out, err := kind.Run(t.Context(), job.Run{ID: "job_1", Number: 1}, &job.Order{Parameters: &SubmitParameters{Chain: "chn_1"}})
		got := "again"
		if refusal, refused := errors.AsType[*finding.Refusal](err); refused && refusal.Code == finding.VeriFactuSendFailed {
			got = "refused"
		} else if err == nil {
			got = string(out.Answer)
		}
		if got != c.want || c.chain.told != c.told || office.asked != c.office {
			t.Errorf("%s: %s %v, told %q, asked %q", name, got, err, c.chain.told, office.asked)
		}
	}
	kind := Submit(&oneChain{}, nil)
	if _, err := kind.Run(t.Context(), job.Run{}, &job.Order{Parameters: &SubmitParameters{}}); err == nil || !strings.Contains(err.Error(), "is off") {
		t.Errorf("without an office: %v", err)
	}
}

// dueChains are chains that are due, of which some are taken by others.
type dueChains map[account.Mode][]chain.Due

func (d dueChains) Due(_ context.Context, mode account.Mode, batch, _ int) ([]chain.Due, error) {
	if batch != verifactu.MostRecords {
		return nil, errors.New("another batch")
	}
	return d[mode], nil
}

func (dueChains) Claim(_ *db.Tx, d chain.Due, _ string) error {
	if d.Chain == "taken" {
		return chain.ErrTaken
	}
	return nil
}

// accepted notes the jobs that are accepted.
type accepted struct{ said []string }

func (a *accepted) Accept(_ context.Context, n ledger.NewJob) (ledger.Job, error) {
	if err := n.Along(nil, "job_1"); err != nil {
		return ledger.Job{}, fmt.Errorf("accept job: %w", err)
	}
	a.said = append(a.said, fmt.Sprint(n.Account, " ", n.Mode, " ", n.Kind, " ", len(n.Charges)))
	return ledger.Job{}, nil
}

// TestSubmissions ensures that each chain that is due gets one job, of the modes that are sent alone, and that one which another process has taken is no error.
func TestSubmissions(t *testing.T) {
	due := dueChains{account.Live: {{Chain: "a", Account: "acc_1", Mode: account.Live}, {Chain: "taken", Mode: account.Live}, {Chain: "b", Account: "acc_2", Mode: account.Live}},
		account.Test: {{Chain: "c", Account: "acc_3", Mode: account.Test}}}
	var jobs accepted
	s := Submissions{Chains: due, Jobs: &jobs}
	if err := s.Order(t.Context()); err != nil || fmt.Sprint(jobs.said) != "[acc_1 live verifactu 0 acc_2 live verifactu 0]" {
		t.Errorf("%v %v", jobs.said, err)
	}
}
