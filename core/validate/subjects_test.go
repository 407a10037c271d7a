package validate

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/rulebooks"
)

// sharedSubjects reads the files that say what rules are about, by their names.
func sharedSubjects(t *testing.T) map[string]rulebooks.Subjects {
	t.Helper()
	const folder = "../../rulebooks/shared/subjects"
	files := map[string]rulebooks.Subjects{}
	names, err := fs.Glob(os.DirFS(folder), "*.yaml")
	if err != nil || len(names) < 3 {
		t.Fatalf("%q %v", names, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(folder + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		subjects := rulebooks.Subjects{}
		if err := yaml.Unmarshal(data, &subjects); err != nil {
			t.Fatal(err)
		}
		files[name] = subjects
	}
	return files
}

// TestSubjectsAreOfRules ensures that each rule with a subject is in a rulebook that ships, and that each rulebook which has the rule
// knows the subject.
func TestSubjectsAreOfRules(t *testing.T) {
	holders := map[string][]*rulebook.Book{}
	for _, book := range shippedBooks(t).Books() {
		rules, err := book.Assertions()
		if err != nil {
			t.Fatal(err)
		}
		for a := range rules {
			holders[a.Key] = append(holders[a.Key], book)
		}
	}
	for name, subjects := range sharedSubjects(t) {
		for rules, terms := range subjects.Terms {
			for rule := range strings.FieldsSeq(rules) {
				if len(holders[rule]) == 0 {
					t.Errorf("%s: %s is in no rulebook", name, rule)
				}
				for _, book := range holders[rule] {
					if got := book.Subject(rule).Terms; !slices.Equal(got, strings.Fields(terms)) {
						t.Errorf("%s: subject of %s in %s is %q", name, rule, book.Name(), got)
					}
				}
			}
		}
		for rule, member := range subjects.Members {
			for _, book := range holders[rule] {
				if book.Subject(rule).Member != member {
					t.Errorf("%s: member of %s in %s is %q", name, rule, book.Name(), book.Subject(rule).Member)
				}
			}
			if len(holders[rule]) == 0 {
				t.Errorf("%s: %s is in no rulebook", name, rule)
			}
		}
	}
}

// TestManifestsCountRules ensures that manifests tell how many rules there are.
func TestManifestsCountRules(t *testing.T) {
	for _, book := range shippedBooks(t).Books() {
		rules, err := book.Assertions()
		if err != nil {
			t.Fatal(err)
		}
		keys := map[string]bool{}
		for a := range rules {
			keys[a.Key] = true
		}
		if book.Manifest.Count != len(keys) {
			t.Errorf("%s: rules: %d, expected %d", book.Name(), book.Manifest.Count, len(keys))
		}
	}
}
