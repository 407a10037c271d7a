package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/einvoiced/einvoiced/internal/harness"
)

// counting are the settings by which PostgreSQL counts its statements.
func counting(o options) []string {
	if !o.asked {
		return nil
	}
	return []string{"shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track_planning=on"}
}

// counter reads what PostgreSQL has counted.
type counter struct{ db *sqlx.DB }

// count begins to count; it gives nil where nothing is to be counted.
func count(t *measurement, o options, h *harness.System) *counter {
	if !o.asked || !h.Shared {
		return nil
	}
	db, err := sqlx.Connect("pgx", h.Postgres.URL())
	if err == nil {
		t.Cleanup(func() { _ = db.Close() })
		_, err = db.Exec("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
	}
	if err != nil {
		t.Fatalf("count statements: %v", err)
	}
	return &counter{db}
}

// begin forgets what was counted before.
func (c *counter) begin(t *measurement) {
	if c == nil {
		return
	}
	if _, err := c.db.Exec("SELECT pg_stat_statements_reset()"); err != nil {
		t.Fatalf("count statements: %v", err)
	}
}

// statement is a line of the view.
type statement struct {
	Query string  `db:"query"`
	Calls float64 `db:"calls"`
	Micro float64 `db:"micro"` // of planning and execution, in microseconds
}

const selectStatements = `SELECT regexp_replace(query, '\s+', ' ', 'g') AS query, sum(calls) AS calls,
	sum(total_exec_time + total_plan_time) * 1000 AS micro FROM pg_stat_statements GROUP BY 1 ORDER BY calls DESC`

// report tells how often each statement was carried out for one of n jobs, and how long that took.
func (c *counter) report(t *measurement, out io.Writer, what string, n int) {
	if c == nil {
		return
	}
	var all []statement
	if err := c.db.Select(&all, selectStatements); err != nil {
		t.Fatalf("count statements: %v", err)
	}
	fmt.Fprint(out, statementTable(what, all, n), "\n")
}

// rare is how often a statement may be carried out for one job without being told.
const rare = 0.01

func statementTable(what string, all []statement, n int) string {
	return table("statements a job\tµs\t"+what, func(line func(format string, args ...any)) {
		calls, micro := 0.0, 0.0
		for _, s := range all {
			calls, micro = calls+s.Calls, micro+s.Micro
		}
		line("%.2f\t%.0f\tall", calls/float64(n), micro/float64(n))
		for _, s := range all {
			if s.Calls/float64(n) >= rare {
				line("%.2f\t%.0f\t%.110s", s.Calls/float64(n), s.Micro/float64(n), strings.TrimSpace(s.Query))
			}
		}
	})
}
