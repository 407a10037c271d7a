package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// backupCommand is einvoiced backup.
type backupCommand struct {
	dataFlag
	S3         string `name:"s3" env:"EINVOICED_S3" placeholder:"URL" help:"Object store of documents, where the service has one; it is backed up by its own tools."`
	WithSecret bool   `help:"Put the secret key into the archive, too: who has the archive can then read what is stored encrypted."`
	File       string `arg:"" help:"Where the archive goes, such as einvoiced.tar.gz; it must not exist."`
}

// Run writes one archive of what the folder has, beside a running service: the database as it is at one moment, then the documents, so
// that every row has its documents.
func (c *backupCommand) Run(m *Main, ctx context.Context) error {
	switch {
	case c.Database != "":
		return &failure{code: exitUsage, cause: errors.New("backup copies SQLite and a folder alone"), hint: "pg_dump copies PostgreSQL"}
	case c.S3 != "":
		return &failure{code: exitUsage, cause: errors.New("backup copies SQLite and a folder alone"), hint: "replicate the bucket, or copy it with mc mirror or aws s3 sync"}
	}
	if _, err := os.Lstat(c.File); !errors.Is(err, fs.ErrNotExist) {
		return &failure{code: exitUsage, cause: errors.Join(err, fmt.Errorf("%s: %w", c.File, fs.ErrExist)), hint: "name a file that does not exist yet"}
	}
	part, err := os.CreateTemp(filepath.Dir(c.File), filepath.Base(c.File)+".*.part") // with mode 0600
	if err != nil {
		return &failure{code: exitUsage, cause: err, hint: "the folder of the archive must exist and be writable"}
	}
	written := c.write(ctx, m, part)
	if err := errors.Join(written, part.Sync(), part.Close()); err != nil {
		return errors.Join(err, os.Remove(part.Name()))
	}
	return os.Rename(part.Name(), c.File)
}

// write copies the database beside the archive and puts everything into it.
func (c *backupCommand) write(ctx context.Context, m *Main, archive *os.File) (err error) {
	database, err := c.open(ctx, newLog(m.Stderr, "warn"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, database.Close()) }()
	copied := archive.Name() + ".db"
	if err := database.Backup(ctx, copied); err != nil {
		return err
	}
	w := newArchiveWriter(archive)
	err = errors.Join(w.add(databaseName, copied), os.Remove(copied))
	if err == nil {
		err = w.addBelow(ctx, documentsName, filepath.Join(c.Data, documentsName))
	}
	if err == nil && c.WithSecret {
		err = w.add(secretName, filepath.Join(c.Data, secretName))
	}
	return errors.Join(err, w.close())
}
