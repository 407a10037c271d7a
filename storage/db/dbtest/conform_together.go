package dbtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/einvoiced/einvoiced/storage/db"
)

// together runs do n times, all beside each other.
func together(n int, do func(i int)) {
	var work sync.WaitGroup
	for i := range n {
		work.Go(func() { do(i) })
	}
	work.Wait()
}

func endedContextWritesNothing(t *testing.T, r *room) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := r.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(newAccount, "a", "a")
		return err
	})
	if !errors.Is(err, context.Canceled) || r.names(t) != "" {
		t.Errorf("error %v, accounts %q", err, r.names(t))
	}
}

// cancelledWriteIsCertain ends the context at every step: the write says that it is there, or that it is not.
func cancelledWriteIsCertain(t *testing.T, r *room) {
	for step := range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		at := func(s int) {
			if s == step {
				cancel()
			}
		}
		id := fmt.Sprint(step)
		err := r.Write(ctx, func(tx *db.Tx) error {
			at(0)
			if _, err := tx.Exec(newAccount, id, id); err != nil {
				return err
			}
			at(1)
			var n int
			return tx.Get(&n, "SELECT count(*) FROM accounts")
		})
		at(2)
		cancel()
		if written := strings.Contains(r.names(t), id); written != (err == nil) || err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at step %d: written %t, error %v", step, written, err)
		}
	}
}

// lockedRowIsChangedByOne reads, decides and writes: without the lock, changes would be lost.
func lockedRowIsChangedByOne(t *testing.T, r *room) {
	r.counter(t, 1)
	other := Reopen(t, r.cfg)
	together(8, func(i int) {
		database := []*db.DB{r.DB, other}[i%2]
		for range 10 {
			err := database.Write(context.Background(), func(tx *db.Tx) error {
				var n int64
				if err := tx.Get(&n, "SELECT n FROM counters WHERE id = 0"+tx.Lock()); err != nil {
					return err
				}
				_, err := tx.Exec("UPDATE counters SET n = ? WHERE id = 0", n+1)
				return err
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
	var n int
	must(t, r.Get(t.Context(), &n, "SELECT n FROM counters"))
	if n != 80 {
		t.Errorf("80 increments make %d", n)
	}
}

// heldRowsArePassedOver lets claimers share rows out among them: each row has one claimer, and none is left over.
func heldRowsArePassedOver(t *testing.T, r *room) {
	const rows = 40
	r.counter(t, rows)
	together(8, func(i int) {
		for taken := true; taken; {
			err := r.Write(context.Background(), func(tx *db.Tx) error {
				var free []int64
				taken = false
				err := tx.Select(&free, "SELECT id FROM counters WHERE holder IS NULL ORDER BY id LIMIT 1"+tx.SkipLocked())
				if err != nil || len(free) == 0 {
					return err
				}
				taken = true
				_, err = tx.Exec("UPDATE counters SET holder = ?, n = n + 1 WHERE id = ?", fmt.Sprint(i), free[0])
				return err
			})
			if err != nil {
				t.Error(err)
				return
			}
		}
	})
	var once int
	must(t, r.Get(t.Context(), &once, "SELECT count(*) FROM counters WHERE n = 1 AND holder IS NOT NULL"))
	if once != rows {
		t.Errorf("%d of %d rows were claimed once", once, rows)
	}
}

func conditionalChangesAreMadeOnce(t *testing.T, r *room) {
	r.counter(t, 20)
	var made atomic.Int64
	together(8, func(int) {
		for id := range 20 {
			var n int64
			err := r.Write(context.Background(), func(tx *db.Tx) (err error) {
				n, err = tx.Exec("UPDATE counters SET n = 1 WHERE id = ? AND n = 0", id)
				return err
			})
			if err != nil {
				t.Error(err)
			}
			made.Add(n)
		}
	})
	if made.Load() != 20 {
		t.Errorf("20 changes were made %d times", made.Load())
	}
}

// deadlocksComeThrough changes two rows in opposite orders.
func deadlocksComeThrough(t *testing.T, r *room) {
	r.counter(t, 2)
	together(4, func(i int) {
		for range 2 {
			err := r.Write(context.Background(), func(tx *db.Tx) error {
				for k := range 2 {
					if _, err := tx.Exec("UPDATE counters SET n = n + 1 WHERE id = ?", (i+k)%2); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
	var n int
	must(t, r.Get(t.Context(), &n, "SELECT sum(n) FROM counters"))
	if n != 16 {
		t.Errorf("16 increments make %d", n)
	}
}

func openingAgainKeepsTheData(t *testing.T, r *room) {
	must(t, r.exec(newAccount, "0", "a0"), r.Close())
	for i := range 2 {
		d, err := db.Open(t.Context(), r.cfg)
		must(t, err)
		again := &room{DB: d}
		must(t, again.exec(newAccount, fmt.Sprint(i+1), fmt.Sprint("a", i+1)))
		if got, want := again.names(t), []string{"a0 a1", "a0 a1 a2"}[i]; got != want {
			t.Errorf("accounts %q, want %q", got, want)
		}
		must(t, d.Close())
	}
}

// startingTogetherMigratesOnce opens an empty database, without the schema that the room already has, many times at once.
func startingTogetherMigratesOnce(t *testing.T, r *room) {
	must(t, r.wipe())
	together(6, func(i int) {
		d, err := db.Open(context.Background(), r.cfg)
		if err != nil {
			t.Error(err)
			return
		}
		starter := &room{DB: d}
		if err := errors.Join(starter.exec(newAccount, fmt.Sprint(i), fmt.Sprint(i)), d.Close()); err != nil {
			t.Error(err)
		}
	})
	if got := r.names(t); got != "0 1 2 3 4 5" {
		t.Errorf("accounts %q", got)
	}
}

// wipe removes all tables.
func (r *room) wipe() error {
	return r.Write(context.Background(), func(tx *db.Tx) error {
		var tables []string
		if r.cfg.URL != "" {
			if err := tx.Select(&tables, "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"); err != nil {
				return err
			}
			_, err := tx.Exec("DROP TABLE " + strings.Join(tables, ", ") + " CASCADE")
			return err
		}
		if err := tx.Select(&tables, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"); err != nil {
			return err
		}
		for _, table := range tables {
			if _, err := tx.Exec("DROP TABLE " + table); err != nil {
				return err
			}
		}
		return nil
	})
}

func processesWriteBesideEachOther(t *testing.T, r *room) {
	processes := []*db.DB{r.DB, Reopen(t, r.cfg)}
	together(32, func(caller int) {
		process := &room{DB: processes[caller%2]}
		for i := range 5 {
			id := fmt.Sprintf("%d-%d", caller, i)
			if err := process.exec(newAccount, id, id); err != nil {
				t.Error(err)
			}
		}
	})
	var n int
	must(t, r.Get(t.Context(), &n, "SELECT count(*) FROM accounts"))
	if n != 160 {
		t.Errorf("%d accounts, want 160", n)
	}
}

// manyWritersComeThrough has 64 writers, many more than there are connections.
func manyWritersComeThrough(t *testing.T, r *room) {
	each := 50
	if testing.Short() {
		each = 5
	}
	together(64, func(writer int) {
		for i := range each {
			id := fmt.Sprintf("%d-%d", writer, i)
			if err := r.exec(newAccount, id, id); err != nil {
				t.Error(err)
				return
			}
		}
	})
	var n int
	must(t, r.Get(t.Context(), &n, "SELECT count(*) FROM accounts"))
	if n != 64*each {
		t.Errorf("%d accounts, want %d", n, 64*each)
	}
}

func laterSchemaIsRefused(t *testing.T, r *room) {
	must(t, r.exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, ?)", true))
	d, err := db.Open(t.Context(), r.cfg)
	if !errors.Is(err, db.ErrNewer) {
		t.Errorf("error %v, want ErrNewer", err)
	}
	if err == nil {
		must(t, d.Close())
	}
}

func closedRefuses(t *testing.T, r *room) {
	must(t, r.Close())
	var n int
	write := r.exec(newAccount, "a", "a")
	read := r.Get(t.Context(), &n, "SELECT count(*) FROM accounts")
	if !errors.Is(write, db.ErrClosed) || read == nil || r.Close() != nil {
		t.Errorf("write: %v, read: %v", write, read)
	}
}

func closingWaits(t *testing.T, r *room) {
	begun, closed, written := make(chan struct{}), make(chan error), make(chan error)
	free := make(chan struct{})
	go func() {
		written <- r.Write(context.Background(), func(tx *db.Tx) error {
			close(begun)
			<-free
			_, err := tx.Exec(newAccount, "a", "a")
			return err
		})
	}()
	<-begun
	go func() { closed <- r.Close() }()
	close(free)
	must(t, <-written, <-closed)
	if got := (&room{DB: Reopen(t, r.cfg)}).names(t); got != "a" {
		t.Errorf("accounts %q", got)
	}
}

// stoppingAnswers closes the database under writers: each learns truly whether it has written.
func stoppingAnswers(t *testing.T, r *room) {
	var written atomic.Int64
	var writers sync.WaitGroup
	for i := range 16 {
		writers.Go(func() {
			switch err := r.exec(newAccount, fmt.Sprint(i), "x"); {
			case err == nil:
				written.Add(1)
			case !errors.Is(err, db.ErrClosed):
				t.Error(err)
			}
		})
	}
	must(t, r.Close())
	writers.Wait()
	var n int64
	must(t, Reopen(t, r.cfg).Get(t.Context(), &n, "SELECT count(*) FROM accounts"))
	if n != written.Load() {
		t.Errorf("%d accounts, %d were acknowledged", n, written.Load())
	}
}
