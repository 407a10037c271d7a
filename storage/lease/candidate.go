package lease

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// row is the row of a lease as a candidate sees it.
type row struct {
	Holder string `db:"holder"`
	Fence  int64  `db:"fence"`
	Beat   int64  `db:"beat"`
	TTL    int64  `db:"ttl"`
}

// candidate watches the row.
type candidate struct {
	*Lease
	seen row
	at   time.Time // of the first look that saw it
}

// await takes the lease as soon as it can be had; not ok means that ctx has ended.
func (c *candidate) await(ctx context.Context) (t term, ok bool) {
	look := time.NewTicker(c.cfg.TTL / looks)
	defer look.Stop()
	for {
		t, err := c.look(ctx)
		switch {
		case err == nil && t.fence > 0:
			return t, true
		case err != nil && ctx.Err() == nil:
			c.cfg.Logger.Error("lease could not be looked at", "lease", c.cfg.Name, "error", err)
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return term{}, false
		}
	}
}

// look reads the row and takes the lease if it may. Without the lease the term is zero.
func (c *candidate) look(ctx context.Context) (term, error) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.TTL/stops)
	defer cancel()
	since := c.startWatch()
	var rows []row
	if err := c.store.Select(ctx, &rows, "SELECT holder, fence, beat, ttl FROM leases WHERE name = ?", c.cfg.Name); err != nil {
		return term{}, fmt.Errorf("read lease %s: %w", c.cfg.Name, err)
	}
	if len(rows) == 0 {
		return c.taken(since, 1, c.change(ctx, "INSERT INTO leases (name, holder, fence, beat, ttl) VALUES (?, ?, 1, 1, ?) ON CONFLICT DO NOTHING",
			c.cfg.Name, c.cfg.Holder, c.cfg.TTL.Milliseconds()))
	}
	r := rows[0]
	if r != c.seen {
		c.seen, c.at = r, time.Now()
	}
	if !c.free(r) {
		return term{}, nil
	}
	return c.taken(since, r.Fence+1, c.change(ctx, "UPDATE leases SET holder = ?, fence = fence + 1, beat = beat + 1, ttl = ? WHERE name = ? AND fence = ? AND beat = ?",
		c.cfg.Holder, c.cfg.TTL.Milliseconds(), c.cfg.Name, r.Fence, r.Beat))
}

// free tells whether the lease may be taken: it was given back, or is left from an earlier term of this process, or its holder
// has been silent for long enough.
func (c *candidate) free(r row) bool {
	ttl := max(c.cfg.TTL, time.Duration(r.TTL)*time.Millisecond)
	return r.Holder == "" || r.Holder == c.cfg.Holder || time.Since(c.at) >= ttl*silence/looks
}

// taken gives the term that begins with an accepted change; that another process was faster is no error.
func (c *candidate) taken(since stopwatch, fence int64, err error) (term, error) {
	if errors.Is(err, errTaken) {
		return term{}, nil
	}
	if err != nil {
		return term{}, err
	}
	return term{fence, since}, nil
}
