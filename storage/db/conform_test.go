package db_test

import (
	"os"
	"testing"

	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
)

func TestSQLiteConforms(t *testing.T) { dbtest.Conform(t, dbtest.SQLite) }

func TestPostgreSQLConforms(t *testing.T) {
	if server := os.Getenv(dbtest.Variable); server != "" {
		dbtest.Conform(t, func(t testing.TB) db.Config { return dbtest.PostgreSQL(t, server) })
	}
}
