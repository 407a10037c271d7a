package ledger

import (
	"context"
	"fmt"
)

// Count is how many unfinished jobs a queue has in one state.
type Count struct {
	Queue string `db:"queue"`
	State State  `db:"state"`
	Jobs  int64  `db:"jobs"`
}

// Counts gives the numbers of unfinished jobs, for metrics. A queued job is counted by the ring that is owed for it, so that
// finished jobs, of which there may be millions, are not looked at.
func (l *Ledger) Counts(ctx context.Context) ([]Count, error) {
	var counts []Count
	err := l.db.Select(ctx, &counts, `SELECT queue, 'queued' AS state, count(*) AS jobs FROM outbox WHERE kind = 'ring' AND subject LIKE 'job%' GROUP BY queue
		UNION ALL SELECT queue, 'running', count(*) FROM jobs WHERE state = 'running' GROUP BY queue ORDER BY 1, 2`)
	if err != nil {
		return nil, fmt.Errorf("count jobs: %w", err)
	}
	return counts, nil
}
