package db

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// hold occupies the writer until the returned function is called, and so lets others queue up behind it.
func hold(t *testing.T, d *DB) (release func()) {
	t.Helper()
	held, free, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- d.Write(context.Background(), func(*Tx) error {
			close(held)
			<-free
			return nil
		})
	}()
	<-held
	return func() {
		close(free)
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestFailedWriteIsUndoneAloneAmongThoseThatShareItsTransaction(t *testing.T) {
	d := open(t, t.TempDir())
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
	release := hold(t, d)
	var writers sync.WaitGroup
	for name, o := range outcomes {
		writers.Go(func() {
			err := d.Write(t.Context(), func(tx *Tx) error {
				if _, err := tx.Exec("INSERT INTO accounts (id, name, created) VALUES (?, ?, 1)", name, name); err != nil {
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
	release()
	writers.Wait()
	if got := names(t, d); got != "kept1 kept2" {
		t.Fatalf("accounts %q", got)
	}
}

func TestMoreWritesThanOneTransactionCarriesAreAllAnswered(t *testing.T) {
	d := open(t, t.TempDir())
	release := hold(t, d)
	var writers sync.WaitGroup
	for i := range 3*maxBatch + 1 {
		writers.Go(func() {
			if err := add(t.Context(), d, fmt.Sprint(i)); err != nil {
				t.Error(err)
			}
		})
	}
	release()
	writers.Wait()
	var n int
	if err := d.Get(t.Context(), &n, "SELECT count(*) FROM accounts"); err != nil || n != 3*maxBatch+1 {
		t.Fatalf("%d accounts (error %v), want %d", n, err, 3*maxBatch+1)
	}
}

func TestWriteGivenUpWhileItWaitsIsNeverRun(t *testing.T) {
	d := open(t, t.TempDir())
	release := hold(t, d)
	ctx, cancel := context.WithCancel(t.Context())
	var ran atomic.Bool
	done := make(chan error, 1)
	go func() { done <- d.Write(ctx, func(*Tx) error { ran.Store(true); return nil }) }()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	release()
	if err := add(t.Context(), d, "after"); err != nil || ran.Load() {
		t.Fatalf("given up write ran: %t, next write: %v", ran.Load(), err)
	}
}

func TestWriteUnderWayIsAwaitedWhateverItsContext(t *testing.T) {
	d := open(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	err := d.Write(ctx, func(tx *Tx) error {
		cancel()
		_, err := tx.Exec("INSERT INTO accounts (id, name, created) VALUES ('a', 'a', 1)")
		return err
	})
	if err != nil || names(t, d) != "a" {
		t.Fatalf("error %v, accounts %q", err, names(t, d))
	}
}

func TestWriteIsOnTheDiskWhenItReturns(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir)
	want := ""
	for i := range 5 {
		name := fmt.Sprint("a", i)
		if err := add(t.Context(), d, name); err != nil {
			t.Fatal(err)
		}
		want = strings.TrimSpace(want + " " + name)
		crashed := t.TempDir()
		copyFiles(t, dir, crashed)
		if got := names(t, open(t, crashed)); got != want {
			t.Fatalf("after a crash behind write %d: accounts %q, want %q", i, got, want)
		}
	}
}

func TestFullDiskFailsTheWriteAndHarmsNothing(t *testing.T) {
	d := open(t, t.TempDir())
	var pages, most int
	if err := file(d).writer.Get(&pages, "PRAGMA page_count"); err != nil {
		t.Fatal(err)
	}
	if err := file(d).writer.Get(&most, fmt.Sprint("PRAGMA max_page_count = ", pages+2)); err != nil {
		t.Fatal(err)
	}
	if err := add(t.Context(), d, "before"); err != nil {
		t.Fatal(err)
	}
	if err := add(t.Context(), d, strings.Repeat("x", 100_000)); err == nil {
		t.Fatal("100 kB went into two pages")
	}
	if err := file(d).writer.Get(&most, "PRAGMA max_page_count = 100000"); err != nil {
		t.Fatal(err)
	}
	if err := add(t.Context(), d, "later"); err != nil || names(t, d) != "before later" {
		t.Fatalf("after space has returned: error %v, accounts %.100q", err, names(t, d))
	}
}

func TestWriteWaitsForAnotherProcessThatWrites(t *testing.T) {
	dir := t.TempDir()
	other := open(t, dir)
	for name, c := range map[string]struct {
		cfg  Config
		free func(d *DB, release func())
		want error
	}{
		"that ends":      {Config{}, func(_ *DB, release func()) { release() }, nil},
		"for so long":    {Config{BusyTimeout: time.Millisecond}, func(*DB, func()) {}, ErrBusy},
		"until the stop": {Config{}, func(d *DB, _ func()) { file(d).stop() }, ErrClosed},
	} {
		c.cfg.Path, c.cfg.Logger = filepath.Join(dir, "test.db"), slog.New(slog.DiscardHandler)
		d, err := Open(t.Context(), c.cfg)
		if err != nil {
			t.Fatal(err)
		}
		release := sync.OnceFunc(hold(t, other))
		done := make(chan error)
		go func() { done <- add(context.Background(), d, name) }()
		c.free(d, release)
		if err := <-done; !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
		release()
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// BenchmarkWrite measures transactions on the disk; with callers beside each other they share syncs.
func BenchmarkWrite(b *testing.B) {
	for _, callers := range []int{1, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			d := open(b, b.TempDir())
			var next, failed atomic.Int64
			var work sync.WaitGroup
			b.ResetTimer()
			for range callers {
				work.Go(func() {
					for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
						if add(b.Context(), d, fmt.Sprint(i)) != nil {
							failed.Add(1)
						}
					}
				})
			}
			work.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "writes/s")
			if failed.Load() > 0 {
				b.Fatalf("%d writes failed", failed.Load())
			}
		})
	}
}

// TestLaneIsOneForATransaction ensures that what is added to a sum of several rows goes to one of them within a transaction, and to all of them over many.
func TestLaneIsOneForATransaction(t *testing.T) {
	const rows = 8
	seen := map[int]bool{}
	for range 1000 {
		tx := &Tx{}
		lane := tx.Lane(rows)
		if lane < 0 || lane >= rows || tx.Lane(rows) != lane {
			t.Fatalf("lane %d, then %d", lane, tx.Lane(rows))
		}
		seen[lane] = true
	}
	if len(seen) != rows {
		t.Errorf("%d lanes were taken", len(seen))
	}
}
