package repository

import (
	"go/build/constraint"
	"strings"
	"testing"
)

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
