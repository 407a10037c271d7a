package fr

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/schematron"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/internal/edit"
	"github.com/einvoiced/einvoiced/rulebooks"
	"github.com/einvoiced/einvoiced/rulebooks/sch"
)

// TestRules_KeepQuiet ensures that no rule of BR-FR and EXTENDED-CTC-FR, those of EN 16931 included, fires by a small invoice that has
// an element for most of them.
func TestRules_KeepQuiet(t *testing.T) {
	for _, s := range syntaxes {
		if found := newJudge(t, s.syntax).fired(t, readFile(t, s.syntax+".xml")); len(found) > 0 {
			t.Errorf("%s: %v", s.syntax, found)
		}
	}
}

// TestRules_Fire ensures that each rule that is not one of EN 16931 fires by a document that breaks it and not by the one before, or is
// among those that never fire.
func TestRules_Fire(t *testing.T) {
	for _, s := range syntaxes {
		t.Run(s.syntax, func(t *testing.T) {
			j, left := newJudge(t, s.syntax), ownRules(t, s.syntax)
			for _, c := range casesOf(t, s.syntax) {
				c.run(t, j, left)
			}
			for _, id := range silent[s.syntax] {
				if !left[id] {
					t.Errorf("%s is among the rules that never fire, and fired or is not there", id)
				}
				delete(left, id)
			}
			if len(left) > 0 {
				t.Errorf("nothing makes these rules fire: %q", slices.Sorted(maps.Keys(left)))
			}
		})
	}
}

// silent are the rules that never fire, here as in the publisher's text: the first two because the rule before judges their nodes, the
// last one because it looks for a contract where only its code stands.
var silent = map[string][]string{
	"ubl": {"BR-FR-16_BT-103", "BR-FR-DEC-01_BT-111"},
	"cii": {"BR-FR-DEC-01_BT-111", "BR-EXT-CL-07"},
}

// judge judges documents by both rulebooks of a syntax.
type judge struct {
	programs []*schematron.Program
	parser   *xmltree.Parser
}

func newJudge(t *testing.T, syntax string) *judge {
	t.Helper()
	parser, err := xmltree.NewParser(xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	j := &judge{parser: parser}
	for _, book := range []string{"fr-br-", "fr-ext-"} {
		rules, err := schematron.Read(rulebooks.Books(), book+syntax+"-"+version+"/rules.sch", schematron.Options{})
		if err != nil {
			t.Fatal(err)
		}
		program, err := schematron.Compile(rules, rulebooks.Books(), schematron.CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		j.programs = append(j.programs, program)
	}
	return j
}

// notRun stands in the place of the message of a rule that could not be run.
const notRun = "not run: "

// fired gives the messages of the rules that fire by a document, and says which could not be run.
func (j *judge) fired(t *testing.T, document string) map[string]string {
	t.Helper()
	doc, err := j.parser.Parse([]byte(document))
	if err != nil {
		t.Fatalf("%v in %s", err, document)
	}
	defer doc.Release()
	found := map[string]string{}
	for _, program := range j.programs {
		verdict, err := program.Evaluate(t.Context(), doc, schematron.EvaluateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range verdict.NotRun {
			found[n.Assertion.ID] = notRun + n.Reason
		}
		for _, f := range verdict.Fired {
			found[f.Assertion.ID] = f.Messages[0]
		}
	}
	return found
}

// ownRules gives the ids of the rules that stand in texts of this package.
func ownRules(t *testing.T, syntax string) map[string]bool {
	t.Helper()
	copied, err := base(syntax)
	if err != nil {
		t.Fatal(err)
	}
	ids := idsOf(t, syntax)
	for id := range idsIn(copied) {
		delete(ids, id)
	}
	return ids
}

// idsIn gives the ids of the rules in patterns with their levels.
func idsIn(patterns []sch.Pattern) map[string]string {
	ids := map[string]string{}
	for _, p := range patterns {
		for _, r := range p.Rules {
			for _, a := range r.Assertions {
				ids[a.ID] = a.Flag
			}
		}
	}
	return ids
}

// idsOf gives the ids of the rules of both rulebooks of a syntax.
func idsOf(t *testing.T, syntax string) map[string]bool {
	t.Helper()
	ids := map[string]bool{}
	for _, line := range rulesOf(t) {
		if words := strings.Fields(line); strings.HasSuffix(words[0], "-"+syntax) {
			ids[words[1]] = true
		}
	}
	return ids
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// fireCase is a line of testdata/ubl.txt or cii.txt.
type fireCase struct {
	name          string
	rules         []string
	pass          bool // the rules do not fire after the edits
	before, after string
}

func casesOf(t *testing.T, syntax string) []fireCase {
	t.Helper()
	document := readFile(t, syntax+".xml")
	given, number := document, 0
	var cases []fireCase
	for line := range strings.Lines(readFile(t, syntax+".txt")) {
		number++
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name := fmt.Sprintf("%s.txt:%d", syntax, number)
		head, edits, _ := strings.Cut(line, ":")
		if head == "given" {
			given = madeOf(t, name, document, edits)
			continue
		}
		rules, pass := strings.CutPrefix(head, "PASS ")
		cases = append(cases, fireCase{name, strings.Fields(rules), pass, given, madeOf(t, name, given, edits)})
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

// run judges the document before and after the edits, and takes the rules that fired out of left.
func (c *fireCase) run(t *testing.T, j *judge, left map[string]bool) {
	t.Helper()
	before, after := j.fired(t, c.before), j.fired(t, c.after)
	for _, id := range c.rules {
		if strings.HasPrefix(after[id], notRun) {
			t.Errorf("%s: %s was %s", c.name, id, after[id])
		}
		if before[id] != "" {
			t.Errorf("%s: %s fires before the edits", c.name, id)
		}
		if (after[id] != "") == c.pass {
			t.Errorf("%s: %s fired %v after the edits, with %v", c.name, id, !c.pass, slices.Sorted(maps.Keys(after)))
		}
		if !c.pass {
			delete(left, id)
		}
	}
}
