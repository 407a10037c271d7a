package nl

import (
	"bytes"
	"encoding/xml"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/rulebooks/write/edition"
)

// rulebooksOf names the rulebooks by their ids, with their syntaxes.
var rulebooksOf = map[string][2]string{
	"nl-ubl": {"nl-ubl-2.0.3.13", "ubl"}, "nl-gaccount": {"nl-gaccount-1.0.13", "ubl"}, "nl-cii": {"nl-cii-1.0.3.13", "cii"},
}

// TestFiles_Rules ensures that each rulebook has the publisher's rules with their levels, and none besides: those of EN 16931 and those
// in testdata/ids.txt.
func TestFiles_Rules(t *testing.T) {
	files, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	for id, book := range rulebooksOf {
		want := core(t, book[1])
		for _, rule := range listed(t, id) {
			if gone, minus := strings.CutPrefix(rule, "-"); minus {
				delete(want, gone)
			} else {
				want[rule] = true
			}
		}
		if diff := cmp.Diff(want, rulesIn(t, files["books/"+book[0]+"/rules.sch"])); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
	}
}

// core gives the rules of EN 16931 1.3.16 with their levels.
func core(t *testing.T, syntax string) map[string]bool {
	t.Helper()
	patterns, err := (&edition.Edits{}).Patterns(syntax)
	if err != nil {
		t.Fatal(err)
	}
	rules := map[string]bool{}
	for _, p := range patterns {
		for _, r := range p.Rules {
			for _, a := range r.Assertions {
				rules[a.ID+" "+a.Flag] = true
			}
		}
	}
	return rules
}

// listed gives the lines of testdata/ids.txt that are about a rulebook.
func listed(t *testing.T, book string) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/ids.txt")
	if err != nil {
		t.Fatal(err)
	}
	var rules []string
	for line := range strings.Lines(string(text)) {
		if rule, ok := strings.CutPrefix(strings.TrimSpace(line), book+" "); ok {
			rules = append(rules, rule)
		}
	}
	return rules
}

// rulesIn gives the ids and levels of the assertions in a Schematron file.
func rulesIn(t *testing.T, text []byte) map[string]bool {
	t.Helper()
	var file struct {
		Assertions []struct {
			ID   string `xml:"id,attr"`
			Flag string `xml:"flag,attr"`
		} `xml:"pattern>rule>assert"`
	}
	if err := xml.NewDecoder(bytes.NewReader(text)).Decode(&file); err != nil {
		t.Fatal(err)
	}
	rules := map[string]bool{}
	for _, a := range file.Assertions {
		rules[a.ID+" "+a.Flag] = true
	}
	return rules
}
