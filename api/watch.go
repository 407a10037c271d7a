package api

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Pauses between two looks at a job that is waited for.
const (
	firstLook = 5 * time.Millisecond
	lastLook  = 250 * time.Millisecond
	lookLimit = 10 * time.Second // how long one look may take
)

// watcher tells requests that wait for jobs when these have ended. All of a process share one look at the database: it asks
// for the jobs that are due in one query, a young one often, an old one seldom. Its goroutine lives as long as somebody waits.
type watcher struct {
	ended func(ctx context.Context, jobIDs []string) ([]string, error)
	log   *slog.Logger

	mu      sync.Mutex
	watched map[string]*watch
	running bool
	arrived chan struct{} // somebody has begun to wait
}

// watch is one job that is waited for.
type watch struct {
	over    chan struct{} // closed when the job has ended
	waiting int
	pause   time.Duration
	look    time.Time // when it is due
}

func newWatcher(ended func(context.Context, []string) ([]string, error), log *slog.Logger) *watcher {
	return &watcher{ended: ended, log: log, watched: map[string]*watch{}, arrived: make(chan struct{}, 1)}
}

// await gives a channel that is closed when the job has ended; leave is to be called when that is of no interest any more.
func (w *watcher) await(jobID string) (over <-chan struct{}, leave func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	job := w.watched[jobID]
	if job == nil {
		job = &watch{over: make(chan struct{}), pause: firstLook, look: time.Now().Add(firstLook)}
		w.watched[jobID] = job
	}
	job.waiting++
	if !w.running {
		w.running = true
		go w.run()
	}
	select {
	case w.arrived <- struct{}{}:
	default:
	}
	return job.over, func() { w.leave(jobID, job) }
}

func (w *watcher) leave(jobID string, job *watch) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if job.waiting--; job.waiting == 0 && w.watched[jobID] == job {
		delete(w.watched, jobID)
	}
	select {
	case w.arrived <- struct{}{}: // the last one to leave ends the goroutine
	default:
	}
}

// tell says that jobs have ended, or that there is a reason to look.
func (w *watcher) tell(jobIDs ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range jobIDs {
		if job := w.watched[id]; job != nil {
			close(job.over)
			delete(w.watched, id)
		}
	}
}

// run looks at the jobs until nobody waits.
func (w *watcher) run() {
	for {
		due, pause, ok := w.due(time.Now())
		switch {
		case !ok:
			return
		case len(due) > 0:
			w.look(due)
		default:
			select {
			case <-time.After(pause):
			case <-w.arrived:
			}
		}
	}
}

// due gives the jobs to look at now, or how long there are none; false when nobody waits. A job that is nearly due goes along
// with those that are.
func (w *watcher) due(now time.Time) (jobIDs []string, pause time.Duration, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	pause = lastLook
	for id, job := range w.watched {
		if rest := job.look.Sub(now); rest > job.pause/4 {
			pause = min(pause, rest)
			continue
		}
		jobIDs = append(jobIDs, id)
		job.pause = min(2*job.pause, lastLook)
		job.look = now.Add(job.pause)
	}
	w.running = len(w.watched) > 0
	return jobIDs, pause, w.running
}

func (w *watcher) look(jobIDs []string) {
	ctx, cancel := context.WithTimeout(context.Background(), lookLimit)
	defer cancel()
	ended, err := w.ended(ctx, jobIDs)
	if err != nil {
		w.log.Warn("jobs that are waited for could not be looked at", "jobs", len(jobIDs), "error", err)
		return
	}
	w.tell(ended...)
}
