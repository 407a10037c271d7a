package fr

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
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

// TestJoin_PutsRules ensures where rules of the extension stand among those of EN 16931: with those of their context, before all others
// among the business rules, and after all in other patterns.
func TestJoin_PutsRules(t *testing.T) {
	for id, want := range map[string]string{"model": "c:R-3 a:R-1 b:R-2,R-4", "codes": "a:R-1 b:R-2,R-4 c:R-3"} {
		p := sch.Pattern{ID: id, Rules: []sch.Rule{
			{Context: "a", Assertions: []sch.Assertion{{ID: "R-1"}}}, {Context: "b", Assertions: []sch.Assertion{{ID: "R-2"}}},
		}}
		join(&p, []sch.Rule{
			{Context: "c", Assertions: []sch.Assertion{{ID: "R-3"}}}, {Context: "b", Assertions: []sch.Assertion{{ID: "R-4"}}},
		})
		var got []string
		for _, r := range p.Rules {
			var ids []string
			for _, a := range r.Assertions {
				ids = append(ids, a.ID)
			}
			got = append(got, r.Context+":"+strings.Join(ids, ","))
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
