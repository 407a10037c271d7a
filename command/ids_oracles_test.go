//go:build oracles

package command

import (
	"io/fs"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/rulebooks"
)

// TestOfficial_Rules holds that each rulebook that ships has the rules of the official rule set of its name with their levels, and
// none besides. One rule may stand in several contexts of ours.
func TestOfficial_Rules(t *testing.T) {
	shipped := generationOf(t, rulebooks.Books())
	folder, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	var names []string
	for _, o := range slices.Concat(publishedRules, otherRules) {
		if _, err := shipped.Find(o.name, "", corpusClock[:10]); err == nil {
			names = append(names, o.name)
		}
	}
	importOfficial(t, folder.Name(), names...)
	official := generationOf(t, folder.FS())
	for _, book := range official.Books() {
		ours, err := shipped.Find(book.Manifest.ID, "", corpusClock[:10])
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(slices.Sorted(maps.Keys(rulesOf(t, book))), slices.Sorted(maps.Keys(rulesOf(t, ours)))); diff != "" {
			t.Errorf("%s: %s", ours.Name(), diff)
		}
	}
	if len(official.Books()) < 9 {
		t.Errorf("only %d rule sets were compared", len(official.Books()))
	}
}

func generationOf(t *testing.T, books fs.FS) *rulebook.Generation {
	t.Helper()
	layer := rulebook.Layer{Name: "test", Open: func() (fs.FS, error) { return books, nil }}
	registry, err := rulebook.NewRegistry(t.Context(), rulebook.Config{Layers: []rulebook.Layer{layer}})
	if err != nil {
		t.Fatal(err)
	}
	return registry.Current()
}

// rulesOf gives the rules of a rulebook: the publisher's ids with their levels.
func rulesOf(t *testing.T, book *rulebook.Book) map[string]bool {
	t.Helper()
	sets, err := book.Rulesets()
	if err != nil {
		t.Fatal(err)
	}
	rules := map[string]bool{}
	for _, set := range sets {
		for _, p := range set.Patterns {
			for _, r := range p.Rules {
				for _, a := range r.Assertions {
					rules[book.PublisherID(a.Key)+" "+a.Level()] = true
				}
			}
		}
	}
	return rules
}
