package rulebook

import (
	"iter"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/schematron"
)

// Assertions goes through the rules of a rulebook, in its order. The error is that of Rulesets.
func (b *Book) Assertions() (iter.Seq[*schematron.Assertion], error) {
	sets, err := b.Rulesets()
	return assertions(sets), err
}

// assertions goes through the assertions of rule sets.
func assertions(sets []*schematron.Ruleset) iter.Seq[*schematron.Assertion] {
	return func(yield func(*schematron.Assertion) bool) {
		for _, a := range placed(sets) {
			if !yield(a) {
				return
			}
		}
	}
}

// placed goes through the assertions of rule sets and the rules that they stand in.
func placed(sets []*schematron.Ruleset) iter.Seq2[*schematron.Rule, *schematron.Assertion] {
	return func(yield func(*schematron.Rule, *schematron.Assertion) bool) {
		for _, set := range sets {
			for _, pattern := range set.Patterns {
				for _, rule := range pattern.Rules {
					for _, a := range rule.Assertions {
						if !yield(rule, a) {
							return
						}
					}
				}
			}
		}
	}
}

// Count is how many rules there are; assertions with one id are one. The error is that of Rulesets.
func (b *Book) Count() (int, error) {
	if b.Manifest.Count > 0 || len(b.Manifest.Rules) == 0 {
		return b.Manifest.Count, nil
	}
	sets, err := b.Rulesets()
	return count(sets), err
}

func count(sets []*schematron.Ruleset) int {
	keys := map[string]bool{}
	for a := range assertions(sets) {
		keys[a.Key] = true
	}
	return len(keys)
}

// TextOf is the text of a rule with … in place of values.
func TextOf(a *schematron.Assertion) string {
	var b strings.Builder
	for _, part := range a.Message {
		if part.IsText() {
			b.WriteString(part.Text)
		} else {
			b.WriteString("…")
		}
	}
	return strings.TrimSpace(b.String())
}
