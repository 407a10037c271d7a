package kinds

import (
	"context"
	"errors"

	"github.com/einvoiced/einvoiced/core/verifactu"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/chain"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/queue/names"
)

// DueChains finds the chains that are to be sent; *chain.Store does.
type DueChains interface {
	Due(ctx context.Context, mode account.Mode, batch, limit int) ([]chain.Due, error)
	Claim(tx *db.Tx, d chain.Due, jobID string) error
}

// Accepter accepts jobs; *ledger.Ledger does.
type Accepter interface {
	Accept(ctx context.Context, n ledger.NewJob) (ledger.Job, error)
}

// Submissions makes the jobs that send records: one for each chain that is due, and none while that goes on. Several processes may do it beside each other.
type Submissions struct {
	Chains DueChains
	Jobs   Accepter
}

// chainsAtOnce is how many chains get their jobs at a time.
const chainsAtOnce = 200

// Order makes the jobs that are due. Records of test keys reach no network.
func (s *Submissions) Order(ctx context.Context) error {
	due, err := s.Chains.Due(ctx, account.Live, verifactu.MostRecords, chainsAtOnce)
	errs := []error{err}
	for _, d := range due {
		if err := s.order(ctx, d); !errors.Is(err, chain.ErrTaken) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (s *Submissions) order(ctx context.Context, d chain.Due) error {
	o := job.Order{Operation: SubmitKind, Parameters: &SubmitParameters{Chain: d.Chain}}
	_, err := s.Jobs.Accept(ctx, ledger.NewJob{Account: d.Account, Mode: d.Mode, Kind: o.Kind(), Queue: names.Default, Request: o.Pack(),
		Along: func(tx *db.Tx, jobID string) error { return s.Chains.Claim(tx, d, jobID) }})
	return err
}
