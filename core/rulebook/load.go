package rulebook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/einvoiced/einvoiced/rulebooks"
)

// Layer is a folder of rulebooks: one folder in it for each. Of two layers that have a rulebook of the same id and version the
// later one counts.
type Layer struct {
	Name string // for people
	// Open gives the folder; it is called once for each load, so that a folder that was put in the place of another is seen. What
	// it gives is closed after the load where it is an io.Closer and its files were read then. The file system must tell links
	// (fs.ReadLinkFS), as that of os.Root does.
	Open func() (fs.FS, error)
	// Trusted leaves out reading the files at load: for what ships and was checked before. They are read and checked when they
	// are used. The files of other layers are read, checked and kept at load, so that the folder may be changed while its
	// rulebooks are in use. Default: false
	Trusted bool
	// OnUse leaves out the same for a process that judges a few documents and ends: reading and hashing all rules takes longer than
	// that. A rulebook whose files are not as its manifest says is refused when it is used. Default: false
	OnUse bool
}

// isRead tells whether the files are read at load.
func (l *Layer) isRead() bool { return !l.Trusted && !l.OnUse }

// manifestBytes bounds a manifest.
const manifestBytes = 4 << 20

// load loads the rulebooks of all layers, or refuses them all and says everything that is wrong.
func load(ctx context.Context, layers []Layer, limits Limits) (*Generation, error) {
	var books []*Book
	var faults []error
	for _, layer := range layers {
		loaded, err := loadLayer(ctx, layer, limits)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		books = slices.DeleteFunc(books, func(b *Book) bool {
			return slices.ContainsFunc(loaded, func(l *Book) bool { return l.Name() == b.Name() })
		})
		books = append(books, loaded...)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return newGeneration(books)
}

func loadLayer(ctx context.Context, layer Layer, limits Limits) ([]*Book, error) {
	fsys, err := layer.Open()
	if err != nil {
		return nil, refuse(LoadFailed, "", "open the rulebooks of %s: %w", layer.Name, err)
	}
	if c, ok := fsys.(io.Closer); ok && layer.isRead() {
		defer c.Close()
	}
	folders, err := bookFolders(fsys, limits)
	if err != nil {
		return nil, refuse(LoadFailed, "", "list the rulebooks of %s: %w", layer.Name, err)
	}
	books, faults := make([]*Book, len(folders)), make([]error, len(folders))
	each(len(folders), func(i int) {
		if faults[i] = ctx.Err(); faults[i] == nil {
			books[i], faults[i] = loadBook(fsys, folders[i], layer, limits)
		}
	})
	folderOf := map[string]string{}
	for i, b := range books {
		if b == nil {
			continue
		}
		if other, twice := folderOf[b.Name()]; twice {
			faults = append(faults, refuse(LoadFailed, folders[i], "is %s, as is %s: expected one of each id and version", b.Name(), other))
		}
		folderOf[b.Name()] = folders[i]
	}
	return books, errors.Join(faults...)
}

// each calls do for 0 to n-1, on all cores.
func each(n int, do func(int)) {
	var wait sync.WaitGroup
	next := make(chan int)
	for range min(n, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wait.Wait()
}

// bookFolders lists the folders of rulebooks. Names that begin with a dot, and plain files, are not looked at.
func bookFolders(fsys fs.FS, limits Limits) ([]string, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, within(err)
	}
	var folders []string
	for _, e := range entries {
		switch {
		case strings.HasPrefix(e.Name(), "."), e.Type().IsRegular():
		case !e.IsDir():
			return nil, fmt.Errorf("%s is neither a folder nor a file: expected no links", e.Name())
		default:
			folders = append(folders, e.Name())
		}
	}
	if len(folders) > limits.Books {
		return nil, fmt.Errorf("there are %d: expected at most %d", len(folders), limits.Books)
	}
	return folders, nil
}

// loadBook loads the rulebook in one folder of a layer.
func loadBook(fsys fs.FS, folder string, layer Layer, limits Limits) (*Book, error) {
	sub, err := fs.Sub(fsys, folder)
	if err != nil {
		return nil, &Error{Reason: LoadFailed, Book: folder, Cause: err}
	}
	book, err := openBook(sub, limits)
	if err == nil {
		book.Layer, book.Shipped = layer.Name, layer.Trusted
		if layer.isRead() {
			err = book.check(limits)
		}
	}
	if err != nil {
		if inner := (*Error)(nil); errors.As(err, &inner) {
			err = inner.Cause
		}
		return nil, &Error{Reason: LoadFailed, Book: folder, Cause: err}
	}
	return book, nil
}

// openBook reads the manifest of a rulebook.
func openBook(fsys fs.FS, limits Limits) (*Book, error) {
	data, err := readRegular(fsys, rulebooks.ManifestFile, manifestBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", rulebooks.ManifestFile, err)
	}
	manifest, err := DecodeManifest(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", rulebooks.ManifestFile, err)
	}
	if len(manifest.Files) > limits.Files {
		return nil, fmt.Errorf("%s: there are %d files: expected at most %d", rulebooks.ManifestFile, len(manifest.Files), limits.Files)
	}
	return &Book{Manifest: manifest, Digest: hashOf(data), files: newListed(fsys, manifest.Files, limits.FileBytes)}, nil
}

// check reads every file and keeps it, and reads the rules and what they are about.
func (b *Book) check(limits Limits) error {
	var faults []error
	left := limits.Bytes
	for _, name := range sortedKeys(b.Manifest.Files) {
		data, err := b.files.ReadFile(name)
		if err == nil {
			err = b.files.keep(name, data)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", name, err))
		}
		if left -= int64(len(data)); left < 0 {
			return fmt.Errorf("the files have more than %d bytes", limits.Bytes)
		}
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	if _, err := b.readRules(); err != nil || len(b.Manifest.Subjects) == 0 {
		return err
	}
	_, err := b.readSubjects()
	return err
}

// digest is a hash over the digests of rulebooks.
func digest(books []*Book) string {
	h := sha256.New()
	for _, b := range books {
		fmt.Fprintf(h, "%s %s\n", b.Name(), b.Digest)
	}
	return hex.EncodeToString(h.Sum(nil))
}
