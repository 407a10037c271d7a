package repository

import (
	"go/ast"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
)

// DocComments finds packages and exported identifiers without a doc comment. Tests and the identifiers of commands are
// exempt.
func DocComments(files []*File) []string {
	faults := packageComments(files)
	for _, f := range files {
		if f.IsTest() || f.AST.Name.Name == "main" {
			continue
		}
		for _, d := range f.AST.Decls {
			for _, id := range undocumented(d) {
				faults = append(faults, f.fault(id.Pos(), "%s has no doc comment", id.Name))
			}
		}
	}
	return faults
}

// packageComments wants one package comment in each package, in the form that the tools expect.
func packageComments(files []*File) []string {
	packages := map[string][]string{} // folder to the first words of its comments
	names := map[string]string{}
	for _, f := range files {
		if f.IsTest() {
			continue
		}
		names[f.Folder()] = f.AST.Name.Name
		if f.AST.Doc != nil {
			packages[f.Folder()] = append(packages[f.Folder()], f.AST.Doc.Text())
		}
	}
	var faults []string
	for _, folder := range slices.Sorted(maps.Keys(names)) {
		begin := "Package " + names[folder] + " "
		if names[folder] == "main" {
			begin = "Command "
		}
		switch comments := packages[folder]; {
		case len(comments) == 0:
			faults = append(faults, folder+": the package has no comment that says what it is")
		case len(comments) > 1:
			faults = append(faults, folder+": the package has more than one package comment")
		case !strings.HasPrefix(comments[0], begin) && folder != ".":
			faults = append(faults, folder+": the package comment does not begin with "+strings.TrimSpace(begin))
		}
	}
	return faults
}

// undocumented gives the exported names of a declaration that no comment tells about. A group's comment, a comment above or
// one at the end of the line will do.
func undocumented(d ast.Decl) []*ast.Ident {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() && exportedReceiver(d) {
			return []*ast.Ident{d.Name}
		}
	case *ast.GenDecl:
		if d.Tok == token.IMPORT || d.Doc != nil && d.Tok != token.TYPE {
			return nil
		}
		var names []*ast.Ident
		for _, spec := range d.Specs {
			names = append(names, undocumentedSpec(spec, d.Doc != nil && !d.Lparen.IsValid())...)
		}
		return names
	}
	return nil
}

func undocumentedSpec(spec ast.Spec, documented bool) []*ast.Ident {
	var names []*ast.Ident
	switch s := spec.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() && s.Doc == nil && s.Comment == nil && !documented {
			names = append(names, s.Name)
		}
	case *ast.ValueSpec:
		for _, n := range s.Names {
			if n.IsExported() && s.Doc == nil && s.Comment == nil {
				names = append(names, n)
			}
		}
	}
	return names
}

// exportedReceiver tells whether a method can be reached from outside; a function can.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}

// vague package names say nothing about what is inside.
var vague = []string{"util", "utils", "common", "helper", "helpers", "misc", "shared", "base"}

// Names finds packages whose name does not say what they are.
func Names(files []*File) []string {
	var faults []string
	for _, f := range files {
		if name := strings.TrimSuffix(f.AST.Name.Name, "_test"); slices.Contains(vague, name) {
			faults = append(faults, f.fault(f.AST.Name.Pos(), "a package named %s says nothing; name it after what it gives", name))
		} else if name != path.Base(f.Folder()) && name != "main" {
			faults = append(faults, f.fault(f.AST.Name.Pos(), "package %s is in folder %s; one name for both", name, f.Folder()))
		}
	}
	return faults
}
