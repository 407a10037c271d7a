package xsd

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// nearest is the file of the folder with that target namespace which shares most of its path with s, "" if there is none. A
// namespace that has been loaded already keeps its file.
func (l *loader) nearest(s *source, space string) string {
	for _, o := range l.order {
		if o.target == space && !o.chameleon {
			return o.path
		}
	}
	best, most := "", -1
	for _, file := range l.candidates(space) {
		if n := SharedFolders(file, s.path); n > most {
			best, most = file, n
		}
	}
	return best
}

// SharedFolders counts the folders that the slash-separated paths of two files begin with alike. Of several schemas for a
// namespace the one that shares the most is taken for an import that names no location.
func SharedFolders(a, b string) int {
	x, y := strings.Split(path.Dir(a), "/"), strings.Split(path.Dir(b), "/")
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}

// candidates are the schema files of the folder with that target namespace, but those that others of them include.
func (l *loader) candidates(space string) []string {
	if l.folder == nil {
		l.list()
	}
	var all []string
	included := map[string]bool{}
	for _, name := range l.folder {
		f := l.read(name)
		if !bytes.Contains(f.data, []byte(space)) {
			continue
		}
		if l.parse(f); f.doc == nil || targetOf(f.doc) != space || f.doc.Namespace(f.doc.Root()) != schemaSpace {
			continue
		}
		all = append(all, name)
		s := &source{path: name, doc: f.doc}
		first, end := f.doc.Children(f.doc.Root())
		for c := first; c < end; c = f.doc.End(c) {
			if local := f.doc.Local(c); local == "include" || local == "redefine" {
				location, _ := s.attr(c, "schemaLocation")
				other, _ := s.resolve(location)
				included[other] = true
			}
		}
	}
	return slices.DeleteFunc(all, func(name string) bool { return included[name] })
}

// list finds the schema files of the folder; what cannot be read there is nobody's import.
func (l *loader) list() {
	l.folder = []string{}
	walk := func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && path.Ext(name) == ".xsd" {
			l.folder = append(l.folder, name)
		}
		return nil
	}
	if err := fs.WalkDir(l.fsys, ".", walk); err != nil {
		l.fault(".", 0, "read the folder: %s", err)
	}
}
