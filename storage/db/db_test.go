package db

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childFolder); dir != "" {
		if err := writeAsChild(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// open opens the database of the folder and closes it with the test.
func open(t testing.TB, dir string) *DB {
	t.Helper()
	d, err := Open(t.Context(), Config{Path: filepath.Join(dir, "test.db"), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// file is the engine of a SQLite database.
func file(d *DB) *sqlite { return d.engine.(*sqlite) }

// add writes one account.
func add(ctx context.Context, d *DB, name string) error {
	return d.Write(ctx, func(tx *Tx) error {
		_, err := tx.Exec("INSERT INTO accounts (id, name, created) VALUES (?, ?, 1)", name, name)
		return err
	})
}

// names lists the accounts that a reader sees.
func names(t testing.TB, d *DB) string {
	t.Helper()
	var list []string
	if err := d.Select(context.Background(), &list, "SELECT name FROM accounts ORDER BY name"); err != nil {
		t.Fatal(err)
	}
	return strings.Join(list, " ")
}

// copyFiles copies a folder's files as they are now, which is what a power cut leaves of synced ones.
func copyFiles(t testing.TB, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

func TestEveryConnectionIsDurableAndChecksForeignKeys(t *testing.T) {
	d := open(t, t.TempDir())
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1"} {
		for name, pool := range map[string]interface {
			Get(any, string, ...any) error
		}{"writer": file(d).writer, "reader": file(d).read} {
			var got string
			if err := pool.Get(&got, "PRAGMA "+pragma); err != nil || got != want {
				t.Errorf("%s of the %s is %q (error %v), want %q", pragma, name, got, err, want)
			}
		}
	}
}

func TestFilesAreTheOwnersAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	d := open(t, dir)
	if err := add(t.Context(), d, "a"); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v (error %v), want 0600", e.Name(), info.Mode(), err)
		}
	}
}

func TestConfigIsChecked(t *testing.T) {
	for name, cfg := range map[string]Config{
		"no database":      {},
		"two databases":    {Path: "x", URL: "postgres://localhost/x"},
		"no PostgreSQL":    {URL: "mysql://localhost/x"},
		"negative timeout": {Path: "x", Timeout: -1},
		"negative readers": {Path: "x", Readers: -1},
		"negative wait":    {Path: "x", CheckWait: -1},
	} {
		if d, err := Open(t.Context(), cfg); err == nil {
			t.Errorf("%s: opened", name)
			d.Close()
		}
	}
}

func TestWhatIsNoDatabaseIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "test.db")
	if err := os.WriteFile(file, bytes.Repeat([]byte("no database "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Config{Path: file}); !errors.Is(err, ErrCorrupt) {
		t.Fatalf("error %v, want ErrCorrupt", err)
	}
}

func TestDatabaseIsCheckedAfterAnUncleanStopOnly(t *testing.T) {
	dir, killed := t.TempDir(), t.TempDir()
	d := open(t, dir)
	if err := add(t.Context(), d, "a"); err != nil {
		t.Fatal(err)
	}
	copyFiles(t, dir, killed)
	for i, want := range []bool{true, false} {
		var log bytes.Buffer
		after, err := Open(t.Context(), Config{Path: filepath.Join(killed, "test.db"), Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(after.Health(t.Context()), after.Close()); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(log.String(), "checked after unclean stop"); got != want {
			t.Errorf("start %d: checked %t, want %t", i+1, got, want)
		}
	}
}

func TestDamageIsFoundAfterAnUncleanStop(t *testing.T) {
	dir, killed := t.TempDir(), t.TempDir()
	d := open(t, dir)
	for i := range 200 {
		if err := add(t.Context(), d, fmt.Sprint(strings.Repeat("x", 200), i)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := file(d).writer.Exec("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		t.Fatal(err)
	}
	if err := add(t.Context(), d, "leaves a log behind"); err != nil {
		t.Fatal(err)
	}
	copyFiles(t, dir, killed)
	damage(t, filepath.Join(killed, "test.db"))
	if _, err := Open(t.Context(), Config{Path: filepath.Join(killed, "test.db"), Logger: slog.New(slog.DiscardHandler)}); !errors.Is(err, ErrCorrupt) {
		t.Fatalf("error %v, want ErrCorrupt", err)
	}
}

// damage overwrites the headers of the file's last pages.
func damage(t *testing.T, file string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	for at := info.Size() - page; at > info.Size()-8*page; at -= page {
		if _, err := f.WriteAt(bytes.Repeat([]byte{0xff}, 100), at); err != nil {
			t.Fatal(err)
		}
	}
}

func TestStartAndStopLeaveNothingRunning(t *testing.T) {
	dir := t.TempDir()
	for range 10 {
		d, err := Open(t.Context(), Config{Path: filepath.Join(dir, "test.db")})
		if err != nil {
			t.Fatal(err)
		}
		var callers sync.WaitGroup
		for i := range 8 {
			callers.Go(func() {
				err := d.Write(t.Context(), func(tx *Tx) error {
					_, err := tx.Exec("INSERT INTO accounts (id, name, created) VALUES (?, 'x', 1) ON CONFLICT DO NOTHING", i)
					return err
				})
				if err != nil && !errors.Is(err, ErrClosed) {
					t.Error(err)
				}
			})
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		callers.Wait()
	}
	goleak.VerifyNone(t)
}
