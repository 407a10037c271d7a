package api

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/einvoiced/einvoiced/core/finding"
)

// archive is a ZIP whose entries are read one after the other. It takes files that are stored or deflated, and no links, no encryption,
// no parts.
type archive struct {
	files  []*zip.File // that are left
	limits archiveLimits
	hold   func(bytes int64) error // is told how much is held
	listed int64                   // bytes of the directory, as it is held
	total  int64                   // bytes inflated so far
}

// archiveLimits bound what an archive inflates to.
type archiveLimits struct {
	entry int64 // bytes of one entry
	total int64 // bytes of all entries together
}

const (
	maxInflation  = 200     // times that an entry may inflate, beyond easyInflation
	easyInflation = 1 << 20 // bytes that an entry may have whatever its ratio
	maxEntryName  = 255     // bytes
	flagEncrypted = 1 << 0  // APPNOTE 4.4.4

	// The directory of 100,000 entries with long names has half of it.
	maxDirectory = 64 << 20 // bytes
	heldPerByte  = 5        // bytes in memory for each of the directory, where its entries are the shortest
)

// entry is one file of an archive.
type entry struct {
	name string
	data []byte
}

func (e *entry) base() string { return path.Base(e.name) }

func (e *entry) isJSON() bool { return strings.EqualFold(path.Ext(e.name), ".json") }

// badArchive is the 400 for a body that is no ZIP that is taken.
func badArchive(message string) error { return badField("", finding.InvalidZIP, message) }

// openArchive reads the directory of a ZIP of so many bytes, and sees that each entry is one that is taken.
func openArchive(r io.ReaderAt, size int64, limits archiveLimits, hold func(int64) error) (*archive, error) {
	a := &archive{limits: limits, hold: hold}
	list := &directory{archive: a, r: r}
	opened, err := zip.NewReader(list, size)
	switch {
	case list.err != nil:
		return nil, list.err
	case err != nil:
		return nil, badArchive("The request body is not a ZIP, or it is damaged or ends too early")
	}
	for _, f := range opened.File {
		if err := checkEntry(f); err != nil {
			return nil, err
		}
	}
	list.open = true
	a.files = opened.File
	return a, nil
}

// directory is the archive while its directory is read, which is held in memory: it is bounded and counted. Afterwards it is the archive.
type directory struct {
	*archive
	r    io.ReaderAt
	open bool
	err  error // why it is read no further
}

// ReadAt implements io.ReaderAt.
func (d *directory) ReadAt(p []byte, at int64) (int, error) {
	n, err := d.r.ReadAt(p, at)
	if d.open {
		return n, err
	}
	if d.listed += int64(n) * heldPerByte; d.listed > maxDirectory*heldPerByte {
		d.err = tooManyOperations(maxStreamed)
	} else if d.err == nil {
		d.err = d.hold(d.listed)
	}
	return n, errors.Join(err, d.err)
}

// checkEntry refuses what is neither a file nor a folder, and what has no plain path below the archive.
func checkEntry(f *zip.File) error {
	name := f.Name
	switch kind := f.Mode().Type(); {
	case len(name) > maxEntryName:
		return badArchive(fmt.Sprintf("An entry of the ZIP has a name of more than %d bytes", maxEntryName))
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) || strings.ContainsAny(name, `\:`) ||
		!fs.ValidPath(strings.TrimSuffix(name, "/")) || strings.TrimSuffix(name, "/") == ".":
		return badArchive("The ZIP has an entry with a name that is not allowed: " + clip(fmt.Sprintf("%q", name)))
	case kind != 0 && kind != fs.ModeDir:
		return badArchive(clip(name) + " is a link or a device")
	case isFolder(f) && f.UncompressedSize64 > 0:
		return badArchive(clip(name) + " is a folder with content")
	case f.Flags&flagEncrypted != 0:
		return badArchive(clip(name) + " is encrypted")
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return badArchive(clip(name) + " is neither stored nor deflated")
	}
	return nil
}

func isFolder(f *zip.File) bool { return strings.HasSuffix(f.Name, "/") }

// next gives the next file; folders are passed over. At the end it gives io.EOF.
func (a *archive) next() (*entry, error) {
	for len(a.files) > 0 {
		f := a.files[0]
		a.files = a.files[1:]
		if !isFolder(f) {
			return a.file(f)
		}
	}
	return nil, io.EOF
}

// file reads an entry. The standard library compares its size and checksum with what the directory says.
func (a *archive) file(f *zip.File) (*entry, error) {
	r, err := f.Open()
	if err != nil {
		return nil, entryFailure(f, err)
	}
	defer r.Close()
	data, err := a.inflate(f, r)
	if err != nil {
		return nil, err
	}
	return &entry{f.Name, data}, nil
}

// inflate reads the content of an entry within the limits.
func (a *archive) inflate(f *zip.File, r io.Reader) ([]byte, error) {
	var data bytes.Buffer
	for {
		n, err := io.CopyN(&data, r, 64<<10)
		a.total += n
		size := int64(data.Len())
		switch {
		case size > a.limits.entry:
			return nil, tooLarge(a.limits.entry)
		case a.total > a.limits.total:
			return nil, badArchive(fmt.Sprintf("The documents of the ZIP have more than %d bytes together", a.limits.total))
		case size > easyInflation && uint64(size)/maxInflation > f.CompressedSize64:
			return nil, badArchive(fmt.Sprintf("%s inflates to more than %d times its size", clip(f.Name), maxInflation))
		case err != nil && err != io.EOF:
			return nil, entryFailure(f, err)
		}
		if held := a.hold(a.listed + size); held != nil || err == io.EOF {
			return data.Bytes(), held
		}
	}
}

// entryFailure tells a damaged entry from a file that cannot be read.
func entryFailure(f *zip.File, err error) error {
	if _, broken := errors.AsType[*fs.PathError](err); broken {
		return fmt.Errorf("read spooled archive: %w", err)
	}
	return badArchive(clip(f.Name) + " is damaged: its content, size or checksum is not what the ZIP says")
}
