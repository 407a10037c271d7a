package db_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
)

// manyFor is how long TestManyWriters writes; EINVOICED_TEST_WRITE_FOR=5m measures the whole scenario.
func manyFor(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("EINVOICED_TEST_WRITE_FOR")
	if text == "" {
		return time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestManyWriters ensures that 64 writers and, on the same database, another process come through without an error, which on
// SQLite would be that the database is locked. It measures how long a write takes.
func TestManyWriters(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, cfg db.Config) {
		process, other := dbtest.Reopen(t, cfg), dbtest.Reopen(t, cfg)
		ctx, cancel := context.WithTimeout(t.Context(), manyFor(t))
		defer cancel()
		var mu sync.Mutex
		var took []time.Duration
		var beside, next atomic.Int64
		write := func(d *db.DB) {
			began := time.Now()
			err := d.Write(context.Background(), func(tx *db.Tx) error {
				_, err := tx.Exec("INSERT INTO accounts (id, name, created) VALUES (?, 'x', 1)", fmt.Sprint(next.Add(1)))
				return err
			})
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			took = append(took, time.Since(began))
		}
		var writers sync.WaitGroup
		for range 64 {
			writers.Go(func() {
				for ctx.Err() == nil {
					write(process)
				}
			})
		}
		writers.Go(func() {
			for ctx.Err() == nil || beside.Load() == 0 {
				write(other)
				beside.Add(1)
			}
		})
		writers.Wait()
		slices.Sort(took)
		at := func(percent int) time.Duration { return took[len(took)*percent/100].Round(10 * time.Microsecond) }
		t.Logf("%d writes, %d of them of the other process: p50 %s, p99 %s, max %s", len(took), beside.Load(), at(50), at(99), took[len(took)-1])
	})
}
