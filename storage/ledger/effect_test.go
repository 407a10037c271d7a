package ledger

import (
	"testing"
)

// acceptCharged takes over a job whose end is announced.
func (f *fixture) acceptCharged(t testing.TB, request string) Job {
	t.Helper()
	n := f.newJob(request)
	n.Announce = true
	job, err := f.Accept(t.Context(), n)
	do(t, err)
	return job
}

// checkEffects checks what the end of the job has told, and how many units were counted for it.
func (f *fixture) checkEffects(t testing.TB, job Job, told string, units int64) {
	t.Helper()
	if got := f.told(t, job); got != told {
		t.Errorf("job %s has told %q, want %q", job.ID, got, told)
	}
}
