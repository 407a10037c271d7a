package validate

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/internal/edit"
	"github.com/einvoiced/einvoiced/rulebooks"
)

// trial says by which cases of testdata/fire rulebooks that ship are tried out, and on which document.
type trial struct {
	document string
	cases    []string
	books    []string
	quiet    bool   // no rule of the books fires by the document
	copied   string // rulebook whose rules are tried elsewhere, as far as the books have them unchanged. Default: none
}

var trials = []trial{
	{document: "ubl", cases: []string{"ubl"}, books: []string{"xrechnung-ubl", "peppol-bis", "peppol-sb"}},
	{document: "cii", cases: []string{"cii"}, books: []string{"xrechnung-cii"}},
	{document: "ubl", cases: []string{"nl-ubl"}, books: []string{"nl-ubl", "nl-gaccount"}, copied: "en16931-ubl"},
	{document: "ubl", cases: []string{"ubl", "be"}, books: []string{"be"}, copied: "en16931-ubl"},
	{document: "cii", cases: []string{"nl-cii"}, books: []string{"nl-cii"}, copied: "en16931-cii"},
	{document: "fr-ubl", cases: []string{"fr-ubl"}, books: []string{"fr-br-ubl", "fr-ext-ubl"}, quiet: true, copied: "en16931-ubl"},
	{document: "fr-cii", cases: []string{"fr-cii"}, books: []string{"fr-br-cii", "fr-ext-cii"}, quiet: true, copied: "en16931-cii"},
	{document: "hr", cases: []string{"hr"}, books: []string{"hr-cius"}},
	{document: "pt", cases: []string{"pt"}, books: []string{"cius-pt"}},
	{document: "ro", cases: []string{"ro"}, books: []string{"cius-ro"}},
	{document: "pint-ae", cases: []string{"pint-ae"}, books: []string{"pint-ae-base", "pint-ae", "pint-ae-sb-base", "pint-ae-sb"}},
	{document: "pint-aunz", cases: []string{"pint-aunz"}, books: []string{"pint-aunz-base", "pint-aunz", "pint-aunz-sb-base", "pint-aunz-sb"}},
	{document: "pint-jp", cases: []string{"pint-jp"}, books: []string{"pint-jp-base", "pint-jp", "pint-jp-ntr-base", "pint-jp-ntr", "pint-jp-sb-base", "pint-jp-sb"}},
	{document: "pint-om", cases: []string{"pint-om"}, books: []string{"pint-om-base", "pint-om", "pint-om-sb-base", "pint-om-sb"}},
}

// TestShippedRules_Fire ensures that each rule of these rulebooks fires on a document that breaks it, and not on the one before,
// but for those that are said never to fire. The short form takes the first rulebook of every fourth line
// of the table.
func TestShippedRules_Fire(t *testing.T) {
	shipped := shippedBooks(t)
	for i, trial := range trials {
		if testing.Short() && i%4 != 0 {
			continue
		}
		cases := trial.read(t)
		for n, id := range trial.books {
			if testing.Short() && n > 0 {
				break
			}
			t.Run(id, func(t *testing.T) {
				book := shippedBook(t, shipped, id)
				programs, err := book.Programs()
				if err != nil {
					t.Fatal(err)
				}
				known := ruleTexts(t, book)
				if trial.copied != "" { // ids may be others
					others := ruleTexts(t, shippedBook(t, shipped, trial.copied))
					maps.DeleteFunc(known, func(_, text string) bool { return slices.Contains(slices.Collect(maps.Values(others)), text) })
				}
				f := &firing{T: t, book: id, set: &Set{Rules: programs}, known: known, left: maps.Clone(known), given: map[string]*Verdict{}}
				f.all(cases)
			})
		}
	}
}

// triedElsewhere are the rulebooks whose rules other tests make fire, each of them, by a test that has a document for each.
var triedElsewhere = map[string]string{
	"en16931-ubl": "TestModelRules_Fire and TestRules_Fire of rulebooks/write/en16931", "en16931-cii": "TestModelRules_Fire and TestRules_Fire of rulebooks/write/en16931",
	"ebinterface": "core/operation and rulebooks/write/ebinterface", "facturae-3.2": "TestFacturae_RulesFire", "facturae-3.2.1": "TestFacturae_RulesFire", "facturae-3.2.2": "TestFacturae_RulesFire",
	"fatturapa": "TestCorpus_FatturaPAIsJudgedAsOfficially", "isdoc": "TestISDOC_RulesFire", "ksef-fa3": "TestKSeF_RulesFire", "mydata": "TestMyData_RulesFire", "nav": "TestNAV_RulesFire",
	"qr-bill": "TestCorpus_QRBillsAreJudgedAsTheVerdictsSay", "verifactu": "TestVeriFactu_RulesFire",
}

// TestShippedRules_AllAreTried ensures that no rulebook with rules ships without a test that makes its rules fire.
func TestShippedRules_AllAreTried(t *testing.T) {
	for _, book := range shippedBooks(t).Books() {
		id := book.Manifest.ID
		if n, err := book.Count(); err != nil || n == 0 {
			continue
		}
		if triedElsewhere[id] == "" && !slices.Contains(facturxSets(), id+"-"+book.Manifest.Version) &&
			!slices.ContainsFunc(trials, func(tr trial) bool { return slices.Contains(tr.books, id) }) {
			t.Errorf("no test makes the rules of %s fire", id)
		}
	}
}

func shippedBook(t *testing.T, shipped *rulebook.Generation, id string) *rulebook.Book {
	t.Helper()
	book, err := shipped.Find(id, "", "2027-01-31")
	if err != nil {
		t.Fatal(err)
	}
	return book
}

// ruleTexts gives the contexts and conditions of a rulebook's rules by their ids.
func ruleTexts(t *testing.T, book *rulebook.Book) map[string]string {
	t.Helper()
	sets, err := book.Rulesets()
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, set := range sets {
		for _, pattern := range set.Patterns {
			for _, rule := range pattern.Rules {
				for _, a := range rule.Assertions {
					texts[a.Key] += rule.Context.Text + ": " + a.Test.Text + "\n"
				}
			}
		}
	}
	return texts
}

// TestShippedRules_KeepQuiet ensures that no rule of the rulebooks that say so fires by a small invoice that has an element for most of them.
func TestShippedRules_KeepQuiet(t *testing.T) {
	tried := 0
	for _, trial := range trials {
		for _, id := range trial.books {
			if !trial.quiet {
				continue
			}
			programs, err := shippedBook(t, shippedBooks(t), id).Programs()
			if err != nil {
				t.Fatal(err)
			}
			tried++
			if v := judgeAt(t, &Set{Rules: programs}, readTestdata(t, trial.document+".xml")); len(v.Schematron)+len(v.NotRun) > 0 {
				t.Errorf("%s: %+v %+v", id, v.Schematron, v.NotRun)
			}
		}
	}
	if tried < 4 {
		t.Errorf("%d rulebooks were tried", tried)
	}
}

// shippedBooks gives the rulebooks that ship, loaded as the service does, once for all tests.
func shippedBooks(t testing.TB) *rulebook.Generation {
	t.Helper()
	registry, err := shippedRegistry()
	if err != nil {
		t.Fatal(err)
	}
	return registry.Current()
}

var shippedRegistry = sync.OnceValues(loadShipped)

func loadShipped() (*rulebook.Registry, error) {
	layer := rulebook.Layer{Name: "shipped", Trusted: true, Open: func() (fs.FS, error) { return rulebooks.Books(), nil }}
	return rulebook.NewRegistry(context.Background(), rulebook.Config{Layers: []rulebook.Layer{layer}})
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

// read gives the cases of a trial. Each file of them begins with the document.
func (tr *trial) read(t *testing.T) []fireCase {
	t.Helper()
	document := readTestdata(t, tr.document+".xml")
	var cases []fireCase
	for _, name := range tr.cases {
		given, number := document, 0
		for line := range strings.Lines(readTestdata(t, name+".txt")) {
			number++
			line = strings.TrimSuffix(line, "\n")
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			place := fmt.Sprintf("%s.txt:%d", name, number)
			head, edits, _ := strings.Cut(line, ":")
			if head == "given" {
				given = madeOf(t, place, document, edits)
				continue
			}
			cases = append(cases, caseOf(t, place, given, head, edits))
		}
	}
	return cases
}

func readTestdata(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile("testdata/fire/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// caseOf gives the case of a line.
func caseOf(t *testing.T, place, given, head, edits string) fireCase {
	t.Helper()
	if rules, never := strings.CutPrefix(head, "NEVER "); never {
		return fireCase{name: place, rules: strings.Fields(rules), never: true}
	}
	if rules, elsewhere := strings.CutPrefix(head, "ELSEWHERE "); elsewhere {
		return fireCase{name: place, rules: strings.Fields(rules), elsewhere: true}
	}
	rules, pass := strings.CutPrefix(head, "PASS ")
	return fireCase{name: place, rules: strings.Fields(rules), pass: pass, before: given, after: madeOf(t, place, given, edits)}
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

// firing is a rulebook whose rules are tried out.
type firing struct {
	*testing.T
	book  string
	set   *Set
	known map[string]string   // its rules by id
	left  map[string]string   // those that nothing has made fire yet
	given map[string]*Verdict // on documents before edits
}

// all tries the cases, and tells of rules that none has made fire.
func (f *firing) all(cases []fireCase) {
	f.Helper()
	for _, c := range cases {
		f.run(c)
	}
	for _, c := range cases {
		f.checkNever(c)
		f.leaveOut(c)
	}
	if len(f.left) > 0 {
		f.Errorf("nothing makes these rules fire: %q", slices.Sorted(maps.Keys(f.left)))
	}
}

// run judges the document before and after the edits by what the rulebook knows of the case's rules, and takes those that fired
// out of left.
func (f *firing) run(c fireCase) {
	f.Helper()
	var rules []string
	for _, rule := range c.rules {
		if id, only, _ := strings.Cut(rule, "@"); f.known[id] != "" && (only == "" || only == f.book) {
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
		if i := slices.IndexFunc(after.NotRun, func(n SkippedRule) bool { return n.ID == id }); c.pass && i >= 0 {
			f.Errorf("%s: %s was not run after the edits: %v", c.name, id, after.NotRun[i])
		}
		if !c.pass {
			delete(f.left, id)
		}
	}
}

// checkNever checks that nothing made the rules fire that a case says to fire never, and takes them out of left.
func (f *firing) checkNever(c fireCase) {
	f.Helper()
	for _, id := range c.rules {
		if !c.never || f.known[id] == "" {
			continue
		}
		if f.left[id] == "" {
			f.Errorf("%s: %s fires", c.name, id)
		}
		delete(f.left, id)
	}
}

// leaveOut takes the rules out of left that are tried out elsewhere.
func (f *firing) leaveOut(c fireCase) {
	if !c.elsewhere {
		return
	}
	maps.DeleteFunc(f.left, func(id, _ string) bool {
		return slices.ContainsFunc(c.rules, func(rule string) bool {
			begin, open := strings.CutSuffix(rule, "*")
			return id == rule || open && strings.HasPrefix(id, begin)
		})
	})
}

func fired(v *Verdict, id string) bool {
	return slices.ContainsFunc(v.Schematron, func(f FiredRule) bool { return f.ID == id && f.Message != "" })
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
