package command

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// What an archive of backup has: a gzipped tar with the names that the folder of a service has.
const (
	databaseName  = "einvoiced.db"
	documentsName = "blobs"
	secretName    = "secret.key"
)

// archiveWriter writes an archive.
type archiveWriter struct {
	zip *gzip.Writer
	tar *tar.Writer
}

func newArchiveWriter(w io.Writer) *archiveWriter {
	zip := gzip.NewWriter(w)
	return &archiveWriter{zip, tar.NewWriter(zip)}
}

func (a *archiveWriter) close() error { return errors.Join(a.tar.Close(), a.zip.Close()) }

// add writes one file. A document that expires while the archive is written is not in it: its row says so, too.
func (a *archiveWriter) add(name, file string) error {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) && path.Dir(name) != "." {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: info.Size(), Mode: 0o600, ModTime: info.ModTime()}
	if err := a.tar.WriteHeader(header); err != nil {
		return err
	}
	_, err = io.CopyN(a.tar, f, info.Size())
	return err
}

// addBelow writes the files below a folder.
func (a *archiveWriter) addBelow(ctx context.Context, name, folder string) error {
	return filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // a folder that has become empty
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case !entry.Type().IsRegular():
			return nil
		}
		below, err := filepath.Rel(folder, file)
		if err != nil {
			return err
		}
		return a.add(path.Join(name, filepath.ToSlash(below)), file)
	})
}

// unpack writes the files of an archive below a folder, and tells which it has besides documents. Names that lead elsewhere, and
// what is no file, are refused.
func unpack(ctx context.Context, r io.Reader, folder string) (found map[string]bool, err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	zip, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("this is no archive of einvoiced backup: %w", err)
	}
	found = map[string]bool{}
	for archive := tar.NewReader(zip); ctx.Err() == nil; {
		header, err := archive.Next()
		if err == io.EOF {
			return found, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read the archive: %w", err)
		}
		if err := unpackFile(root, header, archive); err != nil {
			return nil, fmt.Errorf("unpack %q: %w", header.Name, err)
		}
		found[header.Name] = true
	}
	return nil, ctx.Err()
}

// errStranger is why an entry of an archive is refused.
var errStranger = errors.New("an archive of einvoiced backup has no such entry")

func unpackFile(root *os.Root, header *tar.Header, content io.Reader) error {
	name := path.Clean(header.Name)
	known := name == databaseName || name == secretName || filepath.IsLocal(name) && len(name) > len(documentsName) && name[:len(documentsName)+1] == documentsName+"/"
	if header.Typeflag != tar.TypeReg || !known {
		return errStranger
	}
	if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Sync(), f.Close())
}
