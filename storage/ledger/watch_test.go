package ledger

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// watched notes what a Watch is told.
type watched struct{ told []string }

// Started implements Watch.
func (w *watched) Started(j Job) {
	w.told = append(w.told, fmt.Sprintf("%s started %v", j.ID, !j.Started.Before(j.Created)))
}

// Ended implements Watch.
func (w *watched) Ended(j Job) {
	w.told = append(w.told, fmt.Sprintf("%s %s %v", j.ID, j.State, !j.Finished.IsZero()))
}

// TestWatchIsToldOfEachJobOnce ensures that the begin of the first run and each kind of end are told, once, and only what was committed.
func TestWatchIsToldOfEachJobOnce(t *testing.T) {
	w := &watched{}
	f := newFixture(t)
	f.cfg.Watch, f.Ledger.cfg.Watch = w, w
	done, canceled := f.claim(t, f.accept(t, "{}")), f.accept(t, "{}")
	do(t, f.Finish(t.Context(), done, Output{Status: 200, Answer: Bytes("{}")}))
	if err := f.Finish(t.Context(), done, Output{Status: 200, Answer: Bytes("{}")}); err == nil {
		t.Error("a job ended twice")
	}
	_, err := f.Cancel(t.Context(), canceled.Account, canceled.Mode, canceled.ID)
	do(t, err)
	again := f.claim(t, f.accept(t, "{}"))
	do(t, f.Release(t.Context(), again))
	again = f.claim(t, again)
	do(t, f.Fail(t.Context(), again, Failure{Code: CodeFailed, Message: "broken"}))
	want := []string{done.ID + " started true", done.ID + " succeeded true", canceled.ID + " canceled true", again.ID + " started true", again.ID + " failed true"}
	if diff := cmp.Diff(want, w.told); diff != "" {
		t.Error(diff)
	}
}
