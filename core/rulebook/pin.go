package rulebook

import (
	"context"
	"sync/atomic"
)

// Pin holds the rulebooks that a piece of work began with, whatever is put in their place meanwhile.
type Pin struct {
	generation *Generation
	used       atomic.Bool
}

type pinKey struct{}

// Pin gives a context in which In gives the rulebooks that are in use now.
func (r *Registry) Pin(ctx context.Context) (context.Context, *Pin) {
	p := &Pin{generation: r.Current()}
	return context.WithValue(ctx, pinKey{}, p), p
}

// In gives the rulebooks that ctx was pinned to, else those in use. Whoever judges documents asks for them here, once for each
// document or more often.
func (r *Registry) In(ctx context.Context) *Generation {
	p, ok := ctx.Value(pinKey{}).(*Pin)
	if !ok {
		return r.Current()
	}
	p.used.Store(true)
	return p.generation
}

// Used gives the rulebooks that the work has asked for; nil when it has asked for none.
func (p *Pin) Used() *Generation {
	if !p.used.Load() {
		return nil
	}
	return p.generation
}
