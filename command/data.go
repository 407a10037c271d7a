package command

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/plan"
)

// dataFlag says where the service keeps everything.
type dataFlag struct {
	Data     string `env:"EINVOICED_DATA" default:"data" placeholder:"DIR" help:"Folder of database and documents; default ${default}."`
	Database string `env:"EINVOICED_DATABASE" placeholder:"URL" help:"PostgreSQL database: postgres://user:password@host:5432/name; by default an SQLite file in the folder."`
}

// open opens the database that a service has made. A command beside the service makes none: one in a folder that was misspelt would
// pass for the service's.
func (f *dataFlag) open(ctx context.Context, log *slog.Logger) (*db.DB, error) {
	database, err := f.openAs(ctx, db.Config{Existing: true, Logger: log})
	if errors.Is(err, db.ErrAbsent) {
		return nil, f.absent(err)
	}
	return database, err
}

// absent is the failure of who looks for what a service keeps where there is nothing.
func (f *dataFlag) absent(cause error) *failure {
	hint := "--data (EINVOICED_DATA) names the folder of a service; einvoiced serve makes it"
	if f.Database != "" {
		hint = "--database (EINVOICED_DATABASE) names the database of a service; its first start makes the tables"
	}
	return &failure{code: exitUsage, cause: cause, hint: hint}
}

// openOrMake opens the database for the service, and makes it at the first start.
func (f *dataFlag) openOrMake(ctx context.Context, log *slog.Logger) (*db.DB, error) {
	return f.openAs(ctx, db.Config{Logger: log})
}

func (f *dataFlag) openAs(ctx context.Context, c db.Config) (*db.DB, error) {
	hint := "--database (EINVOICED_DATABASE) takes postgres://user:password@host:5432/name"
	if c.URL = f.Database; f.Database == "" {
		c.Path, hint = filepath.Join(f.Data, "einvoiced.db"), "--data (EINVOICED_DATA) names the folder; it must be writable"
	}
	database, err := db.Open(ctx, c)
	if err != nil {
		return nil, &failure{code: exitInternal, cause: err, hint: hint}
	}
	return database, nil
}

// withAccounts does something with the accounts of the folder.
func (f *dataFlag) withAccounts(ctx context.Context, m *Main, do func(*account.Store) error) error {
	return f.withPlannedAccounts(ctx, m, plan.Set{}, do)
}

// withPlannedAccounts is withAccounts for who gives accounts plans.
func (f *dataFlag) withPlannedAccounts(ctx context.Context, m *Main, plans plan.Set, do func(*account.Store) error) error {
	database, err := f.open(ctx, newLog(m.Stderr, "warn"))
	if err != nil {
		return err
	}
	accounts, err := account.New(account.Config{Plans: plans}, database)
	if err == nil {
		err = do(accounts)
	}
	return errors.Join(err, database.Close())
}
