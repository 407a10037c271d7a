package corpus

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// National is a document of a national format.
type National struct {
	Name   string // path below the set's folder
	Path   string
	Valid  bool     // by the official schema
	Mutant bool     // made of another document
	Expect []string // codes of rules that must be among those reported; nil for documents that break none on purpose
	Level  string   // what those are: error or warning
}

// Nationals lists the documents of a national format with their mutants and rule cases, by name. A missing corpus fails the test.
func Nationals(t testing.TB, set string) []National {
	t.Helper()
	dir := filepath.Join(Shared(), "corpus")
	data, err := os.ReadFile(filepath.Join(dir, "verdicts", set+".json"))
	if err != nil {
		t.Fatalf("no corpus in %s: set EINVOICED_SHARED, or put it beside the repository", dir)
	}
	type entry struct {
		Valid  bool
		Expect []string
		Level  string
	}
	var verdicts struct{ Documents, Mutants, Rules map[string]entry }
	if err := json.Unmarshal(data, &verdicts); err != nil {
		t.Fatal(err)
	}
	var all []National
	for i, family := range []map[string]entry{verdicts.Documents, verdicts.Mutants, verdicts.Rules} {
		for _, name := range slices.Sorted(maps.Keys(family)) {
			e := family[name]
			all = append(all, National{Name: name, Path: filepath.Join(dir, set, name), Valid: e.Valid || i == 2, Mutant: i == 1, Expect: e.Expect, Level: e.Level})
		}
	}
	return all
}
