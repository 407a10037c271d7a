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

// ErrNewer says that the file was written by a later version of the program, whose schema this one does not know.
var ErrNewer = errors.New("the database was written by a newer version of einvoiced; use that version or restore a backup")

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrate brings the schema up to date. Each migration is a transaction of its own.
func migrate(ctx context.Context, pool *sql.DB) error {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return fmt.Errorf("find migrations: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, pool, files)
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	current, target, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read schema version: %w", damaged(err))
	}
	if current > target {
		return fmt.Errorf("schema version %d, known up to %d: %w", current, target, ErrNewer)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate schema: %w", err)
	}
	return nil
}
