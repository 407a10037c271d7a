package kinds

import (
	"context"
	"errors"
	"fmt"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/answers"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/peppol"
)

// SendEntitlement is what sending through Peppol takes.
const SendEntitlement = "peppol:send"

// SendKind is the name of the kind of jobs that send through Peppol.
const SendKind = "peppol"

// SendParameters are the parameters of sends. There is no body: the document lies with the transmission.
type SendParameters struct {
	Transmission string `json:"transmission"`
}

// Transmissions keeps what is sent; *peppol.Store does.
type Transmissions interface {
	Begin(ctx context.Context, transmissionID, jobID string, run int64) (peppol.Attempt, error)
	NoteFault(ctx context.Context, a peppol.Attempt, message string) error
	Settle(ctx context.Context, a peppol.Attempt, o peppol.Outcome) error
}

// Sender hands documents over to the network.
type Sender interface {
	// Send makes one attempt. The message id is that of every attempt, and who has the message already says so. The error is a *SendFault where
	// the same attempt may succeed later.
	Send(ctx context.Context, a peppol.Attempt) (peppol.Outcome, error)
}

// SendFault is an attempt that brought no answer, or none that counts; what became of the message is not known.
type SendFault struct {
	Message string // for the log of the transmission
	Cause   error  // for ours
}

// Error implements error.
func (f *SendFault) Error() string { return f.Message }

// Unwrap gives the cause.
func (f *SendFault) Unwrap() error { return f.Cause }

// The attempts of one send: after so many faults it has failed. The job has some more, for failures of our own.
const (
	sendTries    = 8
	sendAttempts = 12
)

// Send is the kind of jobs that send a document through Peppol. Transmissions of test keys reach no network: testOutcome says what comes of them.
func Send(transmissions Transmissions, live Sender) job.Kind {
	return job.Kind{
		Name:        SendKind,
		Parameters:  func() any { return new(SendParameters) },
		Entitlement: func(string, string) string { return SendEntitlement },
		Run: func(ctx context.Context, run job.Run, o *job.Order) (*job.Outcome, error) {
			return send(ctx, transmissions, live, run, o.Parameters.(*SendParameters).Transmission)
		},
		Events:   []string{"peppol.sent", "peppol.delivered", "peppol.failed"},
		Attempts: sendAttempts,
	}
}

// sendAnswer is the answer of a job that has sent.
type sendAnswer struct {
	TransmissionID string       `json:"transmissionId"`
	Status         peppol.State `json:"status"`
	MessageID      string       `json:"messageId"`
}

func send(ctx context.Context, transmissions Transmissions, live Sender, run job.Run, transmissionID string) (*job.Outcome, error) {
	a, err := transmissions.Begin(ctx, transmissionID, run.ID, run.Number)
	switch sent := a.State == peppol.Sent || a.State == peppol.Delivered; {
	case errors.Is(err, peppol.ErrSettled) && sent: // a run before this one has died before it could say so
		return wasSent(a, a.State), nil
	case errors.Is(err, peppol.ErrSettled), errors.Is(err, peppol.ErrNotFound):
		return nil, notSent("the transmission was canceled or has ended")
	case err != nil:
		return nil, err
	}
	outcome, err := attempt(ctx, live, a)
	// Once the context has ended, a fault is that of the run and not of the other side.
	if fault, ok := errors.AsType[*SendFault](err); ok && ctx.Err() == nil {
		return nil, faulty(ctx, transmissions, a, fault)
	}
	if err != nil {
		return nil, fmt.Errorf("send %s: %w", a.ID, err)
	}
	if err := transmissions.Settle(ctx, a, outcome); err != nil {
		return nil, err
	}
	if outcome.State == peppol.Failed {
		return nil, notSent(outcome.Reason)
	}
	return wasSent(a, outcome.State), nil
}

func wasSent(a peppol.Attempt, state peppol.State) *job.Outcome {
	return &job.Outcome{Answer: answers.JSON(sendAnswer{a.ID, state, a.MessageID})}
}

func attempt(ctx context.Context, live Sender, a peppol.Attempt) (peppol.Outcome, error) {
	if a.Mode == account.Test {
		return testOutcome(a)
	}
	return live.Send(ctx, a)
}

// faulty writes an attempt down that brought nothing: the job is tried again, or the send has failed.
func faulty(ctx context.Context, transmissions Transmissions, a peppol.Attempt, fault *SendFault) error {
	if a.Tries < sendTries {
		return errors.Join(fault, transmissions.NoteFault(ctx, a, fault.Message))
	}
	reason := fmt.Sprintf("%d attempts have failed, the last because: %s", a.Tries, fault.Message)
	if err := transmissions.Settle(ctx, a, peppol.Outcome{State: peppol.Failed, Code: finding.PeppolSendFailed, Reason: reason}); err != nil {
		return err
	}
	return notSent(reason)
}

// notSent is the refusal that ends the job of a send which has failed; it costs nothing.
func notSent(reason string) error {
	return &finding.Refusal{Kind: finding.Unprocessable, Word: finding.PeppolSendFailed, Code: finding.PeppolSendFailed, Message: reason}
}
