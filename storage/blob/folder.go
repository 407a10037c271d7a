package blob

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"time"
)

// temporary is the folder of files that are being written. No key begins with a dot, so none names it.
const temporary = ".tmp"

// Folder is a Store in a folder of the file system. The blob account/job/run/name is the file account/xx/job~run~name, where
// xx is a shard by job: few folders that exist already, so that a blob costs two syncs, its own and its folder's. All access
// goes through an os.Root: not even a symbolic link leads out of the folder.
type Folder struct {
	root   *os.Root
	synced sync.Map // the folders that are known to survive a power cut
}

// place gives the folder and the file of a key. No segment has a tilde, so no two keys share a file.
func place(key string) (dir, file string) {
	account, rest, _ := strings.Cut(key, "/")
	job, _, _ := strings.Cut(rest, "/")
	return account + "/" + shard(job), strings.ReplaceAll(rest, "/", "~")
}

// pathOf is the file of a key as one path.
func pathOf(key string) string {
	dir, file := place(key)
	return dir + "/" + file
}

// keyOf is the inverse of pathOf; ok is false for what is no blob's file.
func keyOf(name string) (key string, ok bool) {
	part := strings.Split(name, "/")
	if len(part) != 3 {
		return "", false
	}
	key = part[0] + "/" + strings.ReplaceAll(part[2], "~", "/")
	return key, CheckKey(key) == nil && pathOf(key) == name
}

// shard spreads jobs over 256 folders of an account.
func shard(job string) string {
	h := fnv.New32a()
	h.Write([]byte(job))
	return fmt.Sprintf("%02x", h.Sum32()&0xff)
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
	f := &Folder{root: root}
	if err := f.prepare(); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return f, nil
}

// Close releases the folder.
func (f *Folder) Close() error { return f.root.Close() }

// prepare clears the folder of unfinished blobs. Younger ones may be of another process that is still writing.
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

// Put writes to a temporary file, syncs it, moves it to its place and syncs the folder of that.
func (f *Folder) Put(ctx context.Context, key string, r io.Reader) (Info, error) {
	if err := CheckKey(key); err != nil {
		return Info{}, err
	}
	temp := path.Join(temporary, rand.Text())
	info, err := f.write(ctx, temp, r)
	if err == nil {
		err = f.move(temp, key)
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
	size, err := io.Copy(io.MultiWriter(&flushing{file: file}, sum), Obedient(ctx, r))
	if err != nil {
		return Info{}, err
	}
	return Info{Size: size, SHA256: hex.EncodeToString(sum.Sum(nil))}, file.Sync()
}

// move puts the file in the place of its key.
func (f *Folder) move(temp, key string) error {
	dir, file := place(key)
	account, _, _ := strings.Cut(dir, "/")
	if err := errors.Join(f.makeFolder(".", account), f.makeFolder(account, dir)); err != nil {
		return err
	}
	if err := f.root.Rename(temp, dir+"/"+file); err != nil {
		return err
	}
	return f.syncFolder(dir)
}

// makeFolder makes one folder and syncs its parent, so that after a power cut no blob hangs in a folder that is not there. A
// folder that is there already may have been made a moment ago by another Put that has not synced it yet: it is synced
// unless this process knows better.
func (f *Folder) makeFolder(parent, dir string) error {
	err := f.root.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		if _, known := f.synced.Load(dir); known {
			return nil
		}
	} else if err != nil {
		return err
	}
	if err := f.syncFolder(parent); err != nil {
		return err
	}
	f.synced.Store(dir, true)
	return nil
}

func (f *Folder) syncFolder(dir string) error {
	d, err := f.root.Open(dir)
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
	file, err := f.root.Open(pathOf(key))
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
	info, err := f.root.Stat(pathOf(key))
	if err != nil {
		return Object{}, fmt.Errorf("describe blob %s: %w", key, absent(err))
	}
	return Object{Key: key, Size: info.Size(), Modified: info.ModTime()}, nil
}

// Delete removes the file; its folders stay.
func (f *Folder) Delete(ctx context.Context, key string) error {
	if err := errors.Join(CheckKey(key), ctx.Err()); err != nil {
		return err
	}
	if err := f.root.Remove(pathOf(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete blob %s: %w", key, err)
	}
	return nil
}

// DeleteAll removes the files; their folders stay.
func (f *Folder) DeleteAll(ctx context.Context, prefix string) error {
	if err := checkPrefix(prefix); err != nil {
		return err
	}
	return f.List(ctx, prefix, func(o Object) error { return f.Delete(ctx, o.Key) })
}

// List walks the folders that can hold the prefix. Files that vanish meanwhile are left out.
func (f *Folder) List(ctx context.Context, prefix string, visit func(Object) error) error {
	start, err := startOf(prefix)
	if err != nil {
		return err
	}
	err = fs.WalkDir(f.root.FS(), start, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case entry.IsDir() && name == temporary:
			return fs.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		key, ok := keyOf(name)
		if !ok || prefix != "" && !strings.HasPrefix(key, prefix+"/") {
			return nil
		}
		return visitFile(key, entry, visit)
	})
	if err != nil {
		return fmt.Errorf("list blobs under %q: %w", prefix, err)
	}
	return nil
}

// startOf gives the innermost folder that holds all blobs of the prefix.
func startOf(prefix string) (string, error) {
	if prefix == "" {
		return ".", nil
	}
	if err := checkPrefix(prefix); err != nil {
		return "", err
	}
	if !strings.Contains(prefix, "/") {
		return prefix, nil
	}
	dir, _ := place(prefix)
	return dir, nil
}

func visitFile(key string, entry fs.DirEntry, visit func(Object) error) error {
	info, err := entry.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return visit(Object{Key: key, Size: info.Size(), Modified: info.ModTime()})
}

func absent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errors.Join(ErrNotFound, err)
	}
	return err
}
