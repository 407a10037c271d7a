package scheduler

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/storage/generation"
)

// RulebooksConfig sets up Rulebooks.
type RulebooksConfig struct {
	Every  time.Duration // how often to look whether another process has loaded other rulebooks. Default: 2 s.
	Logger *slog.Logger  // Default: slog.Default().
}

// Rulebooks keeps the rulebooks of this process in step with those of the other processes on the same database. Whoever loads
// others announces their digest there and gets a number; every other process then loads its own folder and uses what it finds
// when that has the same digest. It is safe for concurrent use.
type Rulebooks struct {
	cfg      RulebooksConfig
	registry *rulebook.Registry
	store    *generation.Store

	swapping sync.Mutex // held while rulebooks are loaded
	mu       sync.Mutex // guards the fields below
	behind   error      // why this process does not use the latest rulebooks
	swaps    map[Swap]int64
}

// Swap is what came of a load.
type Swap string

// What can come of a load.
const (
	Swapped   Swap = "swapped"   // others are in use now
	Unchanged Swap = "unchanged" // they are the same as before
	Refused   Swap = "refused"   // those before stay in use
)

// ErrBehind says that the folder of this process does not have the rulebooks that the others use.
var ErrBehind = errors.New("the folder has other rulebooks than the process that loaded the latest ones")

// NewRulebooks announces the rulebooks that the registry has loaded and gives them the number of the database. A process that
// starts with other rulebooks than those in use thereby becomes the one that the others follow.
func NewRulebooks(ctx context.Context, cfg RulebooksConfig, registry *rulebook.Registry, store *generation.Store) (*Rulebooks, error) {
	if cfg.Every < 0 {
		return nil, errors.New("rulebooks: Every must not be negative")
	}
	if cfg.Every == 0 {
		cfg.Every = 2 * time.Second
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	latest, err := store.Announce(ctx, registry.Current().Digest)
	if err != nil {
		return nil, err
	}
	registry.Renumber(latest.Number)
	return &Rulebooks{cfg: cfg, registry: registry, store: store, swaps: map[Swap]int64{}}, nil
}

// Reload loads the folder anew and announces what it has. Requests that are under way keep the rulebooks that they began with.
// When anything is wrong, those in use stay: the error then has the reason rulebook.LoadFailed where the folder is to blame.
func (r *Rulebooks) Reload(ctx context.Context) (*rulebook.Generation, error) {
	r.swapping.Lock()
	defer r.swapping.Unlock()
	return r.load(ctx, func(g *rulebook.Generation) (int64, error) {
		latest, err := r.store.Announce(ctx, g.Digest)
		return latest.Number, err
	})
}

// load swaps the rulebooks and tells of it.
func (r *Rulebooks) load(ctx context.Context, admit func(*rulebook.Generation) (int64, error)) (*rulebook.Generation, error) {
	old, start := r.registry.Current(), time.Now()
	g, err := r.registry.ReloadIf(ctx, admit)
	if err != nil {
		r.note(Refused)
		r.cfg.Logger.Error("rulebooks refused: those before stay in use", "generation", old.Number, "digest", old.Digest,
			"reason", string(rulebook.ReasonOf(err)), "error", err)
		return nil, err
	}
	swap := Swapped
	if g.Digest == old.Digest {
		swap = Unchanged
	}
	r.note(swap)
	r.cfg.Logger.Info("rulebooks "+string(swap), "generation", g.Number, "digest", g.Digest, "before", old.Number,
		"rulebooks", len(g.Books()), "took", time.Since(start).Round(time.Millisecond))
	return g, nil
}

// note counts a load; one that is not refused brings this process into step.
func (r *Rulebooks) note(swap Swap) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.swaps[swap]++
	if swap != Refused {
		r.behind = nil
	}
}

// Follow loads the folder when another process has announced other rulebooks. The error tells why this process goes on with those
// that it has: ErrBehind, or what is wrong with the folder.
func (r *Rulebooks) Follow(ctx context.Context) error {
	r.swapping.Lock()
	defer r.swapping.Unlock()
	latest, err := r.store.Latest(ctx)
	if err != nil {
		return err
	}
	switch now := r.registry.Current(); {
	case latest.Number == now.Number:
		return nil
	case latest.Digest == now.Digest:
		r.registry.Renumber(latest.Number)
		r.note(Unchanged)
		r.cfg.Logger.Info("rulebooks "+string(Unchanged), "generation", latest.Number, "digest", now.Digest, "before", now.Number)
		return nil
	}
	_, err = r.load(ctx, func(g *rulebook.Generation) (int64, error) {
		if g.Digest != latest.Digest {
			return 0, fmt.Errorf("follow to generation %d, digest %s: %w: digest %s", latest.Number, latest.Digest, ErrBehind, g.Digest)
		}
		return latest.Number, nil
	})
	if err != nil && ctx.Err() == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.behind = err
	}
	return err
}

// InStep gives nil when this process uses the rulebooks that all should use, as far as it has looked; else why it does not.
func (r *Rulebooks) InStep() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.behind
}

// Swaps counts the loads since the start by what came of them.
func (r *Rulebooks) Swaps() map[Swap]int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	counts := map[Swap]int64{Swapped: 0, Unchanged: 0, Refused: 0}
	for swap, n := range r.swaps {
		counts[swap] = n
	}
	return counts
}

// Chore is that of following.
func (r *Rulebooks) Chore() Chore { return Chore{"follow rulebooks", r.cfg.Every, r.Follow} }
