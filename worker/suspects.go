package worker

import (
	"slices"
	"sync"
)

// suspectQueue holds the jobs that wait which were running when a worker died. One caller at a time runs them, so that they run one after the other and take up one
// of the places for jobs. They are claimed when their turn comes: of what waits here the database still has to notify workers.
type suspectQueue struct {
	mu      sync.Mutex
	busy    bool
	waiting []string
}

// enter adds a job that does not wait here yet and tells whether the caller is to run what waits, until next gives nothing more.
func (q *suspectQueue) enter(jobID string) (run bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !slices.Contains(q.waiting, jobID) {
		q.waiting = append(q.waiting, jobID)
	}
	run = !q.busy
	q.busy = true
	return run
}

// next gives the next job, or ends the turn of the caller.
func (q *suspectQueue) next() (jobID string, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.busy, q.waiting = false, nil
		return "", false
	}
	jobID, q.waiting = q.waiting[0], q.waiting[1:]
	return jobID, true
}
