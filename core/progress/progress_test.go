package progress

import (
	"context"
	"slices"
	"testing"
)

func TestNoteTellsWhoeverAsked(t *testing.T) {
	var told []int
	ctx := With(t.Context(), func(percent int) { told = append(told, percent) })
	for _, percent := range []int{-5, 0, 30, 100, 120} {
		Note(ctx, percent)
	}
	if want := []int{0, 0, 30, 100, 100}; !slices.Equal(told, want) {
		t.Errorf("told %d, want %d", told, want)
	}
}

func TestPartsNoteTheirShareOfTheWhole(t *testing.T) {
	var told []int
	whole := With(t.Context(), func(percent int) { told = append(told, percent) })
	part := Within(whole, 40, 80)
	for _, ctx := range []context.Context{part, Within(part, 50, 100), whole} {
		Note(ctx, 0)
		Note(ctx, 50)
		Note(ctx, 100)
	}
	if want := []int{40, 60, 80, 60, 70, 80, 0, 50, 100}; !slices.Equal(told, want) {
		t.Errorf("told %d, want %d", told, want)
	}
}

func TestWhereNobodyAskedNothingIsTold(t *testing.T) {
	ctx := Within(t.Context(), 10, 20)
	Note(ctx, 50)
	if ctx != t.Context() {
		t.Error("a part of work that nobody asked about has a context of its own")
	}
}
