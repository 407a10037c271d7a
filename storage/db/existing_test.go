package db_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
)

// TestExistingIsOpenedAndNeverMade ensures that who asks for what a service has made is told where there is nothing, and leaves nothing.
func TestExistingIsOpenedAndNeverMade(t *testing.T) {
	dbtest.EachConfig(t, func(t *testing.T, cfg db.Config) {
		cfg.Existing = true
		for range 2 { // what the first has left would be found by the second
			if d, err := db.Open(t.Context(), cfg); !errors.Is(err, db.ErrAbsent) {
				t.Fatalf("opened %v, error %v, want ErrAbsent", d, err)
			}
		}
		if cfg.Path != "" {
			if _, err := os.Stat(cfg.Path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("there is a file: %v", err)
			}
		}
		made := cfg
		made.Existing = false
		dbtest.Reopen(t, made)
		dbtest.Reopen(t, cfg)
	})
}

// TestEmptyFileIsNoDatabase ensures that a file without anything in it, which SQLite would take for a new database, is none.
func TestEmptyFileIsNoDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "einvoiced.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Open(t.Context(), db.Config{Path: path, Existing: true}); !errors.Is(err, db.ErrAbsent) {
		t.Errorf("error %v, want ErrAbsent", err)
	}
}
