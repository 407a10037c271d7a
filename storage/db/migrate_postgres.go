package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

// The lock under which one process at a time migrates the schema of a database; others wait.
const (
	lockSchema   = "SELECT pg_advisory_lock(hashtextextended('einvoiced schema ' || current_schema(), 0))"
	unlockSchema = "SELECT pg_advisory_unlock(hashtextextended('einvoiced schema ' || current_schema(), 0))"
)

// migratePostgres brings the schema up to date, over connections of its own that know no time limit.
func migratePostgres(ctx context.Context, cfg *pgx.ConnConfig) (err error) {
	pool := stdlib.OpenDB(*cfg)
	defer func() { err = errors.Join(err, pool.Close()) }()
	conn, err := pool.Conn(ctx)
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
	if err := migrate(ctx, goose.DialectPostgres, pool); err != nil {
		return err
	}
	return collate(ctx, pool)
}

// Texts are compared by their bytes, as on SQLite and in Go, whatever the language of the database; so ids sort by time.
const (
	selectCollated = `SELECT quote_ident(c.relname), quote_ident(a.attname) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
		JOIN pg_type t ON t.oid = a.atttypid JOIN pg_collation l ON l.oid = a.attcollation
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
		AND t.typname = 'text' AND l.collname <> 'C' ORDER BY 1, 2`
	collateColumn = `ALTER TABLE %s ALTER COLUMN %s TYPE TEXT COLLATE "C"`
)

// collate gives the columns that migrations have added their collation.
func collate(ctx context.Context, pool *sql.DB) error {
	rows, err := pool.QueryContext(ctx, selectCollated)
	if err != nil {
		return fmt.Errorf("read collations: %w", err)
	}
	defer rows.Close()
	var statements []string
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			return fmt.Errorf("read collations: %w", err)
		}
		statements = append(statements, fmt.Sprintf(collateColumn, table, column))
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return fmt.Errorf("read collations: %w", err)
	}
	for _, s := range statements {
		if _, err := pool.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("set collation: %w", err)
		}
	}
	return nil
}
