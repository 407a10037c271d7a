//go:build corpus

package ubl

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/mapping/mappingtest"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// schemaValid is the number of UBL documents of the corpus that a schema accepts.
const schemaValid = 1504

// TestEveryLeafOfTheCorpusIsAccountedFor reads every schema-valid document: each leaf is mapped, derived or reported; where the
// official rules have nothing fatal to say no business term is reported; and every other reported name is a known one.
func TestEveryLeafOfTheCorpusIsAccountedFor(t *testing.T) {
	f, err := New()
	if err != nil {
		t.Fatal(err)
	}
	known := knownNames(t)
	documents, seen := 0, map[string]bool{}
	for _, d := range corpus.UBL(t) {
		if !d.Valid {
			continue
		}
		documents++
		doc, account := readAccount(t, f, d.Path)
		if leaves := mappingtest.Leaves(doc); leaves != account.Mapped+account.Derived+account.Reported {
			t.Errorf("%s: %d leaves, but %d mapped, %d derived and %d reported", d.Path, leaves, account.Mapped, account.Derived, account.Reported)
		}
		for _, leaf := range account.Leaves {
			name := lastName(leaf.Path)
			seen[name] = true
			if leaf.Term != "" && judgedClean(d) {
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

// judgedClean tells whether the rules of EN 16931, alone or inside a national set, judged the document and found nothing fatal.
func judgedClean(d corpus.Document) bool {
	judged := false
	for set := range d.Rules {
		for _, prefix := range []string{"en16931-ubl", "be", "nl-", "cius-pt", "fr-ext"} {
			judged = judged || strings.HasPrefix(set, prefix)
		}
	}
	return judged && !d.Fatal("")
}

func readAccount(t *testing.T, f *Format, path string) (*xmltree.Document, mapping.Account) {
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
	return doc, reading.Account
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
