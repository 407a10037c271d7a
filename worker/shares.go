package worker

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// shares counts the runs of each account in the process, of which none may have more than most; 0 is no limit. There are more places than that, so
// that the job of another account need not wait until one of a busy account has ended, which may take minutes. While another account had a run within
// the last second, none may have more than most without one, so that a processor is free for the other's next.
//
// A claim gives a job of whatever account, so that until it has ended it may be one more run of any: claims that are under
// way count against each account's share.
type shares struct {
	mu       sync.Mutex
	most     int
	running  map[string]int
	recent   *job.Recent
	claiming int           // that may each come to a run of any account that has not its share
	ended    chan struct{} // closed when a run has ended
	decided  chan struct{} // closed when a claim or a run has ended
}

func newShares(most int, recent *job.Recent) *shares {
	return &shares{most: most, recent: recent, running: map[string]int{}, ended: make(chan struct{}), decided: make(chan struct{})}
}

// begin gives the accounts that have their share, and lets the caller claim a job of another; claimed must follow. ok is false where claims are under way
// which may come to the last run that an account may have. Then, and after a claim in vain, changed tells when it is worth to try again.
func (s *shares) begin() (full []string, changed <-chan struct{}, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	highest := 0
	now := time.Now()
	for account, n := range s.running {
		if s.most > 0 && n >= s.mostOf(account, now) {
			full = append(full, account)
		} else {
			highest = max(highest, n)
		}
	}
	if s.most > 0 && highest+s.claiming >= s.most {
		return nil, s.decided, false
	}
	s.claiming++
	return full, s.ended, true
}

// isFull tells whether an account has its share.
func (s *shares) isFull(account string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most > 0 && s.running[account] >= s.mostOf(account, time.Now())
}

// mostOf is how many runs an account may have.
func (s *shares) mostOf(account string, now time.Time) int {
	if s.most > 1 && s.recent.Others(account, now) {
		return s.most - 1
	}
	return s.most
}

// claimed ends a claim: with a run of the account, or in vain where that is empty.
func (s *shares) claimed(account string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.claiming--
	if account != "" {
		s.running[account]++
		s.recent.Serve(account, time.Now())
	}
	tell(&s.decided)
}

// add counts a run that was claimed by the id of its job, whatever share its account has.
func (s *shares) add(account string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[account]++
	s.recent.Serve(account, time.Now())
}

// end counts a run out.
func (s *shares) end(account string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[account]--; s.running[account] == 0 {
		delete(s.running, account)
	}
	s.recent.Serve(account, time.Now())
	tell(&s.ended)
	tell(&s.decided)
}

// tell wakes those who wait.
func tell(waiting *chan struct{}) {
	close(*waiting)
	*waiting = make(chan struct{})
}

// LookFor makes the worker look at once for jobs of accounts of which some have not their share. It is called when jobs of these were accepted; those of
// which it is not told are found a little later (Config.Look).
func (w *Worker) LookFor(accounts ...string) {
	if !slices.ContainsFunc(accounts, func(account string) bool { return !w.shares.isFull(account) }) {
		return
	}
	select {
	case w.accepted <- struct{}{}:
	default: // it will be looked anyway
	}
}

// next claims a job for a message as soon as one waits that may be run here, and gives the end of its run's part in the process. ok is false where nothing
// waits; suspect tells whether the job of the message is one that must be claimed itself.
func (w *Worker) next(ctx context.Context, queue, jobID string) (job ledger.Job, leave func(), ok, suspect bool) {
	for look := false; ; {
		full, changed, may := w.shares.begin()
		switch {
		case may && len(full) > 0 && !look:
			w.shares.claimed("") // while some account has its share, the others are looked for now and then
		case may:
			var passed bool
			if job, leave, ok, suspect, passed = w.claimFor(ctx, queue, jobID, full); !passed {
				return job, leave, ok, suspect
			}
		}
		if look = w.pause(ctx, changed, may); ctx.Err() != nil {
			w.handBack(ctx, queue, jobID)
			return job, leave, false, false
		}
	}
}

// claimFor claims a job of the message's queue, or where all that waits there is of accounts with their share, of another.
func (w *Worker) claimFor(ctx context.Context, queue, jobID string, full []string) (job ledger.Job, leave func(), ok, suspect, passed bool) {
	defer func() { w.shares.claimed(job.Account) }()
	leave, ok = w.join(ctx)
	if !ok {
		return job, leave, false, false, false
	}
	job, ok, suspect = w.claim(jobID, func() (ledger.Job, error) {
		job, err := w.ledger.Claim(ctx, queue, jobID, full...)
		for i := 0; i < len(w.cfg.Queues) && errors.Is(err, ledger.ErrPassed); i++ {
			var elsewhere error
			if job, elsewhere = w.ledger.Claim(ctx, w.cfg.Queues[i], "", full...); elsewhere == nil {
				err = nil
			}
		}
		passed = errors.Is(err, ledger.ErrPassed)
		return job, err
	})
	if !ok {
		leave()
	}
	return job, leave, ok, suspect, passed
}

// pause returns when it is worth to try again, or ctx has ended. One caller at a time, of those who may claim, is to look for what others may have accepted
// meanwhile.
func (w *Worker) pause(ctx context.Context, changed <-chan struct{}, may bool) (look bool) {
	lookout := w.lookout
	if !may {
		lookout = nil
	}
	select {
	case <-changed:
		return false
	case <-ctx.Done():
		return false
	case lookout <- struct{}{}:
		defer func() { <-w.lookout }()
	}
	timer := time.NewTimer(w.cfg.Look)
	defer timer.Stop()
	select {
	case <-changed:
		return false
	case <-timer.C:
		return true
	case <-w.accepted:
		return true
	case <-ctx.Done():
		return false
	}
}

// handBack has a message come again that could not be answered before the worker stops.
func (w *Worker) handBack(ctx context.Context, queue, jobID string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), w.cfg.Settle)
	defer cancel()
	if err := w.ledger.EnqueueAgain(ctx, queue, jobID); err != nil {
		w.cfg.Logger.Warn("a message could not be handed back; it will come again", "job_id", jobID, "error", err)
	}
}
