package ledger

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCountsTellUnfinishedJobs ensures that queued and running jobs are counted by queue, with the age of the oldest, and finished ones are not.
func TestCountsTellUnfinishedJobs(t *testing.T) {
	f := newFixture(t)
	running, finished := f.claim(t, f.accept(t, "{}")), f.claim(t, f.accept(t, "{}"))
	oldest := f.accept(t, "{}")
	for range 2 {
		f.accept(t, "{}")
	}
	if err := f.Finish(t.Context(), finished, Output{Status: 200, Answer: Bytes("{}")}); err != nil {
		t.Fatal(err)
	}
	got, err := f.Counts(t.Context())
	want := []Count{{running.Queue, Queued, 3, oldest.Created}, {running.Queue, Running, 1, running.Created}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}
