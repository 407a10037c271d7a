package harness

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
	_ "github.com/mattn/go-sqlite3" // the driver of SQLite
)

// Auditor looks at the rows and the stored bytes, past the program.
type Auditor struct {
	t      T
	system *System
	db     *sqlx.DB
}

// Audit opens the database of the system for reading.
func (h *System) Audit() *Auditor {
	h.t.Helper()
	driver, source := h.database()
	db, err := sqlx.Open(driver, source)
	if err != nil {
		h.t.Fatalf("open the database: %v", err)
	}
	db.SetMaxOpenConns(2)
	h.t.Cleanup(func() { _ = db.Close() })
	return &Auditor{t: h.t, system: h, db: db}
}

// Row is what the audit reads of a job.
type Row struct {
	ID             string
	Account        string        `db:"account_id"`
	State          string        `db:"state"`
	Kind           string        `db:"kind"`
	Run            int           `db:"run"`
	Attempts       int           `db:"attempts"`
	Crashes        int           `db:"crashes"`
	Created        int64         `db:"created"`
	Started        sql.NullInt64 `db:"started"`
	Finished       sql.NullInt64 `db:"finished"`
	Status         int           `db:"status"`
	AnswerSHA256   string        `db:"answer_sha256"`
	ArtifactSHA256 string        `db:"artifact_sha256"`
	FailureCode    string        `db:"failure_code"`
}

const rowColumns = `id, account_id, state, kind, run, attempts, crashes, created, started, finished, status, answer_sha256, artifact_sha256, failure_code`

// Rows gives all jobs by id. A database that is away is asked again.
func (a *Auditor) Rows() map[string]Row {
	a.t.Helper()
	var rows []Row
	a.ask(func() error { rows = rows[:0]; return a.db.Select(&rows, "SELECT "+rowColumns+" FROM jobs") })
	byID := make(map[string]Row, len(rows))
	for _, r := range rows {
		byID[r.ID] = r
	}
	return byID
}

// Number gives the one number that a query asks for, its places written as ?.
func (a *Auditor) Number(query string, args ...any) int {
	a.t.Helper()
	var n int
	a.ask(func() error { return a.db.Get(&n, a.db.Rebind(query), args...) })
	return n
}

// Texts gives the one column of texts that a query asks for.
func (a *Auditor) Texts(query string, args ...any) []string {
	a.t.Helper()
	var texts []string
	a.ask(func() error { texts = texts[:0]; return a.db.Select(&texts, a.db.Rebind(query), args...) })
	return texts
}

// Multiply writes n more rows of a job, of which only the id differs. The database is SQLite and nobody else has it open.
func (a *Auditor) Multiply(jobID string, n int) {
	a.t.Helper()
	columns := a.Texts("SELECT name FROM pragma_table_info('jobs') WHERE name <> 'id'")
	_, source := a.system.database()
	db, err := sqlx.Open("sqlite3", strings.Replace(source, "mode=ro", "mode=rw", 1))
	if err != nil {
		a.t.Fatalf("open the database: %v", err)
	}
	defer db.Close()
	names := strings.Join(columns, ", ")
	_, err = db.Exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		INSERT INTO jobs (id, `+names+`) SELECT substr(id, 1, 20) || printf('%010d', i), `+names+` FROM jobs, n WHERE id = ?`, n, jobID)
	if err != nil {
		a.t.Fatalf("write rows: %v", err)
	}
}

// ask repeats a query while the database starts.
func (a *Auditor) ask(query func() error) {
	a.t.Helper()
	var err error
	if !held(patience, func() bool { err = query(); return err == nil || a.t.Context().Err() != nil }) || err != nil {
		a.t.Fatalf("ask the database: %v", err)
	}
}

// Unfinished counts the jobs that have not ended.
func (a *Auditor) Unfinished() int {
	a.t.Helper()
	return a.Number("SELECT count(*) FROM jobs WHERE state IN ('queued', 'running')")
}

// Settled waits until every job has ended.
func (a *Auditor) Settled(atMost time.Duration) {
	a.t.Helper()
	if held(atMost, func() bool { return a.Unfinished() == 0 }) {
		return
	}
	var some []string
	for _, r := range a.Rows() {
		if r.State == "queued" || r.State == "running" {
			some = append(some, fmt.Sprintf("%+v", r))
		}
	}
	a.t.Fatalf("%d jobs have not ended within %s, among them %s", len(some), atMost, some[0])
}

// Verdict is what the audit of a load found.
type Verdict struct {
	Accepted, Succeeded, Crashed int
	Interrupted                  int // jobs that had more runs than one
	Orphans                      int // stored outputs that belong to no run that ended a job; the sweep removes them
}

// Jobs holds that every accepted job has ended with the answer that the synchronous call gives, once; that no other jobs are there; and
// that each has one set of stored bytes. blamed is how many may have been given up: none where processes are killed from outside.
func (a *Auditor) Jobs(accepted []Accepted, blamed int) Verdict {
	a.t.Helper()
	rows, v := a.Rows(), Verdict{Accepted: len(accepted)}
	var faults []string
	for _, job := range accepted {
		row, ok := rows[job.ID]
		if !ok {
			faults = append(faults, "lost: "+job.ID)
			continue
		}
		delete(rows, job.ID)
		v.count(row)
		if fault := faultOf(row, job.Order); fault != "" {
			faults = append(faults, fault)
		}
	}
	if v.Crashed > blamed {
		faults = append(faults, fmt.Sprintf("%d jobs were blamed for kills, at most %d may", v.Crashed, blamed))
	}
	for _, id := range slices.Sorted(maps.Keys(rows)) {
		faults = append(faults, fmt.Sprintf("a job that nobody was told of: %+v", rows[id]))
	}
	if n := a.Number("SELECT count(*) FROM outbox WHERE kind = 'ring' AND subject LIKE 'job%'"); n > 0 {
		faults = append(faults, fmt.Sprintf("%d messages of jobs are still owed", n))
	}
	v.Orphans = a.bytes(a.Rows(), &faults)
	a.report(faults)
	return v
}

func (v *Verdict) count(row Row) {
	switch {
	case row.State == "succeeded":
		v.Succeeded++
	case row.FailureCode == "JOB_CRASHED":
		v.Crashed++
	}
	if row.Run > 1 {
		v.Interrupted++
	}
}

// report ends the test with the first faults.
func (a *Auditor) report(faults []string) {
	a.t.Helper()
	if len(faults) > 0 {
		a.t.Fatalf("%d faults:\n%s", len(faults), strings.Join(faults[:min(20, len(faults))], "\n"))
	}
}

// faultOf tells what is wrong with the row of a finished job; empty for nothing.
func faultOf(row Row, order *Order) string {
	switch {
	case row.FailureCode == "JOB_CRASHED" && row.Crashes >= 3:
		return ""
	case row.State != "succeeded":
		return fmt.Sprintf("not succeeded: %+v", row)
	case row.AnswerSHA256 != sha(order.Want.Body) && (order.Before.Status != 200 || row.AnswerSHA256 != sha(order.Before.Body)):
		return fmt.Sprintf("another answer than the synchronous one: %+v", row)
	case (order.Operation == "generate") != (row.ArtifactSHA256 != ""):
		return fmt.Sprintf("%s with artifact %q: %+v", order.Operation, row.ArtifactSHA256, row)
	}
	return ""
}

func sha(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Delays gives, for each job that one kill has interrupted, how long after that kill it had ended, ascending. Only jobs of two runs
// count: of them the first kill after their start is known to be the one. Where another kill came before its end and within the promised time, the time
// begins anew with that: a process takes no interrupted job in its first seconds, and so none as long as it is killed again and again.
func Delays(rows map[string]Row, kills []time.Time, promised time.Duration) []time.Duration {
	var delays []time.Duration
	for _, r := range rows {
		if r.Run != 2 || r.Crashes != 1 || !r.Finished.Valid {
			continue
		}
		if from := lastDisturbed(r, kills, promised); !from.IsZero() {
			delays = append(delays, time.UnixMilli(r.Finished.Int64).Sub(from))
		}
	}
	slices.Sort(delays)
	return delays
}

// lastDisturbed is the last of the kills, in order, that begins the promised time; zero where none has hit the job.
func lastDisturbed(r Row, kills []time.Time, promised time.Duration) (from time.Time) {
	for _, kill := range kills {
		kill = kill.Truncate(time.Millisecond)
		switch hit := kill.UnixMilli() >= r.Started.Int64; {
		case from.IsZero() && hit:
			from = kill
		case hit && kill.Sub(from) <= promised && kill.UnixMilli() < r.Finished.Int64:
			from = kill
		}
	}
	return from
}

// Percentile gives the value that p percent of the sorted values do not exceed; 0 for none.
func Percentile(sorted []time.Duration, p int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max(0, (len(sorted)*p+99)/100-1)]
}
