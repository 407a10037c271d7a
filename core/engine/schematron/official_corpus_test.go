//go:build oracles && corpus

package schematron

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/einvoiced/einvoiced/internal/corpus"
)

// fired is what a verdict says of one assertion.
type fired struct {
	ID     string `json:"id"`
	Flag   string `json:"flag"`
	Report bool   `json:"report"`
}

// verdicts gives what fired in the corpus by rule set, and how many ids each rule set has.
func verdicts(t *testing.T) (seen map[string]map[fired]bool, ids map[string]int) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(corpus.Shared(), "corpus", "verdicts", "*.json"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no verdicts in %s", corpus.Shared())
	}
	seen, ids = map[string]map[fired]bool{}, map[string]int{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var set struct {
			RuleSets json.RawMessage `json:"rulesets"`
			Files    map[string]struct {
				Rules map[string]json.RawMessage `json:"rules"`
			} `json:"files"`
		}
		var sizes map[string]struct {
			IDs int `json:"ids"`
		}
		if json.Unmarshal(data, &set) != nil || json.Unmarshal(set.RuleSets, &sizes) != nil {
			continue // another family of verdicts
		}
		for rules, size := range sizes {
			ids[rules] = size.IDs
			if seen[rules] == nil {
				seen[rules] = map[fired]bool{}
			}
		}
		for _, file := range set.Files {
			for rules, verdict := range file.Rules {
				for _, f := range findings(verdict) {
					seen[rules][f] = true
				}
			}
		}
	}
	return seen, ids
}

// findings decodes a verdict, that of an aborted run too.
func findings(verdict json.RawMessage) []fired {
	var all []fired
	if json.Unmarshal(verdict, &all) == nil {
		return all
	}
	var aborted struct {
		Also []fired `json:"also"`
	}
	if json.Unmarshal(verdict, &aborted) != nil {
		return nil
	}
	return aborted.Also
}

// Whatever fired in the corpus is an assertion of the rule set that was read, by its key, level and kind, in both forms.
func TestOfficial_HasWhateverFiredInTheCorpus(t *testing.T) {
	seen, ids := verdicts(t)
	compared := 0
	for _, o := range officialSets {
		for _, form := range []string{o.Source, o.Compiled} {
			set, ok := o.official(t, form)
			if !ok || seen[o.Name] == nil {
				continue
			}
			have, keys := map[fired]bool{}, map[string]bool{}
			for _, p := range set.Patterns {
				for _, r := range p.Rules {
					for _, a := range r.Assertions {
						have[fired{a.Key, a.Level(), a.Report}], keys[a.Key] = true, true
					}
				}
			}
			if len(keys) != ids[o.Name] {
				t.Errorf("%s: %d keys, want %d", form, len(keys), ids[o.Name])
			}
			for f := range seen[o.Name] {
				if compared++; !have[f] {
					t.Errorf("%s: %+v is no assertion of it", form, f)
				}
			}
		}
	}
	if compared == 0 {
		t.Error("nothing compared")
	}
	t.Logf("%d findings looked up", compared)
}
