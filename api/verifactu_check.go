package api

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/einvoiced/einvoiced/core/verifactu"
	"github.com/einvoiced/einvoiced/storage/chain"
)

const (
	checkedFor = 15 * time.Minute // from the first page of an export, in which its other pages tell of what that has found
	mostChecks = 256              // that are kept; beyond it the whole memory starts anew
)

// chainChecks are the checks of periods of chains whose exports may still be under way: to check all for each page would be work by the square of it.
type chainChecks struct {
	mu   sync.Mutex
	kept map[checkedPeriod]chainCheck
}

// checkedPeriod is a period of a chain, in milliseconds since 1970.
type checkedPeriod struct {
	chain    string
	from, to int64
}

// chainCheck is how far a chain was checked.
type chainCheck struct {
	whole verifactu.Chain
	after int64 // position of the last record that was
	begun time.Time
}

// begin gives the check of a period to go on with: one that has nothing yet, but for a page behind the first the one that is there and not too old.
func (k *chainChecks) begin(of checkedPeriod, first bool, now time.Time) chainCheck {
	k.mu.Lock()
	defer k.mu.Unlock()
	if known, ok := k.kept[of]; ok && !first && now.Sub(known.begun) < checkedFor {
		return known
	}
	return chainCheck{begun: now}
}

func (k *chainChecks) keep(of checkedPeriod, c chainCheck) {
	c.whole.Broken = slices.Clip(c.whole.Broken) // more than one page may go on from here
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept == nil || len(k.kept) >= mostChecks {
		k.kept = map[checkedPeriod]chainCheck{}
	}
	k.kept[of] = c
}

// check goes through the whole period, by the documents that the tax office would get. Pages behind the first go on where one before them has ended.
func (e *exporting) check(ctx context.Context, found *chain.Chain, within chain.Range) (verifactu.Chain, error) {
	of := checkedPeriod{found.ID, e.period.From.UnixMilli(), e.period.To.UnixMilli()}
	c := e.checks.begin(of, e.after == 0, time.Now())
	if err := e.goOn(ctx, &c, found, within); err != nil {
		return c.whole, err
	}
	e.checks.keep(of, c)
	return c.whole, nil
}

// goOn checks the records that were not checked.
func (e *exporting) goOn(ctx context.Context, c *chainCheck, found *chain.Chain, within chain.Range) error {
	within.After, within.Most, within.Documents = max(within.After, c.after), verifactu.MostRecords, true
	for {
		records, err := found.Read(ctx, within)
		if err != nil || len(records) == 0 {
			return err
		}
		if c.whole.Count == 0 {
			c.whole.Part = records[0].Position > 1
		}
		for i := range records {
			read, err := readRecord(&records[i])
			if err != nil {
				return err
			}
			c.whole.Add(read.Link())
		}
		c.after = records[len(records)-1].Position
		within.After = c.after
		if err := e.next(); err != nil {
			return err
		}
	}
}
