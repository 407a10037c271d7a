package kinds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/verifactu"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/answers"
	"github.com/einvoiced/einvoiced/storage/chain"
)

// SubmitKind is the name of the kind of jobs that send VeriFactu records to the tax office. The service makes them itself: see Submissions.
const SubmitKind = "verifactu"

// SubmitParameters are the parameters of submissions. There is no body: the records lie in their chain.
type SubmitParameters struct {
	Chain string `json:"chain"`
}

// SentChains keeps how far chains were sent; *chain.Store does.
type SentChains interface {
	Begin(ctx context.Context, chainID, jobID string, run int64, most int) (chain.Attempt, error)
	Settle(ctx context.Context, a chain.Attempt, outcomes []chain.Outcome, wait time.Duration) error
	NoteFault(ctx context.Context, a chain.Attempt, fault string, wait time.Duration) error
}

// TaxOffice takes batches of records.
type TaxOffice interface {
	// Submit sends a batch once. The error is a *SendFault where no answer came, or none to the batch.
	Submit(ctx context.Context, b *verifactu.Batch) (*verifactu.Reply, []verifactu.Outcome, error)
}

// Submit is the kind of jobs that send a batch of a chain to the tax office, one attempt each. Without an office they are refused: sending was
// switched off. After a fault the next job sends the same records; which of them the office has already, it says.
func Submit(chains SentChains, office TaxOffice) job.Kind {
	return job.Kind{
		Name:        SubmitKind,
		Parameters:  func() any { return new(SubmitParameters) },
		Entitlement: func(string, string) string { return "verifactu:read" },
		Run: func(ctx context.Context, run job.Run, o *job.Order) (*job.Outcome, error) {
			return submit(ctx, chains, office, run, o.Parameters.(*SubmitParameters).Chain)
		},
	}
}

// submitAnswer is the answer of a job that has sent a batch.
type submitAnswer struct {
	VATID              string `json:"vatId,omitzero"`
	From               int64  `json:"from,omitzero"` // position of the first record
	To                 int64  `json:"to,omitzero"`   // of the last one
	State              string `json:"state,omitzero"`
	CSV                string `json:"csv,omitzero"`
	Accepted           int    `json:"accepted"`
	AcceptedWithErrors int    `json:"acceptedWithErrors"`
	Rejected           int    `json:"rejected"`
}

func submit(ctx context.Context, chains SentChains, office TaxOffice, run job.Run, chainID string) (*job.Outcome, error) {
	if office == nil {
		return nil, &finding.Refusal{Kind: finding.Unprocessable, Word: finding.VeriFactuSendFailed, Code: finding.VeriFactuSendFailed, Message: "Sending to the tax office is off"}
	}
	a, err := chains.Begin(ctx, chainID, run.ID, run.Number, verifactu.MostRecords)
	if errors.Is(err, chain.ErrIdle) { // a run before this one has died before it could say that it has sent
		return &job.Outcome{Answer: answers.JSON(submitAnswer{})}, nil
	}
	if err != nil {
		return nil, err
	}
	batch, err := batchOf(a)
	if err != nil {
		return nil, err
	}
	reply, outcomes, err := office.Submit(ctx, batch)
	if fault, ok := errors.AsType[*SendFault](err); ok && ctx.Err() == nil {
		return nil, notSubmitted(ctx, chains, a, fault)
	}
	if err != nil {
		return nil, fmt.Errorf("send chain %s: %w", a.Chain, err)
	}
	return settled(ctx, chains, a, reply, outcomes)
}

func settled(ctx context.Context, chains SentChains, a chain.Attempt, reply *verifactu.Reply, outcomes []verifactu.Outcome) (*job.Outcome, error) {
	said := submitAnswer{VATID: a.Issuer, From: a.Records[0].Position, To: a.Records[len(a.Records)-1].Position, State: reply.State, CSV: reply.CSV}
	stored := make([]chain.Outcome, len(outcomes))
	for i, o := range outcomes {
		stored[i] = chain.Outcome{State: o.State, Code: o.Code, Message: o.Message, CSV: reply.CSV}
		switch o.State {
		case verifactu.Accepted:
			said.Accepted++
		case verifactu.AcceptedWithErrors:
			said.AcceptedWithErrors++
		default:
			said.Rejected++
		}
	}
	if err := chains.Settle(ctx, a, stored, reply.Wait); err != nil {
		return nil, err
	}
	return &job.Outcome{Answer: answers.JSON(said)}, nil
}

// punctual is how old the first record of a batch may be when it is sent: the office accepts a difference of 240 seconds between FechaHoraHusoGenRegistro and
// its own time (AEAT, validations, error 2004). What is older says that an incident has delayed it.
const punctual = 240 * time.Second

// batchOf is what an attempt sends. The issuer is named as the last record that names them does.
func batchOf(a chain.Attempt) (*verifactu.Batch, error) {
	b := &verifactu.Batch{Issuer: verifactu.Party{NIF: a.Issuer}, Delayed: a.Begun.Sub(time.UnixMilli(a.Records[0].Created)) > punctual}
	for i, r := range append([]chain.Record{a.First}, a.Records...) {
		read, err := verifactu.Read(r.Document)
		if err != nil {
			return nil, fmt.Errorf("read record %d of chain %s: %w", r.Position, a.Chain, err)
		}
		b.Issuer.Name = cmp.Or(read.Records[0].IssuerName, b.Issuer.Name)
		if i > 0 {
			b.Records = append(b.Records, read.Records[0])
		}
	}
	return b, nil
}

// mostFaultWait is the longest time between two attempts of a batch.
const mostFaultWait = time.Hour

// notSubmitted writes an attempt down that brought nothing, and gives the refusal that ends its job. The time to the next one doubles.
func notSubmitted(ctx context.Context, chains SentChains, a chain.Attempt, fault *SendFault) error {
	wait := min(verifactu.DefaultWait<<min(max(a.Tries-1, 0), 10), mostFaultWait)
	if err := chains.NoteFault(ctx, a, fault.Message, wait); err != nil {
		return err
	}
	return &finding.Refusal{Kind: finding.Unprocessable, Word: finding.VeriFactuSendFailed, Code: finding.VeriFactuSendFailed, Cause: fault.Cause,
		Message: fmt.Sprintf("%s; the records are sent again, not before %s are over", fault.Message, wait)}
}
