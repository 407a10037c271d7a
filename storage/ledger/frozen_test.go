package ledger

import (
	"context"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/db"
)

// TestFrozenEndDoesNotHoldUpTheReaper ensures that a job whose row is held, by a process that was frozen while it ended the job, is left
// for a later round, and that those of other dead workers are given back meanwhile. On SQLite nobody can hold a row beside others.
func TestFrozenEndDoesNotHoldUpTheReaper(t *testing.T) {
	f := newFixture(t)
	if f.place.db.URL == "" {
		return
	}
	frozen, other := f.claim(t, f.accept(t, "frozen")), f.claim(t, f.accept(t, "other"))
	f.clock.Add(11 * time.Second)
	held, release, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- f.db.Write(context.Background(), func(tx *db.Tx) error {
			_, err := tx.Exec("UPDATE jobs SET progress = 99 WHERE id = ?", frozen.ID)
			close(held)
			<-release
			return err
		})
	}()
	<-held
	limited, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	moved, err := f.Reap(limited)
	close(release)
	do(t, err, <-ended)
	if first, second := f.get(t, frozen).State, f.get(t, other).State; moved != 1 || first != Running || second != Queued {
		t.Errorf("moved %d jobs: the one whose row was held is %s, the other %s", moved, first, second)
	}
	if moved, err := f.Reap(t.Context()); moved != 1 || err != nil {
		t.Errorf("the next round moved %d jobs, error %v", moved, err)
	}
}
