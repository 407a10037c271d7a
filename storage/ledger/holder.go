package ledger

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
)

// BeatHolder says that this process is alive, and that what its requests hold is not to be taken away; it also releases what
// failed to be released before. It is due every 3 s.
func (l *Ledger) BeatHolder(ctx context.Context) error {
	now, left := l.now(), l.leftovers.all()
	err := l.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec("INSERT INTO holders (id, beat) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET beat = excluded.beat", l.cfg.Process, now)
		if err != nil {
			return err
		}
		return dropHeld(tx, left...)
	})
	if err != nil {
		return fmt.Errorf("beat for process %s: %w", l.cfg.Process, err)
	}
	l.leftovers.remove(left)
	l.beat.Store(now)
	return nil
}

// leftovers are the owners of rows that this process could not release, or does not know whether it has.
type leftovers struct {
	mu     sync.Mutex
	owners map[string]bool
}

func (o *leftovers) add(owner string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if owner == "" {
		return
	}
	if o.owners == nil {
		o.owners = map[string]bool{}
	}
	o.owners[owner] = true
}

// all gives the owners, sorted.
func (o *leftovers) all() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Sorted(maps.Keys(o.owners))
}

func (o *leftovers) remove(owners []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, owner := range owners {
		delete(o.owners, owner)
	}
}

// ensureHolder beats where the last beat is old or there was none: what is held by a process that is not known to live is taken away.
func (l *Ledger) ensureHolder(ctx context.Context) error {
	if age := l.now() - l.beat.Load(); age >= 0 && age < l.cfg.DeadAfter.Milliseconds()/2 {
		return nil
	}
	return l.BeatHolder(ctx)
}

// ReapHolders releases what processes hold whose beat is older than DeadAfter, and gives how many keys and reservations
// that were. A process that was only paused finds its tickets lost. It does not take the process for dead that it is itself: that
// may have been asleep, or its clock have jumped, before its next beat.
func (l *Ledger) ReapHolders(ctx context.Context) (int, error) {
	var dead []string
	var keys int64
	var lost []reservation
	err := l.db.Write(ctx, func(tx *db.Tx) (err error) {
		dead, lost = nil, nil
		err = tx.Select(&dead, "DELETE FROM holders WHERE beat < ? AND id <> ? RETURNING id",
			clock.Millis(l.cfg.Clock.Now().Add(-l.cfg.DeadAfter)), l.cfg.Process)
		if err != nil {
			return err
		}
		if keys, err = tx.Exec(deleteLostKeys); err != nil {
			return err
		}
		if err := tx.Select(&lost, deleteLostReservations); err != nil {
			return err
		}
		return endReservations(tx, lost, false)
	})
	if err != nil {
		return 0, fmt.Errorf("release what dead processes hold: %w", err)
	}
	released := int(keys) + len(lost)
	if len(dead) > 0 && released > 0 {
		l.cfg.Logger.Warn("a process died with requests under way", "processes", dead, "released", released)
	}
	return released, nil
}

// What belongs to processes that are not among the holders, whenever they left these.
const (
	deleteLostKeys = `DELETE FROM idempotency_keys WHERE process <> ''
		AND NOT EXISTS (SELECT 1 FROM holders WHERE holders.id = idempotency_keys.process)`
	deleteLostReservations = `DELETE FROM reservations WHERE process <> ''
		AND NOT EXISTS (SELECT 1 FROM holders WHERE holders.id = reservations.process) RETURNING *`
)
