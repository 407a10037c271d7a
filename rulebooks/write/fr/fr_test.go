package fr

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRules_AreThePublishers ensures that the rulebooks have the publisher's ids with their levels, and none besides. Those that have
// no id there have one of ours, with the hash that names them in verdicts.
func TestRules_AreThePublishers(t *testing.T) {
	_, list, _ := strings.Cut(readFile(t, "ids.txt"), "\n")
	if diff := cmp.Diff(strings.Split(strings.TrimSpace(list), "\n"), rulesOf(t)); diff != "" {
		t.Error(diff)
	}
}

var assertion = regexp.MustCompile(`<assert id="([^"]+)"(?: flag="([^"]+)")?`)

// rulesOf gives a line for each rule of the rulebooks, in order: rulebook, id, level.
func rulesOf(t *testing.T) []string {
	t.Helper()
	files, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	rules := map[string]bool{}
	for name, text := range files {
		book := strings.TrimSuffix(strings.Split(name, "/")[1], "-"+version)
		for _, m := range assertion.FindAllStringSubmatch(string(text), -1) {
			rules[strings.TrimSpace(book+" "+m[1]+" "+m[2])] = true
		}
	}
	return slices.Sorted(maps.Keys(rules))
}
