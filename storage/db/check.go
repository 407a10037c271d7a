package db

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mattn/go-sqlite3"
)

// check is the integrity check after an unclean stop.
type check struct {
	mu  sync.Mutex
	err error
}

// startCheck runs the check in the background and waits for it up to wait, so that a small database is known to be whole
// before the first request and a large one does not delay the start.
func (d *sqlite) startCheck(ctx context.Context, wait time.Duration) error {
	done := make(chan struct{})
	d.work.Go(func() {
		defer close(done)
		d.runCheck()
	})
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return d.health(ctx)
}

// runCheck looks through the pages of the file up to the first fault. quick_check does not hold the indexes against their
// tables, which takes much longer on a large file.
func (d *sqlite) runCheck() {
	start := time.Now()
	var verdict string
	err := d.read.GetContext(d.stopped, &verdict, "PRAGMA quick_check(1)")
	switch {
	case d.stopped.Err() != nil:
		return
	case err != nil:
		err = fmt.Errorf("check database after unclean stop: %w", damaged(err))
	case verdict != "ok":
		err = fmt.Errorf("check database after unclean stop: %s: %w", verdict, ErrCorrupt)
	}
	if err != nil {
		d.log.Error("database check failed", "error", err)
	} else {
		d.log.Info("database checked after unclean stop", "took", time.Since(start).Round(time.Millisecond))
	}
	d.check.mu.Lock()
	defer d.check.mu.Unlock()
	d.check.err = err
}

// health is what the check has found, nil while it runs.
func (d *sqlite) health(context.Context) error {
	d.check.mu.Lock()
	defer d.check.mu.Unlock()
	return d.check.err
}

// damaged adds ErrCorrupt to the driver's words for a damaged file.
func damaged(err error) error {
	var e sqlite3.Error
	if errors.As(err, &e) && (e.Code == sqlite3.ErrCorrupt || e.Code == sqlite3.ErrNotADB) {
		return errors.Join(err, ErrCorrupt)
	}
	return err
}
