package ledger

import (
	"fmt"
	"slices"
	"testing"
)

// TestEndedGivesJobsThatNobodyHasToWaitFor ensures that finished, canceled and unknown jobs are told, waiting and running ones
// are not, and that many are asked for at once.
func TestEndedGivesJobsThatNobodyHasToWaitFor(t *testing.T) {
	f := newFixture(t)
	queued, canceled := f.accept(t, "{}"), f.accept(t, "{}")
	if _, err := f.Cancel(t.Context(), f.account, canceled.Mode, canceled.ID); err != nil {
		t.Fatal(err)
	}
	asked := []string{queued.ID, canceled.ID}
	for i := range 2*askAtOnce - 1 {
		asked = append(asked, fmt.Sprintf("job_%d", i))
	}
	got, err := f.Ended(t.Context(), asked)
	if err != nil || len(got) != 2*askAtOnce || slices.Contains(got, queued.ID) || !slices.Contains(got, canceled.ID) {
		t.Errorf("%d of %d, error %v", len(got), len(asked), err)
	}
	if got, err := f.Ended(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("of none: %v, error %v", got, err)
	}
}

// TestSuspectsAreWaitingJobsThatHaveLostTheirWorker ensures that no other jobs are given, and that many are asked for at once.
func TestSuspectsAreWaitingJobsThatHaveLostTheirWorker(t *testing.T) {
	f := newFixture(t)
	suspect, other, fresh := f.accept(t, "{}"), f.accept(t, "{}"), f.accept(t, "{}")
	f.claim(t, suspect)
	f.die(t, 1)
	f.claim(t, other) // the one that is first in turn of those that never ran
	f.die(t, 1)
	if _, err := f.ClaimSuspect(t.Context(), other.ID, alone); err != nil {
		t.Fatal(err)
	}
	asked := []string{suspect.ID, other.ID, fresh.ID}
	for i := range 2 * askAtOnce {
		asked = append(asked, fmt.Sprintf("job_%d", i))
	}
	slices.Reverse(asked)
	if got, err := f.Suspects(t.Context(), asked...); err != nil || len(got) != 1 || got[0] != suspect.ID {
		t.Errorf("%q, error %v, want %s", got, err, suspect.ID)
	}
	if got, err := f.Suspects(t.Context()); err != nil || len(got) != 0 {
		t.Errorf("of none: %v, error %v", got, err)
	}
}
