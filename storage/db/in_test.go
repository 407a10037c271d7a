package db

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestInHasAPlaceForEachID ensures that the condition takes the ids in their order, one or several.
func TestInHasAPlaceForEachID(t *testing.T) {
	for want, ids := range map[string][]string{"IN (?)": {"a"}, "IN (?, ?, ?)": {"c", "a", "b"}} {
		condition, args := In(ids)
		var got []string
		for _, a := range args {
			got = append(got, a.(string))
		}
		if condition != want || !cmp.Equal(got, ids) {
			t.Errorf("%v: %s with %v, want %s", ids, condition, args, want)
		}
	}
}
