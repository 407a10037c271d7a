// Package dbtest gives tests their databases: a SQLite file always, and a schema of its own in the PostgreSQL database that
// EINVOICED_TEST_POSTGRES names, if it is set.
package dbtest

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/einvoiced/einvoiced/storage/db"
)

// Variable names the environment variable with the URL of a PostgreSQL database in which tests may make schemas.
const Variable = "EINVOICED_TEST_POSTGRES"

// whole names the variable by which OnEach tells Config to give PostgreSQL.
const whole = "EINVOICED_TEST_DATABASE"

// Open gives a new database, closed with the test: SQLite, or PostgreSQL in the second run of OnEach.
func Open(t testing.TB) *db.DB { return Reopen(t, Config(t)) }

// Reopen opens the database of cfg as another process does, and closes it with the test.
func Reopen(t testing.TB, cfg db.Config) *db.DB {
	t.Helper()
	database, err := db.Open(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := database.Close(); err != nil {
			t.Error(err)
		}
	})
	return database
}

// Config names a new and empty database, for tests that open one more than once.
func Config(t testing.TB) db.Config {
	t.Helper()
	if os.Getenv(whole) == "postgres" {
		return PostgreSQL(t, os.Getenv(Variable))
	}
	return SQLite(t)
}

// At names the database of a folder, for tests in which processes share one, start again, or leave a copy of it behind: what
// was opened there before, or in the folder that it was copied from, is in it.
func At(t testing.TB, dir string) db.Config {
	t.Helper()
	if os.Getenv(whole) != "postgres" {
		return db.Config{Path: filepath.Join(dir, "einvoiced.db"), Logger: slog.New(slog.DiscardHandler)}
	}
	return folderSchema(t, os.Getenv(Variable), dir)
}

// Each runs a test on a new database of every kind that there is.
func Each(t *testing.T, run func(*testing.T, *db.DB)) {
	EachConfig(t, func(t *testing.T, cfg db.Config) { run(t, Reopen(t, cfg)) })
}

// EachConfig is Each for tests that open the database more than once.
func EachConfig(t *testing.T, run func(*testing.T, db.Config)) {
	t.Run("SQLite", func(t *testing.T) { run(t, SQLite(t)) })
	if server := os.Getenv(Variable); server != "" {
		t.Run("PostgreSQL", func(t *testing.T) { run(t, PostgreSQL(t, server)) })
	}
}

// SQLite names a file in a new folder.
func SQLite(t testing.TB) db.Config {
	return db.Config{Path: filepath.Join(t.TempDir(), "einvoiced.db"), Logger: slog.New(slog.DiscardHandler)}
}

// Suite is the tests of a package, as TestMain gets them.
type Suite interface{ Run() int }

// OnEach lets the tests of a package that open their databases with Open or Config run once on SQLite and, if there is one,
// once more on PostgreSQL; for TestMain.
func OnEach(m Suite) Suite { return suite{m} }

type suite struct{ Suite }

func (s suite) Run() int {
	code := s.Suite.Run()
	if os.Getenv(Variable) == "" {
		return code
	}
	os.Setenv(whole, "postgres")
	defer os.Unsetenv(whole)
	return cmp.Or(code, s.Suite.Run())
}
