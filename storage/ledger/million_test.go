package ledger

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
)

// jobsToStartWith is how many jobs the database has in TestStartWithManyJobs; EINVOICED_TEST_JOBS=1000000 measures a million.
func jobsToStartWith(t *testing.T) int64 {
	t.Helper()
	text := os.Getenv("EINVOICED_TEST_JOBS")
	if text == "" {
		return 20_000
	}
	n, err := strconv.ParseInt(text, 10, 64)
	do(t, err)
	return n
}

// fill makes n jobs by SQL. Of each hundred, 97 have finished and are kept, one has expired, one waits and one has lost its worker.
func (f *fixture) fill(t *testing.T, n int64) {
	t.Helper()
	now := clock.Millis(f.clock.Now())
	do(t, f.db.Write(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO jobs (id, account_id, mode, key_id, request_id, kind, queue, state, run, time_limit, created, started,
			finished, beat, expires, input_size, input_sha256, status)
			WITH RECURSIVE numbers (n) AS (SELECT CAST(0 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < CAST(? AS BIGINT))
			SELECT 'job_' || CAST(1000000000 + n AS TEXT), CAST(? AS TEXT), 'live', 'key_1', 'req_1', 'generate', 'default',
				CASE n % 100 WHEN 0 THEN 'queued' WHEN 1 THEN 'running' ELSE 'succeeded' END, 1, 120000, n,
				n, CASE WHEN n % 100 > 1 THEN n END, CASE n % 100 WHEN 1 THEN n END,
				CASE WHEN n % 100 = 2 THEN n WHEN n % 100 > 2 THEN CAST(? AS BIGINT) + n END, 1, 'x', 200 FROM numbers`,
			n, f.account, now+1_000_000)
		if err != nil {
			return err
		}
		_, err = tx.Exec("INSERT INTO outbox SELECT 'ring', id, queue, 2, created, 0 FROM jobs WHERE state = 'queued'")
		return err
	}))
}

// TestStartWithManyJobs ensures that a process which starts on a database with many jobs finds what there is to do, and measures
// how long that takes. That the questions are answered through indexes is TestQueriesUseTheirIndexes.
func TestStartWithManyJobs(t *testing.T) {
	f := newFixture(t)
	n := jobsToStartWith(t)
	f.fill(t, n)
	begin := time.Now()
	database := dbtest.Reopen(t, f.place.db)
	next, err := New(f.cfg, database, f.blobs, f.queue)
	do(t, err)
	opened := time.Since(begin)
	counts, err := next.Counts(t.Context())
	do(t, err)
	counted := time.Since(begin)
	if len(counts) != 2 || counts[0].Jobs != n/100 || counts[1].Jobs != n/100 {
		t.Errorf("counts %+v, want %d queued and running", counts, n/100)
	}
	reaped, reapErr := next.Reap(t.Context())
	expired, expireErr := next.Expire(t.Context())
	do(t, reapErr, expireErr)
	if want := int(min(n/100, pageOfReaped)); reaped != want || expired != want {
		t.Errorf("%d taken from dead workers and %d expired, want %d", reaped, expired, want)
	}
	t.Logf("%d jobs: opened in %s, counted after %s, a page of dead and one of expired jobs done after %s", n, opened, counted, time.Since(begin))
}
