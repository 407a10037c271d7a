package db

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

// ErrNewer says that the database was written by a later version of the program, whose schema this one does not know.
var ErrNewer = errors.New("the database was written by a newer version of einvoiced; use that version or restore a backup")

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrate brings the schema up to date. Each migration is a transaction of its own. Where another process has been faster
// with one, which fails here then, it goes on with the next.
func migrate(ctx context.Context, dialect goose.Dialect, pool *sql.DB) error {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return fmt.Errorf("find migrations: %w", err)
	}
	provider, err := goose.NewProvider(dialect, pool, files)
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	for before := int64(-1); ; {
		current, target, err := provider.GetVersions(ctx)
		if err != nil {
			return fmt.Errorf("read schema version: %w", damaged(err))
		}
		if current > target {
			return fmt.Errorf("schema version %d, known up to %d: %w", current, target, ErrNewer)
		}
		_, err = provider.Up(ctx)
		if err == nil {
			return nil
		}
		if current == before {
			return fmt.Errorf("migrate schema: %w", err)
		}
		before = current
	}
}
