package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNoBackup says that the database brings tools of its own for that.
var ErrNoBackup = errors.New("a PostgreSQL database is backed up with pg_dump or pg_basebackup")

// Backup writes a copy of a SQLite database, as it is at one moment, to a new file, while reads and writes go on. The file
// appears when it is whole and on the disk; it is opened like any other. The error is fs.ErrExist for a file that is there
// already, and ErrNoBackup on PostgreSQL.
func (d *DB) Backup(ctx context.Context, path string) error {
	lite, ok := d.engine.(*sqlite)
	if !ok {
		return ErrNoBackup
	}
	if err := lite.backup(ctx, path); err != nil {
		return fmt.Errorf("back up database: %w", err)
	}
	return nil
}

func (d *sqlite) backup(ctx context.Context, path string) (err error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, fmt.Errorf("%s: %w", path, fs.ErrExist))
	}
	part, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(part.Name()))
		}
	}()
	copied := d.copyInto(ctx, part.Name())
	if err := errors.Join(copied, part.Sync(), part.Close()); err != nil {
		return err
	}
	if err := os.Rename(part.Name(), path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// copyInto reads everything in one transaction, over a connection of its own: those that only read may not do this.
func (d *sqlite) copyInto(ctx context.Context, path string) (err error) {
	pool, err := connect(ctx, d.cfg, 1, "_txlock=deferred")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	_, err = pool.ExecContext(ctx, "VACUUM INTO ?", path)
	return err
}
