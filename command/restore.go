package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// restoreCommand is einvoiced restore.
type restoreCommand struct {
	Data string `env:"EINVOICED_DATA" default:"data" placeholder:"DIR" help:"Folder to make; it must be empty, or not exist; default ${default}."`
	File string `arg:"" help:"Archive that backup has written, or - for standard input."`
}

// Run makes a folder of an archive, whole or not at all.
func (c *restoreCommand) Run(m *Main, ctx context.Context) (err error) {
	if entries, err := os.ReadDir(c.Data); len(entries) > 0 || err != nil && !errors.Is(err, os.ErrNotExist) {
		return &failure{code: exitUsage, cause: errors.Join(err, fmt.Errorf("the folder %s is not empty", c.Data)), hint: "--data (EINVOICED_DATA) names a new folder"}
	}
	from, err := m.open(c.File)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	folder := filepath.Clean(c.Data)
	part, err := os.MkdirTemp(filepath.Dir(folder), filepath.Base(folder)+".*.part") // with mode 0700
	if err != nil {
		return &failure{code: exitUsage, cause: err, hint: "the folder above must exist and be writable"}
	}
	found, err := c.fill(ctx, m, from, part)
	if err == nil {
		err = replaceFolder(part, folder)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(part))
	}
	if !found[secretName] {
		fmt.Fprintf(m.Stderr, "the secret key is not in the archive: put it into %s before the service starts, or webhook secrets and kept answers cannot be read\n",
			filepath.Join(folder, secretName))
	}
	return nil
}

// open opens a file for reading, or standard input for "-".
func (m *Main) open(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(m.Stdin), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, &failure{code: exitUsage, cause: fmt.Errorf("read input: %w", err), hint: "check the name and its permissions"}
	}
	return f, nil
}

// fill unpacks an archive and opens its database, so that a damaged one is no service's.
func (c *restoreCommand) fill(ctx context.Context, m *Main, from io.Reader, folder string) (found map[string]bool, err error) {
	if found, err = unpack(ctx, from, folder); err != nil {
		return nil, &failure{code: exitInvalid, cause: err, hint: "einvoiced backup writes archives"}
	}
	database, err := (&dataFlag{Data: folder}).open(ctx, newLog(m.Stderr, "warn"))
	if err != nil {
		return nil, err
	}
	return found, database.Close()
}

// replaceFolder puts a folder in place of an empty one, or of none.
func replaceFolder(part, folder string) error {
	if err := os.Remove(folder); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Rename(part, folder)
}
