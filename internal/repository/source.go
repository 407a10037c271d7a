// Package repository checks this repository itself: who may import whom, what is documented, how long files and functions
// are, which words and habits are not wanted. Each check takes the files as data and answers sentences that begin with the
// place, so that the checks can be checked with planted faults.
package repository

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// module is the path of our Go module.
const module = "github.com/einvoiced/einvoiced"

// skipped are the names in the root that hold nothing of ours: .gitignore names most of them.
var skipped = []string{".git", ".cache", "data", "einvoiced"}

// A File is one Go source file.
type File struct {
	Path   string // relative to the root of the repository
	Source []byte
	AST    *ast.File

	positions *token.FileSet
}

// Load reads all Go files of the repository, except those in testdata folders.
func Load(repository fs.FS) ([]*File, error) {
	var files []*File
	err := walk(repository, func(name string) error {
		if path.Ext(name) != ".go" || slices.Contains(strings.Split(name, "/"), "testdata") {
			return nil
		}
		source, err := fs.ReadFile(repository, name)
		if err != nil {
			return err
		}
		f := &File{Path: name, Source: source, positions: token.NewFileSet()}
		f.AST, err = parser.ParseFile(f.positions, name, source, parser.ParseComments|parser.SkipObjectResolution)
		files = append(files, f)
		return err
	})
	return files, err
}

// walk visits the regular files that belong to the repository.
func walk(repository fs.FS, visit func(name string) error) error {
	return fs.WalkDir(repository, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case slices.Contains(skipped, name) && entry.IsDir():
			return fs.SkipDir
		case slices.Contains(skipped, name), !entry.Type().IsRegular():
			return nil
		}
		return visit(name)
	})
}

// Folder is the folder of the file's package relative to the root; "." is the root.
func (f *File) Folder() string { return path.Dir(f.Path) }

// IsTest tells whether the file belongs to the tests.
func (f *File) IsTest() bool { return strings.HasSuffix(f.Path, "_test.go") }

// IsGenerated tells whether the file says that a program wrote it.
func (f *File) IsGenerated() bool { return ast.IsGenerated(f.AST) }

// Lines counts the lines of the file.
func (f *File) Lines() int {
	n := bytes.Count(f.Source, []byte("\n"))
	if len(f.Source) > 0 && !bytes.HasSuffix(f.Source, []byte("\n")) {
		n++
	}
	return n
}

func (f *File) line(p token.Pos) int { return f.positions.Position(p).Line }

// fault is one sentence about a place in the file.
func (f *File) fault(p token.Pos, format string, args ...any) string {
	return fmt.Sprintf("%s:%d: %s", f.Path, f.line(p), fmt.Sprintf(format, args...))
}

// functions gives the functions and methods that have a body.
func (f *File) functions() []*ast.FuncDecl {
	var all []*ast.FuncDecl
	for _, d := range f.AST.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			all = append(all, fn)
		}
	}
	return all
}
