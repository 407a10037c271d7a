package ruletext

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLines ensures that lines are joined, counted and measured, and that remarks and empty lines say nothing.
func TestLines(t *testing.T) {
	const text = "# a remark\n#\n\nrule a\n  R-1: x\n      # of another thing\n      or y\n#SKONTO#\n"
	var got []Line
	for _, l := range Lines(text) {
		got = append(got, *l)
	}
	want := []Line{{4, 0, "rule a"}, {5, 2, "R-1: x or y"}, {8, 0, "#SKONTO#"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	fault := errors.New("no")
	if err := (&Line{Number: 7}).Fault("%w", fault); err.Error() != "line 7: no" || !errors.Is(err, fault) {
		t.Error(err)
	}
}
