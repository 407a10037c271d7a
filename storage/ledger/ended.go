package ledger

import (
	"context"
	"fmt"
	"slices"

	"github.com/einvoiced/einvoiced/storage/db"
)

// askAtOnce is how many jobs one query of Ended and Suspects asks for.
const askAtOnce = 500

// queuedOfThese is written so that PostgreSQL, while it does not know how large the table is, does not take an index of all that are queued.
const queuedOfThese = "state || '' = 'queued'"

// Ended gives those of the jobs that have ended, or that there are not, whoever they belong to.
func (l *Ledger) Ended(ctx context.Context, jobIDs []string) ([]string, error) {
	found, err := l.ofThese(ctx, "state IN ('queued', 'running')", jobIDs)
	if err != nil {
		return nil, fmt.Errorf("look for ended jobs: %w", err)
	}
	unfinished := map[string]bool{}
	for _, id := range found {
		unfinished[id] = true
	}
	return slices.DeleteFunc(slices.Clone(jobIDs), func(id string) bool { return unfinished[id] }), nil
}

// Suspects gives those of the jobs that wait and were running when a worker died, whoever they belong to. They are claimed with ClaimSuspect, when they have
// waited long enough.
func (l *Ledger) Suspects(ctx context.Context, jobIDs ...string) ([]string, error) {
	suspects, err := l.ofThese(ctx, queuedOfThese+" AND crashes > 0", jobIDs)
	if err != nil {
		return nil, fmt.Errorf("look for jobs that have crashed: %w", err)
	}
	return suspects, nil
}

// ofThese gives those of the jobs that fulfill the condition.
func (l *Ledger) ofThese(ctx context.Context, condition string, jobIDs []string) ([]string, error) {
	var all []string
	for some := range slices.Chunk(jobIDs, askAtOnce) {
		var found []string
		among, args := db.In(some)
		if err := l.db.Select(ctx, &found, "SELECT id FROM jobs WHERE "+condition+" AND id "+among, args...); err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}
