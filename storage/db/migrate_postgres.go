package db

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
	"github.com/pressly/goose/v3"
)

// The lock under which one process at a time migrates the schema of a database; others wait.
const (
	lockSchema   = "SELECT pg_advisory_lock(hashtextextended('einvoiced schema ' || current_schema(), 0))"
	unlockSchema = "SELECT pg_advisory_unlock(hashtextextended('einvoiced schema ' || current_schema(), 0))"
)

// migratePostgres brings the schema up to date, over connections of its own that know no time limit. An existing schema may
// be asked for. The lock is one of a session: its connection does nothing else, and if the process dies the server lets it
// go.
func migratePostgres(ctx context.Context, cfg *pgx.ConnConfig, existing bool) (err error) {
	pool := sqlx.NewDb(stdlib.OpenDB(*cfg), "pgx")
	defer func() { err = errors.Join(err, pool.Close()) }()
	conn, err := pool.Conn(ctx)
	if err != nil && !refused(err) {
		err = errors.Join(ErrAway, err)
	}
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := conn.ExecContext(ctx, lockSchema); err != nil {
		return fmt.Errorf("lock schema: %w", err)
	}
	defer func() {
		_, unlocked := conn.ExecContext(context.WithoutCancel(ctx), unlockSchema)
		err = errors.Join(err, unlocked)
	}()
	if existing {
		if err := findSchema(ctx, pool); err != nil {
			return err
		}
	}
	if err := migrate(ctx, goose.DialectPostgres, pool.DB); err != nil {
		return err
	}
	return errors.Join(collate(ctx, pool), guardPostgres(ctx, pool))
}

// findSchema looks whether a service has made its tables in the schema of the connection.
func findSchema(ctx context.Context, pool *sqlx.DB) error {
	var there bool
	if err := pool.GetContext(ctx, &there, "SELECT to_regclass(quote_ident(current_schema()) || '.accounts') IS NOT NULL"); err != nil {
		return fmt.Errorf("look for the tables: %w", err)
	}
	if !there {
		return fmt.Errorf("no tables in the database: %w", ErrAbsent)
	}
	return nil
}

// Texts are compared by their bytes, as on SQLite and in Go, whatever the language of the database; so ids sort by time.
const (
	inBytes       = "SELECT 'B' < 'a' AND 'Z' < '_' AND '_' < 'a' AND datcollate IN ('C', 'POSIX', 'C.UTF-8', 'C.utf8') FROM pg_database WHERE datname = current_database()"
	selectCollate = `SELECT 'ALTER TABLE ' || quote_ident(c.relname) || ' ' ||
		string_agg('ALTER COLUMN ' || quote_ident(a.attname) || ' TYPE TEXT COLLATE "C"', ', ')
		FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_type t ON t.oid = a.atttypid JOIN pg_collation l ON l.oid = a.attcollation
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
		AND t.typname = 'text' AND l.collname <> 'C' GROUP BY c.relname ORDER BY c.relname`
)

// collate gives the columns that migrations have added this order, where the database has another.
func collate(ctx context.Context, pool *sqlx.DB) error {
	var already bool
	if err := pool.GetContext(ctx, &already, inBytes); err != nil {
		return fmt.Errorf("read order of texts: %w", err)
	}
	if already {
		return nil
	}
	var statements []string
	if err := pool.SelectContext(ctx, &statements, selectCollate); err != nil {
		return fmt.Errorf("read order of texts: %w", err)
	}
	for _, s := range statements {
		if _, err := pool.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("set order of texts: %w", err)
		}
	}
	return nil
}
