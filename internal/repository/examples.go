package repository

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
)

// exemplary are the rooms whose packages others may import, as a library or to build another service of them.
var exemplary = []string{"core", "storage"}

// examplesElsewhere are packages without an example of their own, each with the reason.
var examplesElsewhere = map[string]string{
	"core/mapping/mappingtest":  "it is for the tests of mappings alone",
	"storage/blob/blobtest":     "it is for the tests of stores alone",
	"storage/db/dbtest":         "it is for tests alone, and the other examples of storage open their databases by it",
	"storage/outbox/outboxtest": "it is for tests alone, and the example of storage/outbox asks for the same",
	"storage/queue/names":       "it has names alone, which the examples of queue and outbox use",
	"storage/queue/queuetest":   "it is for the tests of queues alone",
}

// Examples finds packages whose exported names no example shows. An example has an Output, because without one it is compiled and never run; it is
// in the external test package, so that it can do no more than a reader can. A package that has an example and is excused all the same is found as
// well.
func Examples(files []*File) []string {
	first := map[string]string{} // folder to a fault for its first exported name
	shown := map[string]bool{}
	for _, f := range files {
		folder := f.Folder()
		if !slices.ContainsFunc(exemplary, func(room string) bool { return within(folder, room) }) {
			continue
		}
		switch name := exported(f); {
		case f.IsTest():
			shown[folder] = shown[folder] || hasExample(f)
		case name != nil && first[folder] == "":
			first[folder] = f.fault(name.Pos(), "no example shows what %s is for: write one with an Output in %s/example_test.go, or a reason into examplesElsewhere", folder, folder)
		}
	}
	var faults []string
	for _, folder := range slices.Sorted(maps.Keys(first)) {
		_, excused := examplesElsewhere[folder]
		switch {
		case excused && shown[folder]:
			faults = append(faults, folder+": it has an example, so examplesElsewhere need not excuse it")
		case !excused && !shown[folder]:
			faults = append(faults, first[folder])
		}
	}
	return faults
}

// exported gives the first name of a file that can be used from outside; nil where there is none.
func exported(f *File) *ast.Ident {
	for _, d := range f.AST.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && d.Recv == nil {
				return d.Name
			}
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				continue
			}
			for _, spec := range d.Specs {
				for _, name := range namesOf(spec) {
					if name.IsExported() {
						return name
					}
				}
			}
		}
	}
	return nil
}

// namesOf gives the names that a specification declares.
func namesOf(spec ast.Spec) []*ast.Ident {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		return []*ast.Ident{s.Name}
	case *ast.ValueSpec:
		return s.Names
	}
	return nil
}

// hasExample tells whether a file of an external test package has an example that is run.
func hasExample(f *File) bool {
	if !strings.HasSuffix(f.AST.Name.Name, "_test") {
		return false
	}
	return slices.ContainsFunc(f.functions(), func(fn *ast.FuncDecl) bool {
		if fn.Recv != nil || !strings.HasPrefix(fn.Name.Name, "Example") {
			return false
		}
		return slices.ContainsFunc(f.AST.Comments, func(c *ast.CommentGroup) bool {
			said := c.Text()
			return fn.Body.Pos() < c.Pos() && c.End() < fn.Body.End() && (strings.HasPrefix(said, "Output:") || strings.HasPrefix(said, "Unordered output:"))
		})
	})
}
