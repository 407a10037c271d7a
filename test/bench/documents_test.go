package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSyntaxOfRuleSets(t *testing.T) {
	for set, want := range map[string]string{"en16931-ubl": ubl, "en16931-cii": cii, "fx-2.4-extended": cii, "nl-cii": cii,
		"be": ubl, "pint-ae": ubl, "fr-f1-cii-start": cii, "fr-ext-ubl": ubl} {
		if got := syntaxOf(set); got != want {
			t.Errorf("%s is %s, want %s", set, got, want)
		}
	}
}

func TestSpreadPicksEvenly(t *testing.T) {
	list := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	for _, c := range []struct {
		limit int
		want  []int
	}{{20, list}, {10, list}, {5, []int{0, 2, 4, 6, 8}}, {3, []int{0, 3, 6}}} {
		if diff := cmp.Diff(c.want, spread(list, c.limit)); diff != "" {
			t.Errorf("%d of 10: %s", c.limit, diff)
		}
	}
}

func TestOrdinaryDocumentsAreSourcesWithAVerdict(t *testing.T) {
	all := map[string][]string{}
	for _, verdicts := range []string{
		`{"set": "x", "rulesets": {"r": {}}, "files": {
			"a.xml": {"kind": "source", "rules": {"r": [], "s": [{"id": "1"}]}},
			"b.xml": {"kind": "mutant", "rules": {"r": []}},
			"c.xml": {"kind": "source", "rules": {"r": {"error": "FORG0001"}}}}}`,
		`{"set": "y", "files": ["of another form"]}`,
		`[]`,
	} {
		if err := addSources(all, "corpus", []byte(verdicts)); err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff(map[string][]string{"r": {"corpus/x/a.xml"}, "s": {"corpus/x/a.xml"}}, all); diff != "" {
		t.Error(diff)
	}
	if err := addSources(all, "corpus", []byte(`{"set": "z", "rulesets": {"r": {}}, "files": []}`)); err == nil {
		t.Error("verdicts that are no object are taken for none")
	}
}

func TestOptions(t *testing.T) {
	o, err := parseOptions([]string{"-rules", "r", "-shared", "s", "-lines", "10,20", "-sets", "^be$", "-saxon=false"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{10, 20}, o.lines); diff != "" || o.withSaxon || !o.sets.MatchString("be") || o.sets.MatchString("best") {
		t.Errorf("%+v %s", o, diff)
	}
	for _, args := range [][]string{{"-rules", "", "-shared", "s"}, {"-rules", "r", "-shared", "s", "-lines", "ten"}, {"-rules", "r", "-shared", "s", "-sets", "("}} {
		if _, err := parseOptions(args); err == nil {
			t.Errorf("%q are taken", args)
		}
	}
}
