package rulebook

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// listed is the file system of a rulebook: the files of its manifest and the folders between them, nothing else. Whoever reads a
// file gets what the manifest has the hash of, or an error. It is safe for concurrent use.
type listed struct {
	base   fs.FS
	hashes map[string]string
	limit  int64
	dirs   map[string][]fs.DirEntry // by path, sorted by name
	kept   map[string][]byte        // deflated contents by path; what stands here is not read again
}

// keep holds the content of a file in memory, so that changes of the folder do not reach who uses the rulebook. It must not be
// called while others read.
func (l *listed) keep(name string, data []byte) error {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		return err
	}
	if _, err = w.Write(data); err == nil {
		err = w.Close()
	}
	if l.kept == nil {
		l.kept = map[string][]byte{}
	}
	l.kept[name] = slices.Clone(b.Bytes())
	return err
}

func newListed(base fs.FS, hashes map[string]string, limit int64) *listed {
	l := &listed{base: base, hashes: hashes, limit: limit, dirs: map[string][]fs.DirEntry{".": nil}}
	for name := range hashes {
		l.enter(name, 0o444)
	}
	for _, entries := range l.dirs {
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	}
	return l
}

// enter adds a file or folder to its folder, and that to its own.
func (l *listed) enter(name string, mode fs.FileMode) {
	folder := path.Dir(name)
	if _, known := l.dirs[folder]; !known {
		l.dirs[folder] = nil
		l.enter(folder, fs.ModeDir|0o555)
	}
	l.dirs[folder] = append(l.dirs[folder], &entry{info{name: path.Base(name), mode: mode}, l, name})
}

// entry is an entry of a folder; what it tells about a file is found out when asked for.
type entry struct {
	info
	in   *listed
	path string
}

func (e *entry) Type() fs.FileMode { return e.mode.Type() }

func (e *entry) Info() (fs.FileInfo, error) {
	if e.IsDir() {
		return e.info, nil
	}
	return fs.Stat(e.in, e.path)
}

func (e *entry) String() string { return fs.FormatDirEntry(e) }

// Open opens a file after checking it, or a folder.
func (l *listed) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if entries, ok := l.dirs[name]; ok {
		return &openDir{info: info{name: path.Base(name), mode: fs.ModeDir | 0o555}, entries: entries}, nil
	}
	if _, ok := l.hashes[name]; !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	data, err := l.ReadFile(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &openFile{info: info{name: path.Base(name), mode: 0o444, size: int64(len(data))}, Reader: bytes.NewReader(data)}, nil
}

// ReadDir lists a folder.
func (l *listed) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, ok := l.dirs[name]
	if !ok {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist}
	}
	return slices.Clone(entries), nil
}

// ReadFile gives the content of a file after checking it.
func (l *listed) ReadFile(name string) ([]byte, error) {
	want, ok := l.hashes[name]
	if !ok {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	if packed, ok := l.kept[name]; ok {
		return io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	}
	data, err := readRegular(l.base, name, l.limit)
	if err != nil {
		return nil, err
	}
	if got := hashOf(data); got != want {
		return nil, fmt.Errorf("the file has the SHA-256 %s: expected %s, as in the manifest", got, want)
	}
	return data, nil
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

var errLink = errors.New("is a link: expected a file of its own")

// readRegular reads a file that is no link, nor in a folder that is one, as far as the limit allows. A link might lead out of
// what the operator has given.
func readRegular(fsys fs.FS, name string, limit int64) ([]byte, error) {
	for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
		if stat, err := fs.Lstat(fsys, folder); err != nil {
			return nil, within(err)
		} else if !stat.IsDir() {
			return nil, fmt.Errorf("%s %w", folder, errLink)
		}
	}
	stat, err := fs.Lstat(fsys, name)
	if err != nil {
		return nil, within(err)
	}
	if stat.Mode()&fs.ModeSymlink != 0 {
		return nil, fmt.Errorf("the file %w", errLink)
	}
	if !stat.Mode().IsRegular() {
		return nil, fmt.Errorf("the file is a %s: expected a file", kindOf(stat.Mode()))
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, within(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, within(err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("the file has more than %d bytes", limit)
	}
	return data, nil
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "folder"
	case mode&fs.ModeNamedPipe != 0:
		return "pipe"
	case mode&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}

// within leaves the path out of an error of the file system: it may tell where the folder lies, and is said elsewhere.
func within(err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return p.Err
	}
	return err
}

// memory is a file system of contents by path. It has no folders to list.
type memory map[string][]byte

// Open opens a file, or a folder of one.
func (m memory) Open(name string) (fs.File, error) {
	if data, ok := m[name]; ok {
		return &openFile{info: info{name: path.Base(name), mode: 0o444, size: int64(len(data))}, Reader: bytes.NewReader(data)}, nil
	}
	for other := range m {
		if strings.HasPrefix(other, name+"/") {
			return &openDir{info: info{name: path.Base(name), mode: fs.ModeDir | 0o555}}, nil
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// info tells about a file or folder of a rulebook. None has a time.
type info struct {
	name string
	mode fs.FileMode
	size int64
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return nil }

type openFile struct {
	info
	*bytes.Reader
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFile) Close() error               { return nil }

// Size tells the same as Stat; both embedded types have it.
func (f *openFile) Size() int64 { return f.size }

type openDir struct {
	info
	entries []fs.DirEntry
}

func (d *openDir) Stat() (fs.FileInfo, error) { return d.info, nil }
func (d *openDir) Close() error               { return nil }
func (d *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.name, Err: errors.New("is a folder")}
}

// ReadDir gives the next n entries, all of them for n ≤ 0.
func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		n = len(d.entries)
	} else if len(d.entries) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.entries))
	next := d.entries[:n:n]
	d.entries = d.entries[n:]
	return next, nil
}
