package xpath

import (
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// TestIndexesGiveTheNodesOfAKeyInOrder compares indexes of few and of many nodes, used again and again, with a list.
func TestIndexesGiveTheNodesOfAKeyInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, m, tr := &index{}, &Machine{fuel: slice}, &tree{}
		for range rapid.IntRange(1, 3).Draw(t, "rounds") {
			x.reset()
			want := map[string][]node{}
			for n := range rapid.IntRange(0, 3*worthChains).Draw(t, "nodes") {
				at := node{tr, xmltree.Node(n)}
				for range rapid.IntRange(0, 3).Draw(t, "keys") {
					key := strconv.Itoa(rapid.IntRange(0, 4).Draw(t, "key"))
					x.add(key, at)
					if !slices.Contains(want[key], at) {
						want[key] = append(want[key], at)
					}
				}
			}
			for key := range 6 {
				var got []node
				x.hits(m, strconv.Itoa(key), func(_ *Machine, n node) bool { got = append(got, n); return false })
				if !slices.Equal(got, want[strconv.Itoa(key)]) {
					t.Fatalf("key %d: %v, want %v", key, got, want[strconv.Itoa(key)])
				}
			}
		}
	})
}

func TestIndexesStopWhenTheSinkDoes(t *testing.T) {
	for _, count := range []int{2, 2 * worthChains} {
		x, m := &index{}, &Machine{fuel: slice}
		for n := range count {
			x.add("k", node{n: xmltree.Node(n)})
		}
		seen := 0
		if !x.hits(m, "k", func(*Machine, node) bool { seen++; return seen == 2 }) || seen != 2 || x.hits(m, "absent", nil) {
			t.Errorf("of %d nodes the sink saw %d", count, seen)
		}
	}
}
