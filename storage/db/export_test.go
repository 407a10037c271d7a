package db

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

// MigrationFiles are the migrations as they are built in.
func MigrationFiles() fs.FS { return migrationFiles }

// MigrateTo makes the schema that an earlier version has left behind, runs statements on it, and gives the newest level that there is.
func MigrateTo(ctx context.Context, cfg Config, level int64, statements ...string) (newest int64, err error) {
	pool, dialect, err := earlier(ctx, cfg)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return 0, err
	}
	provider, err := goose.NewProvider(dialect, pool, files)
	if err != nil {
		return 0, err
	}
	if _, err := provider.UpTo(ctx, level); err != nil {
		return 0, err
	}
	for _, s := range statements {
		if _, err := pool.ExecContext(ctx, s); err != nil {
			return 0, errors.Join(errors.New(s), err)
		}
	}
	sources := provider.ListSources()
	return sources[len(sources)-1].Version, nil
}

func earlier(ctx context.Context, cfg Config) (*sql.DB, goose.Dialect, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, "", err
	}
	if cfg.URL != "" {
		conn, err := parseURL(cfg.URL)
		if err != nil {
			return nil, "", err
		}
		return stdlib.OpenDB(*conn), goose.DialectPostgres, nil
	}
	if _, err := prepare(cfg.Path); err != nil {
		return nil, "", err
	}
	pool, err := connect(ctx, cfg, 1, "_txlock=immediate")
	if err != nil {
		return nil, "", err
	}
	return pool.DB, goose.DialectSQLite3, nil
}
