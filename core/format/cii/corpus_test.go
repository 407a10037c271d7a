//go:build corpus

package cii

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/mapping/mappingtest"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// schemaValid is the number of CII documents of the corpus that a schema accepts.
const schemaValid = 1122

// TestEveryLeafOfTheCorpusIsAccountedFor reads every schema-valid document: each leaf is mapped, derived or reported; where the
// official rules have nothing fatal to say no business term is reported; and every other reported name is a known one.
func TestEveryLeafOfTheCorpusIsAccountedFor(t *testing.T) {
	f, err := New()
	if err != nil {
		t.Fatal(err)
	}
	known := knownNames(t)
	documents, seen := 0, map[string]bool{}
	for _, d := range corpus.CII(t) {
		if !d.Valid {
			continue
		}
		documents++
		doc, reading := readDocument(t, f, d.Path)
		account := reading.Account
		if leaves := mappingtest.Leaves(doc); leaves != account.Mapped+account.Derived+account.Reported {
			t.Errorf("%s: %d leaves, but %d mapped, %d derived and %d reported", d.Path, leaves, account.Mapped, account.Derived, account.Reported)
		}
		for _, leaf := range account.Leaves {
			name := lastName(leaf.Path)
			seen[name] = true
			if leaf.Term != "" && judgedClean(d, reading.Edition) && !excused(leaf) {
				t.Errorf("%s: %s %s is reported: %s", d.Path, leaf.Term, leaf.Path, leaf.Reason)
			}
			if leaf.Term == "" && known[name] == "" {
				t.Errorf("%s: %s is reported, and testdata/unmapped.txt does not list %s", d.Path, leaf.Path, name)
			}
		}
	}
	if documents != schemaValid {
		t.Errorf("%d documents, want %d", documents, schemaValid)
	}
	for name := range known {
		if !seen[name] {
			t.Errorf("testdata/unmapped.txt lists %s, which no document has", name)
		}
	}
}

// judgedClean tells whether rules judged the document and found nothing that makes it wrong: those of EN 16931, or of EXTENDED where
// it is that, alone or inside another set. Most rules of Factur-X have no level, which means an error.
func judgedClean(d corpus.Document, edition string) bool {
	sets := []string{"en16931-cii"}
	if _, judged := d.Rules["en16931-cii"]; !judged || edition == Extended {
		sets = []string{"nl-cii", "fr-ext-cii", "fx-"}
	}
	judged := false
	for set, findings := range d.Rules {
		if !slices.ContainsFunc(sets, func(prefix string) bool { return strings.HasPrefix(set, prefix) }) {
			continue
		}
		judged = true
		if slices.ContainsFunc(findings, func(f corpus.Finding) bool { return f.Flag == "fatal" || f.Flag == "" }) {
			return false
		}
	}
	return judged && len(d.Errors) == 0
}

// oneMore are the terms of which a document that the rules let pass may have two, where EN 16931 and the invoice object have one.
var oneMore = map[string]string{
	"BT-9":     "Factur-X EXTENDED has several terms of payment, and CII-SR-452 is a warning",
	"BT-32":    "the schema has room for two registrations of a kind",
	"BT-71":    "that ID and GlobalID do not stand together (CII-SR-449) is a warning",
	"BT-71-1":  "that ID and GlobalID do not stand together (CII-SR-449) is a warning",
	"BT-128":   "that a line has one object identifier (CII-SR-474) is a warning",
	"BT-128-1": "that a line has one object identifier (CII-SR-474) is a warning",
}

// noDay is why a text is not taken for a date: that it is one the rules of EN 16931 do not check.
const noDay = "the syntax has no such text in this place"

func excused(leaf mapping.Leaf) bool {
	day := strings.HasSuffix(leaf.Path, "DateTimeString") && leaf.Reason == noDay
	return day || oneMore[leaf.Term] != "" && strings.Contains(leaf.Reason, "one value only")
}

func readDocument(t *testing.T, f *Format, path string) (*xmltree.Document, *mapping.Reading[invoice.Invoice]) {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := xmltree.Parse(src, xmltree.Options{})
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	reading, err := f.Read(context.Background(), doc)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return doc, reading
}

var position = regexp.MustCompile(`\[\d+\]`)

// lastName is the name of the element or attribute that a path ends in.
func lastName(path string) string {
	path = position.ReplaceAllString(path, "")
	return path[strings.LastIndexByte(path, '/')+1:]
}

// knownNames reads the committed list: a name and the reason, separated by a tab.
func knownNames(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "unmapped.txt"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if name, reason, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			known[name] = reason
		}
	}
	return known
}
