package ruling

import (
	"io/fs"
	"testing"

	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/rulebooks"
)

// TestSubjectsAreOfRules ensures that each rule with a subject, and each one of the contract's table, is in a rulebook that ships.
func TestSubjectsAreOfRules(t *testing.T) {
	layer := rulebook.Layer{Name: "shipped", Trusted: true, Open: func() (fs.FS, error) { return rulebooks.Books(), nil }}
	registry, err := rulebook.NewRegistry(t.Context(), rulebook.Config{Layers: []rulebook.Layer{layer}})
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, book := range registry.Current().Books() {
		sets, err := book.Rulesets()
		if err != nil {
			t.Fatal(err)
		}
		for _, set := range sets {
			for _, pattern := range set.Patterns {
				for _, rule := range pattern.Rules {
					for _, a := range rule.Assertions {
						known[a.ID] = true
					}
				}
			}
		}
	}
	for _, table := range []map[string]string{subjects, contractFields} {
		for rule := range table {
			if !known[rule] {
				t.Errorf("%s is in no rulebook", rule)
			}
		}
	}
	for _, rule := range []string{"BR-S-01", "BR-Z-10", "BR-AE-02", "BR-IC-05", "BR-O-03", "BR-AF-08", "BR-B-02"} {
		if !known[rule] || subjectOf(rule) == "" {
			t.Errorf("%s is in no rulebook, or has no subject", rule)
		}
	}
}
