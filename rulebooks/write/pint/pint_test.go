package pint

import (
	"encoding/xml"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/rulebooks"
)

// TestFiles_HaveThePublishersRules ensures that each rulebook has the rules of the publisher's set of its name with their levels, and none
// besides. One rule may stand in several contexts of ours.
func TestFiles_HaveThePublishersRules(t *testing.T) {
	files, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	want := publishedRules(t)
	if len(want) != 2*len(specifications) {
		t.Errorf("the publisher has %d sets, and we %d specifications of two each", len(want), len(specifications))
	}
	for i := range specifications {
		s := &specifications[i]
		for name, folder := range map[string]string{s.id: own(s).Folder, s.id + "-base": base(s).Folder} {
			if diff := cmp.Diff(want[name], slices.Sorted(maps.Keys(rulesIn(t, files, "books/"+folder+"/rules.sch")))); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	}
}

// publishedRules reads the rules and levels of the publisher's sets, by set, in order.
func publishedRules(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("testdata/ids.txt")
	if err != nil {
		t.Fatal(err)
	}
	rules := map[string][]string{}
	var sets []string
	for line := range strings.Lines(string(text)) {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "["):
			sets = strings.Fields(strings.Trim(line, "[]"))
		case line != "" && !strings.HasPrefix(line, "#"):
			for _, set := range sets {
				rules[set] = append(rules[set], line)
			}
		}
	}
	for _, set := range rules {
		slices.Sort(set)
	}
	return rules
}

// rulesIn gives the rules of a schema and of the patterns that it includes, with their levels.
func rulesIn(t *testing.T, files map[string][]byte, name string) map[string]bool {
	t.Helper()
	rules := map[string]bool{}
	for d := xml.NewDecoder(strings.NewReader(string(files[name]))); ; {
		token, err := d.Token()
		if err != nil {
			break
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		attributes := map[string]string{}
		for _, a := range start.Attr {
			attributes[a.Name.Local] = a.Value
		}
		switch start.Name.Local {
		case "assert":
			rules[attributes["id"]+" "+attributes["flag"]] = true
		case "include":
			maps.Copy(rules, rulesIn(t, files, attributes["href"]))
		}
	}
	return rules
}

// TestFiles_BindByIdentifier ensures that the set of a jurisdiction judges the documents with its identifier, after the schema and its base,
// and that a base is bound to none.
func TestFiles_BindByIdentifier(t *testing.T) {
	files, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	for i := range specifications {
		s := &specifications[i]
		text := string(files["books/"+own(s).Folder+"/"+rulebooks.ManifestFile])
		invoices, notes := strings.Count(text, "after: [ubl-invoice, "+s.id+"-base]"), strings.Count(text, "after: [ubl-creditnote, "+s.id+"-base]")
		if invoices != 1 || (notes == 0) != s.invoicesOnly || strings.Count(text, `specification: "`+s.identifier+`"`) != invoices+notes {
			t.Errorf("%s is bound so: %s", s.id, text)
		}
		if text := string(files["books/"+base(s).Folder+"/"+rulebooks.ManifestFile]); strings.Contains(text, "bindings:") {
			t.Errorf("the base of %s is bound: %s", s.id, text)
		}
	}
}
