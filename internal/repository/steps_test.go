package repository

import (
	"go/ast"
	"go/build/constraint"
	"slices"
	"strings"
	"testing"
)

// TestRace_LeavesOutWhatStartsNoGoroutine ensures that nothing can race in the packages that make race leaves out.
func TestRace_LeavesOutWhatStartsNoGoroutine(t *testing.T) {
	files := 0
	for _, f := range load(t) {
		if !strings.HasPrefix(f.Path, "rulebooks/") {
			continue
		}
		files++
		ast.Inspect(f.AST, func(n ast.Node) bool {
			selector, _ := n.(*ast.SelectorExpr)
			_, starts := n.(*ast.GoStmt)
			if starts || selector != nil && slices.Contains([]string{"Go", "Parallel"}, selector.Sel.Name) {
				t.Error(f.fault(n.Pos(), "starts a goroutine: let make race run its package"))
			}
			return true
		})
	}
	if files == 0 {
		t.Error("nothing is left out")
	}
}

// TestCorpus_TakesNoFileAway ensures that make corpus, which runs the tests that the tag adds, leaves no test out that is another with it.
func TestCorpus_TakesNoFileAway(t *testing.T) {
	for _, f := range load(t) {
		for line := range strings.Lines(string(f.Source)) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "package ") {
				break
			}
			if !constraint.IsGoBuild(line) {
				continue
			}
			built, err := constraint.Parse(line)
			if err != nil {
				t.Fatal(f.Path, err)
			}
			others := func(corpus bool) bool {
				return built.Eval(func(tag string) bool { return tag != "corpus" || corpus })
			}
			if others(false) && !others(true) {
				t.Errorf("%s is built only without the tag corpus: make corpus has to run the tests of its package", f.Path)
			}
		}
	}
}
