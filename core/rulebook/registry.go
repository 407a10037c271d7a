package rulebook

import (
	"context"
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

// Reload loads the rulebooks anew and puts them in the place of those in use. When anything is wrong with them these stay in
// use, and the error is that of NewRegistry. What was made of rulebooks that have not changed is kept.
func (r *Registry) Reload(ctx context.Context) (*Generation, error) {
	r.loading.Lock()
	defer r.loading.Unlock()
	g, err := load(ctx, r.config.Layers, r.config.Limits)
	if err != nil {
		return nil, fmt.Errorf("load rulebooks: %w", err)
	}
	g.Number = 1
	if old := r.current.Load(); old != nil {
		g.Number = old.Number + 1
		g.adopt(old)
	}
	r.current.Store(g)
	return g, nil
}

// adopt takes over what was made of rulebooks that are the same.
func (g *Generation) adopt(old *Generation) {
	known := map[string]*Book{}
	for _, b := range old.books {
		known[b.Digest] = b
	}
	for _, b := range g.books {
		if same := known[b.Digest]; same != nil {
			b.rules.adopt(&same.rules)
			b.programs.adopt(&same.programs)
			b.schemas.adopt(&same.schemas)
		}
	}
}
