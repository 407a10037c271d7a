package lease

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/einvoiced/einvoiced/storage/db"
)

// Why a term ends.
var (
	errDone    = errors.New("the work is done")
	errTaken   = errors.New("another process has the lease")
	errSilence = errors.New("the lease could not be renewed")
)

// serve runs while until the term ends, and gives why it ended. The lease is given back when the work has ended and no
// earlier, so that nobody begins beside it.
func (l *Lease) serve(ctx context.Context, t term, while func(context.Context)) error {
	work, stop := context.WithCancel(context.WithValue(ctx, fenceKey{}, t.fence))
	defer stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		while(work)
	}()
	why := l.keep(work, stop, &t, done)
	<-done
	if l.elapsed(t.since) >= l.cfg.TTL*silence/looks {
		l.cfg.Logger.Error("work under a lease went on after its end", "lease", l.cfg.Name, "fence", t.fence)
	}
	if !errors.Is(why, errTaken) {
		l.release(context.WithoutCancel(ctx), t)
	}
	return why
}

// keep beats until the work is done, ctx ends, or the term is over, also under a beat that takes too long. A beat that fails is
// tried again soon. It stops the work before it waits for a beat.
func (l *Lease) keep(ctx context.Context, stop context.CancelFunc, t *term, done <-chan struct{}) error {
	look := time.NewTicker(l.cfg.TTL / looks / 2)
	defer look.Stop()
	var renewing chan renewal
	defer func() {
		stop()
		if renewing != nil {
			<-renewing
		}
	}()
	for {
		select {
		case <-done:
			return errDone
		case <-ctx.Done():
			return ctx.Err()
		case r := <-renewing:
			renewing = nil
			if errors.Is(r.err, errTaken) {
				return r.err
			}
			if r.err == nil {
				t.since = r.since
			}
		case <-look.C:
			if renewing == nil && l.elapsed(t.since) >= l.cfg.TTL/beats {
				renewing = l.renew(ctx, t.fence, t.since)
			}
		}
		if l.elapsed(t.since) >= l.cfg.TTL/stops {
			return errSilence
		}
	}
}

// renewal is what has come of a beat.
type renewal struct {
	since stopwatch
	err   error
}

// renew beats once. The new term counts from before the beat is sent, since nobody knows when it is written.
func (l *Lease) renew(ctx context.Context, fence int64, since stopwatch) chan renewal {
	result := make(chan renewal, 1)
	r := renewal{since: l.startWatch()}
	ctx, cancel := context.WithTimeout(ctx, max(0, l.cfg.TTL/stops-l.elapsed(since)))
	go func() {
		defer cancel()
		r.err = l.change(ctx, "UPDATE leases SET beat = beat + 1 WHERE name = ? AND fence = ? AND holder = ?", l.cfg.Name, fence, l.cfg.Holder)
		if r.err != nil && ctx.Err() == nil {
			l.cfg.Logger.Error("lease could not be renewed", "lease", l.cfg.Name, "error", r.err)
		}
		result <- r
	}()
	return result
}

// release lets the next process take the lease at once. If that cannot be said, it finds out by itself.
func (l *Lease) release(ctx context.Context, t term) {
	ctx, cancel := context.WithTimeout(ctx, l.cfg.TTL/stops)
	defer cancel()
	err := l.change(ctx, "UPDATE leases SET holder = '', beat = beat + 1 WHERE name = ? AND fence = ? AND holder = ?",
		l.cfg.Name, t.fence, l.cfg.Holder)
	if err != nil && !errors.Is(err, errTaken) {
		l.cfg.Logger.Warn("lease could not be given back", "lease", l.cfg.Name, "error", err)
	}
}

// change runs a statement on the row; one that changes nothing means that the lease is another's.
func (l *Lease) change(ctx context.Context, statement string, args ...any) error {
	err := l.store.Write(ctx, func(tx *db.Tx) error {
		n, err := tx.Exec(statement, args...)
		if err == nil && n == 0 {
			err = errTaken
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("write lease %s: %w", l.cfg.Name, err)
	}
	return nil
}
