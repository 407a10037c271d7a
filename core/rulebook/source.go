package rulebook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// source is what is imported from: the names of its files, and those that were read.
type source struct {
	fs     fs.FS
	limits Limits
	names  []string // files, sorted
	data   map[string][]byte
	left   int64 // bytes that may still be read
	parser *xmltree.Parser
	listed []schemaInfo // made when first asked for
}

// scan lists the files of a source. Links and special files are refused; folders whose name begins with a dot are left out.
// XML may have an internal subset here, as the schema of XML Signature that publishers ship along has one.
func scan(ctx context.Context, fsys fs.FS, limits Limits) (*source, error) {
	parser, err := xmltree.NewParser(xmltree.Options{InternalSubset: true})
	if err != nil {
		return nil, err
	}
	s := &source{fs: fsys, limits: limits, data: map[string][]byte{}, left: limits.Bytes, parser: parser}
	entries := 0
	err = fs.WalkDir(fsys, ".", func(name string, e fs.DirEntry, err error) error {
		if err := errors.Join(err, ctx.Err()); err != nil {
			return within(err)
		}
		if entries++; entries > limits.Entries {
			return fmt.Errorf("there are more than %d files and folders", limits.Entries)
		}
		switch {
		case e.IsDir() && name != "." && strings.HasPrefix(e.Name(), "."):
			return fs.SkipDir
		case e.IsDir():
			return nil
		case e.Type()&fs.ModeSymlink != 0:
			return fmt.Errorf("%s %w", name, errLink)
		case !e.Type().IsRegular():
			return fmt.Errorf("%s is a %s: expected files and folders", name, kindOf(e.Type()))
		}
		s.names = append(s.names, name)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list the files: %w", err)
	}
	slices.Sort(s.names)
	return s, nil
}

// with lists the files with one of the endings.
func (s *source) with(endings ...string) []string {
	var names []string
	for _, name := range s.names {
		if slices.Contains(endings, strings.ToLower(path.Ext(name))) {
			names = append(names, name)
		}
	}
	return names
}

func (s *source) has(name string) bool {
	_, found := slices.BinarySearch(s.names, name)
	return found
}

// read gives the content of a file, which is read once.
func (s *source) read(name string) ([]byte, error) {
	if data, ok := s.data[name]; ok {
		return data, nil
	}
	data, err := readRegular(s.fs, name, s.limits.FileBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if s.left -= int64(len(data)); s.left < 0 {
		return nil, fmt.Errorf("%s: the files read have more than %d bytes", name, s.limits.Bytes)
	}
	s.data[name] = data
	return data, nil
}

// Open opens a file that was read, for the reader of rule sets.
func (s *source) Open(name string) (fs.File, error) {
	if !s.has(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	data, err := s.read(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &openFile{info: info{name: path.Base(name), mode: 0o444, size: int64(len(data))}, Reader: bytes.NewReader(data)}, nil
}

// parse gives the tree of an XML file; ok is false for files that are none, or cannot be read as one.
func (s *source) parse(name string) (doc *xmltree.Document, ok bool, err error) {
	data, err := s.read(name)
	if err != nil {
		return nil, false, err
	}
	doc, err = s.parser.Parse(data)
	return doc, err == nil, nil
}
