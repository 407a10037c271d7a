package judge

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/internal/edit"
	"github.com/einvoiced/einvoiced/rulebooks"
)

// firing lists, by file of testdata/fire, the rulebooks that ship whose rules it tries out.
var firing = map[string][]string{
	"ubl": {"xrechnung-ubl", "peppol-bis", "peppol-sb"},
	"cii": {"xrechnung-cii"},
	"hr":  {"hr-cius"},
	"pt":  {"cius-pt"},
	"ro":  {"cius-ro"},
}

// TestShippedRules_Fire ensures that each rule of these rulebooks fires on a document that breaks it, and not on the one before.
func TestShippedRules_Fire(t *testing.T) {
	shipped := shippedBooks(t)
	for file, ids := range firing {
		cases := readCases(t, "testdata/fire/"+file)
		for _, id := range ids {
			t.Run(id, func(t *testing.T) {
				book, err := shipped.Find(id, "", "2027-01-31")
				if err != nil {
					t.Fatal(err)
				}
				programs, err := book.Programs()
				if err != nil {
					t.Fatal(err)
				}
				left := ruleIDs(t, book)
				f := &firingBook{T: t, id: id, set: &Set{Rules: programs}, known: maps.Clone(left), left: left, given: map[string]*Verdict{}}
				for _, c := range cases {
					f.run(c)
				}
				for _, c := range cases {
					f.checkNever(c)
					f.leaveOut(c)
				}
				if len(left) > 0 {
					t.Errorf("nothing makes these rules fire: %q", slices.Sorted(maps.Keys(left)))
				}
			})
		}
	}
}

// ruleIDs gives the ids of a rulebook's rules.
func ruleIDs(t *testing.T, book *rulebook.Book) map[string]bool {
	t.Helper()
	sets, err := book.Rulesets()
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, set := range sets {
		for _, pattern := range set.Patterns {
			for _, rule := range pattern.Rules {
				for _, a := range rule.Assertions {
					ids[a.Key] = true
				}
			}
		}
	}
	return ids
}

// shippedBooks gives the rulebooks that ship, loaded as the service does.
func shippedBooks(t testing.TB) *rulebook.Generation {
	t.Helper()
	layer := rulebook.Layer{Name: "shipped", Trusted: true, Open: func() (fs.FS, error) { return rulebooks.Books(), nil }}
	registry, err := rulebook.NewRegistry(t.Context(), rulebook.Config{Layers: []rulebook.Layer{layer}})
	if err != nil {
		t.Fatal(err)
	}
	return registry.Current()
}

// fireCase is a line of testdata/fire.
type fireCase struct {
	name          string
	rules         []string
	pass          bool // the rules do not fire after the edits
	never         bool // the rules fire by no document; there are no edits
	elsewhere     bool // the rules, whose ids may end with a star, are tried out elsewhere if not here; there are no edits
	before, after string
}

// readCases reads base.txt, whose cases begin with base.xml.
func readCases(t *testing.T, base string) []fireCase {
	t.Helper()
	document, err := os.ReadFile(base + ".xml")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(base + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	given, number := string(document), 0
	var cases []fireCase
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name := fmt.Sprintf("%s.txt:%d", base, number)
		head, edits, _ := strings.Cut(line, ":")
		if head == "given" {
			given = madeOf(t, name, string(document), edits)
			continue
		}
		if rules, never := strings.CutPrefix(head, "NEVER "); never {
			cases = append(cases, fireCase{name: name, rules: strings.Fields(rules), never: true})
			continue
		}
		if rules, elsewhere := strings.CutPrefix(head, "ELSEWHERE "); elsewhere {
			cases = append(cases, fireCase{name: name, rules: strings.Fields(rules), elsewhere: true})
			continue
		}
		rules, pass := strings.CutPrefix(head, "PASS ")
		cases = append(cases, fireCase{name: name, rules: strings.Fields(rules), pass: pass, before: given, after: madeOf(t, name, given, edits)})
	}
	return cases
}

// madeOf gives a document after the edits of a line.
func madeOf(t *testing.T, line, document, edits string) string {
	t.Helper()
	text, err := edit.Apply(document, edits, nil)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return text
}

// firingBook is a rulebook whose rules are tried out.
type firingBook struct {
	*testing.T
	id    string
	set   *Set
	known map[string]bool     // its rules
	left  map[string]bool     // those that nothing has made fire yet
	given map[string]*Verdict // on documents before edits
}

// run judges the document before and after the edits by what the rulebook knows of the case's rules, and takes those that fired
// out of left.
func (f *firingBook) run(c fireCase) {
	f.Helper()
	var rules []string
	for _, rule := range c.rules {
		if id, only, _ := strings.Cut(rule, "@"); f.known[id] && (only == "" || only == f.id) {
			rules = append(rules, id)
		}
	}
	if len(rules) == 0 || c.never || c.elsewhere {
		return
	}
	if f.given[c.before] == nil {
		f.given[c.before] = judgeAt(f.T, f.set, c.before)
	}
	before, after := f.given[c.before], judgeAt(f.T, f.set, c.after)
	for _, id := range rules {
		if fired(before, id) {
			f.Errorf("%s: %s fires before the edits", c.name, id)
		}
		if fired(after, id) == c.pass {
			f.Errorf("%s: %s fired %v after the edits; not run: %v", c.name, id, c.pass, after.NotRun)
		}
		if !c.pass {
			delete(f.left, id)
		}
	}
}

// checkNever checks that nothing made the rules fire that a case says to fire never, and takes them out of left.
func (f *firingBook) checkNever(c fireCase) {
	f.Helper()
	for _, id := range c.rules {
		if !c.never || !f.known[id] {
			continue
		}
		if !f.left[id] {
			f.Errorf("%s: %s fires", c.name, id)
		}
		delete(f.left, id)
	}
}

// leaveOut takes the rules out of left that are tried out elsewhere.
func (f *firingBook) leaveOut(c fireCase) {
	if !c.elsewhere {
		return
	}
	maps.DeleteFunc(f.left, func(id string, _ bool) bool {
		return slices.ContainsFunc(c.rules, func(rule string) bool {
			begin, open := strings.CutSuffix(rule, "*")
			return id == rule || open && strings.HasPrefix(id, begin)
		})
	})
}

func fired(v *Verdict, id string) bool {
	return slices.ContainsFunc(v.Schematron, func(f Finding) bool { return f.ID == id && f.Message != "" })
}

func judgeAt(t *testing.T, set *Set, document string) *Verdict {
	t.Helper()
	parser, err := xmltree.NewParser(xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := set.Judge(t.Context(), parser, []byte(document), time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	return v
}
