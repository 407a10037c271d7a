package peppol

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	core "github.com/einvoiced/einvoiced/core/peppol"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/peppol"
)

// Questions keeps what providers are to be asked; *peppol.Store does.
type Questions interface {
	Now() time.Time
	Questions(ctx context.Context) ([]peppol.Question, error)
	Ask(ctx context.Context, q peppol.Question, again time.Time) (peppol.Attempt, error)
	Settle(ctx context.Context, a peppol.Attempt, o peppol.Outcome) error
}

var _ Questions = (*peppol.Store)(nil)

// The bounds of following up: so many providers are asked beside each other, and each has so long for an answer.
const (
	askedAtOnce = 16
	askTime     = 10 * time.Second
)

// Follow asks providers that are polled what became of the messages that they have taken: each that is due once. What has a receipt, was refused, or has waited as long as
// the settings say, ends by that. A provider that does not answer is asked no more this time, so that it does not hold up the others.
func (p *Provider) Follow(ctx context.Context, questions Questions) error {
	due, err := questions.Questions(ctx)
	if err != nil {
		return err
	}
	type owner struct {
		account string
		mode    account.Mode
	}
	owned := map[owner][]peppol.Question{}
	for _, q := range due {
		owned[owner{q.Account, q.Mode}] = append(owned[owner{q.Account, q.Mode}], q)
	}
	var work sync.WaitGroup
	places, errs := make(chan struct{}, askedAtOnce), make(chan error, len(owned))
	for _, theirs := range owned {
		places <- struct{}{}
		work.Go(func() {
			defer func() { <-places }()
			errs <- p.followOne(ctx, questions, theirs)
		})
	}
	work.Wait()
	close(errs)
	for e := range errs {
		err = errors.Join(err, e)
	}
	return err
}

// followOne asks the provider of one account and mode.
func (p *Provider) followOne(ctx context.Context, questions Questions, due []peppol.Question) error {
	settings, err := p.configured(ctx, peppol.Attempt{Transmission: due[0].Transmission})
	if err != nil && !errors.Is(err, peppol.ErrNotConfigured) {
		return err
	}
	for _, q := range due {
		if ctx.Err() != nil {
			return nil
		}
		answered, err := p.question(ctx, questions, q, settings.Provider)
		if err != nil && !errors.Is(err, peppol.ErrLost) {
			return fmt.Errorf("ask what became of %s: %w", q.ID, err)
		}
		if !answered {
			return nil
		}
	}
	return nil
}

// question asks about one message. When it is asked again is noted first, so that a process which dies meanwhile costs one pause.
func (p *Provider) question(ctx context.Context, questions Questions, q peppol.Question, provider core.Provider) (answered bool, err error) {
	if provider.FirstQuestion() == 0 { // it is polled no more
		_, err := questions.Ask(ctx, q, time.Time{})
		return true, err
	}
	now, end := questions.Now(), q.Since.Add(provider.Polling.Limit())
	last, again := !now.Before(end), now.Add(provider.Polling.Pause(q.Asked+1))
	if !last && again.After(end) {
		again = end
	}
	a, err := questions.Ask(ctx, q, again)
	if err != nil {
		return true, err
	}
	asked, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	o, known, fault := p.ask(asked, a, provider)
	switch {
	case ctx.Err() != nil:
		return false, nil
	case known && o.State != peppol.Sent:
		err = questions.Settle(ctx, a, o)
	case last:
		err = questions.Settle(ctx, a, peppol.Outcome{State: peppol.Failed, Code: finding.PeppolReceiptMissing,
			Reason: fmt.Sprintf("The provider has taken the message, but no receipt came within %s; whether the recipient has it is not known", provider.Polling.Limit())})
	}
	return fault == nil, err
}
