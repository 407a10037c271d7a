package ledger

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/queue/names"
)

// TestClaimPassesOverAccounts ensures that a claim which passes over an account finds the next job of the others behind thousands of its jobs, in the
// order of their turns, tells where nothing else waits, and leaves no job of a message that must be claimed itself unseen.
func TestClaimPassesOverAccounts(t *testing.T) {
	f := newFixture(t)
	busy, one, two := f.account, f.newAccount(t), f.newAccount(t)
	f.acceptBatch(t, 3000)
	claim := func(passed ...string) (Job, error) {
		return f.Claim(t.Context(), names.Default, "job_of_any_ring", passed...)
	}
	if _, err := claim(busy); !errors.Is(err, ErrPassed) {
		t.Errorf("where only the account waits: %v", err)
	}
	first, second, third := f.acceptOf(t, two), f.acceptOf(t, one), f.acceptOf(t, two)
	for _, want := range []Job{first, second, third} {
		if got, err := claim(busy); err != nil || got.ID != want.ID || got.Run != 1 || string(got.Request) != "x" {
			t.Errorf("claimed %s of %s: %v, want %s of %s", got.ID, got.Account, err, want.ID, want.Account)
		}
	}
	if _, err := claim(busy, one); !errors.Is(err, ErrPassed) {
		t.Errorf("when the others are served: %v", err)
	}
	if got, err := claim(one, two); err != nil || got.Account != busy {
		t.Errorf("claimed one of %s: %v", got.Account, err)
	}
	if _, err := f.Claim(t.Context(), names.Embed, "job_of_any_ring", busy); !errors.Is(err, ErrNotQueued) {
		t.Errorf("in an empty queue: %v", err)
	}
	f.clock.Add(time.Minute) // first, second and third lose their workers
	if _, err := f.Reap(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Claim(t.Context(), names.Default, first.ID, busy); !errors.Is(err, ErrSuspect) {
		t.Errorf("for the message of a job that has crashed: %v", err)
	}
	if _, err := claim(busy); !errors.Is(err, ErrPassed) {
		t.Errorf("jobs that have crashed are claimed for others' messages: %v", err)
	}
}

// TestEnqueueAgain ensures that a message which is handed back is due at once: that of its job, or where that does not wait any more, of the last one.
func TestEnqueueAgain(t *testing.T) {
	f := newFixture(t)
	first, second, third := f.accept(t, "x"), f.accept(t, "x"), f.accept(t, "x")
	f.claim(t, first)
	for _, step := range []struct {
		of   Job
		want []string
	}{{second, []string{second.ID}}, {first, []string{second.ID, third.ID}}} {
		do(t, f.EnqueueAgain(t.Context(), names.Default, step.of.ID))
		var got []string
		do(t, f.db.Select(t.Context(), &got, "SELECT subject FROM outbox WHERE kind = 'ring' AND due <= ? ORDER BY subject", f.now()))
		slices.Sort(step.want)
		if !slices.Equal(got, step.want) {
			t.Errorf("due are %q, want %q", got, step.want)
		}
	}
}
