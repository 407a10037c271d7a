package worker

import "sync"

// lane holds the suspects that wait. One caller at a time runs them, so that they run one after the other and take up one
// of the places for jobs. They are claimed when their turn comes: what waits here is still owed a ring by the database.
type lane struct {
	mu      sync.Mutex
	busy    bool
	waiting []string
}

// enter adds a job and tells whether the caller is to run what waits, until next gives nothing more.
func (l *lane) enter(jobID string) (run bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, jobID)
	run = !l.busy
	l.busy = true
	return run
}

// next gives the next job, or leaves the lane.
func (l *lane) next() (jobID string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		l.busy, l.waiting = false, nil
		return "", false
	}
	jobID, l.waiting = l.waiting[0], l.waiting[1:]
	return jobID, true
}
