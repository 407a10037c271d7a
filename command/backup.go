package command

import (
	"context"
	"errors"
	"os"

	"github.com/einvoiced/einvoiced/storage/db"
)

// backupCommand is einvoiced backup.
type backupCommand struct {
	dataFlag
	File string `arg:"" help:"Where the copy of the database goes; it must not exist."`
}

// Run copies the SQLite file of the folder, beside a running service.
func (c *backupCommand) Run(m *Main, ctx context.Context) (err error) {
	database, err := c.open(ctx, newLog(m.Stderr, "warn"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, database.Close()) }()
	switch err := database.Backup(ctx, c.File); {
	case errors.Is(err, db.ErrNoBackup):
		return &failure{code: exitUsage, cause: err, hint: "pg_dump copies PostgreSQL"}
	case errors.Is(err, os.ErrExist):
		return &failure{code: exitUsage, cause: err, hint: "name a file that does not exist yet"}
	default:
		return err
	}
}
