package db_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
)

// cluster is a DB whose connections can be broken, and another one that goes to the same schema directly.
type cluster struct {
	*proxy
	*db.DB
	direct *db.DB
	ran    atomic.Int32 // how often the function of a write ran
}

// newCluster gives a cluster with the table entries, where a write that is done twice shows; nil without PostgreSQL.
func newCluster(t *testing.T, change func(*db.Config)) *cluster {
	t.Helper()
	if os.Getenv(dbtest.Variable) == "" {
		return nil
	}
	p, behind, direct := newProxy(t)
	if change != nil {
		change(&behind)
	}
	c := &cluster{proxy: p, direct: dbtest.Reopen(t, direct)}
	c.table(t)
	c.DB = dbtest.Reopen(t, behind)
	return c
}

// table makes the table entries.
func (c *cluster) table(t *testing.T) {
	t.Helper()
	err := c.direct.Write(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec("CREATE TABLE entries (id TEXT NOT NULL)")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// add writes an entry.
func (c *cluster) add(ctx context.Context, id string) error {
	return c.Write(ctx, func(tx *db.Tx) error {
		c.ran.Add(1)
		_, err := tx.Exec("INSERT INTO entries (id) VALUES (?)", id)
		return err
	})
}

func TestConnectionThatBreaksAtTheCommit(t *testing.T) {
	for name, c := range map[string]struct {
		act func(c *cluster, l *link, late chan<- *link) error
		ran int32 // how often the function runs for one entry
	}{
		"before the server has it": {func(*cluster, *link, chan<- *link) error { return errCut }, 2},
		"before the server has said what it did": {func(c *cluster, l *link, _ chan<- *link) error {
			err := l.execute()
			awaitCommitted(t, c.direct, "a")
			return errors.Join(err, errCut)
		}, 1},
		"while the commit is on its way": {func(_ *cluster, l *link, late chan<- *link) error { late <- l; return errHeld }, 2},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			cluster := newCluster(t, nil)
			if cluster == nil {
				return
			}
			late := make(chan *link, 1)
			cluster.onCommit(func(l *link) error { return c.act(cluster, l, late) })
			if err := cluster.add(t.Context(), "a"); err != nil || cluster.ran.Load() != c.ran {
				t.Errorf("error %v after %d runs, want none after %d", err, cluster.ran.Load(), c.ran)
			}
			if len(late) > 0 {
				if err := (<-late).execute(); err != nil {
					t.Error(err)
				}
			}
			if err := cluster.add(t.Context(), "b"); err != nil {
				t.Error(err)
			}
			if a, b := count(t, cluster.direct, "a"), count(t, cluster.direct, "b"); a != 1 || b != 1 {
				t.Errorf("entries are there %d and %d times", a, b)
			}
		})
	}
}

// TestCommitIsInDoubtOnlyWhileTheDatabaseStaysAway ensures that the error says so, also when the commit has come to something.
func TestCommitIsInDoubtOnlyWhileTheDatabaseStaysAway(t *testing.T) {
	cluster := newCluster(t, func(cfg *db.Config) { cfg.RetryFor = 300 * time.Millisecond })
	if cluster == nil {
		return
	}
	back := make(chan func(), 1)
	for _, id := range []string{"committed", "not committed"} {
		cluster.onCommit(func(l *link) error {
			if id == "committed" {
				if err := l.execute(); err != nil {
					t.Error(err)
				}
				awaitCommitted(t, cluster.direct, id)
			}
			back <- cluster.goAway()
			return errCut
		})
		if err := cluster.add(t.Context(), id); !errors.Is(err, db.ErrInDoubt) {
			t.Errorf("%s: error %v, want ErrInDoubt", id, err)
		}
		(<-back)()
	}
	if err := cluster.add(t.Context(), "later"); err != nil {
		t.Error(err)
	}
	for id, want := range map[string]int{"committed": 1, "not committed": 0, "later": 1} {
		if n := count(t, cluster.direct, id); n != want {
			t.Errorf("%s is there %d times", id, n)
		}
	}
}

func TestDatabaseThatComesBackIsUsedAgain(t *testing.T) {
	var log lockedBuffer
	cluster := newCluster(t, func(cfg *db.Config) { cfg.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	if cluster == nil {
		return
	}
	if err := cluster.add(t.Context(), "before"); err != nil {
		t.Fatal(err)
	}
	back := cluster.goAway()
	var work sync.WaitGroup
	for i := range 8 {
		work.Go(func() {
			if err := cluster.add(context.Background(), fmt.Sprint(i)); err != nil {
				t.Error(err)
			}
		})
		work.Go(func() {
			var n int
			if err := cluster.Get(context.Background(), &n, "SELECT count(*) FROM entries"); err != nil || n == 0 {
				t.Errorf("%d entries, error %v", n, err)
			}
		})
	}
	if err := cluster.Health(t.Context()); err == nil {
		t.Error("a database that is away is healthy")
	}
	for log.lines("tried again") == 0 {
		<-time.After(5 * time.Millisecond) // between two looks
	}
	back()
	work.Wait()
	if err := cluster.Health(t.Context()); err != nil {
		t.Error(err)
	}
	if n := log.lines("tried again"); n != 1 {
		t.Errorf("%d complaints for many that try", n)
	}
}

// lockedBuffer is a log that several write.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// lines counts the lines that have the words.
func (b *lockedBuffer) lines(words string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Count(b.text.String(), words)
}

func TestWriteWhileTheDatabaseIsAwayObeysItsContextAndItsLimit(t *testing.T) {
	cluster := newCluster(t, func(cfg *db.Config) { cfg.RetryFor = 200 * time.Millisecond })
	if cluster == nil {
		return
	}
	defer cluster.goAway()()
	if err := cluster.add(t.Context(), "a"); err == nil || errors.Is(err, db.ErrInDoubt) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if err := cluster.add(ctx, "b"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

// TestBrokenConnectionsLoseAndRepeatNothing breaks connections at random under load: what was acknowledged is there once, what
// was refused is not, and at the end everything works.
func TestBrokenConnectionsLoseAndRepeatNothing(t *testing.T) {
	cluster := newCluster(t, nil)
	if cluster == nil {
		return
	}
	breaks := []func(){
		cluster.breakAll,
		func() { cluster.onCommit(func(*link) error { return errCut }) },
		func() { cluster.onCommit(func(l *link) error { return errors.Join(l.execute(), errCut) }) },
		func() { cluster.terminate(t) },
	}
	outcome := underLoad(t, cluster, 16, 25, 20, func() { breaks[rand.IntN(len(breaks))]() })
	outcome.check(t, cluster.direct)
	if n := outcome.count(func(err error) bool { return err != nil }); n > 0 {
		t.Errorf("%d writes failed", n)
	}
}

// terminate ends the sessions behind the proxy, as an administrator or a restart does.
func (c *cluster) terminate(t *testing.T) {
	var n int
	err := c.direct.Get(context.Background(), &n,
		"SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'behind ' || current_schema()")
	if err != nil {
		t.Error(err)
	}
}

// outcomes is what writers were told.
type outcomes struct {
	mu   sync.Mutex
	told map[string]error
}

// underLoad lets writers write each entries and troubles them meanwhile, after every so many writes.
func underLoad(t *testing.T, c *cluster, writers, each, every int, trouble func()) *outcomes {
	t.Helper()
	o := &outcomes{told: map[string]error{}}
	var work sync.WaitGroup
	for w := range writers {
		work.Go(func() {
			for i := range each {
				id := fmt.Sprintf("%d-%d", w, i)
				err := c.add(context.Background(), id)
				o.mu.Lock()
				o.told[id] = err
				due := len(o.told)%every == 0
				o.mu.Unlock()
				if due {
					trouble()
				}
			}
		})
	}
	work.Wait()
	return o
}

func (o *outcomes) count(is func(error) bool) (n int) {
	for _, err := range o.told {
		if is(err) {
			n++
		}
	}
	return n
}

// check compares what the writers were told with what is there.
func (o *outcomes) check(t *testing.T, d *db.DB) {
	t.Helper()
	var rows []struct {
		ID string `db:"id"`
		N  int    `db:"n"`
	}
	if err := d.Select(context.Background(), &rows, "SELECT id, count(*) AS n FROM entries GROUP BY id"); err != nil {
		t.Fatal(err)
	}
	there := map[string]int{}
	for _, r := range rows {
		there[r.ID] = r.N
	}
	for id, err := range o.told {
		n := there[id]
		if err == nil && n != 1 || err != nil && n > 0 && !errors.Is(err, db.ErrInDoubt) || n > 1 {
			t.Errorf("entry %s is there %d times; its writer was told: %v", id, n, err)
		}
	}
}

// TestWhoIsImpatientIsRefusedWhileTheDatabaseIsAway ensures that reads and writes fail soon under such a context, also those that had begun,
// and work again when the database is back.
func TestWhoIsImpatientIsRefusedWhileTheDatabaseIsAway(t *testing.T) {
	cluster := newCluster(t, func(cfg *db.Config) { cfg.RetryFor = time.Hour })
	if cluster == nil {
		return
	}
	ctx := db.Impatient(t.Context())
	if err := cluster.add(ctx, "before"); err != nil {
		t.Fatal(err)
	}
	var n int
	back := cluster.goAway()
	for range 2 {
		if err := cluster.add(ctx, "away"); !errors.Is(err, db.ErrAway) {
			t.Errorf("write: error %v, want ErrAway", err)
		}
		if err := cluster.Get(ctx, &n, "SELECT count(*) FROM entries"); !errors.Is(err, db.ErrAway) {
			t.Errorf("read: error %v, want ErrAway", err)
		}
	}
	back()
	for errors.Is(cluster.add(ctx, "after"), db.ErrAway) {
		<-time.After(5 * time.Millisecond) // between two tries
	}
	err := cluster.Get(ctx, &n, "SELECT count(*) FROM entries")
	if away := count(t, cluster.direct, "away"); err != nil || n != 2 || away != 0 {
		t.Errorf("%d entries, %d of them refused, error %v", n, away, err)
	}
}
