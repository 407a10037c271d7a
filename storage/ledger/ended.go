package ledger

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// askAtOnce is how many jobs one query of Ended asks for.
const askAtOnce = 500

// Ended gives those of the jobs that have ended, or that there are not, whoever they belong to.
func (l *Ledger) Ended(ctx context.Context, jobIDs []string) ([]string, error) {
	var ended []string
	for some := range slices.Chunk(jobIDs, askAtOnce) {
		unfinished := map[string]bool{}
		var found []string
		args := make([]any, len(some))
		for i, id := range some {
			args[i] = id
		}
		query := "SELECT id FROM jobs WHERE state IN ('queued', 'running') AND id IN (?" + strings.Repeat(", ?", len(some)-1) + ")"
		if err := l.db.Select(ctx, &found, query, args...); err != nil {
			return nil, fmt.Errorf("look for ended jobs: %w", err)
		}
		for _, id := range found {
			unfinished[id] = true
		}
		ended = append(ended, slices.DeleteFunc(slices.Clone(some), func(id string) bool { return unfinished[id] })...)
	}
	return ended, nil
}
