package blob

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"
)

// temporary is the folder of files that are being written. No key begins with a dot, so none names it.
const temporary = ".tmp"

// Folder is a Store in a folder of the file system, a file for each blob at the path that its key is. All access goes
// through an os.Root: not even a symbolic link leads out of the folder.
type Folder struct {
	root *os.Root
}

// OpenFolder opens or creates the folder, readable by the owner only, and removes what a killed process has left half
// written more than an hour ago.
func OpenFolder(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make blob folder: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open blob folder: %w", err)
	}
	f := &Folder{root}
	if err := f.prepare(); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return f, nil
}

// Close releases the folder.
func (f *Folder) Close() error { return f.root.Close() }

func (f *Folder) prepare() error {
	if err := f.root.MkdirAll(temporary, 0o700); err != nil {
		return fmt.Errorf("make folder for unfinished blobs: %w", err)
	}
	entries, err := fs.ReadDir(f.root.FS(), temporary)
	if err != nil {
		return fmt.Errorf("list unfinished blobs: %w", err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || time.Since(info.ModTime()) < time.Hour {
			continue
		}
		if err := f.root.Remove(path.Join(temporary, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove unfinished blob: %w", err)
		}
	}
	return nil
}

// Put writes to a temporary file, syncs it, moves it to its place and syncs the folders that changed.
func (f *Folder) Put(ctx context.Context, key string, r io.Reader) (Info, error) {
	if err := CheckKey(key); err != nil {
		return Info{}, err
	}
	temp := path.Join(temporary, rand.Text())
	info, err := f.write(ctx, temp, r)
	if err == nil {
		err = f.place(temp, key)
	}
	if err != nil {
		return Info{}, errors.Join(fmt.Errorf("store blob %s: %w", key, err), f.discard(temp))
	}
	return info, nil
}

func (f *Folder) discard(temp string) error {
	if err := f.root.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (f *Folder) write(ctx context.Context, name string, r io.Reader) (info Info, err error) {
	file, err := f.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return Info{}, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(file, sum), obedient{ctx, r})
	if err != nil {
		return Info{}, err
	}
	return Info{Size: size, SHA256: hex.EncodeToString(sum.Sum(nil))}, file.Sync()
}

// place moves the file under its key. Folders that it makes are synced from the outside in, so that after a power cut no
// blob hangs in a folder that is not there.
func (f *Folder) place(temp, key string) error {
	dir := path.Dir(key)
	if err := f.makeFolders(dir); err != nil {
		return err
	}
	if err := f.root.Rename(temp, key); err != nil {
		return err
	}
	return f.syncFolder(dir)
}

func (f *Folder) makeFolders(dir string) error {
	if info, err := f.root.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	at := ""
	for _, segment := range strings.Split(dir, "/") {
		parent := at
		at = path.Join(at, segment)
		switch err := f.root.Mkdir(at, 0o700); {
		case errors.Is(err, fs.ErrExist):
			continue
		case err != nil:
			return err
		}
		if err := f.syncFolder(parent); err != nil {
			return err
		}
	}
	return nil
}

func (f *Folder) syncFolder(dir string) error {
	d, err := f.root.Open(path.Join(".", dir))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Get opens the file.
func (f *Folder) Get(ctx context.Context, key string) (io.ReadCloser, error) {
	if err := errors.Join(CheckKey(key), ctx.Err()); err != nil {
		return nil, err
	}
	file, err := f.root.Open(key)
	if err != nil {
		return nil, fmt.Errorf("open blob %s: %w", key, absent(err))
	}
	return file, nil
}

// Stat describes the file.
func (f *Folder) Stat(ctx context.Context, key string) (Object, error) {
	if err := errors.Join(CheckKey(key), ctx.Err()); err != nil {
		return Object{}, err
	}
	info, err := f.root.Stat(key)
	if err == nil && info.IsDir() {
		err = fs.ErrNotExist
	}
	if err != nil {
		return Object{}, fmt.Errorf("describe blob %s: %w", key, absent(err))
	}
	return Object{Key: key, Size: info.Size(), Modified: info.ModTime()}, nil
}

// Delete removes the file.
func (f *Folder) Delete(ctx context.Context, key string) error {
	if err := errors.Join(CheckKey(key), ctx.Err()); err != nil {
		return err
	}
	if err := f.root.Remove(key); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete blob %s: %w", key, err)
	}
	return nil
}

// DeleteAll removes the folder.
func (f *Folder) DeleteAll(ctx context.Context, prefix string) error {
	if err := errors.Join(CheckKey(prefix), ctx.Err()); err != nil {
		return err
	}
	if err := f.root.RemoveAll(prefix); err != nil {
		return fmt.Errorf("delete blobs under %s: %w", prefix, err)
	}
	return nil
}

// List walks the folder. Files that vanish meanwhile are left out.
func (f *Folder) List(ctx context.Context, prefix string, visit func(Object) error) error {
	start := "."
	if prefix != "" {
		if err := CheckKey(prefix); err != nil {
			return err
		}
		start = prefix
	}
	err := fs.WalkDir(f.root.FS(), start, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case entry.IsDir() && name == temporary:
			return fs.SkipDir
		case entry.IsDir() || !entry.Type().IsRegular() || name == prefix:
			return nil
		}
		return visitFile(name, entry, visit)
	})
	if err != nil {
		return fmt.Errorf("list blobs under %q: %w", prefix, err)
	}
	return nil
}

func visitFile(name string, entry fs.DirEntry, visit func(Object) error) error {
	info, err := entry.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return visit(Object{Key: name, Size: info.Size(), Modified: info.ModTime()})
}

func absent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errors.Join(ErrNotFound, err)
	}
	return err
}

// obedient is a reader that stops when its context ends.
type obedient struct {
	ctx context.Context
	r   io.Reader
}

func (o obedient) Read(p []byte) (int, error) {
	if err := o.ctx.Err(); err != nil {
		return 0, err
	}
	return o.r.Read(p)
}
