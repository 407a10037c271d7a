package db

import (
	"context"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// The rows of chains are added and never changed: the database itself refuses to change or to delete one, whoever asks. The triggers are made when the
// schema is up to date, because each database writes them in a language of its own.
var (
	guardedTables = []string{"chains", "chain_records"}

	sqliteGuards = []string{
		"CREATE TRIGGER IF NOT EXISTS %[1]s_unchanged BEFORE UPDATE ON %[1]s BEGIN SELECT RAISE(ABORT, 'rows of %[1]s are never changed'); END",
		"CREATE TRIGGER IF NOT EXISTS %[1]s_kept BEFORE DELETE ON %[1]s BEGIN SELECT RAISE(ABORT, 'rows of %[1]s are never deleted'); END",
	}

	postgresGuards = []string{
		"CREATE OR REPLACE FUNCTION %[1]s_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'rows of %[1]s are never changed or deleted'; END $$",
		"CREATE TRIGGER %[1]s_kept BEFORE UPDATE OR DELETE ON %[1]s FOR EACH ROW EXECUTE FUNCTION %[1]s_refuse()",
		"CREATE TRIGGER %[1]s_whole BEFORE TRUNCATE ON %[1]s FOR EACH STATEMENT EXECUTE FUNCTION %[1]s_refuse()",
	}
)

// hasGuard tells whether PostgreSQL has the triggers of a table, the last of which is made last.
const hasGuard = `SELECT EXISTS (SELECT 1 FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
	WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = $1 AND t.tgname = $1 || '_whole')`

// guardSQLite makes the triggers that are not there.
func guardSQLite(ctx context.Context, pool *sqlx.DB) error {
	for _, table := range guardedTables {
		if err := execAll(ctx, pool, sqliteGuards, table); err != nil {
			return fmt.Errorf("make the triggers of %s: %w", table, err)
		}
	}
	return nil
}

// guardPostgres makes the triggers of tables that have none, each table in one transaction.
func guardPostgres(ctx context.Context, pool *sqlx.DB) error {
	for _, table := range guardedTables {
		var there bool
		if err := pool.GetContext(ctx, &there, hasGuard, table); err != nil {
			return fmt.Errorf("look for the triggers of %s: %w", table, err)
		}
		if there {
			continue
		}
		if err := makeGuards(ctx, pool, table); err != nil {
			return fmt.Errorf("make the triggers of %s: %w", table, err)
		}
	}
	return nil
}

func makeGuards(ctx context.Context, pool *sqlx.DB, table string) (err error) {
	tx, err := pool.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	if err := execAll(ctx, tx, postgresGuards, table); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// execAll runs statements about a table.
func execAll(ctx context.Context, on sqlx.ExecerContext, statements []string, table string) error {
	for _, s := range statements {
		if _, err := on.ExecContext(ctx, fmt.Sprintf(s, table)); err != nil {
			return err
		}
	}
	return nil
}
