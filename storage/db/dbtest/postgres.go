package dbtest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the driver pgx

	"github.com/einvoiced/einvoiced/storage/db"
)

// PostgreSQL makes a schema in the database of a server, which goes with the test.
func PostgreSQL(t testing.TB, server string) db.Config {
	t.Helper()
	schema := "test_" + strings.ToLower(rand.Text())
	Admin(t, server, "CREATE SCHEMA "+schema)
	t.Cleanup(func() { Admin(t, server, "DROP SCHEMA "+schema+" CASCADE") })
	return inSchema(t, server, schema)
}

// inSchema names a schema of a server.
func inSchema(t testing.TB, server, schema string) db.Config {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatalf("%s: %v", Variable, err)
	}
	query := u.Query()
	query.Set("search_path", schema)
	u.RawQuery = query.Encode()
	return db.Config{URL: u.String(), Writers: 4, Logger: slog.New(slog.DiscardHandler)}
}

// folderSchema names the schema that belongs to a folder: a file there tells which it is, and for which folder it was made.
func folderSchema(t testing.TB, server, dir string) db.Config {
	t.Helper()
	note := filepath.Join(dir, "schema")
	text, err := os.ReadFile(note)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	schema, owner, noted := strings.Cut(string(text), "\n")
	if noted && owner == dir {
		return inSchema(t, server, schema)
	}
	cfg := PostgreSQL(t, server)
	u, err := url.Parse(cfg.URL)
	if err != nil {
		t.Fatal(err)
	}
	own := u.Query().Get("search_path")
	if noted {
		copySchema(t, server, schema, own)
	}
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(note, []byte(own+"\n"+dir), 0o600)); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// copySchema copies the tables with their rows, as they are committed at one moment.
func copySchema(t testing.TB, server, from, to string) {
	t.Helper()
	pool := connect(t, server)
	defer pool.Close()
	tx, err := pool.BeginTx(context.Background(), &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	var tables string
	if err := tx.QueryRow("SELECT string_agg(tablename, ' ') FROM pg_tables WHERE schemaname = $1", from).Scan(&tables); err != nil {
		t.Fatal(err)
	}
	for _, table := range strings.Fields(tables) {
		for _, s := range []string{
			"CREATE TABLE " + to + "." + table + " (LIKE " + from + "." + table + " INCLUDING ALL)",
			"INSERT INTO " + to + "." + table + " SELECT * FROM " + from + "." + table,
		} {
			if _, err := tx.Exec(s); err != nil {
				t.Fatalf("%s: %v", s, err)
			}
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// Admin runs statements on the server, outside of any DB.
func Admin(t testing.TB, server string, statements ...string) {
	t.Helper()
	pool := connect(t, server)
	defer pool.Close()
	for _, s := range statements {
		_, err := pool.ExecContext(context.Background(), s)
		for tries := 0; err != nil && strings.Contains(err.Error(), "40P01") && tries < 5; tries++ { // with what a test has left to the server
			_, err = pool.ExecContext(context.Background(), s)
		}
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

func connect(t testing.TB, server string) *sql.DB {
	t.Helper()
	pool, err := sql.Open("pgx", server)
	if err != nil {
		t.Fatal(err)
	}
	return pool
}
