//go:build corpus || oracles

package xsd

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

func newParser(t testing.TB, opt xmltree.Options) *xmltree.Parser {
	t.Helper()
	parser, err := xmltree.NewParser(opt)
	if err != nil {
		t.Fatal(err)
	}
	return parser
}

// parseFile reads a document; the error says that it is not well-formed.
func parseFile(t testing.TB, parser *xmltree.Parser, fsys fs.FS, name string) (*xmltree.Document, error) {
	t.Helper()
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	return parser.Parse(data)
}

// agreement counts the documents compared.
type agreement struct{ documents, equal, kinds int }

// judge gives the violations of a document; one that is not well-formed has that kind only.
func judge(t *testing.T, s *Schema, parser *xmltree.Parser, dir, file string) []Violation {
	t.Helper()
	doc, err := parseFile(t, parser, os.DirFS(dir), file)
	if err != nil {
		return []Violation{{Kind: "not-well-formed", Message: err.Error()}}
	}
	return validate(t, s, doc)
}

// verdicts compares schemas with the verdicts of the corpus on documents in UBL and CII. A schema that is nil is left out.
func verdicts(t *testing.T, schema func(name string) *Schema) {
	t.Helper()
	parser := newParser(t, xmltree.Options{})
	dir := filepath.Join(corpus.Shared(), "corpus")
	var total agreement
	for _, set := range verdictFiles(t, dir) {
		var x struct {
			Files map[string]struct{ XSD map[string]verdict }
		}
		readVerdicts(t, dir, set, &x)
		for document, file := range x.Files {
			for name, want := range file.XSD {
				if s := schema(name); s != nil {
					found := judge(t, s, parser, dir, set+"/"+document)
					total.add(t, set+"/"+document+" by "+name, want, found)
				}
			}
		}
	}
	t.Logf("%d documents, %d verdicts and %d first violations equal", total.documents, total.equal, total.kinds)
	if total.documents < 4000 {
		t.Errorf("only %d documents have been compared", total.documents)
	}
}

// verdict is what the official processor says of a document.
type verdict struct {
	Valid bool
	First string // kind of the first violation
}

// add counts a document.
func (a *agreement) add(t *testing.T, document string, want verdict, found []Violation) {
	t.Helper()
	a.documents++
	if (len(found) == 0) != want.Valid {
		t.Errorf("%s: valid %v, want %v: %s", document, len(found) == 0, want.Valid, outline(found))
		return
	}
	a.equal++
	// The verdicts have no kind of their own for a value other than the prescribed one.
	if len(found) > 0 && string(found[0].Kind) != want.First && found[0].Kind != KindFixed {
		t.Errorf("%s: first %s, want %s: %s", document, found[0].Kind, want.First, found[0].Message)
		return
	}
	a.kinds++
}

func verdictFiles(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "verdicts", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no verdicts in %s: %v", dir, err)
	}
	var names []string
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".json")
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.IsDir() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func readVerdicts(t *testing.T, dir, set string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "verdicts", set+".json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", set, err)
	}
}
