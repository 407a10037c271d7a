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
