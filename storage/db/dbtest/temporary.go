package dbtest

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/einvoiced/einvoiced/storage/db"
)

// Temporary gives a new SQLite database to an example, which has no test to close it with: done closes it and removes its folder. Both panic
// where the machine does not let them.
func Temporary() (database *db.DB, done func()) {
	folder, err := os.MkdirTemp("", "einvoiced-example-")
	if err != nil {
		panic(err)
	}
	database, err = db.Open(context.Background(), db.Config{Path: filepath.Join(folder, "einvoiced.db"), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		panic(errors.Join(err, os.RemoveAll(folder)))
	}
	return database, func() {
		if err := errors.Join(database.Close(), os.RemoveAll(folder)); err != nil {
			panic(err)
		}
	}
}
