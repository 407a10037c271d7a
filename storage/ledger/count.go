package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/einvoiced/einvoiced/storage/clock"
)

// Count is how many unfinished jobs a queue has in one state.
type Count struct {
	Queue  string
	State  State
	Jobs   int64
	Oldest time.Time // when the oldest of them was accepted
}

// Counts gives the numbers of unfinished jobs, for metrics. A queued job is counted by the message that is owed for it, so that
// finished jobs, of which there may be millions, are not looked at; the ids of jobs are in the order of their acceptance.
func (l *Ledger) Counts(ctx context.Context) ([]Count, error) {
	var rows []struct {
		Queue  string        `db:"queue"`
		State  State         `db:"state"`
		Jobs   int64         `db:"jobs"`
		Oldest sql.NullInt64 `db:"oldest"`
	}
	err := l.db.Select(ctx, &rows, `SELECT queue, state, jobs, (SELECT created FROM jobs WHERE id = first) AS oldest FROM (
		SELECT queue, 'queued' AS state, count(*) AS jobs, min(subject) AS first FROM outbox WHERE kind = 'ring' AND subject >= 'job' AND subject < 'jok' GROUP BY queue
		UNION ALL SELECT queue, 'running', count(*), min(id) FROM jobs WHERE state = 'running' GROUP BY queue) AS counted ORDER BY 1, 2`)
	if err != nil {
		return nil, fmt.Errorf("count jobs: %w", err)
	}
	counts := make([]Count, len(rows))
	for i, r := range rows {
		counts[i] = Count{r.Queue, r.State, r.Jobs, clock.Time(r.Oldest.Int64)}
	}
	return counts, nil
}
