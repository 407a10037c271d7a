package rulebook

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// Config says where rulebooks come from.
type Config struct {
	Layers []Layer // later ones replace what earlier ones have. Default: none
	Limits Limits  // default: see the fields of Limits
}

// Registry holds the rulebooks in use. It is safe for concurrent use: whoever took a Generation keeps it while another is put
// in its place.
type Registry struct {
	config  Config
	loading sync.Mutex
	current atomic.Pointer[Generation]
}

// NewRegistry loads the rulebooks. The error names everything that is wrong with them and has the reason LoadFailed.
func NewRegistry(ctx context.Context, config Config) (*Registry, error) {
	limits, err := config.Limits.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("configure rulebooks: %w", err)
	}
	config.Limits = limits
	r := &Registry{config: config}
	if _, err := r.Reload(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

// Current gives the rulebooks in use.
func (r *Registry) Current() *Generation { return r.current.Load() }

// Reload loads the rulebooks anew and puts them in the place of those in use, under the next number. When anything is wrong with
// them these stay in use, and the error is that of NewRegistry. What was made of rulebooks that have not changed is kept; those
// that take the place of rulebooks in use are compiled before.
func (r *Registry) Reload(ctx context.Context) (*Generation, error) {
	return r.ReloadIf(ctx, func(*Generation) (int64, error) {
		if old := r.Current(); old != nil {
			return old.Number + 1, nil
		}
		return 1, nil
	})
}

// ReloadIf is Reload with a last word: admit is given the new rulebooks when all is well with them, and tells their number. With
// its error those in use stay.
func (r *Registry) ReloadIf(ctx context.Context, admit func(*Generation) (number int64, err error)) (*Generation, error) {
	r.loading.Lock()
	defer r.loading.Unlock()
	g, err := load(ctx, r.config.Layers, r.config.Limits)
	if err == nil {
		err = g.succeed(ctx, r.current.Load())
	}
	if err != nil {
		return nil, fmt.Errorf("load rulebooks: %w", err)
	}
	if g.Number, err = admit(g); err != nil {
		return nil, err
	}
	r.current.Store(g)
	return g, nil
}

// Renumber puts the rulebooks in use under another number. Whoever has the old one keeps it as it is.
func (r *Registry) Renumber(number int64) *Generation {
	r.loading.Lock()
	defer r.loading.Unlock()
	g := *r.current.Load()
	g.Number = number
	r.current.Store(&g)
	return &g
}

// succeed takes over what was made of rulebooks of the old generation, nil at the first load, and compiles those whose id was in
// use there, so that no request waits for it or comes upon their faults.
func (g *Generation) succeed(ctx context.Context, old *Generation) error {
	if old == nil {
		return nil
	}
	g.adopt(old)
	inUse, known := map[string]bool{}, map[string]bool{}
	for _, b := range old.books {
		inUse[b.Manifest.ID] = inUse[b.Manifest.ID] || b.programs.isMade() || b.schemas.isMade()
		known[b.Digest] = true
	}
	for _, b := range g.books {
		if !inUse[b.Manifest.ID] || known[b.Digest] {
			continue
		}
		_, faulty := b.Programs()
		_, broken := b.Schemas()
		if err := errors.Join(faulty, broken, ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

// adopt takes over what was made of rulebooks that are the same.
func (g *Generation) adopt(old *Generation) {
	known := map[string]*Book{}
	for _, b := range old.books {
		known[b.Digest] = b
	}
	for _, b := range g.books {
		if same := known[b.Digest]; same != nil {
			b.adopt(same)
		}
	}
}
