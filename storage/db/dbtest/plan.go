package dbtest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/storage/db"
)

// ReadsThrough fails the test where the database would not answer the query through the index alone: where it would look at all
// rows of a table, or sort.
func ReadsThrough(t testing.TB, d *db.DB, index, query string, args ...any) {
	t.Helper()
	plan, err := explain(d, query, args)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	bad := false
	for _, word := range []string{"SCAN", "TEMP B-TREE", "Seq Scan", "Sort"} {
		bad = bad || strings.Contains(plan, word)
	}
	if bad || !strings.Contains(plan, index) {
		t.Errorf("%s\nis not read through %s alone but done as\n%s", query, index, plan)
	}
}

// explain gives what the database intends to do. On PostgreSQL the reading of whole tables, which it likes for small ones, is the
// last resort.
func explain(d *db.DB, query string, args []any) (plan string, err error) {
	err = d.Write(context.Background(), func(tx *db.Tx) error {
		if tx.Lock() == "" {
			var steps []struct{ Detail string }
			err := tx.Select(&steps, "EXPLAIN QUERY PLAN "+query, args...)
			plan = fmt.Sprintf("%+v", steps)
			return err
		}
		for _, way := range []string{"seqscan", "bitmapscan", "sort"} {
			if _, err := tx.Exec("SET LOCAL enable_" + way + " = off"); err != nil {
				return err
			}
		}
		var lines []string
		err := tx.Select(&lines, "EXPLAIN "+query, args...)
		plan = strings.Join(lines, "\n")
		return err
	})
	return plan, err
}
