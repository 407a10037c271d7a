package repository

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// The bars for the shape of the source. Tests are measured but have no bar.
const (
	fileP90      = 600 // lines that 9 of 10 files stay below
	functionP90  = 45  // lines that 9 of 10 functions do not exceed
	functionLong = 80  // lines above which a function counts as long
	longShare    = 2.0 // percent of functions that may be long
	functionMax  = 200 // lines that no function exceeds, unless it is one table
)

// A Shape is what can be counted about source: lengths in lines, ascending.
type Shape struct {
	Files     []int
	Functions []int
	Tables    int // functions left out because they are one table
	Lines     int
	Comments  int // lines of comments
	Exported  int // exported functions and types
	Described int // those with a doc comment
}

// Measure counts the source (tests false) or the tests (tests true), without generated files.
func Measure(files []*File, tests bool) Shape {
	var s Shape
	for _, f := range files {
		if f.IsTest() != tests || f.IsGenerated() {
			continue
		}
		s.Files = append(s.Files, f.Lines())
		s.Lines += f.Lines()
		for _, group := range f.AST.Comments {
			s.Comments += f.line(group.End()) - f.line(group.Pos()) + 1
		}
		for _, fn := range f.functions() {
			if isTable(fn) {
				s.Tables++
				continue
			}
			s.Functions = append(s.Functions, f.line(fn.End())-f.line(fn.Pos())+1)
		}
		s.describe(f)
	}
	slices.Sort(s.Files)
	slices.Sort(s.Functions)
	return s
}

func (s *Shape) describe(f *File) {
	for _, d := range f.AST.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			s.count(d.Name.IsExported() && exportedReceiver(d), d.Doc != nil)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok {
					s.count(t.Name.IsExported(), len(undocumentedSpec(t, d.Doc != nil)) == 0)
				}
			}
		}
	}
}

func (s *Shape) count(exported, described bool) {
	if exported {
		s.Exported++
		if described {
			s.Described++
		}
	}
}

// isTable tells whether a function only answers one composite literal.
func isTable(fn *ast.FuncDecl) bool {
	if len(fn.Body.List) != 1 {
		return false
	}
	r, ok := fn.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(r.Results) != 1 {
		return false
	}
	_, ok = r.Results[0].(*ast.CompositeLit)
	return ok
}

// percentile gives the value that p percent of the sorted values do not exceed; 0 for none.
func percentile(sorted []int, p int) int {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max(0, (len(sorted)*p+99)/100-1)]
}

func percent(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

// long gives the share of long functions in percent.
func (s *Shape) long() float64 {
	n := 0
	for _, lines := range s.Functions {
		if lines > functionLong {
			n++
		}
	}
	return percent(n, len(s.Functions))
}

// Faults compares the shape with the bars.
func (s *Shape) Faults() []string {
	var faults []string
	bar := func(broken bool, format string, args ...any) {
		if broken {
			faults = append(faults, fmt.Sprintf(format, args...))
		}
	}
	bar(percentile(s.Files, 90) >= fileP90, "files: p90 is %d lines, the bar is below %d", percentile(s.Files, 90), fileP90)
	bar(percentile(s.Functions, 90) > functionP90, "functions: p90 is %d lines, the bar is %d", percentile(s.Functions, 90), functionP90)
	bar(s.long() > longShare, "functions: %.1f %% are longer than %d lines, the bar is %.0f %%", s.long(), functionLong, longShare)
	bar(percentile(s.Functions, 100) > functionMax, "functions: the longest has %d lines, the bar is %d", percentile(s.Functions, 100), functionMax)
	return faults
}

// Longest names the n longest functions of the source with their place and length.
func Longest(files []*File, n int) []string {
	type entry struct {
		lines int
		text  string
	}
	var all []entry
	for _, f := range files {
		if f.IsTest() || f.IsGenerated() {
			continue
		}
		for _, fn := range f.functions() {
			lines := f.line(fn.End()) - f.line(fn.Pos()) + 1
			all = append(all, entry{lines, f.fault(fn.Pos(), "%s, %d lines", fn.Name.Name, lines)})
		}
	}
	slices.SortFunc(all, func(a, b entry) int { return b.lines - a.lines })
	var names []string
	for _, e := range all[:min(n, len(all))] {
		names = append(names, e.text)
	}
	return names
}

// Table prints the shapes of source and tests.
func Table(source, tests Shape) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-8s %7s %22s %9s %22s %7s %9s %13s\n",
		"", "lines", "file p50 / p90 / max", "functions", "function p50/p90/max", "> 80", "comments", "exported docs")
	row := func(name string, s Shape) {
		fmt.Fprintf(&b, "%-8s %7d %8d / %4d / %4d %9d %12d /%3d / %3d %6.1f%% %8.0f%% %12.0f%%\n", name, s.Lines,
			percentile(s.Files, 50), percentile(s.Files, 90), percentile(s.Files, 100), len(s.Functions),
			percentile(s.Functions, 50), percentile(s.Functions, 90), percentile(s.Functions, 100),
			s.long(), percent(s.Comments, s.Lines), percent(s.Described, s.Exported))
	}
	row("source", source)
	row("tests", tests)
	fmt.Fprintf(&b, "tests to source %.2f\n", percent(tests.Lines, source.Lines)/100)
	return b.String()
}
