package db

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrAway says that PostgreSQL does not answer. Nothing was written, unless the error is ErrInDoubt as well.
var ErrAway = errors.New("the database does not answer")

// impatient marks contexts.
type impatient struct{}

// Impatient gives a context for who would rather be refused soon than wait: what is done under it fails with ErrAway within two seconds
// while PostgreSQL is away, where others try again for Config.RetryFor. A commit that was sent is awaited all the same.
func Impatient(ctx context.Context) context.Context {
	return context.WithValue(ctx, impatient{}, true)
}

// Together they are less than the two seconds within which who is impatient hears of it.
const (
	lookEvery = 400 * time.Millisecond  // between two looks at the server while somebody impatient waits
	lookWait  = 1200 * time.Millisecond // after which a server that is silent is taken for away
)

// presence knows whether the server answers, and who wants to know.
type presence struct {
	mu      sync.Mutex
	away    error // what the last look has found; nil while the server answers
	waiting map[*context.CancelCauseFunc]bool
}

// enter gives a context that ends with the error when the server is found to be away, until leave.
func (p *presence) enter(ctx context.Context) (_ context.Context, leave func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting == nil {
		p.waiting = map[*context.CancelCauseFunc]bool{}
	}
	if p.waiting[&cancel] = true; p.away != nil {
		cancel(p.away)
	}
	return ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.waiting, &cancel)
		cancel(nil)
	}
}

// asked tells whether somebody waits for the server, or for its return.
func (p *presence) asked() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.waiting) > 0 || p.away != nil
}

// found takes down what a look has found.
func (p *presence) found(away error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.away = away; away == nil {
		return
	}
	for cancel := range p.waiting {
		(*cancel)(away)
	}
}

// lookOut looks at the server now and then, as long as anybody is impatient, until the database is closed.
func (p *postgres) lookOut() {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-p.stopped.Done():
			return
		case <-ticker.C:
		}
		if !p.presence.asked() {
			continue
		}
		err := p.health(p.stopped)
		if p.stopped.Err() == nil {
			p.presence.found(err)
		}
	}
}

// retry runs do until it succeeds, fails for good, or nobody waits for it any longer.
func (p *postgres) retry(ctx context.Context, do func(context.Context) error) error {
	if ctx.Value(impatient{}) == nil {
		return p.persist(ctx, do)
	}
	ctx, leave := p.presence.enter(ctx)
	defer leave()
	err := p.persist(ctx, do)
	if cause := context.Cause(ctx); err != nil && errors.Is(cause, ErrAway) {
		return errors.Join(cause, err)
	}
	return err
}

// health asks the server.
func (p *postgres) health(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookWait)
	defer cancel()
	var one int
	if err := p.probe.GetContext(ctx, &one, "SELECT 1"); err != nil {
		return fmt.Errorf("%w: %w", ErrAway, err)
	}
	return nil
}
