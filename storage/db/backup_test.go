package db_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
)

// TestBackupUnderLoadIsWhole takes backups beside writers whose transactions write two rows, and restores them elsewhere: they have
// everything that was acknowledged before they began, and no half of a transaction.
func TestBackupUnderLoadIsWhole(t *testing.T) {
	t.Parallel()
	d, dir := dbtest.Reopen(t, dbtest.SQLite(t)), t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	var acknowledged atomic.Int64 // of the one writer that counts
	var writers sync.WaitGroup
	defer writers.Wait()
	defer stop()
	for w := range 4 {
		writers.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				if err := pair(d, fmt.Sprintf("%d-%06d", w, i)); err != nil {
					t.Error(err)
				}
				if w == 0 {
					acknowledged.Store(int64(i + 1))
				}
			}
		})
	}
	for i := range 5 {
		for least := int64(20 * (i + 1)); acknowledged.Load() < least; {
			runtime.Gosched()
		}
		before := acknowledged.Load()
		file := filepath.Join(dir, fmt.Sprint(i), "einvoiced.db")
		if err := errors.Join(os.Mkdir(filepath.Dir(file), 0o700), d.Backup(t.Context(), file)); err != nil {
			t.Fatal(err)
		}
		checkBackup(t, file, before)
	}
}

// pair writes two accounts in one transaction.
func pair(d *db.DB, id string) error {
	return d.Write(context.Background(), func(tx *db.Tx) error {
		for _, half := range []string{"a", "b"} {
			if _, err := tx.Exec("INSERT INTO accounts (id, name, created) VALUES (?, ?, 1)", id+half, strings.Repeat("x", 500)); err != nil {
				return err
			}
		}
		return nil
	})
}

func checkBackup(t *testing.T, file string, before int64) {
	t.Helper()
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("backup %v, error %v", info, err)
	}
	restored := dbtest.Reopen(t, db.Config{Path: file})
	var verdict string
	if err := restored.Get(t.Context(), &verdict, "PRAGMA integrity_check"); err != nil || verdict != "ok" {
		t.Errorf("restored: %v, %s", err, verdict)
	}
	var counted, halves int64
	err := errors.Join(restored.Get(t.Context(), &counted, "SELECT count(*) FROM accounts WHERE id LIKE '0-%a'"),
		restored.Get(t.Context(), &halves, `SELECT count(*) FROM accounts a WHERE NOT EXISTS
			(SELECT 1 FROM accounts b WHERE b.id IN (substr(a.id, 1, 8) || 'a', substr(a.id, 1, 8) || 'b') AND b.id <> a.id)`))
	if err != nil || counted < before || halves > 0 {
		t.Errorf("restored %d of %d acknowledged before, %d halves, error %v", counted, before, halves, err)
	}
	if err := pair(restored, "later"); err != nil {
		t.Error(err)
	}
}

func TestBackupIsRefusedOrLeavesNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		dir := t.TempDir()
		there := filepath.Join(dir, "there.db")
		if err := os.WriteFile(there, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		exists, cancelled, nowhere := d.Backup(t.Context(), there), d.Backup(ended, filepath.Join(dir, "new.db")), d.Backup(t.Context(), filepath.Join(dir, "no", "x.db"))
		if !errors.Is(exists, db.ErrNoBackup) && (!errors.Is(exists, fs.ErrExist) || !errors.Is(cancelled, context.Canceled) || nowhere == nil) {
			t.Errorf("file that is there: %v, cancelled: %v, no folder: %v", exists, cancelled, nowhere)
		}
		left, err := os.ReadDir(dir)
		if data, readErr := os.ReadFile(there); err != nil || readErr != nil || len(left) != 1 || string(data) != "mine" {
			t.Errorf("left are %v, file %q, errors %v, %v", left, data, err, readErr)
		}
	})
}
