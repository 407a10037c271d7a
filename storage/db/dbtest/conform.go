package dbtest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/einvoiced/einvoiced/storage/db"
)

// Conform tests what every kind of database promises. config names a new and empty one each time.
func Conform(t *testing.T, config func(testing.TB) db.Config) {
	for name, test := range map[string]func(*testing.T, *room){
		"values come back as they were written":            valuesComeBack,
		"queries give rows and tell of none":               queriesGiveRows,
		"a failed write is undone alone":                   failedWriteIsUndone,
		"a failed statement fails its write":               failedStatementFailsTheWrite,
		"what nobody waits for is done in its order":       laterKeepsItsOrder,
		"a failure that nobody waits for fails its write":  laterFailsTheWrite,
		"what must change something fails otherwise":       mustChangesOrFails,
		"rows are read along with another statement":       alsoIsReadAlong,
		"rows are read into fields and single values":      rowsAreReadIntoFields,
		"the outcome of a transaction is told":             outcomeIsTold,
		"readers cannot write":                             readersCannotWrite,
		"foreign keys are checked":                         foreignKeysAreChecked,
		"texts sort by their bytes":                        textsSortByBytes,
		"columns of later versions are passed over":        laterColumnsArePassedOver,
		"a context that has ended writes nothing":          endedContextWritesNothing,
		"a write whose context ends is never in doubt":     cancelledWriteIsCertain,
		"a locked row is changed by one at a time":         lockedRowIsChangedByOne,
		"rows that others hold are passed over":            heldRowsArePassedOver,
		"conditional changes are made once":                conditionalChangesAreMadeOnce,
		"deadlocked writes all come through":               deadlocksComeThrough,
		"opening again keeps the data":                     openingAgainKeepsTheData,
		"processes that start together migrate once":       startingTogetherMigratesOnce,
		"processes write beside each other":                processesWriteBesideEachOther,
		"the schema of a later version is refused":         laterSchemaIsRefused,
		"a closed database refuses what comes":             closedRefuses,
		"closing waits for what is under way":              closingWaits,
		"starting and stopping leaves writers an answer":   stoppingAnswers,
		"an open database is healthy":                      openIsHealthy,
		"writers come through beside many others at once":  manyWritersComeThrough,
		"a read sees what was written before it":           readSeesWritesBefore,
		"a query that is wrong fails at once and for good": wrongQueryFailsAtOnce,
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			cfg := config(t)
			test(t, &room{cfg: cfg, DB: Reopen(t, cfg)})
		})
	}
}

// room is a database under test, which can be opened again.
type room struct {
	*db.DB
	cfg db.Config
}

// exec runs a statement in a write of its own.
func (r *room) exec(query string, args ...any) error {
	return r.Write(context.Background(), func(tx *db.Tx) error {
		_, err := tx.Exec(query, args...)
		return err
	})
}

// must fails the test with the first error.
func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

const newAccount = "INSERT INTO accounts (id, name, created) VALUES (?, ?, 1)"

// names lists the accounts.
func (r *room) names(t *testing.T) string {
	t.Helper()
	var list []string
	must(t, r.Select(context.Background(), &list, "SELECT name FROM accounts ORDER BY name"))
	return strings.Join(list, " ")
}

// counter makes a table with rows that all are 0.
func (r *room) counter(t *testing.T, rows int) {
	t.Helper()
	must(t, r.exec("CREATE TABLE counters (id BIGINT PRIMARY KEY, n BIGINT NOT NULL, holder TEXT)"))
	for i := range rows {
		must(t, r.exec("INSERT INTO counters (id, n) VALUES (?, 0)", i))
	}
}

type thing struct {
	ID   string         `db:"id"`
	N    int64          `db:"n"`
	Opt  sql.NullInt64  `db:"opt"`
	Text sql.NullString `db:"words"`
	Data []byte         `db:"data"`
	Flag bool           `db:"flag"`
}

func valuesComeBack(t *testing.T, r *room) {
	must(t, r.exec("CREATE TABLE things (id TEXT PRIMARY KEY, n BIGINT NOT NULL, opt BIGINT, words TEXT, data BYTEA, flag BOOLEAN NOT NULL)"))
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	want := []thing{
		{ID: "a", N: 1<<63 - 1, Flag: true, Data: all, Opt: sql.NullInt64{Int64: -1, Valid: true}, Text: sql.NullString{String: "Größe €; 'quoted' \" \n", Valid: true}},
		{ID: "b", N: -1 << 63, Text: sql.NullString{Valid: true}},
		{ID: "c", Data: bytes.Repeat([]byte{0xff}, 100_000)},
	}
	must(t, r.Write(t.Context(), func(tx *db.Tx) error {
		for _, w := range want {
			if _, err := tx.Named("INSERT INTO things (id, n, opt, words, data, flag) VALUES (:id, :n, :opt, :words, :data, :flag)", w); err != nil {
				return err
			}
		}
		return nil
	}))
	var got []thing
	must(t, r.Select(t.Context(), &got, "SELECT * FROM things ORDER BY id"))
	if !reflect.DeepEqual(got, want) {
		t.Errorf("came back as %.500v, want %.500v", got, want)
	}
}

func queriesGiveRows(t *testing.T, r *room) {
	err := r.Write(t.Context(), func(tx *db.Tx) error {
		var id string
		var ids []string
		n, err := tx.Exec(newAccount+", (?, ?, 2)", "a", "A", "b", "B")
		got := tx.Get(&id, "UPDATE accounts SET name = ? WHERE id = ? RETURNING id", "C", "b")
		none := tx.Get(&id, "UPDATE accounts SET name = ? WHERE id = ? RETURNING id", "C", "z")
		if !errors.Is(none, sql.ErrNoRows) {
			return fmt.Errorf("no row: error %v", none)
		}
		all := tx.Select(&ids, "SELECT id FROM accounts ORDER BY id")
		if n != 2 || id != "b" || len(ids) != 2 {
			return fmt.Errorf("%d rows inserted, id %q, ids %q", n, id, ids)
		}
		return errors.Join(err, got, all)
	})
	must(t, err)
	var name string
	if err := r.Get(t.Context(), &name, "SELECT name FROM accounts WHERE id = ?", "z"); !errors.Is(err, sql.ErrNoRows) {
		t.Errorf("no row: error %v", err)
	}
	if got := r.names(t); got != "A C" {
		t.Errorf("accounts %q", got)
	}
}

func failedWriteIsUndone(t *testing.T, r *room) {
	refused := errors.New("refused")
	outcomes := map[string]struct {
		end  func() error
		want error
	}{
		"kept1": {func() error { return nil }, nil},
		"error": {func() error { return refused }, refused},
		"panic": {func() error { panic("boom") }, nil},
		"kept2": {func() error { return nil }, nil},
	}
	var writers sync.WaitGroup
	for name, o := range outcomes {
		writers.Go(func() {
			err := r.Write(t.Context(), func(tx *db.Tx) error {
				if _, err := tx.Exec(newAccount, name, name); err != nil {
					return err
				}
				return o.end()
			})
			switch {
			case name == "panic" && (err == nil || !strings.Contains(err.Error(), "boom")):
				t.Errorf("panic came out as %v", err)
			case name != "panic" && !errors.Is(err, o.want):
				t.Errorf("%s: error %v, want %v", name, err, o.want)
			}
		})
	}
	writers.Wait()
	if got := r.names(t); got != "kept1 kept2" {
		t.Errorf("accounts %q", got)
	}
}

func failedStatementFailsTheWrite(t *testing.T, r *room) {
	must(t, r.exec(newAccount, "a", "a"))
	err := r.Write(t.Context(), func(tx *db.Tx) error {
		if _, err := tx.Exec(newAccount, "b", "b"); err != nil {
			return err
		}
		if _, err := tx.Exec(newAccount, "a", "again"); err == nil {
			return errors.New("one id was given twice")
		}
		return nil // the error is passed over
	})
	if err == nil || r.names(t) != "a" {
		t.Errorf("error %v, accounts %q", err, r.names(t))
	}
}

func readersCannotWrite(t *testing.T, r *room) {
	var n int
	if err := r.Get(t.Context(), &n, "INSERT INTO accounts (id, name, created) VALUES ('a', 'a', 1) RETURNING 1"); err == nil || r.names(t) != "" {
		t.Errorf("a read has written: %v", err)
	}
}

func foreignKeysAreChecked(t *testing.T, r *room) {
	err := r.exec(`INSERT INTO api_keys (id, account_id, mode, name, lookup, sha256, last_four, entitlements, created)
		VALUES ('k', 'nobody', 'test', '', 'l', ?, 'abcd', '[]', 1)`, strings.Repeat("0", 64))
	if err == nil {
		t.Error("a key belongs to no account")
	}
}

func textsSortByBytes(t *testing.T, r *room) {
	want := []string{"B", "Z", "_", "a", "ab", "a_", "job_1", "job_a", "z", "ä"}
	slices.Sort(want)
	for i, id := range want {
		must(t, r.exec(newAccount, id, fmt.Sprint(i)))
	}
	var got, after []string
	must(t, r.Select(t.Context(), &got, "SELECT id FROM accounts ORDER BY id"),
		r.Select(t.Context(), &after, "SELECT id FROM accounts WHERE id > ? ORDER BY id", want[4]))
	if !slices.Equal(got, want) || !slices.Equal(after, want[5:]) {
		t.Errorf("order %q, after the fifth %q, want %q", got, after, want)
	}
}

func laterColumnsArePassedOver(t *testing.T, r *room) {
	type account struct {
		ID      string `db:"id"`
		Name    string `db:"name"`
		Created int64  `db:"created"`
	}
	var before, after []account
	const query = "SELECT * FROM accounts ORDER BY id"
	must(t, r.exec(newAccount, "a", "A"), r.Select(t.Context(), &before, query))
	must(t, r.exec("ALTER TABLE accounts ADD COLUMN later TEXT NOT NULL DEFAULT 'x'"))
	for range 8 { // on every connection that has prepared the query before
		must(t, r.Select(t.Context(), &after, query))
		must(t, r.Write(t.Context(), func(tx *db.Tx) error { return tx.Select(&after, query) }))
	}
	if len(before) != 1 || !slices.Equal(before, after[:1]) {
		t.Errorf("read %+v before and %+v after", before, after)
	}
}

func readSeesWritesBefore(t *testing.T, r *room) {
	for i := range 50 {
		var n int
		must(t, r.exec(newAccount, fmt.Sprint(i), "x"), r.Get(t.Context(), &n, "SELECT count(*) FROM accounts"))
		if n != i+1 {
			t.Fatalf("%d rows after write %d", n, i+1)
		}
	}
}

func wrongQueryFailsAtOnce(t *testing.T, r *room) {
	var n, ran int
	read := r.Get(t.Context(), &n, "SELECT nothing FROM nowhere")
	write := r.Write(t.Context(), func(tx *db.Tx) error {
		ran++
		_, err := tx.Exec("UPDATE nowhere SET nothing = 1")
		return err
	})
	if read == nil || write == nil || ran != 1 {
		t.Errorf("read: %v, write: %v after %d tries", read, write, ran)
	}
}

func openIsHealthy(t *testing.T, r *room) { must(t, r.Health(t.Context())) }
