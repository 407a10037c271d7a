package repository

import (
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// A habit is a call or a name that a part of the repository must not use.
type habit struct {
	Folders []string // empty means everywhere
	Tests   bool     // the habit concerns test files; otherwise the source
	Names   []string // qualified as in the source, e.g. time.Now
	Unless  string   // a file that imports this package may
	Why     string
}

var money = []string{"core/engine/decimal", "core/finding", "core/format", "core/invoice", "core/operation", "core/profile"}

// habits that are not wanted, each with its reason.
var habits = []habit{
	{Folders: []string{"core"}, Names: []string{"time.Now", "time.Since", "time.Until"},
		Why: "the same input gives the same bytes: core has no clock"},
	{Folders: []string{"core"}, Names: []string{"time.Sleep", "time.After", "time.NewTimer", "time.NewTicker", "time.Tick"},
		Why: "core does not wait"},
	{Folders: []string{"core"}, Names: []string{"context.Background"},
		Why: "contexts are passed, so that work ends when nobody waits for it"},
	{Names: []string{"context.TO" + "DO"},
		Why: "contexts are passed (context.WithoutCancel keeps the values)"},
	{Folders: money, Names: []string{"float32", "float64"},
		Why: "money is never a float"},
	{Tests: true, Names: skips,
		Why: "a test that does not run guards nothing; guard it by a build tag"},
	{Tests: true, Names: []string{"time.Sleep"},
		Unless: "testing/synctest", Why: "a test waits for a signal or a condition, not for a time, but for that of a bubble of synctest"},
}

// exceptions are the functions that may do what a habit forbids, each with its reason.
var exceptions = []struct{ Folder, Function, Name, Why string }{
	{"core/engine/decimal", "Float64", "float64", "xs:double of XPath, which no amount passes through"},
}

// skips are the ways to leave a test out.
var skips = func() []string {
	var all []string
	for _, receiver := range []string{"t", "b", "f", "tb"} {
		for _, method := range []string{"Skip", "Skipf", "SkipNow"} {
			all = append(all, receiver+"."+method)
		}
	}
	return all
}()

// Habits finds what the table of habits forbids, and functions named init.
func Habits(files []*File) []string {
	var faults []string
	for _, f := range files {
		for _, fn := range f.functions() {
			if fn.Name.Name == "init" && fn.Recv == nil {
				faults = append(faults, f.fault(fn.Pos(), "no work at package start: make a value and pass it"))
			}
		}
		for _, d := range f.AST.Decls {
			faults = append(faults, f.habitsIn(d)...)
		}
	}
	return faults
}

// habitsIn finds the habits in one declaration.
func (f *File) habitsIn(d ast.Decl) []string {
	function := ""
	if fn, ok := d.(*ast.FuncDecl); ok {
		function = fn.Name.Name
	}
	var faults []string
	ast.Inspect(d, func(n ast.Node) bool {
		name := qualified(n)
		if name == "" || f.excepts(function, name) {
			return true
		}
		for _, h := range habits {
			if h.concerns(f) && slices.Contains(h.Names, name) {
				faults = append(faults, f.fault(n.Pos(), "%s: %s", name, h.Why))
			}
		}
		return true
	})
	return faults
}

func (f *File) excepts(function, name string) bool {
	for _, e := range exceptions {
		if e.Folder == f.Folder() && e.Function == function && e.Name == name {
			return true
		}
	}
	return false
}

func (h *habit) concerns(f *File) bool {
	if h.Tests != f.IsTest() || h.Unless != "" && f.imports(h.Unless) {
		return false
	}
	return len(h.Folders) == 0 || slices.ContainsFunc(h.Folders, func(folder string) bool { return within(f.Folder(), folder) })
}

// qualified gives the name that a node uses as it stands in the source: x.Y or a bare predeclared name.
func qualified(n ast.Node) string {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		if x, ok := n.X.(*ast.Ident); ok {
			return x.Name + "." + n.Sel.Name
		}
	case *ast.Ident:
		if strings.HasPrefix(n.Name, "float") {
			return n.Name
		}
	}
	return ""
}

// imports tells whether a file imports a package.
func (f *File) imports(path string) bool {
	return slices.ContainsFunc(f.AST.Imports, func(spec *ast.ImportSpec) bool { return spec.Path.Value == strconv.Quote(path) })
}
